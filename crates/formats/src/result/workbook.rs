//! A result as a workbook.

use std::io;
use std::path::Path;

use rust_xlsxwriter::{Format, FormatAlign, Workbook};

use super::{Cell, ResultTable};

/// A sheet of a workbook.
pub struct Sheet<'a> {
    pub name: &'a str,
    pub table: &'a ResultTable,
    /// How many of the first columns have cells merged over rows that repeat them.
    pub merged: usize,
}

/// Writes a workbook at `path`.
pub fn write_workbook(path: &Path, sheets: &[Sheet<'_>]) -> io::Result<()> {
    let mut workbook = Workbook::new();
    for sheet in sheets {
        write_sheet(&mut workbook, sheet).map_err(io::Error::other)?;
    }
    workbook.save(path).map_err(io::Error::other)
}

fn write_sheet(workbook: &mut Workbook, sheet: &Sheet<'_>) -> Result<(), rust_xlsxwriter::XlsxError> {
    let page = workbook.add_worksheet();
    page.set_name(sheet.name)?;
    let header = Format::new().set_bold();
    for (column, spec) in (0u16..).zip(&sheet.table.columns) {
        page.write_string_with_format(0, column, &spec.name, &header)?;
    }
    let rows: Vec<&[Cell]> = sheet.table.rows().collect();
    for (row, cells) in (1u32..).zip(&rows) {
        for (column, cell) in (0u16..).zip(*cells) {
            match cell {
                Cell::Null => {}
                Cell::Int(value) => drop(page.write_number(row, column, *value as f64)?),
                Cell::Real(value) if value.is_finite() => drop(page.write_number(row, column, *value)?),
                Cell::Real(value) => drop(page.write_string(row, column, value.to_string())?),
                Cell::Text(value) => drop(page.write_string(row, column, &**value)?),
            }
        }
    }
    let middle = Format::new().set_align(FormatAlign::VerticalCenter).set_text_wrap();
    for column in 0..sheet.merged {
        let key = |row: usize| rows.get(row).and_then(|cells| cells.get(..=column));
        let mut first = 0;
        while first < rows.len() {
            let same = (first..rows.len()).take_while(|&row| key(row) == key(first)).count();
            if let (true, Some(Cell::Text(text))) = (same > 1, rows.get(first).and_then(|cells| cells.get(column))) {
                let (top, bottom) = (row_number(first), row_number(first + same - 1));
                let column = u16::try_from(column).unwrap_or(u16::MAX);
                page.merge_range(top, column, bottom, column, text, &middle)?;
            }
            first += same;
        }
    }
    page.autofit();
    Ok(())
}

/// Row of a sheet: below the header.
fn row_number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}
