//! The modes there are, and what can be asked of them.

use std::fmt;
use std::path::PathBuf;

use npuscope_tables::Rank;
use serde::Serialize;

use super::recipes;
use super::{Answer, Failure, Job};

/// What results are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Export {
    /// Tables of `cluster_analysis.db`.
    Db,
    /// csv files, and whatever else people read.
    Text,
    /// csv files and a Jupyter notebook that shows them.
    Notebook,
}

impl fmt::Display for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Export::Db => "db",
            Export::Text => "text",
            Export::Notebook => "notebook",
        })
    }
}

/// A question that can be asked of all ranks of a job.
pub struct Mode {
    /// Name on the command line.
    pub name: &'static str,
    /// Directory of its csv files, as msprof-analyze calls it.
    pub folder: &'static str,
    /// One line for the help.
    pub about: &'static str,
    pub run: fn(&Job<'_>) -> Result<Answer, Failure>,
}

/// How a question is asked. Each recipe says which of these it heeds. All are part of the key of a kept answer.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Options {
    /// Give the figures of msprof-analyze 26.2 rather than the right ones.
    pub compat: bool,
    /// What to write; the mode decides where it is not given.
    pub export: Option<Export>,
    /// The step to look at; all if none is given.
    pub step: Option<i64>,
    /// How many rows of a ranking to give.
    pub top_num: Option<usize>,
    /// Do not tell operators of one type apart.
    pub exclude_op_name: bool,
    /// Another profile or result of the same kind, to compare with (`--bp`).
    pub baseline: Option<PathBuf>,
    /// A profile of another machine, to compare with (`--baseline_profiling_path`).
    pub baseline_profile: Option<PathBuf>,
    /// How alike two names must be to be taken for one, 0 to 1.
    pub fuzzy_threshold: Option<f64>,
    /// Write what comparisons are made from, too.
    pub dump_intermediate_results: bool,
    /// Kinds of groups to look at: kinds by comma, sets of them by semicolon.
    pub parallel_types: Option<String>,
    /// The rank to begin with.
    pub rank_id: Option<Rank>,
    /// The frequency that AI Cores should have, in MHz.
    pub nominal_frequency: Option<f64>,
}

/// All modes, in the order of the manual.
pub fn modes() -> &'static [Mode] {
    recipes::MODES
}

pub fn find(name: &str) -> Option<&'static Mode> {
    modes().iter().find(|mode| mode.name == name)
}
