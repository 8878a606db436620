//! `step_time`: step time, and the breakdown of device time.

use crate::{Ns, Str};

table! {
    StepTime = "step_time", Measured, time = "start";
    /// One row per step of a rank, with the step time and the breakdown of its device time; `npuscope glossary` has the
    /// definitions.
    pub struct Row {
        /// Step number assigned by the trainer; null where steps are not marked.
        pub step: Option<i64>,
        /// Clock of the step time: `host` where step markers exist, else `device`; `file` where only a summary was
        /// kept.
        pub clock: Str,
        /// Start of the step on that clock.
        pub start: Ns,
        /// Step time: time from the start to the end of the step on that clock.
        pub step_time: i64 as "ns",
        /// Start of the step's first work on the device; this and the following columns are null where the device was
        /// not recorded.
        pub device_start: Option<Ns>,
        /// Device time: computing + exposed communication + free.
        pub device_time: Option<i64> as "ns",
        /// Time in which at least one kernel computed.
        pub computing: Option<i64> as "ns",
        /// Time in which at least one communication operation ran.
        pub communication: Option<i64> as "ns",
        /// Time in which a communication operation ran and no kernel computed.
        pub exposed_communication: Option<i64> as "ns",
        /// Communication time that computing overlaps.
        pub overlapped: Option<i64> as "ns",
        /// Time without computing and communication.
        pub free: Option<i64> as "ns",
        /// Bubble: time in which a receive ran and no kernel computed.
        pub bubble: Option<i64> as "ns",
        /// Time in which at least one send or receive ran.
        pub p2p_time: Option<i64> as "ns",
        /// Time in which at least one copy between host and device ran.
        pub copying: Option<i64> as "ns",
        /// Time from the start of the step marker to the first work on the device.
        pub preparing: Option<i64> as "ns",
    }
}
