//! What there is to say of a configuration before anything is recorded.

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know.
    Note,
    /// A value was repaired or has no effect; recording goes on.
    Warning,
    /// What was asked for cannot be done.
    Error,
}

/// One thing to say, about one key where it is about one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    pub severity: Severity,
    /// As the user wrote it, with its section: `training.profile_level`.
    pub key: Option<String>,
    pub message: String,
    /// Counted from 1, where the text has lines.
    pub line: Option<usize>,
}

impl Remark {
    pub fn new(severity: Severity, key: impl Into<Option<String>>, message: impl Into<String>) -> Self {
        Self { severity, key: key.into(), message: message.into(), line: None }
    }
}
