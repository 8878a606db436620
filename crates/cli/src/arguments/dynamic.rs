//! The words of `npuscope dynamic`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::{RankList, ReportFormat, parse_rank_list};

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
    #[arg(long, value_name = "LIST", value_parser = parse_rank_list)]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartStep {
    Next,
    At(u64),
}

fn parse_start(text: &str) -> Result<StartStep, String> {
    match text.parse() {
        Ok(step) if step >= 1 => Ok(StartStep::At(step)),
        _ if text == "next" => Ok(StartStep::Next),
        _ => Err("expected a step, the first of which is 1, or next".to_owned()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DynamicStyle {
    #[value(name = "torch_npu", alias = "torch-npu")]
    TorchNpu,
    Mindspore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DynamicLevel {
    #[value(alias = "level_none")]
    None,
    Level0,
    Level1,
    Level2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DynamicMetrics {
    None,
    PipeUtilization,
    ArithmeticUtilization,
    Memory,
    #[value(name = "memory-l0")]
    MemoryL0,
    MemoryUb,
    ResourceConflictRatio,
    #[value(name = "l2-cache")]
    L2Cache,
    MemoryAccess,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DynamicActivity {
    Cpu,
    Npu,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DynamicExport {
    Text,
    Db,
}
