//! `rank`: who took part.

use crate::{Ns, Str};

table! {
    Rank = "rank", Fact;
    /// One row per rank: where it ran, how it was profiled, its place in the parallel layout.
    pub struct Row {
        /// NPU or GPU the rank used, by its number on the host.
        pub device: Option<i64>,
        /// Host name.
        pub host: Option<Str>,
        /// Stable id of the host, a hash of its network addresses.
        pub host_uid: Option<Str>,
        /// Chip name, for example Ascend910B.
        pub chip: Option<Str>,
        /// Operating-system id of the training process.
        pub process: Option<i64>,
        /// Who recorded: torch_npu, mindspore, msprof, or torch for PyTorch's own profiler.
        pub framework: Option<Str>,
        /// Version of that framework.
        pub framework_version: Option<Str>,
        /// Version of CANN.
        pub cann_version: Option<Str>,
        /// Version of the database schema, for db profiles.
        pub schema_version: Option<Str>,
        /// Format of the source: text, db, text+db where both were needed, raw for what a profiler wrote before it was parsed, or kineto for a trace of PyTorch's own profiler.
        pub format: Str,
        /// Profiler level: level_none, level0, level1 or level2.
        pub level: Option<Str>,
        /// AI Core metric group that was collected.
        pub aic_metrics: Option<Str>,
        /// Directory of the rank's profile, last component.
        pub directory: Str,
        /// First moment any row of the rank covers.
        pub start: Option<Ns>,
        /// Last moment any row of the rank covers.
        pub end: Option<Ns>,
        /// When collection started, if the source says so.
        pub session_start: Option<Ns>,
        /// When collection ended, if the source says so.
        pub session_end: Option<Ns>,
        /// Ranks of the whole job.
        pub world_size: Option<i64>,
        /// Tensor-parallel size.
        pub tp_size: Option<i64>,
        /// Pipeline-parallel size.
        pub pp_size: Option<i64>,
        /// Data-parallel size.
        pub dp_size: Option<i64>,
        /// Context-parallel size.
        pub cp_size: Option<i64>,
        /// Expert-parallel size.
        pub ep_size: Option<i64>,
    }
}
