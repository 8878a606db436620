//! `counter`: sampled hardware counters.

use crate::{LaneId, Ns, Str};

table! {
    Counter = "counter", Fact, time = "time";
    /// One row per sample of a counter: frequency, memory bandwidth, cache, links, memory of the device.
    pub struct Row {
        /// Lane of the counter's layer.
        pub lane: LaneId,
        /// When.
        pub time: Ns,
        /// Counter, for example HBM 0/Read.
        pub name: Str,
        /// Series of the counter, for example Throughput; empty for counters with one.
        pub series: Str,
        /// Instance, for counters that name one beside the value.
        pub instance: Option<i64>,
        /// Value, in the unit of this row.
        pub value: f64,
        /// Unit of the value: B, B/s, MHz, % …; null where the source names none.
        pub unit: Option<Str>,
    }
}
