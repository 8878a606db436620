//! `step_trace_time.csv`.

use npuscope_tables::table::reported_step::Row;

use super::cell::{Int, Real, RealOrZero, Text};
use super::{Layout, column};

pub static STEP_TRACE_TIME: Layout<Row> = Layout {
    kind: "step_trace_time",
    columns: &[
        column!(device: Int, "Device_id"; Optional),
        column!(step: Text, "Step"),
        column!(computing: Real, "Computing"),
        column!(communication_not_overlapped: Real, "Communication(Not Overlapped)"),
        column!(overlapped: Real, "Overlapped"),
        column!(communication: Real, "Communication"),
        column!(free: Real, "Free"),
        column!(stage: Real, "Stage"),
        column!(bubble: RealOrZero, "Bubble"),
        column!(
            communication_not_overlapped_exclude_receive: Real,
            "Communication(Not Overlapped and Exclude Receive)"
        ),
        column!(preparing: Real, "Preparing"),
    ],
    blank: |_, _| Row::default(),
    implied: &[],
    other: None,
};
