//! `step`: training steps.

use crate::Ns;

table! {
    Step = "step", Fact, time = "start";
    /// One row per training step of a rank, as the host marked it.
    pub struct Row {
        /// Step number the trainer gave.
        pub id: Option<i64>,
        /// Start of the step on the host.
        pub start: Ns,
        /// End of the step on the host.
        pub end: Ns,
    }
}
