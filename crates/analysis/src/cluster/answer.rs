//! What a mode gives.

use std::io;
use std::path::{Path, PathBuf};

use npuscope_formats::nsight::NsightError;
use npuscope_formats::output::OutputError;
use npuscope_formats::result::ResultTable;
use npuscope_messages::Message;
use npuscope_store::StoreError;
use npuscope_tables::Rank;

use super::Export;
use crate::messages::collection::mode_needs;

/// Tables and files.
#[derive(Default)]
pub struct Answer {
    pub tables: Vec<ResultTable>,
    /// Files that are no tables.
    pub files: Vec<ResultFile>,
    /// Files of an earlier answer that this one has nothing for.
    pub gone: Vec<&'static str>,
    /// Further notes, one line each.
    pub notes: Vec<Message>,
}

impl Answer {
    pub fn of_tables(tables: impl IntoIterator<Item = ResultTable>) -> Answer {
        Answer { tables: tables.into_iter().collect(), ..Answer::default() }
    }

    #[must_use]
    pub fn note(mut self, note: Message) -> Answer {
        self.notes.push(note);
        self
    }
}

/// Writes a file at a path.
pub type WriteAt = Box<dyn FnOnce(&Path) -> io::Result<()>>;

/// A file among the results.
pub struct ResultFile {
    /// The rank that it is of, if of one: others do without it.
    pub rank: Option<Rank>,
    /// Below the directory of results, with `/`.
    pub path: String,
    /// It is a copy of a database of the profile.
    pub is_copy: bool,
    /// Writes it at a temporary path.
    pub write: WriteAt,
}

impl ResultFile {
    pub fn new(path: impl Into<String>, write: impl FnOnce(&Path) -> io::Result<()> + 'static) -> ResultFile {
        ResultFile { rank: None, path: path.into(), is_copy: false, write: Box::new(write) }
    }

    #[must_use]
    pub fn of_rank(mut self, rank: Rank) -> ResultFile {
        self.rank = Some(rank);
        self
    }

    /// The same as a copy of a database of the profile: to keep one more copy of it would fill the cache. One that is
    /// there, unchanged since it was written, is not written again.
    #[must_use]
    pub fn copied(mut self) -> ResultFile {
        self.is_copy = true;
        self
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The profile lacks what the question is about.
    #[error("{}", mode_needs(.mode, *.what.clone(), *.hint.clone()))]
    Missing { mode: &'static str, what: Box<Message>, hint: Box<Message> },
    #[error(transparent)]
    Usage(#[from] Usage),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl Failure {
    pub fn missing(mode: &'static str, what: Message, hint: Message) -> Failure {
        Failure::Missing { mode, what: Box::new(what), hint: Box::new(hint) }
    }
}

/// A question that cannot be asked like this.
#[derive(Debug, thiserror::Error)]
pub enum Usage {
    #[error("{} has none of the chosen ranks", .0.display())]
    NoneOfTheRanks(PathBuf),
    #[error("there is no rank {0}; choose another with --rank_id")]
    NoRank(Rank),
    #[error("there is no step {step}; {}", steps_in_words(.steps))]
    NoStep { step: i64, steps: Vec<i64> },
    #[error("{mode} cannot be written as {export}, but as {}", forms(.possible))]
    Export { mode: &'static str, export: Export, possible: Vec<Export> },
    #[error("{mode} needs a baseline: --bp DIR")]
    NoBaseline { mode: &'static str },
    #[error("{mode} needs --baseline_profiling_path")]
    NoBaselineProfile { mode: &'static str },
    #[error("{} has no results of {table}: run cluster_time_summary there first", .path.display())]
    NoResults { path: PathBuf, table: &'static str },
    #[error(transparent)]
    Nsight(#[from] NsightError),
}

/// Steps that are listed where another was asked for.
const MAX_STEPS: usize = 20;

fn steps_in_words(steps: &[i64]) -> String {
    let listed: Vec<String> = steps.iter().take(MAX_STEPS).map(i64::to_string).collect();
    let more = if steps.len() > listed.len() { " …" } else { "" };
    match listed.as_slice() {
        [] => "no rank tells where its steps are".to_owned(),
        listed => format!("there are steps {}{more}", listed.join(", ")),
    }
}

fn forms(forms: &[Export]) -> String {
    forms.iter().map(Export::to_string).collect::<Vec<_>>().join(" or ")
}
