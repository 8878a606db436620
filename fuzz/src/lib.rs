//! What the fuzz targets and the maker of their seeds share.

use npuscope_formats::file_kind::CSV;
use npuscope_tables::Flavour;
use npuscope_tables::{RankTables, TableId};

/// The kind and flavour of a csv file that the first byte of an input stands for; the kind "" is kept cell by cell.
pub fn csv_kind(byte: u8) -> (&'static str, Flavour) {
    let flavour = if byte < 128 { Flavour::TorchNpu } else { Flavour::MindSpore };
    (CSV.get(usize::from(byte % 128)).copied().unwrap_or_default(), flavour)
}

/// The byte that [`csv_kind`] reads as `kind` and `flavour`.
pub fn csv_byte(kind: &str, flavour: Flavour) -> u8 {
    let index = CSV.iter().position(|known| *known == kind).unwrap_or(CSV.len()) as u8;
    if flavour == Flavour::MindSpore { index + 128 } else { index }
}

/// Rows of every table.
pub fn lengths(tables: &RankTables) -> Vec<(TableId, usize)> {
    TableId::ALL.iter().map(|&table| (table, tables.len(table))).collect()
}
