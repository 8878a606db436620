//! Runs modes in a directory of the test's own and compares results.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use calamine::Reader as _;
use npuscope_analysis::cluster::{self, Answer, Failure, Job, LeftOut, Options, Written};
use npuscope_store::{OpenOptions, Store};
use npuscope_tables::Rank;

/// A run of a mode and the directory it was written into.
pub struct Run {
    pub directory: tempfile::TempDir,
    pub written: Written,
    pub notes: Vec<String>,
    pub left_out: Vec<LeftOut>,
}

impl Run {
    /// Where results are.
    pub fn output(&self) -> PathBuf {
        self.directory.path().join(cluster::OUTPUT_DIRECTORY)
    }
}

/// Asks `mode` of the profile at `path`.
pub fn run(path: &Path, mode: &str, ranks: Option<&BTreeSet<Rank>>, options: &Options) -> Result<Run, Failure> {
    let directory = tempfile::tempdir().unwrap();
    let cache = directory.path().join("cache");
    let opened = Store::open(path, OpenOptions::new(cache))?;
    let job = Job::new(&opened, ranks, options);
    let mode = cluster::find(mode).unwrap_or_else(|| panic!("no mode {mode}"));
    let answer: Answer = cluster::run(mode, &job)?;
    let notes = answer.notes.iter().map(ToString::to_string).collect();
    let written = cluster::write(mode, &job, answer, directory.path())?;
    let left_out = job.left_out();
    Ok(Run { directory, written, notes, left_out })
}

/// A value of a result as it is compared: numbers as numbers, lists of ranks as sets.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub enum Value {
    Null,
    Number(f64),
    Text(String),
}

impl Value {
    fn of_text(text: &str) -> Value {
        let text = text.trim();
        if text.is_empty() {
            return Value::Null;
        }
        if let Ok(number) = text.parse::<f64>().map_err(drop).and_then(|n| if n.is_finite() { Ok(n) } else { Err(()) })
        {
            return Value::Number(number);
        }
        let inner = text.trim_start_matches(['(', '[']).trim_end_matches([')', ']']);
        let separator = if inner.contains(';') { ';' } else { ',' };
        let items: Vec<&str> = inner.split(separator).map(str::trim).filter(|i| !i.is_empty()).collect();
        if items.len() > 1 && items.iter().all(|item| item.bytes().all(|b| b.is_ascii_digit())) {
            let mut ranks: Vec<u64> = items.iter().map(|item| item.parse().unwrap()).collect();
            ranks.sort_unstable();
            return Value::Text(format!("{ranks:?}"));
        }
        Value::Text(text.to_owned())
    }

    /// Equal, numbers within 1e-9 of their size.
    fn is_like(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
            _ => self == other,
        }
    }
}

/// Header and rows, sorted.
pub type Rows = (Vec<String>, Vec<Vec<Value>>);

/// Every table of a database.
pub fn database(path: &Path) -> BTreeMap<String, Rows> {
    let connection = open(path);
    let names: Vec<String> = {
        let mut statement = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").unwrap();
        statement.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let rows = |name: &String| query(&connection, &format!("SELECT * FROM \"{name}\"")).unwrap();
    names.iter().map(|name| (name.clone(), rows(name))).collect()
}

/// What a query gives, if the database has what it is about.
pub fn rows_of(path: &Path, query: &str) -> Option<Rows> {
    self::query(&open(path), query).ok()
}

fn open(path: &Path) -> rusqlite::Connection {
    let uri = format!("file:{}?mode=ro&immutable=1", path.display());
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_URI;
    rusqlite::Connection::open_with_flags(uri, flags).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn query(connection: &rusqlite::Connection, query: &str) -> rusqlite::Result<Rows> {
    let mut statement = connection.prepare(query)?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let width = columns.len();
    let rows = statement.query_map((), |row| {
        Ok((0..width)
            .map(|column| match row.get_ref(column).unwrap() {
                rusqlite::types::ValueRef::Null => Value::Null,
                rusqlite::types::ValueRef::Integer(value) => Value::Number(value as f64),
                rusqlite::types::ValueRef::Real(value) => Value::Number(value),
                rusqlite::types::ValueRef::Text(value) => Value::of_text(&String::from_utf8_lossy(value)),
                rusqlite::types::ValueRef::Blob(_) => Value::Text("blob".to_owned()),
            })
            .collect::<Vec<_>>())
    })?;
    Ok((columns, sorted(rows.collect::<Result<_, _>>()?)))
}

/// A csv file.
pub fn csv(path: &Path) -> Rows {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_path(path).unwrap();
    let header = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows = reader.records().map(|row| row.unwrap().iter().map(Value::of_text).collect());
    (header, sorted(rows.collect()))
}

/// The only sheet of a workbook, with merged cells as if they were not.
pub fn workbook(path: &Path) -> Rows {
    let mut book: calamine::Xlsx<_> = calamine::open_workbook(path).unwrap();
    let sheet = book.worksheet_range_at(0).unwrap().unwrap();
    let merged = book.merge_cells_by_sheet_id(0).unwrap();
    let cell = |row: usize, column: usize| {
        let at = (row as u32, column as u32);
        let is_in = |area: &&calamine::Dimensions| area.contains(at.0, at.1);
        let at = merged.iter().find(is_in).map_or(at, |area| area.start);
        Value::of_text(&sheet.get_value(at).map(ToString::to_string).unwrap_or_default())
    };
    let (height, width) = sheet.get_size();
    let header = (0..width).map(|column| sheet.get((0, column)).unwrap().to_string()).collect();
    let rows = (1..height).map(|row| (0..width).map(|column| cell(row, column)).collect());
    (header, sorted(rows.collect()))
}

pub fn sorted(mut rows: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    // Sorted by what is exact, so that last digits of figures do not change the order.
    let key = |row: &Vec<Value>| {
        let text: Vec<String> = row
            .iter()
            .map(|value| match value {
                Value::Number(number) => format!("{number:.6e}"),
                other => format!("{other:?}"),
            })
            .collect();
        text.join("|")
    };
    rows.sort_by_cached_key(key);
    rows
}

/// Fails with the first row that differs.
pub fn assert_same(ours: &Rows, theirs: &Rows, what: &str) {
    assert_eq!(ours.0, theirs.0, "columns of {what}");
    let differs = |(ours, theirs): &(&Vec<Value>, &Vec<Value>)| {
        ours.len() != theirs.len() || !ours.iter().zip(theirs.iter()).all(|(a, b)| a.is_like(b))
    };
    if let Some((ours, theirs)) = ours.1.iter().zip(&theirs.1).find(differs) {
        panic!("{what}: a row differs\n  ours   {ours:?}\n  theirs {theirs:?}");
    }
    assert_eq!(ours.1.len(), theirs.1.len(), "rows of {what}");
}

/// Leaves of the paths in a column the last part.
pub fn keep_tail((columns, rows): &mut Rows, column: &str) {
    let at = columns.iter().position(|name| name == column).unwrap();
    for row in rows {
        if let Value::Text(path) = &mut row[at] {
            *path = path.rsplit('/').next().unwrap().to_owned();
        }
    }
}
