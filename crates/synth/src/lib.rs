//! A simulated training job, written as a profile with its truth.
//!
//! [`simulate`] runs a transformer on a TP x PP x DP layout: ranks compute, meet in collectives and
//! wait there for the slowest. It keeps no more than when each rank's communication began and ended;
//! [`Job::rank`] then plays one rank again and records what a profiler would have seen of it. So a job
//! of any number of ranks is written one rank at a time.
//!
//! Everything follows from the [`JobConfig`], its seed included: the same config gives the same bytes.
//!
//! ```
//! use npuscope_synth::{JobConfig, simulate};
//! let config = JobConfig { layers: 2, steps: 1, ..JobConfig::default() };
//! let job = simulate(&config).unwrap();
//! let tables = job.rank(0);
//! assert!(tables.len(npuscope_tables::TableId::Kernel) > 0);
//! ```

mod chip;
mod config;
mod layout;
mod memory;
mod noise;
mod program;
mod record;
mod settings;
mod simulate;
mod truth;
mod write;

pub use config::{ConfigError, JobConfig, SlowRank};
pub use layout::{Group, GroupKind, Layout};
pub use simulate::{Job, simulate};
pub use truth::{GroundTruth, SlowRankTruth};
pub use write::{Form, write_job};
