//! What the fuzz targets and the maker of their seeds share.

use npuscope_formats::file_kind::CSV;
use npuscope_tables::Framework;
use npuscope_tables::{RankTables, TableId};

/// The kind and framework of a csv file that the first byte of an input stands for; the kind "" is kept cell by cell.
pub fn csv_kind(byte: u8) -> (&'static str, Framework) {
    let framework = if byte < 128 { Framework::TorchNpu } else { Framework::MindSpore };
    (CSV.get(usize::from(byte % 128)).copied().unwrap_or_default(), framework)
}

/// The byte that [`csv_kind`] reads as `kind` and `framework`.
pub fn csv_byte(kind: &str, framework: Framework) -> u8 {
    let index = CSV.iter().position(|known| *known == kind).unwrap_or(CSV.len()) as u8;
    if framework == Framework::MindSpore { index + 128 } else { index }
}

/// Rows of every table.
pub fn lengths(tables: &RankTables) -> Vec<(TableId, usize)> {
    TableId::ALL.iter().map(|&table| (table, tables.len(table))).collect()
}
