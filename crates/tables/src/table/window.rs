//! `window`: recordings of a rank.

use crate::{Ns, Str};

table! {
    Window = "window", Fact, time = "start";
    /// One row per window of a rank: the steps of one recording, from one profile directory or trace file.
    pub struct Row {
        /// Stage of reinforcement learning that was recorded, from the name of the directory, for example
        /// `actor_update`.
        pub stage: Option<Str>,
        /// Last component of the path of the window's profile directory, or the name of the trace file.
        pub directory: Str,
        /// Earliest time of the steps and slices of the window.
        pub start: Option<Ns>,
        /// Latest time of the steps and slices of the window.
        pub end: Option<Ns>,
        /// First step of the window.
        pub first_step: Option<i64>,
        /// Last step of the window.
        pub last_step: Option<i64>,
    }
}
