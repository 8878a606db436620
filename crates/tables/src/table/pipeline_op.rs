//! `pipeline_op`: MindData pipeline operators.

use crate::Str;

table! {
    PipelineOp = "pipeline_op", Fact;
    /// One row per operator of a MindData pipeline: its workers and the queue behind it.
    pub struct Row {
        /// Pipeline, by the id in the file name.
        pub pipeline: Option<Str>,
        /// Operator id.
        pub op_id: Option<i64>,
        /// Operator type.
        pub op_type: Option<Str>,
        /// Workers.
        pub workers: Option<i64>,
        /// Slots of the output queue.
        pub queue_size: Option<f64>,
        /// Mean filling of the output queue.
        pub queue_average: Option<f64>,
        /// Length of the output queue.
        pub queue_length: Option<f64>,
        /// Share of the output queue in use.
        pub queue_usage: Option<f64>,
        /// Time between two samples.
        pub sample_interval: Option<f64> as "ms",
        /// Operator downstream.
        pub parent: Option<Str>,
        /// Operators upstream.
        pub children: Option<Str>,
    }
}
