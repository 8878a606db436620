//! What tests of several crates share.
//!
//! The functions here find the reference material and read deliverables so that two of them can be compared;
//! [`database`] does so for databases, [`tables`] for the tables of a rank. [`cases`] configures property tests,
//! [`english_sentence`] finds English in Chinese text.
//!
//! ```should_panic
//! use npuscope_testing::assert_same_json;
//! use serde_json::json;
//!
//! // Fails with the path of the first difference: `settings/steps/1`.
//! assert_same_json(&json!({"rank": 0, "steps": [1, 2]}), &json!({"steps": [1, 3], "rank": 0}), "settings");
//! ```

pub mod database;
mod language;
mod manual;
mod property;
pub mod tables;

pub use language::{COMMANDS, english_sentence};
pub use manual::manual_page;
pub use property::cases;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// A path below the read-only reference material, or `None` with a word on stderr where it is absent.
///
/// The material lies beside the repository as `shared`; `NPUSCOPE_SHARED` names another place. A test that skips is
/// added to the file that `NPUSCOPE_SKIPPED` names, so that `make test` can report how many there were.
pub fn shared(path: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("NPUSCOPE_SHARED") {
        Some(root) => PathBuf::from(root),
        // Asked for at run time: clones that share a target directory also share what was compiled.
        None => PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?).join("../../../shared"),
    };
    let path = root.join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: no {}; this test needs the reference material", path.display());
    record_skip();
    None
}

/// Adds the running test to the list of skipped ones. A line is appended by one write, so tests may run side by side.
fn record_skip() {
    let Some(list) = std::env::var_os("NPUSCOPE_SKIPPED") else { return };
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
    let thread = std::thread::current();
    let line = format!("{package} {}\n", thread.name().unwrap_or("unnamed"));
    let list = PathBuf::from(list);
    let file = std::fs::OpenOptions::new().create(true).append(true).open(&list);
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    written.unwrap_or_else(|error| panic!("{}: {error}", list.display()));
}

/// The rank directories of the real captures in `form` (`text` or `db`), with a name for messages.
pub fn captures(form: &str) -> Vec<(String, PathBuf)> {
    let Some(root) = shared("data/npu").map(|root| root.join(form)) else { return Vec::new() };
    let mut found = Vec::new();
    for level in entries(&root) {
        for rank in entries(&level) {
            let name = rank.strip_prefix(&root).unwrap_or(&rank).display().to_string();
            found.push((name, rank));
        }
    }
    found
}

/// The entries of a directory, sorted.
pub fn entries(path: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    entries
}

/// Reads a JSON file; numbers that are equal become the same value, whatever their spelling.
pub fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    plain(serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

/// `1`, `1.0` and `1e0` are one number; keys of objects are sorted.
fn plain(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            // Ids beyond 2^53 are no measurements: they must stay exact.
            Some(float) if float.abs() < 9e15 => Value::String(format!("#{float}")),
            _ => Value::String(format!("#{number}")),
        },
        Value::Array(list) => Value::Array(list.into_iter().map(plain).collect()),
        Value::Object(object) => {
            let sorted: BTreeMap<String, Value> = object.into_iter().map(|(k, v)| (k, plain(v))).collect();
            Value::Object(sorted.into_iter().collect::<Map<_, _>>())
        }
        other => other,
    }
}

/// Fails with the path of the first difference between two values.
pub fn assert_same_json(a: &Value, b: &Value, what: &str) {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                let other = b.get(key).unwrap_or_else(|| panic!("{what}/{key} is missing"));
                assert_same_json(value, other, &format!("{what}/{key}"));
            }
            let more = b.keys().find(|key| !a.contains_key(*key));
            assert!(more.is_none(), "{what}/{} is new", more.unwrap());
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{what}");
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                assert_same_json(a, b, &format!("{what}/{index}"));
            }
        }
        _ => assert_eq!(a, b, "{what}"),
    }
}

/// The events of a trace as sorted text, `ts` and `dur` in one spelling, so that two traces can be compared.
pub fn events(path: &Path) -> Vec<String> {
    let Value::Array(events) = json(path) else { panic!("{} is no array", path.display()) };
    let mut events: Vec<String> = events
        .into_iter()
        .map(|mut event| {
            for key in ["ts", "dur"] {
                if let Some(Value::String(text)) = event.get(key) {
                    let text = text.trim_start_matches('#');
                    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
                    event[key] = Value::String(text.to_owned());
                }
            }
            event.to_string()
        })
        .collect();
    events.sort();
    events
}

/// Header and rows of a csv file; cells that are equal numbers are the same text, tabs and line ends do not count.
pub fn csv(path: &Path) -> (Vec<String>, Vec<Vec<String>>) {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_path(path).unwrap();
    let header = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows = reader.records().map(|row| row.unwrap().iter().map(cell).collect()).collect();
    (header, rows)
}

fn cell(text: &str) -> String {
    let text = text.trim().replace('\r', "");
    // A time has more digits than a double: it is compared as text without its last zeros.
    if text.len() > 15 && text.contains('.') && text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => format!("{number}"),
        _ => text,
    }
}
