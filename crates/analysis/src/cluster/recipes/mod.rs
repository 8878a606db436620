//! One file per mode; the comment at its top is its manual page.

use npuscope_formats::result::ColumnKind;
use npuscope_tables::Ns;

use super::Mode;

pub mod all;
pub mod calibrate_npu_gpu;
pub mod cann_api_sum;
pub mod cluster_compare_baseline;
pub mod cluster_time_compare_summary;
pub mod cluster_time_summary;
mod communication;
pub mod communication_bottleneck;
pub mod communication_group_map;
pub mod communication_matrix;
pub mod communication_matrix_sum;
pub mod communication_time;
pub mod communication_time_sum;
pub mod computational_op_masking;
pub mod compute_op_sum;
mod dualpipe;
pub mod ep_load_balance;
pub mod export_summary;
mod filter_db;
pub mod free_analysis;
pub mod freq_analysis;
mod gpu_baseline;
pub mod hccl_sum;
mod launches;
mod microseconds;
pub mod module_statistic;
pub mod module_tree;
pub mod mstx2commop;
pub mod mstx_sum;
mod op_calls;
mod operator_mfu;
mod p2p_pairing;
mod peak;
pub mod pp_chart;
mod rank_facts;
mod rank_files;
mod sheets;
mod similarity;
pub mod slow_link;
pub mod slow_rank;

pub use microseconds::Microseconds;

/// In the order of the manual.
pub(super) const MODES: &[Mode] = &[
    all::MODE,
    communication_time::MODE,
    communication_matrix::MODE,
    cann_api_sum::MODE,
    compute_op_sum::MODE,
    hccl_sum::MODE,
    mstx_sum::MODE,
    slow_link::MODE,
    slow_rank::MODE,
    cluster_time_summary::MODE,
    cluster_time_compare_summary::MODE,
    cluster_compare_baseline::MODE,
    free_analysis::MODE,
    ep_load_balance::MODE,
    communication_group_map::MODE,
    communication_time_sum::MODE,
    communication_matrix_sum::MODE,
    freq_analysis::MODE,
    p2p_pairing::MODE,
    pp_chart::MODE,
    mstx2commop::MODE,
    module_statistic::MODE,
    operator_mfu::MODE,
    computational_op_masking::MODE,
    communication_bottleneck::MODE,
    calibrate_npu_gpu::MODE,
    export_summary::MODE,
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
