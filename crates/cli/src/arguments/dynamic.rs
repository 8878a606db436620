//! Arguments of `npuscope dynamic`.

mod values;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueHint};
use npuscope_collect::dynamic::Changes;

pub use self::values::StartStepError;
use self::values::{DynamicActivity, DynamicDialectName, DynamicExport, DynamicLevel, DynamicMetrics, parse_start};
use crate::commands::ReportFormat;
use crate::commands::dynamic::{DynamicOptions, SetOptions, StartStep, StatusOptions};
use crate::rank_list::RankList;

/// Start and stop recording in a running job, and show the state of its ranks
///
/// A job that uses npuscope's DynamicProfilerMonitor watches a profiler_config.json, in the dialect of torch_npu or
/// MindSpore, and records the steps that the file names. Steps count from 1; the first and the last step are both
/// recorded. The dynamic profilers of torch_npu and MindSpore read the same file, but torch_npu's starts one step later.
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

/// Change settings in the file; settings that are not given stay unchanged
#[derive(Debug, Args)]
pub struct DynamicSet {
    /// File profiler_config.json, or its directory; created if missing
    #[arg(value_hint = ValueHint::AnyPath)]
    pub config: PathBuf,
    /// First step to record, counted from 1; `next` for the next step
    #[arg(long, value_name = "STEP", value_parser = parse_start)]
    pub start: Option<StartStep>,
    /// Last step to record [default: the first step to record]
    #[arg(long, value_name = "STEP", requires = "start")]
    pub stop: Option<u64>,
    /// Record N steps; alternative to --stop
    #[arg(long, value_name = "N", requires = "start", conflicts_with = "stop")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: Option<u64>,
    /// Record nothing from now on; a recording in progress is completed
    #[arg(long, conflicts_with = "start")]
    pub off: bool,
    /// Warm up for N steps before the first recorded step
    #[arg(long, value_name = "N")]
    pub warmup: Option<u64>,
    /// Dialect of a new file [default: torch_npu]
    #[arg(long, alias = "style", value_enum, value_name = "DIALECT")] // older name
    pub dialect: Option<DynamicDialectName>,
    /// Ranks to record, for example 0,3-7, or all
    #[arg(long, value_name = "LIST", value_parser = RankList::parse_or_all)]
    pub ranks: Option<RankList>,
    /// Level of detail to record
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub level: Option<DynamicLevel>,
    /// AI Core metrics to record; requires level1 or level2
    #[arg(long, value_enum, value_name = "METRICS")]
    pub metrics: Option<DynamicMetrics>,
    /// Activities to record: the host (cpu), the device (npu) or both (cpu,npu)
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',')]
    pub activities: Option<Vec<DynamicActivity>>,
    /// Formats that the profiler exports: text, db or both (text,db)
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',')]
    pub export: Option<Vec<DynamicExport>>,
    /// Directory that the job records into
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<String>,
    /// Record call stacks
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub with_stack: Option<bool>,
    /// Record module calls
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub modules: Option<bool>,
    /// Record memory usage
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub memory: Option<bool>,
    /// Record input shapes of operators
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub shapes: Option<bool>,
    /// Record the number of floating-point operations of operators
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub flops: Option<bool>,
    /// Record mstx ranges and marks of the user
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub mstx: Option<bool>,
    /// Record L2 cache hit rates
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub l2_cache: Option<bool>,
    /// Record traffic of network cards (NIC and RoCE)
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub sys_io: Option<bool>,
    /// Record traffic on links between chips (PCIe and HCCS)
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub sys_interconnection: Option<bool>,
    /// Host usage to record: a list of cpu, mem, disk, network and osrt
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(["cpu", "mem", "disk", "network", "osrt"]))]
    pub host_sys: Option<Vec<String>>,
    /// Let the profiler parse the data after recording
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub analyse: Option<bool>,
}

/// Show which ranks watch the file, and their progress
#[derive(Debug, Args)]
pub struct DynamicStatus {
    /// File profiler_config.json, or its directory
    #[arg(value_hint = ValueHint::AnyPath)]
    pub config: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: ReportFormat,
    /// Report a rank as lost after N seconds without a status update
    #[arg(long, value_name = "N", default_value_t = 120)]
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
            dialect: command.dialect.map(Into::into),
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
