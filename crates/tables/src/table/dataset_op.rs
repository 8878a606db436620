//! `dataset_op`: dataset operations of MindSpore.

use crate::Str;

table! {
    DatasetOp = "dataset_op", Fact;
    /// One row per dataset operation of MindSpore, with its number of runs and its average duration.
    pub struct Row {
        /// Name of the operation.
        pub name: Str,
        /// Stage of the operation.
        pub stage: Option<Str>,
        /// Number of runs.
        pub occurrences: Option<i64>,
        /// Average duration.
        pub average: Option<f64> as "us",
        /// Custom information of the operation.
        pub custom_info: Option<Str>,
    }
}
