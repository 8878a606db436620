//! What a reader ran into, kept as a row of `diagnostic` instead of ending the read.

use npuscope_tables::RankBuilder;
use npuscope_tables::table::diagnostic;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing was lost.
    Info,
    /// Something could not be read, the rest could.
    Warning,
    /// A whole file could not be read.
    Error,
}

impl Severity {
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// One row of `diagnostic`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub severity: Severity,
    /// Kind of defect, for programs: `cut-file`, `unknown-file` …
    pub code: &'static str,
    /// Relative to the rank's directory.
    pub file: String,
    pub offset: Option<u64>,
    /// What is wrong and what was done about it.
    pub message: String,
}

impl Problem {
    pub fn new(severity: Severity, code: &'static str, file: &str, message: impl Into<String>) -> Problem {
        Problem { severity, code, file: file.to_owned(), offset: None, message: message.into() }
    }

    #[must_use]
    pub fn at(mut self, offset: u64) -> Problem {
        self.offset = Some(offset);
        self
    }

    pub fn record(&self, rank: &mut RankBuilder) {
        let row = diagnostic::Row {
            severity: rank.strings.intern(self.severity.name()),
            code: rank.strings.intern(self.code),
            file: (!self.file.is_empty()).then(|| rank.strings.intern(&self.file)),
            offset: self.offset.and_then(|o| i64::try_from(o).ok()),
            message: rank.strings.intern(&self.message),
        };
        rank.diagnostic.push(row);
    }
}
