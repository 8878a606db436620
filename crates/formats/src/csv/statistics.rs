//! `op_statistic.csv` and `api_statistic.csv`.

use npuscope_tables::table::{reported_api, reported_op_type};

use super::cell::{Int, Real, Text};
use super::{Layout, column};

pub static OP_STATISTIC: Layout<reported_op_type::Row> = Layout {
    kind: "op_statistic",
    columns: &[
        column!(device: Int, "Device_id"; Optional),
        column!(op_type: Text, "OP Type"),
        column!(core: Text, "Core Type", null "N/A"),
        column!(count: Int, "Count"),
        column!(total: Real, "Total Time(us)"),
        column!(min: Real, "Min Time(us)"),
        column!(avg: Real, "Avg Time(us)"),
        column!(max: Real, "Max Time(us)"),
        column!(ratio: Real, "Ratio(%)"),
    ],
    blank: |_, _| reported_op_type::Row::default(),
    implied: &[],
    other: None,
};

pub static API_STATISTIC: Layout<reported_api::Row> = Layout {
    kind: "api_statistic",
    columns: &[
        column!(device: Text, "Device_id"; Optional),
        column!(level: Text, "Level"),
        column!(name: Text, "API Name"),
        column!(total: Real, "Time(us)"),
        column!(count: Int, "Count"),
        column!(avg: Real, "Avg(us)"),
        column!(min: Real, "Min(us)"),
        column!(max: Real, "Max(us)"),
        column!(variance: Real, "Variance"),
    ],
    blank: |_, _| reported_api::Row::default(),
    implied: &[],
    other: None,
};
