//! A result as a workbook.

use std::io;
use std::path::Path;

use rust_xlsxwriter::{Format, FormatAlign, Workbook, Worksheet, XlsxError};

use super::{Cell, ResultTable};

/// A sheet of a workbook.
pub struct Sheet<'a> {
    pub name: &'a str,
    pub table: &'a ResultTable,
    /// Columns whose cells are merged over rows that repeat them. A cell is merged with the one above if the cells
    /// of the columns named before it are, too.
    pub merged: &'a [usize],
}

/// The greatest number that a cell of a workbook holds exactly, which times in ns are beyond.
const GREATEST_EXACT: u64 = 1 << 53;

/// Writes a workbook at `path`. Integers that a workbook cannot hold are written as text.
pub fn write_workbook(path: &Path, sheets: &[Sheet<'_>]) -> io::Result<()> {
    let mut workbook = Workbook::new();
    for sheet in sheets {
        write_sheet(&mut workbook, sheet).map_err(io::Error::other)?;
    }
    workbook.save(path).map_err(io::Error::other)
}

fn write_sheet(workbook: &mut Workbook, sheet: &Sheet<'_>) -> Result<(), XlsxError> {
    let page = workbook.add_worksheet();
    page.set_name(sheet.name)?;
    let header = Format::new().set_bold();
    for (column, spec) in (0u16..).zip(&sheet.table.columns) {
        page.write_string_with_format(0, column, &spec.name, &header)?;
    }
    let mut rows: Vec<Vec<Cell>> = Vec::with_capacity(sheet.table.len());
    sheet.table.each_row(|row| {
        rows.push(row.to_vec());
        Ok(())
    })?;
    let plain = Format::new();
    for (row, cells) in (1u32..).zip(&rows) {
        for (column, cell) in (0u16..).zip(cells) {
            write_cell(page, (row, column), cell, &plain)?;
        }
    }
    let middle = Format::new().set_align(FormatAlign::VerticalCenter);
    for (index, &column) in sheet.merged.iter().enumerate() {
        let columns = sheet.merged.get(..=index).unwrap_or_default();
        let are_cells_equal = |a: &[Cell], b: &[Cell]| columns.iter().all(|&column| a.get(column) == b.get(column));
        let mut first = 0;
        for same in rows.chunk_by(|a, b| are_cells_equal(a, b)) {
            if let Some(cell) = same.first().and_then(|cells| cells.get(column)).filter(|_| same.len() > 1) {
                let (top, bottom) = (row_number(first), row_number(first + same.len() - 1));
                let column = u16::try_from(column).unwrap_or(u16::MAX);
                page.merge_range(top, column, bottom, column, "", &middle)?;
                write_cell(page, (top, column), cell, &middle)?;
            }
            first += same.len();
        }
    }
    page.autofit();
    Ok(())
}

fn write_cell(page: &mut Worksheet, (row, column): (u32, u16), cell: &Cell, format: &Format) -> Result<(), XlsxError> {
    match cell {
        Cell::Null => return Ok(()),
        Cell::Int(value) if value.unsigned_abs() > GREATEST_EXACT => {
            page.write_string_with_format(row, column, value.to_string(), format)?
        }
        Cell::Int(value) => page.write_number_with_format(row, column, *value as f64, format)?,
        Cell::Real(value) if value.is_finite() => page.write_number_with_format(row, column, *value, format)?,
        Cell::Real(value) => page.write_string_with_format(row, column, value.to_string(), format)?,
        Cell::Text(value) => page.write_string_with_format(row, column, &**value, format)?,
    };
    Ok(())
}

/// Row of a sheet: below the header.
fn row_number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}
