//! Settings and notes: `profiler_info_*.json`, `profiler_metadata.json`, `minddata_pipeline_summary_*.json`.
//!
//! Whatever the keys are, they are kept: a row of `metadata` each, the value as JSON.

use std::collections::BTreeSet;
use std::io::{self, Write};

use npuscope_tables::table::metadata;
use npuscope_tables::{Rank, RankBuilder, RankTables};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::diagnostic::{Code, Diagnostic, Severity, first_not_utf8};
use crate::messages;
use crate::output::{Output, OutputError};
use crate::trace_json::Cursor;

/// Reads the members of a JSON object as rows of `metadata`. What is damaged does not keep
/// the rest from being read.
pub fn read(bytes: &[u8], file: &str, rank: &mut RankBuilder) -> Result<u64, Diagnostic> {
    if let Some(diagnostic) = Diagnostic::not_text(bytes, file) {
        return Err(diagnostic);
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
    let warning = |code, at: usize, message| Diagnostic::new(Severity::Warning, code, file, message).at(at as u64);
    if whole.is_none() {
        let code = if cursor.at >= bytes.len() { Code::CutFile } else { Code::Garbage };
        return Err(warning(code, cursor.at, messages::settings_incomplete(rows)));
    }
    if let Some((start, error)) = unreadable {
        return Err(warning(Code::Garbage, start, messages::settings_garbage(error.to_string(), rows)));
    }
    match first_not_utf8(bytes) {
        Some(offset) => Err(Diagnostic::not_utf8(file, offset as u64)),
        None => Ok(rows),
    }
}

/// The rows of `metadata` of a rank that comes in chunks.
#[derive(Debug, Default)]
pub struct Settings {
    /// File, key and value.
    rows: Vec<(String, String, String)>,
}

impl Settings {
    pub fn append(&mut self, tables: &RankTables) {
        let text = |id| tables.text(id).to_owned();
        let rows = tables.rows::<metadata::Row>().map(|row| (text(row.file), text(row.key), text(row.value)));
        self.rows.extend(rows);
    }

    /// Writes `profiler_info_{rank}.json` and, if there is anything for it, `profiler_metadata.json`. Peers take the
    /// rank from the first one's name, so it is there whatever the source had.
    pub fn write_beside(&self, rank: Rank, directory: &Output) -> Result<(), OutputError> {
        directory.file(&format!("profiler_info_{rank}.json"), |out| self.write(out, "profiler_info"))?;
        if self.files().contains("profiler_metadata") {
            directory.file("profiler_metadata.json", |out| self.write(out, "profiler_metadata"))?;
        }
        Ok(())
    }

    /// The files that have settings, by name.
    pub fn files(&self) -> BTreeSet<&str> {
        self.rows.iter().map(|(file, _, _)| file.as_str()).collect()
    }

    /// Keys and values of one file, the values as JSON text.
    pub fn of<'a>(&'a self, file: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.rows.iter().filter(move |row| row.0 == file).map(|(_, key, value)| (key.as_str(), value.as_str()))
    }

    /// Writes the settings of one file back as a JSON object.
    pub fn write(&self, out: &mut impl Write, file: &str) -> io::Result<()> {
        let object = self.of(file).map(|(key, value)| {
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
            (key.to_owned(), value)
        });
        let object = Value::Object(object.collect());
        object.serialize(&mut Serializer::with_formatter(out, PrettyFormatter::with_indent(b"    ")))?;
        Ok(())
    }
}
