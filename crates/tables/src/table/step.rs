//! `step`: training steps.

use crate::Ns;

table! {
    Step = "step", Fact, time = "start";
    /// One row per training step of a rank, from the step markers on the host.
    pub struct Row {
        /// Step number assigned by the trainer.
        pub id: Option<i64>,
        /// Start of the step on the host.
        pub start: Ns,
        /// End of the step on the host.
        pub end: Ns,
    }
}
