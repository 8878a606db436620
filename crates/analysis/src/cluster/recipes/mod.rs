//! One file per mode; the comment at its top is its manual page.

use npuscope_formats::result::ColumnKind;
use npuscope_tables::Ns;

use super::Mode;

mod communication_bottleneck;
mod computational_op_masking;
mod dualpipe;
mod export_summary;
mod filter_db;
mod free_analysis;
mod hccl_sum;
mod launches;
mod mstx2commop;
mod p2p_pairing;
mod pp_chart;
mod rank_facts;
mod rank_files;

/// In the order of the manual.
pub(super) const MODES: &[Mode] = &[
    hccl_sum::MODE,
    free_analysis::MODE,
    computational_op_masking::MODE,
    communication_bottleneck::MODE,
    export_summary::MODE,
    p2p_pairing::MODE,
    pp_chart::MODE,
    mstx2commop::MODE,
    filter_db::MODE,
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

/// A time in microseconds, all its digits and no more.
fn us_text(ns: i64) -> String {
    let text = Ns(ns).to_string();
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
