//! Arguments of `npuscope report`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::choice::ChoiceArguments;
use crate::commands::report::ReportOptions;
use crate::rank_list::RankList;

/// Write the viewer's pages into one HTML file that can be shared
///
/// The file opens in any browser, without npuscope and without a network. It contains the findings, the tables of all
/// pages, and the timelines of some ranks; long timelines have less detail, to limit the size of the file.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope report DIR -o report.html
  npuscope report DIR -o report.html --ranks 0,5 --steps 3,4")]
pub struct ReportCommand {
    /// Profile: a directory, or a single deliverable such as trace_view.json
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    #[command(flatten)]
    pub choice: ChoiceArguments,
    /// Write the report to FILE; its directory is created if needed
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Ranks whose timelines to include, for example 0,3-7 [default: at most 4: the first rank, then
    /// ranks with findings]
    #[arg(long, visible_alias = "rank", value_name = "LIST", value_parser = RankList::parse)]
    pub ranks: Option<RankList>,
    /// Also include separate tables for these steps, for example 3,4 [default: only tables of all steps together]
    #[arg(long, visible_alias = "step", value_name = "LIST", value_delimiter = ',')]
    pub steps: Vec<i64>,
}

impl From<ReportCommand> for ReportOptions {
    fn from(command: ReportCommand) -> ReportOptions {
        ReportOptions { path: command.path, output: command.output, ranks: command.ranks, steps: command.steps }
    }
}
