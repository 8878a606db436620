//! Exports of Nsight Systems as SQLite: ranges of the user and the kernels that were launched in them.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use npuscope_messages::Message;
use npuscope_tables::{Interner, Str, Strings};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::error_messages as messages;

/// `NVTX_EVENTS.eventType` of a range that was pushed and popped.
const PUSH_POP_RANGE: i64 = 59;

/// What an export says about a job on GPUs.
pub struct NsightProfile {
    pub strings: Strings,
    pub ranges: Vec<Range>,
    pub kernels: Vec<Kernel>,
}

/// A range that a thread of the host pushed and popped (NVTX).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub thread: i64,
    pub start: i64,
    pub end: i64,
    pub name: Str,
}

/// A kernel and the call that launched it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Thread of the host, and when it called.
    pub thread: i64,
    pub launch: i64,
    pub device: i64,
    pub name: Str,
    pub ns: i64,
}

#[derive(Debug, thiserror::Error)]
pub enum NsightError {
    Sqlite(PathBuf, rusqlite::Error),
    Lacks { path: PathBuf, table: &'static str, hint: Box<Message> },
}

impl NsightError {
    pub fn message(&self) -> Message {
        match self {
            NsightError::Sqlite(path, error) => messages::nsight_unreadable(path, error.to_string()),
            NsightError::Lacks { path, table, hint } => messages::nsight_lacks_table(path, table, *hint.clone()),
        }
    }
}

impl fmt::Display for NsightError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

/// Whether a file is an SQLite database.
pub fn is_sqlite(path: &Path) -> bool {
    use std::io::Read;
    let mut magic = [0; 16];
    crate::regular_file::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok()
        && magic == *b"SQLite format 3\0"
}

/// Reads an export. Rows that lack a thread or a time are left out.
pub fn read(path: &Path) -> Result<NsightProfile, NsightError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let reader = Connection::open_with_flags(path, flags)
        .map(|connection| Reader { connection, path, strings: Interner::default() })
        .map_err(|error| NsightError::Sqlite(path.to_owned(), error))?;
    reader.read()
}

struct Reader<'a> {
    connection: Connection,
    path: &'a Path,
    strings: Interner,
}

impl Reader<'_> {
    fn read(mut self) -> Result<NsightProfile, NsightError> {
        let cannot = |error| NsightError::Sqlite(self.path.to_owned(), error);
        let wanted = [
            ("StringIds", messages::nsight_export()),
            ("NVTX_EVENTS", messages::nsight_trace_nvtx()),
            ("CUPTI_ACTIVITY_KIND_RUNTIME", messages::nsight_trace_cuda()),
            ("CUPTI_ACTIVITY_KIND_KERNEL", messages::nsight_trace_cuda()),
        ];
        for (table, hint) in wanted {
            if self.columns(table).map_err(cannot)?.is_empty() {
                return Err(NsightError::Lacks { path: self.path.to_owned(), table, hint: Box::new(hint) });
            }
        }
        self.tables().map_err(|error| NsightError::Sqlite(self.path.to_owned(), error)).map(|(ranges, kernels)| {
            NsightProfile { strings: std::mem::take(&mut self.strings).finish(), ranges, kernels }
        })
    }

    fn tables(&mut self) -> rusqlite::Result<(Vec<Range>, Vec<Kernel>)> {
        let mut names: HashMap<i64, Str> = HashMap::new();
        self.each_row("StringIds", &["id", "value"], |row| {
            if let [Value::Int(id), Value::Text(text)] = row {
                names.insert(*id, *text);
            }
        })?;
        let name = |value: &Value| match value {
            Value::Int(id) => names.get(id).copied(),
            Value::Text(text) => Some(*text),
            Value::Null => None,
        };
        let unknown = self.strings.intern("Unknown_Region");
        let mut ranges = Vec::new();
        self.each_row("NVTX_EVENTS", &["eventType", "globalTid", "start", "end", "text", "textId"], |row| {
            if let [Value::Int(PUSH_POP_RANGE), Value::Int(thread), Value::Int(start), Value::Int(end), text, id] = row
            {
                let name = name(text).or_else(|| name(id)).unwrap_or(unknown);
                ranges.push(Range { thread: *thread, start: *start, end: *end, name });
            }
        })?;
        let knows_process = self.columns("CUPTI_ACTIVITY_KIND_KERNEL")?.iter().any(|column| column == "globalPid");
        // Correlation ids count from 1 in each process; the process is in the upper bits of either id.
        let process = |id: i64| if knows_process { id >> 24 } else { 0 };
        let mut calls: HashMap<(i64, i64), (i64, i64)> = HashMap::new();
        self.each_row("CUPTI_ACTIVITY_KIND_RUNTIME", &["correlationId", "globalTid", "start"], |row| {
            if let [Value::Int(correlation), Value::Int(thread), Value::Int(start)] = row {
                calls.insert((process(*thread), *correlation), (*thread, *start));
            }
        })?;
        let columns = ["correlationId", "globalPid", "start", "end", "deviceId", "demangledName", "shortName"];
        let mut kernels = Vec::new();
        self.each_row("CUPTI_ACTIVITY_KIND_KERNEL", &columns, |row| {
            if let [Value::Int(correlation), pid, Value::Int(start), Value::Int(end), Value::Int(device), long, short] =
                row
            {
                let process = if let Value::Int(pid) = pid { process(*pid) } else { 0 };
                if let Some(&(thread, launch)) = calls.get(&(process, *correlation)) {
                    let name = name(long).or_else(|| name(short)).unwrap_or(Interner::EMPTY);
                    kernels.push(Kernel { thread, launch, device: *device, name, ns: end.saturating_sub(*start) });
                }
            }
        })?;
        Ok((ranges, kernels))
    }

    /// The columns of a table; none if there is no such table.
    fn columns(&self, table: &str) -> rusqlite::Result<Vec<String>> {
        let mut statement = self.connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        statement.query_map([table], |row| row.get(0))?.collect()
    }

    /// Goes through columns of all rows of a table. Columns that an older version lacks are null.
    fn each_row(&mut self, table: &str, columns: &[&str], mut take: impl FnMut(&[Value])) -> rusqlite::Result<()> {
        let known = self.columns(table)?;
        let selected: Vec<String> = columns
            .iter()
            .map(|column| match known.iter().any(|name| name == column) {
                true => format!("\"{column}\""),
                false => "NULL".to_owned(),
            })
            .collect();
        let strings = &mut self.strings;
        let mut statement = self.connection.prepare(&format!("SELECT {} FROM \"{table}\"", selected.join(", ")))?;
        let mut rows = statement.query([])?;
        let mut cells = Vec::with_capacity(columns.len());
        while let Some(row) = rows.next()? {
            cells.clear();
            for column in 0..columns.len() {
                cells.push(match row.get_ref(column)? {
                    ValueRef::Integer(value) => Value::Int(value),
                    ValueRef::Text(text) => Value::Text(strings.intern_bytes(text)),
                    _ => Value::Null,
                });
            }
            take(&cells);
        }
        Ok(())
    }
}

