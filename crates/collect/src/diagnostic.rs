//! Diagnostics on a configuration, made before anything is recorded.

use std::fmt;

use npuscope_messages::{Message, severity};
use serde::Serialize;

use crate::messages;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know.
    Info,
    /// A value was repaired or has no effect; recording goes on.
    Warning,
    /// The configuration asks for something impossible.
    Error,
}

impl Severity {
    pub fn message(self) -> Message {
        match self {
            Severity::Info => severity::info(),
            Severity::Warning => severity::warning(),
            Severity::Error => severity::error(),
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.message().fmt(f)
    }
}

/// One diagnostic, usually about one key.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnostic {
    pub severity: Severity,
    /// As the user wrote it, with its section: `training.profile_level`.
    pub key: Option<String>,
    pub message: Message,
    /// Counted from 1, where the text has lines.
    pub line: Option<usize>,
}

impl Diagnostic {
    pub fn new(severity: Severity, key: impl Into<Option<String>>, message: Message) -> Self {
        Self { severity, key: key.into(), message, line: None }
    }

    pub fn at(mut self, line: Option<usize>) -> Self {
        self.line = line;
        self
    }

    /// The message after the key: `training.profile_level: …`.
    pub fn with_key(&self) -> Message {
        match &self.key {
            Some(key) => messages::diagnostic_with_key(key, self.message.clone()),
            None => self.message.clone(),
        }
    }
}

impl fmt::Display for Diagnostic {
    /// `warning: training.profile_level: …`, without the line, which needs the name of the file.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.with_key())
    }
}
