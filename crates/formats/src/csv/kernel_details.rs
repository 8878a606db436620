//! `kernel_details.csv`, and msprof's `op_summary_*.csv` with other headers.

use npuscope_tables::table::kernel::Row;

use super::cell::{Count, Int, Real, RealOrZero, Text, UsReal, UsSpan, UsTime};
use super::{Column, Layout, column};

pub static KERNEL_DETAILS: Layout<Row> = Layout {
    kind: "kernel_details",
    columns: COLUMNS,
    blank: |_, _| Row::default(),
    implied: &[],
    other: Some(|row| &mut row.metrics),
};

/// Computed where a file has none at all: `npuscope_measures::link::fill_waits`.
const WAIT: Column<Row> =
    Column { is_filled_in: true, ..column!(wait: UsSpan, "Wait Time(us)" | "Task Wait Time(us)", null "N/A") };

const COLUMNS: &[Column<Row>] = &[
    column!(reported_step: Int, "Step Id" | "Step ID"; Optional),
    column!(device: Int, "Device_id"; Optional),
    column!(model_id: Int, "Model ID", null "N/A"; Optional),
    column!(task_id: Int, "Task ID", null "N/A"; Optional),
    column!(stream: Int, "Stream ID", null "N/A"; Optional),
    column!(name: Text, "Name" | "Op Name"),
    column!(op_type: Text, "Type" | "OP Type", null "N/A"),
    column!(state: Text, "OP State", null "N/A"; Optional),
    column!(core: Text, "Accelerator Core" | "Task Type", null "N/A"),
    column!(start: UsTime, "Start Time(us)" | "Task Start Time(us)"),
    column!(duration: UsSpan, "Duration(us)" | "Task Duration(us)"),
    WAIT,
    column!(block_num: Int, "Block Num" | "Block Dim", null "N/A"),
    column!(mix_block_num: Int, "Mix Block Num" | "Mix Block Dim", null "N/A"; Optional),
    column!(hf32: Text, "HF32 Eligible", null "N/A"; Optional),
    column!(input_shapes: Text, "Input Shapes", null "N/A"; Optional),
    column!(input_dtypes: Text, "Input Data Types", null "N/A"; Optional),
    column!(input_formats: Text, "Input Formats", null "N/A"; Optional),
    column!(output_shapes: Text, "Output Shapes", null "N/A"; Optional),
    column!(output_dtypes: Text, "Output Data Types", null "N/A"; Optional),
    column!(output_formats: Text, "Output Formats", null "N/A"; Optional),
    column!(context_id: Int, "Context ID", null "N/A"; Optional),
    column!(aic_total_time: UsReal, "aicore_time(us)" | "aic_time(us)", null "N/A"; Optional),
    column!(aic_total_cycles: Count, "aic_total_cycles", null "N/A"; Optional),
    column!(aic_mac_time: UsReal, "aic_mac_time(us)", null "N/A"; Optional),
    column!(aic_mac_ratio: Real, "aic_mac_ratio", null "N/A"; Optional),
    column!(aic_scalar_time: UsReal, "aic_scalar_time(us)", null "N/A"; Optional),
    column!(aic_scalar_ratio: Real, "aic_scalar_ratio", null "N/A"; Optional),
    column!(aic_mte1_time: UsReal, "aic_mte1_time(us)", null "N/A"; Optional),
    column!(aic_mte1_ratio: Real, "aic_mte1_ratio", null "N/A"; Optional),
    column!(aic_mte2_time: UsReal, "aic_mte2_time(us)", null "N/A"; Optional),
    column!(aic_mte2_ratio: Real, "aic_mte2_ratio", null "N/A"; Optional),
    column!(aic_fixpipe_time: UsReal, "aic_fixpipe_time(us)", null "N/A"; Optional),
    column!(aic_fixpipe_ratio: Real, "aic_fixpipe_ratio", null "N/A"; Optional),
    column!(aic_icache_miss_rate: Real, "aic_icache_miss_rate", null "N/A"; Optional),
    column!(aiv_total_time: UsReal, "aiv_time(us)", null "N/A"; Optional),
    column!(aiv_total_cycles: Count, "aiv_total_cycles", null "N/A"; Optional),
    column!(aiv_vec_time: UsReal, "aiv_vec_time(us)", null "N/A"; Optional),
    column!(aiv_vec_ratio: Real, "aiv_vec_ratio", null "N/A"; Optional),
    column!(aiv_scalar_time: UsReal, "aiv_scalar_time(us)", null "N/A"; Optional),
    column!(aiv_scalar_ratio: Real, "aiv_scalar_ratio", null "N/A"; Optional),
    column!(aiv_mte2_time: UsReal, "aiv_mte2_time(us)", null "N/A"; Optional),
    column!(aiv_mte2_ratio: Real, "aiv_mte2_ratio", null "N/A"; Optional),
    column!(aiv_mte3_time: UsReal, "aiv_mte3_time(us)", null "N/A"; Optional),
    column!(aiv_mte3_ratio: Real, "aiv_mte3_ratio", null "N/A"; Optional),
    column!(aiv_icache_miss_rate: Real, "aiv_icache_miss_rate", null "N/A"; Optional),
    column!(cube_utilization: RealOrZero, "cube_utilization(%)", null "N/A"; Optional),
];
