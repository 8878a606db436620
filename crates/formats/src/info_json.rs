//! Settings and notes: `profiler_info_*.json`, `profiler_metadata.json`, `minddata_pipeline_summary_*.json`.
//!
//! Whatever the keys are, they are kept: a row of `metadata` each, the value as JSON.

use std::io::{self, Write};

use npuscope_tables::table::metadata;
use npuscope_tables::{RankBuilder, RankTables};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::problem::{Problem, Severity};
use crate::trace_json::Cursor;

/// Reads the members of a JSON object as rows of `metadata`.
pub fn read(bytes: &[u8], file: &str, rank: &mut RankBuilder) -> Result<u64, Problem> {
    let bytes = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes);
    let mut cursor = Cursor::new(bytes, 0);
    cursor.skip_space();
    let mut rows = 0;
    let whole = cursor.members(|key, cursor| {
        let start = cursor.at;
        cursor.skip_value()?;
        let value = String::from_utf8_lossy(bytes.get(start..cursor.at)?);
        let value: Value = serde_json::from_str(&value).ok()?;
        let row = metadata::Row {
            file: rank.strings.intern(file),
            key: rank.strings.intern_bytes(&key.unescaped()),
            value: rank.strings.intern(&value.to_string()),
        };
        rank.metadata.push(row);
        rows += 1;
        Some(())
    });
    match whole {
        Some(()) => Ok(rows),
        None if bytes.trim_ascii().is_empty() => {
            Err(Problem::new(Severity::Error, "empty-file", file, "the file is empty").at(0))
        }
        None => {
            let message = format!("not a whole JSON object; the {rows} settings before are kept");
            let code = if cursor.at >= bytes.len() { "cut-file" } else { "garbage" };
            Err(Problem::new(Severity::Warning, code, file, message).at(cursor.at as u64))
        }
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
