//! The modes and their options.

use std::fmt;
use std::path::PathBuf;

use npuscope_tables::Rank;
use serde::Serialize;

use super::recipes;
use super::{Answer, Failure, Job};

/// The format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Export {
    /// Tables of `cluster_analysis.db`.
    Db,
    /// csv files and workbooks.
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

/// An analysis of all ranks of a job.
pub struct Mode {
    /// Name on the command line.
    pub name: &'static str,
    /// Directory of its csv files, as msprof-analyze calls it.
    pub folder: &'static str,
    /// One line for the help.
    pub about: &'static str,
    pub run: fn(&Job<'_>) -> Result<Answer, Failure>,
}

/// Options of modes. The manual page of each mode says which of them it uses. All are part of the key of a cached
/// answer.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Options {
    /// Give the figures of msprof-analyze 26.2 instead of the corrected ones.
    pub compat: bool,
    /// The format of the results; the default depends on the mode.
    pub export: Option<Export>,
    /// The step to analyse; all if none is given.
    pub step: Option<i64>,
    /// The number of rows of a ranking.
    pub top_num: Option<usize>,
    /// Do not distinguish operators of one type.
    pub exclude_op_name: bool,
    /// Another profile or result of the same kind, to compare with (`--bp`).
    pub baseline: Option<PathBuf>,
    /// A profile of another machine, to compare with (`--baseline_profiling_path`).
    pub baseline_profile: Option<PathBuf>,
    /// The least similarity of two names that are matched, 0 to 1.
    pub fuzzy_threshold: Option<f64>,
    /// Also write the data that was compared.
    pub dump_intermediate_results: bool,
    /// Types of groups: types separated by commas, sets of them by semicolons.
    pub parallel_types: Option<String>,
    /// The rank whose collectives are analysed.
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
