//! `data_preprocess.csv`, and msprof's `aicpu_*.csv` with the same columns.

use npuscope_tables::table::aicpu_op::Row;

use super::cell::{Int, Text, UsSpan, UsTime};
use super::{Layout, column};

pub static DATA_PREPROCESS: Layout<Row> = Layout {
    kind: "data_preprocess",
    columns: &[
        column!(device: Int, "Device_id"; Optional),
        column!(time: UsTime, "Timestamp(us)", null "N/A"),
        column!(name: Text, "Node"),
        column!(compute: UsSpan, "Compute_time(us)", null "N/A"),
        column!(memcpy: UsSpan, "Memcpy_time(us)", null "N/A"),
        column!(task: UsSpan, "Task_time(us)", null "N/A"),
        column!(dispatch: UsSpan, "Dispatch_time(us)", null "N/A"),
        column!(total: UsSpan, "Total_time(us)", null "N/A"),
        column!(stream: Int, "Stream ID", null "N/A"),
        column!(task_id: Int, "Task ID", null "N/A"),
    ],
    blank: |_, _| Row::default(),
    implied: &[],
    other: None,
};
