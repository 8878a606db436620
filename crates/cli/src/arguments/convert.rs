//! Arguments of `npuscope convert`.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum, ValueHint};

use super::choice::ChoiceArguments;
use crate::commands::convert::{ConvertOptions, TargetFormat};
use crate::rank_list::RankList;
use crate::time_range::TimeRange;

/// Convert a profile to another format
///
/// `text` and `db` write the deliverables of torch_npu or MindSpore, one directory per rank. `parquet` writes one
/// directory per table, with one file per rank. `perfetto` writes one trace with every slice of all ranks, for
/// ui.perfetto.dev.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope convert DIR --to db -o OUT
  npuscope convert DIR --to perfetto -o job.perfetto-trace
  npuscope convert DIR --to perfetto -o step.pftrace --ranks 0,5 --range step:12
  npuscope convert DIR --to perfetto -o window.pftrace --range 1.5s..2.25s")]
pub struct ConvertCommand {
    /// Profile: a directory, or a single deliverable such as trace_view.json
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    #[command(flatten)]
    pub choice: ChoiceArguments,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: TargetFormat,
    /// Write into directory OUT, which is created if missing. For perfetto, OUT may also be a file that ends in
    /// .perfetto-trace or .pftrace; in a directory, the file is profile.perfetto-trace
    #[arg(long, short, value_name = "OUT", value_hint = ValueHint::AnyPath)]
    pub output: PathBuf,
    /// Ranks to write, for example 0,3-7 [default: all]
    #[arg(long, visible_alias = "rank", value_name = "LIST", value_parser = RankList::parse)]
    pub ranks: Option<RankList>,
    /// Time range to write, for perfetto only: 1.5s..2.25s from the start of the profile, nanoseconds since the epoch, or
    /// step:12..14 [default: all]
    #[arg(long, value_name = "RANGE")]
    pub range: Option<TimeRange>,
}

impl From<ConvertCommand> for ConvertOptions {
    fn from(command: ConvertCommand) -> ConvertOptions {
        ConvertOptions {
            path: command.path,
            to: command.to,
            output: command.output,
            ranks: command.ranks,
            range: command.range,
        }
    }
}

impl ValueEnum for TargetFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &[TargetFormat::Text, TargetFormat::Db, TargetFormat::Parquet, TargetFormat::Perfetto]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            TargetFormat::Text => "text",
            TargetFormat::Db => "db",
            TargetFormat::Parquet => "parquet",
            TargetFormat::Perfetto => "perfetto",
        }))
    }
}
