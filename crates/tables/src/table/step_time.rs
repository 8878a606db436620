//! `step_time`: how long steps took and how the time of their devices divides.

use crate::{Ns, Str};

table! {
    StepTime = "step_time", Measured, time = "start";
    /// One row per step of a rank: how long it took and how its device time divides. `npuscope glossary` has the definitions.
    pub struct Row {
        /// Step number the trainer gave; null where nothing marks steps.
        pub step: Option<i64>,
        /// Whose clock the step time is on: host where markers exist, else device; file where only a summary was kept.
        pub clock: Str,
        /// Start of the step on that clock.
        pub start: Ns,
        /// Step time: from the start to the end of the step on that clock.
        pub step_time: i64 as "ns",
        /// First work of the step on the device; null where the device was not recorded, and so are the columns below.
        pub device_start: Option<Ns>,
        /// Device time: computing + exposed communication + free.
        pub device_time: Option<i64> as "ns",
        /// Time in which any kernel computed.
        pub computing: Option<i64> as "ns",
        /// Time in which any communication operation ran.
        pub communication: Option<i64> as "ns",
        /// Time in which an operation communicated and no kernel computed.
        pub exposed_communication: Option<i64> as "ns",
        /// Communication that computing covers.
        pub overlapped: Option<i64> as "ns",
        /// Time in which nothing computed or communicated.
        pub free: Option<i64> as "ns",
        /// Bubble: time in which a receive ran and no kernel computed.
        pub bubble: Option<i64> as "ns",
        /// Time in which any send or receive ran.
        pub p2p_time: Option<i64> as "ns",
        /// Time in which any copy between host and device ran.
        pub copying: Option<i64> as "ns",
        /// From the start of the marker to the first work on the device.
        pub preparing: Option<i64> as "ns",
    }
}