enum Value {
    Null,
    Int(i64),
    Text(Str),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(sql: &str) -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("gpu.sqlite");
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        (directory, path)
    }

    #[test]
    fn kernels_are_launched_by_calls_of_their_own_process() {
        let (_directory, path) = made(
            r#"CREATE TABLE StringIds(id INT, value TEXT); INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'Linear');
            CREATE TABLE NVTX_EVENTS(start INT, "end" INT, eventType INT, text TEXT, textId INT, globalTid INT);
            INSERT INTO NVTX_EVENTS VALUES (0, 9, 59, NULL, 2, 16777217), (0, 9, 34, 'mark', NULL, 16777217),
                (3, NULL, 59, 'open', NULL, 16777217);
            CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, globalTid INT, correlationId INT);
            INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (5, 16777217, 1), (7, 33554433, 1);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, "end" INT, deviceId INT, correlationId INT,
                globalPid INT, demangledName INT);
            INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (20, 50, 0, 1, 16777216, 1), (30, 70, 1, 1, 33554432, 1),
                (30, 70, 1, 9, 33554432, 1);"#,
        );
        let profile = read(&path).unwrap();
        let ranges: Vec<_> = profile.ranges.iter().map(|range| profile.strings.get(range.name)).collect();
        assert_eq!(ranges, ["Linear"]);
        let kernels: Vec<_> = profile.kernels.iter().map(|k| (k.thread, k.launch, k.device, k.ns)).collect();
        assert_eq!(kernels, [(16_777_217, 5, 0, 30), (33_554_433, 7, 1, 40)]);
    }

    #[test]
    fn what_is_no_export_is_reported() {
        let (directory, path) = made("CREATE TABLE StringIds(id INT, value TEXT)");
        let error = read(&path).err().unwrap().to_string();
        assert!(error.contains("table NVTX_EVENTS is missing"), "{error}");
        let other = directory.path().join("text.sqlite");
        std::fs::write(&other, "this is a text of some length, and no database at all").unwrap();
        assert!(!is_sqlite(&other) && is_sqlite(&path));
        assert!(read(&other).is_err() && read(&directory.path().join("none")).is_err());
        let mut cut = std::fs::read(&path).unwrap();
        cut.truncate(4000);
        std::fs::write(&other, cut).unwrap();
        assert!(read(&other).is_err());
    }
}
