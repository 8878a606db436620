//! What to record.

/// What to record.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectConfig {}
