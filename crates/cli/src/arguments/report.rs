//! Arguments of `npuscope report`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::commands::report::ReportOptions;
use crate::rank_list::RankList;

/// Write the viewer's pages into one HTML file, to mail or to keep
///
/// The file opens in any browser, without npuscope and without a network: findings first, then the tables of all pages
/// and the timelines of some ranks, as fine as there is room for.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope report DIR -o report.html
  npuscope report DIR -o report.html --ranks 0,5 --steps 3,4")]
pub struct ReportCommand {
    /// Profile: a directory, or a single deliverable
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// File to write
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Ranks whose timelines to keep, for example 0,3-7 [default: those that findings show]
    #[arg(long, visible_alias = "rank", value_name = "LIST", value_parser = RankList::parse)]
    pub ranks: Option<RankList>,
    /// Steps to keep the tables of one by one, for example 3,4 [default: all steps together]
    #[arg(long, visible_alias = "step", value_name = "LIST", value_delimiter = ',')]
    pub steps: Vec<i64>,
}

impl From<ReportCommand> for ReportOptions {
    fn from(command: ReportCommand) -> ReportOptions {
        ReportOptions { path: command.path, output: command.output, ranks: command.ranks, steps: command.steps }
    }
}
