//! A result as a csv file.

use std::io::{self, Write};

use npuscope_tables::number;

use super::{Cell, ResultTable};

/// What nanoseconds become in a csv file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// They stay what they are.
    Ns,
    Us,
    Ms,
}

impl TimeUnit {
    fn per_ns(self) -> Option<(f64, &'static str)> {
        match self {
            TimeUnit::Ns => None,
            TimeUnit::Us => Some((1e3, "(Us)")),
            TimeUnit::Ms => Some((1e6, "(Ms)")),
        }
    }
}

/// Writes a table with a header line. Columns that end in `Ns` are turned into the table's unit, and
/// say so: `MeanNs` becomes `Mean(Us)`.
pub fn write_csv(table: &ResultTable, out: impl Write) -> io::Result<()> {
    let mut csv = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out);
    let unit = table.csv_unit.per_ns();
    let units: Vec<Option<f64>> =
        table.columns.iter().map(|column| unit.filter(|_| column.name.ends_with("Ns")).map(|(ns, _)| ns)).collect();
    for (column, divisor) in table.columns.iter().zip(&units) {
        match (divisor, unit, column.name.strip_suffix("Ns")) {
            (Some(_), Some((_, suffix)), Some(stem)) => csv.write_field(format!("{stem}{suffix}"))?,
            _ => csv.write_field(&column.name)?,
        }
    }
    csv.write_record(None::<&[u8]>)?;
    let mut text = Vec::new();
    table.each_row(|row| {
        for (cell, divisor) in row.iter().zip(&units) {
            text.clear();
            match (cell, divisor) {
                (Cell::Null, _) => {}
                (Cell::Int(value), None) => number::push_int(&mut text, *value),
                (Cell::Int(value), Some(divisor)) => number::push_float(&mut text, *value as f64 / divisor),
                (Cell::Real(value), divisor) => number::push_float(&mut text, value / divisor.unwrap_or(1.0)),
                (Cell::Text(value), _) => text.extend_from_slice(value.as_bytes()),
            }
            csv.write_field(&text)?;
        }
        csv.write_record(None::<&[u8]>)?;
        Ok(())
    })?;
    csv.flush()
}
