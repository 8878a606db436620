//! `kernel`: what the computing tasks were.

use crate::{Ns, Span, Str, TaskId};

table! {
    Kernel = "kernel", Fact, time = "start";
    /// One row per kernel the device ran, with its operator, tensors and AI Core metrics. Collectives appear as the single task they are to the scheduler.
    pub struct Row {
        /// The task (`task.task`), where it is known.
        pub task: Option<TaskId>,
        /// Step that launched the kernel: see `step_of_work` in `npuscope glossary`. Filled where `step_time` is.
        pub step: Option<i64>,
        /// Step number in `kernel_details.csv`, as the file has it.
        pub reported_step: Option<i64>,
        /// Device.
        pub device: Option<i64>,
        /// Start.
        pub start: Ns,
        /// Duration.
        pub duration: Span,
        /// Gap to the previous kernel of the device.
        pub wait: Option<Span>,
        /// Kernel name.
        pub name: Str,
        /// Operator type, for example MatMulV2; on GPUs the framework operator that launched the kernel.
        pub op_type: Option<Str>,
        /// dynamic or static shape.
        pub state: Option<Str>,
        /// Accelerator core: AI_CORE, AI_VECTOR_CORE, MIX_AIC, AI_CPU, HCCL …; on GPUs COMMUNICATION for collectives.
        pub core: Option<Str>,
        /// Stream.
        pub stream: Option<i64>,
        /// Id on its stream.
        pub task_id: Option<i64>,
        /// Model.
        pub model_id: Option<i64>,
        /// Context of the task.
        pub context_id: Option<i64>,
        /// Cores the kernel was spread over.
        pub block_num: Option<i64>,
        /// Cores of the other kind, for mixed kernels.
        pub mix_block_num: Option<i64>,
        /// Whether HF32 was used: YES or NO.
        pub hf32: Option<Str>,
        /// Input shapes: dimensions by comma, tensors by semicolon.
        pub input_shapes: Option<Str>,
        /// Input types, by semicolon.
        pub input_dtypes: Option<Str>,
        /// Input formats, by semicolon.
        pub input_formats: Option<Str>,
        /// Output shapes.
        pub output_shapes: Option<Str>,
        /// Output types.
        pub output_dtypes: Option<Str>,
        /// Output formats.
        pub output_formats: Option<Str>,
        /// Operator attributes.
        pub attributes: Option<Str>,
        /// Grid of a launched kernel, where recorded.
        pub grid: Option<Str>,
        /// Block of a launched kernel, where recorded.
        pub block: Option<Str>,
        /// Time the cube cores were busy.
        pub aic_total_time: Option<f64> as "ns",
        /// Cycles of the cube cores.
        pub aic_total_cycles: Option<f64>,
        /// Cube unit busy.
        pub aic_mac_time: Option<f64> as "ns",
        /// Cube unit busy, share of the cube cores' time.
        pub aic_mac_ratio: Option<f64>,
        /// Scalar unit of the cube cores busy.
        pub aic_scalar_time: Option<f64> as "ns",
        /// Share of the cube cores' time.
        pub aic_scalar_ratio: Option<f64>,
        /// L1 to L0 transfers of the cube cores.
        pub aic_mte1_time: Option<f64> as "ns",
        /// Share of the cube cores' time.
        pub aic_mte1_ratio: Option<f64>,
        /// Memory to core transfers of the cube cores.
        pub aic_mte2_time: Option<f64> as "ns",
        /// Share of the cube cores' time.
        pub aic_mte2_ratio: Option<f64>,
        /// L0 to memory transfers of the cube cores.
        pub aic_fixpipe_time: Option<f64> as "ns",
        /// Share of the cube cores' time.
        pub aic_fixpipe_ratio: Option<f64>,
        /// Instruction-cache misses of the cube cores.
        pub aic_icache_miss_rate: Option<f64>,
        /// Time the vector cores were busy.
        pub aiv_total_time: Option<f64> as "ns",
        /// Cycles of the vector cores.
        pub aiv_total_cycles: Option<f64>,
        /// Vector unit busy.
        pub aiv_vec_time: Option<f64> as "ns",
        /// Share of the vector cores' time.
        pub aiv_vec_ratio: Option<f64>,
        /// Cube unit busy, as the vector cores count it.
        pub aiv_mac_time: Option<f64> as "ns",
        /// Share of the vector cores' time.
        pub aiv_mac_ratio: Option<f64>,
        /// Scalar unit of the vector cores busy.
        pub aiv_scalar_time: Option<f64> as "ns",
        /// Share of the vector cores' time.
        pub aiv_scalar_ratio: Option<f64>,
        /// L1 to L0 transfers of the vector cores.
        pub aiv_mte1_time: Option<f64> as "ns",
        /// Share of the vector cores' time.
        pub aiv_mte1_ratio: Option<f64>,
        /// Memory to core transfers of the vector cores.
        pub aiv_mte2_time: Option<f64> as "ns",
        /// Share of the vector cores' time.
        pub aiv_mte2_ratio: Option<f64>,
        /// Core to memory transfers of the vector cores.
        pub aiv_mte3_time: Option<f64> as "ns",
        /// Share of the vector cores' time.
        pub aiv_mte3_ratio: Option<f64>,
        /// Instruction-cache misses of the vector cores.
        pub aiv_icache_miss_rate: Option<f64>,
        /// Cube utilisation as reported.
        pub cube_utilization: Option<f64> as "%",
        /// Metrics of other groups than PipeUtilization, as a JSON object in the source's own names and units.
        pub metrics: Option<Str>,
    }
}
