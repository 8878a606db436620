//! Arguments of `npuscope dynamic`.

mod values;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueHint};
use npuscope_collect::dynamic::Changes;

use self::values::{DynamicActivity, DynamicExport, DynamicLevel, DynamicMetrics, DynamicStyle, parse_start};
use crate::commands::ReportFormat;
use crate::commands::dynamic::{DynamicOptions, SetOptions, StartStep, StatusOptions};
use crate::rank_list::RankList;

/// Switch recording while a job runs, and see which ranks took it
///
/// A job that watches a profiler_config.json by npuscope's DynamicProfilerMonitor records the steps that this file
/// names, be it in the style of torch_npu or of MindSpore. Steps count from 1, and the last is recorded, too. The
/// profilers of torch_npu and MindSpore read the same file; torch_npu's begins when the step it names is over.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope dynamic set CFG --start 8 --stop 10
  npuscope dynamic set CFG --start next --steps 2 --ranks 0-3 --level level1 --with-stack
  npuscope dynamic set CFG --off
  npuscope dynamic status CFG")]
pub struct DynamicCommand {
    #[command(subcommand)]
    pub action: DynamicAction,
}

#[derive(Debug, Subcommand)]
pub enum DynamicAction {
    Set(Box<DynamicSet>),
    Status(DynamicStatus),
}

/// Change the file; what is not named stays as it is
#[derive(Debug, Args)]
pub struct DynamicSet {
    /// The profiler_config.json, or its directory; created if need be
    #[arg(value_hint = ValueHint::AnyPath)]
    pub config: PathBuf,
    /// First step to record, counted from 1, or `next`
    #[arg(long, value_name = "STEP", value_parser = parse_start)]
    pub start: Option<StartStep>,
    /// Last step to record [default: the first one]
    #[arg(long, value_name = "STEP", requires = "start")]
    pub stop: Option<u64>,
    /// Number of steps to record, instead of --stop
    #[arg(long, value_name = "N", requires = "start", conflicts_with = "stop")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: Option<u64>,
    /// Record nothing from now on; what is being recorded goes on to its end
    #[arg(long, conflicts_with = "start")]
    pub off: bool,
    /// Steps to run as if recorded before the first one
    #[arg(long, value_name = "N")]
    pub warmup: Option<u64>,
    /// Style of a file that is to be created [default: torch_npu]
    #[arg(long, value_enum, value_name = "STYLE")]
    pub style: Option<DynamicStyle>,
    /// Ranks that record, for example 0,3-7, or all
    #[arg(long, value_name = "LIST", value_parser = RankList::parse_or_all)]
    pub ranks: Option<RankList>,
    /// How deep
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub level: Option<DynamicLevel>,
    /// What the counters of the AI Core count; needs level1
    #[arg(long, value_enum, value_name = "METRICS")]
    pub metrics: Option<DynamicMetrics>,
    /// What to record: cpu, npu or cpu,npu
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',')]
    pub activities: Option<Vec<DynamicActivity>>,
    /// What the profiler writes: text, db or text,db
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',')]
    pub export: Option<Vec<DynamicExport>>,
    /// Directory to write to
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<String>,
    /// Call stacks
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub with_stack: Option<bool>,
    /// Calls of modules
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub modules: Option<bool>,
    /// Memory
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub memory: Option<bool>,
    /// Shapes of operators' inputs
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub shapes: Option<bool>,
    /// Floating-point operations
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub flops: Option<bool>,
    /// Ranges and marks of users
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub mstx: Option<bool>,
    /// L2 cache
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub l2_cache: Option<bool>,
    /// Network cards
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub sys_io: Option<bool>,
    /// Links between chips
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub sys_interconnection: Option<bool>,
    /// The host: of cpu, mem, disk, network and osrt
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(["cpu", "mem", "disk", "network", "osrt"]))]
    pub host_sys: Option<Vec<String>>,
    /// Have the profiler analyse its data when it is recorded
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub analyse: Option<bool>,
}

/// Which ranks took the file, and how far they are
#[derive(Debug, Args)]
pub struct DynamicStatus {
    /// The profiler_config.json, or its directory
    #[arg(value_hint = ValueHint::AnyPath)]
    pub config: PathBuf,
    /// How to print the report
    #[arg(long, value_enum, default_value = "text", value_name = "FORM")]
    pub format: ReportFormat,
    /// After how many seconds without a word a rank counts as lost
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub stale_after: u64,
}

impl From<DynamicCommand> for DynamicOptions {
    fn from(command: DynamicCommand) -> DynamicOptions {
        match command.action {
            DynamicAction::Set(set) => DynamicOptions::Set(Box::new((*set).into())),
            DynamicAction::Status(DynamicStatus { config, format, stale_after }) => {
                let stale_after = Duration::from_secs(stale_after);
                DynamicOptions::Status(StatusOptions { config, format, stale_after })
            }
        }
    }
}

impl From<DynamicSet> for SetOptions {
    fn from(command: DynamicSet) -> SetOptions {
        SetOptions {
            config: command.config,
            style: command.style.map(Into::into),
            start: command.start,
            stop: command.stop,
            steps: command.steps,
            off: command.off,
            ranks: command.ranks,
            changes: Changes {
                warmup: command.warmup,
                activities: command.activities.map(|list| list.into_iter().map(Into::into).collect()),
                level: command.level.map(Into::into),
                metrics: command.metrics.map(Into::into),
                stack: command.with_stack,
                modules: command.modules,
                memory: command.memory,
                shapes: command.shapes,
                flops: command.flops,
                mstx: command.mstx,
                l2_cache: command.l2_cache,
                sys_io: command.sys_io,
                sys_interconnection: command.sys_interconnection,
                host_sys: command.host_sys,
                export: command.export.map(|list| list.into_iter().map(Into::into).collect()),
                analyse: command.analyse,
                output: command.output,
                ..Changes::default()
            },
        }
    }
}
