//! What the tests share.

use npuscope_collect::dialect::{Reading, Run, read};
use npuscope_collect::{CollectConfig, Diagnostic, Dialect, Schedule, Severity};

pub fn fresh() -> Run {
    Run::default()
}

pub fn reading(text: &str, dialect: Dialect) -> Reading {
    read(text, Some(dialect), &fresh())
}

/// One window without wait.
pub fn window(skip_first: u64, warmup: u64, active: u64) -> Option<Schedule> {
    Some(Schedule { wait: 0, warmup, active, repeat: 1, skip_first, skip_first_wait: false })
}

/// The diagnostic on a key, of which there must be one.
pub fn on<'a>(reading: &'a Reading, key: &str) -> &'a Diagnostic {
    let found: Vec<&Diagnostic> =
        reading.diagnostics.iter().filter(|diagnostic| diagnostic.key.as_deref() == Some(key)).collect();
    assert_eq!(found.len(), 1, "{key}: {:#?}", reading.diagnostics);
    found[0]
}

/// Asserts that a key has this diagnostic.
pub fn assert_diagnostics(reading: &Reading, key: &str, severity: Severity, words: &str) {
    let found = reading.diagnostics.iter().any(|diagnostic| {
        diagnostic.key.as_deref() == Some(key)
            && diagnostic.severity == severity
            && diagnostic.message.to_string().contains(words)
    });
    assert!(found, "no {severity} on {key} with {words:?}: {:#?}", reading.diagnostics);
}

/// Asserts that there is nothing worse than a note.
pub fn assert_fine(reading: &Reading) {
    let worse: Vec<_> = reading.diagnostics.iter().filter(|diagnostic| diagnostic.severity > Severity::Info).collect();
    assert!(worse.is_empty(), "{worse:#?}");
}

/// The configuration of a text that is fine.
pub fn fine(text: &str, dialect: Dialect) -> CollectConfig {
    let reading = reading(text, dialect);
    assert_fine(&reading);
    reading.config
}
