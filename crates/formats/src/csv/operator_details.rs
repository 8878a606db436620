//! `operator_details.csv`.

use npuscope_tables::table::reported_operator::Row;

use super::cell::{Lines, Real, RealOrZero, Text};
use super::{Layout, column};

pub static OPERATOR_DETAILS: Layout<Row> = Layout {
    kind: "operator_details",
    columns: &[
        column!(name: Text, "Name"),
        column!(shapes: Lines, "Input Shapes"),
        column!(stack: Lines, "Call Stack"),
        column!(host_self: Real, "Host Self Duration(us)"),
        column!(host_total: Real, "Host Total Duration(us)"),
        column!(device_self: RealOrZero, "Device Self Duration(us)"),
        column!(device_total: RealOrZero, "Device Total Duration(us)"),
        column!(device_self_aicore: RealOrZero, "Device Self Duration With AICore(us)"),
        column!(device_total_aicore: RealOrZero, "Device Total Duration With AICore(us)"),
    ],
    blank: |_, _| Row::default(),
    implied: &[],
    other: None,
};
