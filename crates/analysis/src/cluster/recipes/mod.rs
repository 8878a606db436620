//! One file per mode; the comment at its top is its manual page.

use npuscope_formats::result::ColumnKind;

use super::Mode;

mod calibrate_npu_gpu;
mod gpu_baseline;
mod hccl_sum;
mod module_statistic;
mod module_tree;
mod op_calls;
mod operator_mfu;
mod peak;
mod sheets;
mod similarity;

/// In the order of the manual.
pub(super) const MODES: &[Mode] =
    &[hccl_sum::MODE, module_statistic::MODE, operator_mfu::MODE, calibrate_npu_gpu::MODE];

/// The columns of [`Summary::cells`](super::statistics::Summary::cells) for durations.
const STAT_COLUMNS: &[(&str, ColumnKind)] = &[
    ("Count", ColumnKind::Int),
    ("MeanNs", ColumnKind::Real),
    ("StdNs", ColumnKind::Real),
    ("MinNs", ColumnKind::Real),
    ("Q1Ns", ColumnKind::Real),
    ("MedianNs", ColumnKind::Real),
    ("Q3Ns", ColumnKind::Real),
    ("MaxNs", ColumnKind::Real),
    ("SumNs", ColumnKind::Real),
];
