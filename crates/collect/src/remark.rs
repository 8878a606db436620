//! What there is to say of a configuration before anything is recorded.

use std::fmt;

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

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
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

    pub fn at(mut self, line: Option<usize>) -> Self {
        self.line = line;
        self
    }
}

impl fmt::Display for Remark {
    /// `warning: training.profile_level: …`; the line is for who knows the file.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: ", self.severity)?;
        if let Some(key) = &self.key {
            write!(f, "{key}: ")?;
        }
        f.write_str(&self.message)
    }
}
