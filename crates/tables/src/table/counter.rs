//! `counter`: samples of hardware counters.

use crate::{LaneId, Ns, Str};

table! {
    Counter = "counter", Fact, time = "time";
    /// One row per sample of a hardware counter: frequency, memory bandwidth, cache, links, or device memory.
    pub struct Row {
        /// Lane of the counter's layer.
        pub lane: LaneId,
        /// Time of the sample.
        pub time: Ns,
        /// Counter name, for example HBM 0/Read.
        pub name: Str,
        /// Series of the counter, for example Throughput; empty for counters with one series.
        pub series: Str,
        /// Instance number, for counters that have it beside the value.
        pub instance: Option<i64>,
        /// Value, in the unit given by `unit`.
        pub value: f64,
        /// Unit of the value: `B`, `B/s`, `MHz`, `%` …; null where the source has none.
        pub unit: Option<Str>,
    }
}
