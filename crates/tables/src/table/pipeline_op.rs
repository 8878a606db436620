//! `pipeline_op`: operators of MindData pipelines.

use crate::Str;

table! {
    PipelineOp = "pipeline_op", Fact;
    /// One row per operator of a MindData pipeline, with its workers and its output queue.
    pub struct Row {
        /// Pipeline id, from the file name.
        pub pipeline: Option<Str>,
        /// Operator id.
        pub op_id: Option<i64>,
        /// Operator type.
        pub op_type: Option<Str>,
        /// Number of workers.
        pub workers: Option<i64>,
        /// Size of the output queue (`output_queue_size`).
        pub queue_size: Option<f64>,
        /// Mean number of entries in the output queue.
        pub queue_average: Option<f64>,
        /// Length of the output queue (`output_queue_length`).
        pub queue_length: Option<f64>,
        /// Share of the output queue in use.
        pub queue_usage: Option<f64>,
        /// Time between two samples.
        pub sample_interval: Option<f64> as "ms",
        /// Downstream operator.
        pub parent: Option<Str>,
        /// Upstream operators.
        pub children: Option<Str>,
    }
}
