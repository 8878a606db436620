//! Settings and notes: `profiler_info_*.json`, `profiler_metadata.json`, `minddata_pipeline_summary_*.json`.
//!
//! Whatever the keys are, they are kept: a row of `metadata` each, the value as JSON.

use std::io::{self, Write};

use npuscope_tables::table::metadata;
use npuscope_tables::{RankBuilder, RankTables};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::problem::{Problem, Severity, first_not_utf8};
use crate::trace_json::Cursor;

/// Reads the members of a JSON object as rows of `metadata`. A problem does not keep what can be read from
/// being read.
pub fn read(bytes: &[u8], file: &str, rank: &mut RankBuilder) -> Result<u64, Problem> {
    if let Some(problem) = Problem::not_text(bytes, file) {
        return Err(problem);
    }
    let mut cursor = Cursor::of_file(bytes);
    let mut rows = 0;
    let mut unreadable = None;
    let whole = cursor.members(|key, cursor| {
        let start = cursor.at;
        cursor.skip_value()?;
        // A number that ends with the file may have lost digits.
        if cursor.at >= bytes.len() {
            return None;
        }
        let value = String::from_utf8_lossy(bytes.get(start..cursor.at)?);
        let value: Value = match serde_json::from_str(&value) {
            Ok(value) => value,
            Err(error) => {
                unreadable.get_or_insert((start, error));
                return Some(());
            }
        };
        let row = metadata::Row {
            file: rank.strings.intern(file),
            key: rank.strings.intern_bytes(&key.unescaped()),
            value: rank.strings.intern(&value.to_string()),
        };
        rank.metadata.push(row);
        rows += 1;
        Some(())
    });
    let warning = |code, at: usize, message: String| Problem::new(Severity::Warning, code, file, message).at(at as u64);
    if whole.is_none() {
        let code = if cursor.at >= bytes.len() { "cut-file" } else { "garbage" };
        let message = format!("not a whole JSON object; the {rows} settings before are kept");
        return Err(warning(code, cursor.at, message));
    }
    if let Some((start, error)) = unreadable {
        let message = format!("a setting that is no JSON: {error}; the {rows} others are kept");
        return Err(warning("garbage", start, message));
    }
    match first_not_utf8(bytes) {
        Some(offset) => Err(Problem::not_utf8(file, offset as u64)),
        None => Ok(rows),
    }
}

/// Writes the rows of `metadata` of one file back as a JSON object.
pub fn write(out: &mut impl Write, tables: &RankTables, file: &str) -> io::Result<()> {
    let rows = tables.rows::<metadata::Row>().filter(|row| tables.text(row.file) == file);
    let object = rows.map(|row| {
        let value = tables.text(row.value);
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        (tables.text(row.key).to_owned(), value)
    });
    let object = Value::Object(object.collect());
    object.serialize(&mut Serializer::with_formatter(out, PrettyFormatter::with_indent(b"    ")))?;
    Ok(())
}
