//! `rank`: ranks of the job.

use crate::{Ns, Str};

table! {
    Rank = "rank", Fact;
    /// One row per rank: where it ran, how it was profiled, and its position in the parallel layout.
    pub struct Row {
        /// NPU or GPU that the rank used, by its number on the host.
        pub device: Option<i64>,
        /// Host name.
        pub host: Option<Str>,
        /// Stable id of the host, a hash of its network addresses.
        pub host_uid: Option<Str>,
        /// Chip name, for example Ascend910B.
        pub chip: Option<Str>,
        /// Process id of the training process.
        pub process: Option<i64>,
        /// Framework that wrote the profile: `torch_npu`, `mindspore`, `msprof`, or `torch` for PyTorch's own profiler.
        pub framework: Option<Str>,
        /// Version of the framework.
        pub framework_version: Option<Str>,
        /// Version of CANN.
        pub cann_version: Option<Str>,
        /// Version of the database schema, for profiles in format db.
        pub schema_version: Option<Str>,
        /// Format of the profile: `text`, `db`, `text+db` where both were needed, `raw` for profiler data that was not
        /// parsed yet, or `kineto` for a trace of PyTorch's own profiler.
        pub format: Str,
        /// Profiler level: `level_none`, `level0`, `level1` or `level2`.
        pub level: Option<Str>,
        /// AI Core metric group that was collected.
        pub aic_metrics: Option<Str>,
        /// Last component of the path of the rank's profile directory, of the first window if there are several.
        pub directory: Str,
        /// Earliest time of any step or slice of the rank; samples of memory and counters do not count.
        pub start: Option<Ns>,
        /// Latest time of any step or slice of the rank; samples of memory and counters do not count.
        pub end: Option<Ns>,
        /// Start of the recording, where the source has it.
        pub session_start: Option<Ns>,
        /// End of the recording, where the source has it.
        pub session_end: Option<Ns>,
        /// Number of ranks in the job.
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
