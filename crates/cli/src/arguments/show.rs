//! Arguments of `npuscope show`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use npuscope_messages::Message;

use super::choice::ChoiceArguments;
use crate::commands::result::ResultFormat;
use crate::commands::show::ShowOptions;
use crate::messages::errors as messages;
use crate::rank_list::RankList;
use crate::time_range::{Moment, TimeRange};

/// Print a view, a table behind the viewer's pages: steps, operators, memory …
///
/// Lists the views if VIEW is omitted. Times are in nanoseconds since the epoch, durations in nanoseconds, sizes in
/// bytes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope show DIR
  npuscope show DIR steps --rank 0-3
  npuscope show DIR overall --step 12
  npuscope show DIR operators --set group=name --range 100ms..200ms --format csv
  npuscope show DIR gap --rank 3 --at 1.25s
  npuscope show DIR stages --format parquet -o stages.parquet")]
pub struct ShowCommand {
    /// Profile: a directory, or a single deliverable such as trace_view.json
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    #[command(flatten)]
    pub choice: ChoiceArguments,
    /// View to print [default: list the views]
    pub view: Option<String>,
    /// Ranks to show, for example 0,3-7 [default: all]
    #[arg(long = "rank", visible_alias = "ranks", value_name = "LIST", value_parser = RankList::parse)]
    pub ranks: Option<RankList>,
    /// Step to show [default: all]
    #[arg(long, value_name = "N")]
    pub step: Option<i64>,
    /// Time range to show: 1.5s..2.25s from the start of the profile, nanoseconds since the epoch, or step:12..14
    /// [default: all]
    #[arg(long, value_name = "RANGE")]
    pub range: Option<TimeRange>,
    /// Point in time to show, for the views gap, collective, memory_peak and allocations: 1.25s from the start of the
    /// profile, or nanoseconds since the epoch
    #[arg(long, value_name = "TIME", value_parser = Moment::parse)]
    pub at: Option<Moment>,
    /// Set a parameter of the view, for example group=name; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parameter)]
    pub parameters: Vec<(String, String)>,
    /// Output format [default: from the extension of FILE, else table]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<ResultFormat>,
    /// Write the result to FILE; its directory must exist
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Maximum number of rows to print as a table; files and other formats contain all rows
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_rows: usize,
    /// Fail if any data cannot be read, instead of continuing without it
    #[arg(long)]
    pub strict: bool,
}

impl From<ShowCommand> for ShowOptions {
    fn from(command: ShowCommand) -> ShowOptions {
        ShowOptions {
            path: command.path,
            view: command.view,
            ranks: command.ranks,
            step: command.step,
            range: command.range,
            at: command.at,
            parameters: command.parameters,
            format: command.format,
            output: command.output,
            max_rows: command.max_rows,
            strict: command.strict,
        }
    }
}

fn parameter(text: &str) -> Result<(String, String), ParameterError> {
    let (name, value) = text.split_once('=').ok_or(ParameterError)?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

/// A text that is not `NAME=VALUE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ParameterError;

impl ParameterError {
    pub fn message(&self) -> Message {
        messages::value_parameter()
    }
}

npuscope_messages::display_message!(ParameterError);
