//! At which step what is done.

use serde::{Deserialize, Serialize};

/// When to record, counted in steps since the profiler was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    pub wait: u64,
    pub warmup: u64,
    /// At least 1.
    pub active: u64,
    /// Cycles; 0 goes on until training ends.
    pub repeat: u64,
    pub skip_first: u64,
    /// The first cycle has no `wait`.
    pub skip_first_wait: bool,
}
