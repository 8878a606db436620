//! Arguments of `npuscope show`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::commands::result::ResultFormat;
use crate::commands::show::ShowOptions;
use crate::rank_list::RankList;
use crate::time_range::{Moment, TimeRange};

/// Show a table of the viewer's pages: steps, operators, memory, pipeline, a gap, a collective …
///
/// Without VIEW, lists the views. Times are nanoseconds since the epoch, durations nanoseconds, sizes bytes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope show DIR
  npuscope show DIR steps --rank 0-3
  npuscope show DIR overall --step 12
  npuscope show DIR operators --set group=name --range 100ms..200ms --format csv
  npuscope show DIR gap --rank 3 --at 1.25s
  npuscope show DIR stages --format parquet -o stages.parquet")]
pub struct ShowCommand {
    /// Profile: a directory, or a single deliverable
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// View to show; without it, list the views
    pub view: Option<String>,
    /// Ranks to show, for example 0,3-7 [default: all]
    #[arg(long = "rank", visible_alias = "ranks", value_name = "LIST", value_parser = RankList::parse)]
    pub ranks: Option<RankList>,
    /// Step to show [default: all]
    #[arg(long, value_name = "N")]
    pub step: Option<i64>,
    /// Time to show: from the start of the profile (1.5s..2.25s), or in ns since the epoch; step:12..14 for steps
    #[arg(long, value_name = "A..B")]
    pub range: Option<TimeRange>,
    /// Moment to show, for gap, collective, memory_peak and allocations: from the start of the profile (1.25s), or in
    /// ns since the epoch
    #[arg(long, value_name = "TIME", value_parser = Moment::parse)]
    pub at: Option<Moment>,
    /// Set a parameter of the view, for example group=name; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parameter)]
    pub parameters: Vec<(String, String)>,
    /// How to print the table [default: as the ending of the output file says, else table]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<ResultFormat>,
    /// Write the table into a file
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Rows to print as a table; files and the other forms always have all
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_rows: usize,
    /// Fail if anything could not be read, instead of answering from the rest
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

fn parameter(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, for example group=name")?;
    Ok((name.trim().to_owned(), value.to_owned()))
}
