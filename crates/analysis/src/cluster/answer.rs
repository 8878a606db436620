//! What a mode gives.

use std::io;
use std::path::{Path, PathBuf};

use npuscope_formats::nsight::NsightError;
use npuscope_formats::output::OutputError;
use npuscope_formats::result::ResultTable;
use npuscope_messages::{Message, ranges};
use npuscope_store::StoreError;
use npuscope_tables::Rank;

use super::Export;
use crate::messages::collection::mode_needs;
use crate::messages::usage;

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
    Missing {
        mode: &'static str,
        what: Box<Message>,
        hint: Box<Message>,
    },
    Usage(#[from] Usage),
    Store(#[from] StoreError),
    Output(#[from] OutputError),
}

impl Failure {
    pub fn missing(mode: &'static str, what: Message, hint: Message) -> Failure {
        Failure::Missing { mode, what: Box::new(what), hint: Box::new(hint) }
    }

    pub fn message(&self) -> Message {
        match self {
            Failure::Missing { mode, what, hint } => mode_needs(mode, *what.clone(), *hint.clone()),
            Failure::Usage(error) => error.message(),
            Failure::Store(error) => error.message(),
            Failure::Output(error) => error.message(),
        }
    }
}

npuscope_messages::display_message!(Failure, Usage);

/// A question that cannot be asked like this.
#[derive(Debug, thiserror::Error)]
pub enum Usage {
    NoneOfTheRanks(PathBuf),
    NoRank(Rank),
    NoStep { step: i64, steps: Vec<i64> },
    Export { mode: &'static str, export: Export, possible: Vec<Export> },
    NoBaseline { mode: &'static str },
    NoBaselineProfile { mode: &'static str },
    NoResults { path: PathBuf, table: &'static str },
    Nsight(#[from] NsightError),
}

/// Ranges of steps that are listed where another was asked for.
const MAX_RANGES: usize = 20;

impl Usage {
    pub fn message(&self) -> Message {
        match self {
            Usage::NoneOfTheRanks(path) => usage::none_of_the_ranks(path),
            Usage::NoRank(rank) => usage::no_such_rank(*rank),
            Usage::NoStep { step, steps } => {
                let mut known = ranges(steps.iter().copied());
                let are_many = known.len() > MAX_RANGES;
                known.truncate(MAX_RANGES);
                match known.is_empty() {
                    true => usage::no_step_markers(*step),
                    false if are_many => usage::no_such_step_of_many(*step, known),
                    false => usage::no_such_step(*step, known),
                }
            }
            Usage::Export { mode, export, possible } => {
                let possible = possible.iter().map(Export::to_string).collect();
                usage::unsupported_format(mode, export.to_string(), possible)
            }
            Usage::NoBaseline { mode } => usage::no_baseline(mode),
            Usage::NoBaselineProfile { mode } => usage::no_baseline_profile(mode),
            Usage::NoResults { path, table } => usage::no_results(path, table),
            Usage::Nsight(error) => error.message(),
        }
    }
}
