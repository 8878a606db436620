//! `dataset_op`: MindSpore dataset operations.

use crate::Str;

table! {
    DatasetOp = "dataset_op", Fact;
    /// One row per dataset operation of MindSpore: how often it ran and how long it took.
    pub struct Row {
        /// Operation.
        pub name: Str,
        /// Stage of the operation.
        pub stage: Option<Str>,
        /// How often it ran.
        pub occurrences: Option<i64>,
        /// Average duration.
        pub average: Option<f64> as "us",
        /// What the operation noted.
        pub custom_info: Option<Str>,
    }
}
