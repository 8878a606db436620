//! What the fuzz targets and the maker of their seeds share.

use npuscope_formats::flavour::Flavour;
use npuscope_tables::{RankTables, TableId};

/// Kinds of csv files; "" is one that is kept cell by cell.
pub const CSV_KINDS: [&str; 17] = [
    "",
    "kernel_details",
    "op_summary",
    "operator_details",
    "operator_memory",
    "memory_record",
    "npu_module_mem",
    "static_op_mem",
    "step_trace_time",
    "op_statistic",
    "api_statistic",
    "l2_cache",
    "soc_pmu",
    "data_preprocess",
    "aicpu",
    "dataset",
    "minddata_pipeline_raw",
];

/// The kind and flavour that the first byte of an input stands for.
pub fn csv_kind(byte: u8) -> (&'static str, Flavour) {
    let flavour = if usize::from(byte) < 128 { Flavour::TorchNpu } else { Flavour::MindSpore };
    (CSV_KINDS[usize::from(byte) % 128 % CSV_KINDS.len()], flavour)
}

/// Rows of every table.
pub fn lengths(tables: &RankTables) -> Vec<(TableId, usize)> {
    TableId::ALL.iter().map(|&table| (table, tables.len(table))).collect()
}
