//! MindSpore's data pipeline: `dataset.csv` and `minddata_pipeline_raw_*.csv`.

use npuscope_tables::table::{dataset_op, pipeline_op};

use super::cell::{Int, Real, Text};
use super::{Layout, column};

pub static DATASET: Layout<dataset_op::Row> = Layout {
    kind: "dataset",
    columns: &[
        column!(name: Text, "Operation"),
        column!(stage: Text, "Stage"),
        column!(occurrences: Int, "Occurrences"),
        column!(average: Real, "Avg. time (us)" | "Avg. time(us)"),
        column!(custom_info: Text, "Custom Info"),
    ],
    blank: |_, _| dataset_op::Row::default(),
    implied: &[],
    other: None,
};

pub static PIPELINE_RAW: Layout<pipeline_op::Row> = Layout {
    kind: "minddata_pipeline_raw",
    columns: &[
        column!(op_id: Int, "op_id"),
        column!(op_type: Text, "op_type"),
        column!(workers: Int, "num_workers"),
        column!(queue_size: Real, "output_queue_size"),
        column!(queue_average: Real, "output_queue_average_size"),
        column!(queue_length: Real, "output_queue_length"),
        column!(queue_usage: Real, "output_queue_usage_rate"),
        column!(sample_interval: Real, "sample_interval"),
        column!(parent: Text, "parent_id"),
        column!(children: Text, "children_id"),
    ],
    blank: |strings, file| {
        let id = file.rsplit('_').next().and_then(|rest| rest.strip_suffix(".csv"));
        pipeline_op::Row { pipeline: id.map(|id| strings.intern(id)), ..pipeline_op::Row::default() }
    },
    implied: &[],
    other: None,
};
