//! One file per mode; the comment at its top is its manual page.

use npuscope_formats::result::ColumnKind;

use super::Mode;

mod all;
mod communication;
mod communication_group_map;
mod communication_matrix;
mod communication_matrix_sum;
mod communication_time;
mod communication_time_sum;
mod hccl_sum;

/// In the order of the manual.
pub(super) const MODES: &[Mode] = &[
    all::MODE,
    communication_time::MODE,
    communication_matrix::MODE,
    hccl_sum::MODE,
    communication_group_map::MODE,
    communication_time_sum::MODE,
    communication_matrix_sum::MODE,
];

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
