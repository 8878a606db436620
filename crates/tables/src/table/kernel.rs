//! `kernel`: kernels on the device.

use crate::{Ns, Span, Str, TaskId};

table! {
    Kernel = "kernel", Fact, time = "start";
    /// One row per kernel that the device ran, with its operator, tensors and AI Core metrics; a collective is one
    /// kernel, as the scheduler sees it.
    pub struct Row {
        /// Device task (`task.task`), where known.
        pub task: Option<TaskId>,
        /// Step that launched the kernel: see `step_of_work` in `npuscope glossary`; filled where `step_time` has rows.
        pub step: Option<i64>,
        /// Step number in `kernel_details.csv`, unchanged.
        pub reported_step: Option<i64>,
        /// Device number on the host.
        pub device: Option<i64>,
        /// Start time.
        pub start: Ns,
        /// Duration.
        pub duration: Span,
        /// Gap to the previous kernel of the device.
        pub wait: Option<Span>,
        /// Kernel name.
        pub name: Str,
        /// Operator type, for example MatMulV2; on GPUs the framework operator that launched the kernel.
        pub op_type: Option<Str>,
        /// Shape mode of the operator: `dynamic` or `static`.
        pub state: Option<Str>,
        /// Accelerator core: `AI_CORE`, `AI_VECTOR_CORE`, `MIX_AIC`, `AI_CPU`, `HCCL` …; on GPUs `COMMUNICATION` for
        /// collectives.
        pub core: Option<Str>,
        /// Stream id.
        pub stream: Option<i64>,
        /// Task id within the stream.
        pub task_id: Option<i64>,
        /// Model id.
        pub model_id: Option<i64>,
        /// Context id of the task.
        pub context_id: Option<i64>,
        /// Number of cores that the kernel ran on.
        pub block_num: Option<i64>,
        /// Number of cores of the other type (cube or vector), for mixed kernels.
        pub mix_block_num: Option<i64>,
        /// Whether HF32 was used: `YES` or `NO`.
        pub hf32: Option<Str>,
        /// Input shapes; dimensions separated by commas, tensors by semicolons.
        pub input_shapes: Option<Str>,
        /// Input types, separated by semicolons.
        pub input_dtypes: Option<Str>,
        /// Input formats, separated by semicolons.
        pub input_formats: Option<Str>,
        /// Output shapes; dimensions separated by commas, tensors by semicolons.
        pub output_shapes: Option<Str>,
        /// Output types, separated by semicolons.
        pub output_dtypes: Option<Str>,
        /// Output formats, separated by semicolons.
        pub output_formats: Option<Str>,
        /// Operator attributes.
        pub attributes: Option<Str>,
        /// Grid size of the kernel launch, where recorded.
        pub grid: Option<Str>,
        /// Block size of the kernel launch, where recorded.
        pub block: Option<Str>,
        /// Busy time of the cube cores.
        pub aic_total_time: Option<f64> as "ns",
        /// Total cycles of the cube cores.
        pub aic_total_cycles: Option<f64>,
        /// Busy time of the cube unit.
        pub aic_mac_time: Option<f64> as "ns",
        /// Share of the cube cores' time in which the cube unit was busy.
        pub aic_mac_ratio: Option<f64>,
        /// Busy time of the scalar unit of the cube cores.
        pub aic_scalar_time: Option<f64> as "ns",
        /// Share of the cube cores' time in which the scalar unit was busy.
        pub aic_scalar_ratio: Option<f64>,
        /// Busy time of MTE1 on the cube cores: transfers from L1 to L0.
        pub aic_mte1_time: Option<f64> as "ns",
        /// Share of the cube cores' time in which MTE1 was busy.
        pub aic_mte1_ratio: Option<f64>,
        /// Busy time of MTE2 on the cube cores: transfers from memory to the core.
        pub aic_mte2_time: Option<f64> as "ns",
        /// Share of the cube cores' time in which MTE2 was busy.
        pub aic_mte2_ratio: Option<f64>,
        /// Busy time of FixPipe on the cube cores: transfers from L0 to memory.
        pub aic_fixpipe_time: Option<f64> as "ns",
        /// Share of the cube cores' time in which FixPipe was busy.
        pub aic_fixpipe_ratio: Option<f64>,
        /// Instruction-cache miss rate of the cube cores.
        pub aic_icache_miss_rate: Option<f64>,
        /// Busy time of the vector cores.
        pub aiv_total_time: Option<f64> as "ns",
        /// Total cycles of the vector cores.
        pub aiv_total_cycles: Option<f64>,
        /// Busy time of the vector unit.
        pub aiv_vec_time: Option<f64> as "ns",
        /// Share of the vector cores' time in which the vector unit was busy.
        pub aiv_vec_ratio: Option<f64>,
        /// Busy time of the cube unit, as counted by the vector cores.
        pub aiv_mac_time: Option<f64> as "ns",
        /// Share of the vector cores' time in which the cube unit was busy.
        pub aiv_mac_ratio: Option<f64>,
        /// Busy time of the scalar unit of the vector cores.
        pub aiv_scalar_time: Option<f64> as "ns",
        /// Share of the vector cores' time in which the scalar unit was busy.
        pub aiv_scalar_ratio: Option<f64>,
        /// Busy time of MTE1 on the vector cores: transfers from L1 to L0.
        pub aiv_mte1_time: Option<f64> as "ns",
        /// Share of the vector cores' time in which MTE1 was busy.
        pub aiv_mte1_ratio: Option<f64>,
        /// Busy time of MTE2 on the vector cores: transfers from memory to the core.
        pub aiv_mte2_time: Option<f64> as "ns",
        /// Share of the vector cores' time in which MTE2 was busy.
        pub aiv_mte2_ratio: Option<f64>,
        /// Busy time of MTE3 on the vector cores: transfers from the core to memory.
        pub aiv_mte3_time: Option<f64> as "ns",
        /// Share of the vector cores' time in which MTE3 was busy.
        pub aiv_mte3_ratio: Option<f64>,
        /// Instruction-cache miss rate of the vector cores.
        pub aiv_icache_miss_rate: Option<f64>,
        /// Cube utilization, as reported by the profiler.
        pub cube_utilization: Option<f64> as "%",
        /// Metrics of groups other than PipeUtilization, as a JSON object with the names and units of the source.
        pub metrics: Option<Str>,
    }
}
