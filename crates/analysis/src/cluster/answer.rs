//! What a mode gives.

use std::io;
use std::path::Path;

use npuscope_formats::output::OutputError;
use npuscope_formats::result::ResultTable;
use npuscope_store::StoreError;

/// Tables and files.
#[derive(Default)]
pub struct Answer {
    pub tables: Vec<ResultTable>,
    /// Files that are no tables.
    pub files: Vec<ResultFile>,
    /// Files of an earlier answer that this one has nothing for.
    pub gone: Vec<&'static str>,
    /// Further remarks, one line each.
    pub notes: Vec<String>,
}

impl Answer {
    pub fn of_tables(tables: impl IntoIterator<Item = ResultTable>) -> Answer {
        Answer { tables: tables.into_iter().collect(), ..Answer::default() }
    }

    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Answer {
        self.notes.push(note.into());
        self
    }
}

/// Writes a file at a path.
pub type WriteAt = Box<dyn FnOnce(&Path) -> io::Result<()>>;

/// A file among the results.
pub struct ResultFile {
    /// The rank that it is of, if of one: others do without it.
    pub rank: Option<i64>,
    /// Below the directory of results, with `/`.
    pub path: String,
    /// Writes it at a temporary path.
    pub write: WriteAt,
}

impl ResultFile {
    pub fn new(path: impl Into<String>, write: impl FnOnce(&Path) -> io::Result<()> + 'static) -> ResultFile {
        ResultFile { rank: None, path: path.into(), write: Box::new(write) }
    }

    #[must_use]
    pub fn of_rank(mut self, rank: i64) -> ResultFile {
        self.rank = Some(rank);
        self
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The profile lacks what the question is about.
    #[error("{mode} needs {what}, which no rank has; {hint}")]
    Missing { mode: &'static str, what: String, hint: String },
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl Failure {
    pub fn missing(mode: &'static str, what: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure::Missing { mode, what: what.into(), hint: hint.into() }
    }
}
