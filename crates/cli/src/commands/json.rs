//! Answers as JSON for programs.

use std::io::Write;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::CliError;

/// A key, and the name that it had in the version before. Both are written for one version.
pub type Renamed = (&'static str, &'static str);

/// Prints a value with every renamed key under its older name, too, and a final newline. Arguments of messages and the
/// user's own metadata keep their keys.
pub fn print(out: &mut impl Write, value: &impl Serialize, renamed: &[Renamed]) -> Result<(), CliError> {
    let mut value = serde_json::to_value(value)?;
    add_older_names(&mut value, renamed);
    serde_json::to_writer_pretty(&mut *out, &value)?;
    writeln!(out)?;
    Ok(())
}

/// The key below which everything is the user's.
const USERS: &str = "metadata";

fn is_message(fields: &Map<String, Value>) -> bool {
    ["id", "arguments", "text"].iter().all(|key| fields.contains_key(*key))
}

fn add_older_names(value: &mut Value, renamed: &[Renamed]) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| add_older_names(item, renamed)),
        Value::Object(fields) if is_message(fields) => {}
        Value::Object(fields) => {
            let ours = fields.iter_mut().filter(|(key, _)| *key != USERS);
            ours.for_each(|(_, field)| add_older_names(field, renamed));
            for (name, older) in renamed {
                if let Some(field) = fields.get(*name).cloned() {
                    fields.entry(*older).or_insert(field);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_renamed_key_is_there_under_both_names() {
        let mut out = Vec::new();
        let value = json!({"ranks": [{"diagnostics": [1]}], "diagnostics": []});
        print(&mut out, &value, &[("diagnostics", "problems")]).unwrap();
        let printed: Value = serde_json::from_slice(&out).unwrap();
        let both = json!({"ranks": [{"diagnostics": [1], "problems": [1]}], "diagnostics": [], "problems": []});
        assert_eq!(printed, both);
    }

    #[test]
    fn messages_and_metadata_of_the_user_keep_their_keys() {
        let message = json!({"id": "x", "arguments": {"dialect": "a"}, "text": {"en": "x", "zh": "x"}});
        let value = json!({"asks": message, "config": {"metadata": {"dialect": {"dialect": 1}}}});
        let mut out = Vec::new();
        print(&mut out, &value, &[("dialect", "style")]).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&out).unwrap(), value);
    }
}
