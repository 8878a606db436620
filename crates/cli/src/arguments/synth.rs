//! Arguments of `npuscope synth`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use npuscope_synth::{Fault, FaultKind, Format, Level, Place, Profiling, Stretch, Workload};
use npuscope_tables::Framework;

use crate::commands::synth::{JobChanges, SynthOptions};

/// Simulate a training job and write its profile
///
/// The job trains a decoder-only transformer on a TP x PP x DP x CP x EP layout. The same options give the same bytes on
/// every machine. ground_truth.json contains the time of each step and, for every fault, its place and its cost: the time
/// saved when the same job is simulated without the fault.
///
/// A scenario file is TOML with the fields of the job, for example `preset = "llama-7b"`, `pp = 4`,
/// `faults = ["slow-rank@3:1.4"]`; ground_truth.json lists all fields. With a directory of scenario files, each job is
/// written into a directory named after its file.
#[derive(Debug, Args)]
#[command(after_help = synth_help())]
pub struct SynthCommand {
    /// Write into directory DIR, which must be empty or new
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    /// Scenario file, or a directory of scenario files; options override its fields
    #[arg(long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub scenario: Option<PathBuf>,
    /// Model to simulate: small, llama-7b, qwen-72b or deepseek-moe; options override its fields [default: small]
    #[arg(long, value_name = "NAME", conflicts_with = "scenario")]
    pub preset: Option<String>,
    /// Fault to simulate, from the list below; may be repeated
    #[arg(long = "fault", value_name = "FAULT")]
    pub faults: Vec<Fault>,
    /// Tensor-parallel size [default: 2, or that of the preset]
    #[arg(long, value_name = "N")]
    pub tp: Option<usize>,
    /// Pipeline-parallel size [default: 2, or that of the preset]
    #[arg(long, value_name = "N")]
    pub pp: Option<usize>,
    /// Data-parallel size [default: 2, or that of the preset]
    #[arg(long, value_name = "N")]
    pub dp: Option<usize>,
    /// Context-parallel size
    #[arg(long, value_name = "N")]
    pub cp: Option<usize>,
    /// Expert-parallel size
    #[arg(long, value_name = "N")]
    pub ep: Option<usize>,
    /// Number of transformer layers [default: 8, or that of the preset]
    #[arg(long, value_name = "N")]
    pub layers: Option<usize>,
    /// Hidden size
    #[arg(long, value_name = "N")]
    pub hidden: Option<u64>,
    /// Sequence length
    #[arg(long, value_name = "N")]
    pub sequence: Option<u64>,
    /// Number of micro-batches per step
    #[arg(long, value_name = "N")]
    pub micro_batches: Option<usize>,
    /// Number of model chunks per pipeline stage; more than 1 is an interleaved pipeline
    #[arg(long, value_name = "N")]
    pub virtual_stages: Option<usize>,
    /// Number of steps [default: 3]
    #[arg(long, value_name = "N")]
    pub steps: Option<usize>,
    /// Number of NPUs per host
    #[arg(long, value_name = "N")]
    pub devices_per_host: Option<usize>,
    /// Simulate reinforcement learning: each step has generation, log probabilities and update
    #[arg(long)]
    pub rl: bool,
    /// Steps to record, each stretch as a window of its own, for example 2..5,8..10; simulates the steps from the first to
    /// the last [default: all in one window]
    #[arg(long, value_name = "STEPS", value_delimiter = ',', conflicts_with = "steps")]
    pub windows: Vec<Stretch>,
    /// How windows begin and end [default: schedule]
    #[arg(long, value_enum, value_name = "MEANS")]
    pub profiling: Option<SynthProfiling>,
    /// Profiler level to simulate [default: level1]
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub level: Option<SynthLevel>,
    /// Seed of the random noise
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Output format
    #[arg(long, alias = "form", value_enum, default_value = "text", value_name = "FORMAT")] // older name
    pub format: SynthFormat,
    /// Framework whose profiler is simulated
    #[arg(long, alias = "flavour", value_enum, value_name = "FRAMEWORK")] // older name
    pub framework: Option<SynthFramework>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SynthLevel {
    None,
    Level0,
    Level1,
    Level2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SynthProfiling {
    /// By a schedule: directories side by side
    Schedule,
    /// By dynamic profiling: a folder for each rank and window, such as rank0_start2_stop5
    Dynamic,
    /// By stage of reinforcement learning (with --rl): a folder for each stage, with step 0 alone
    Stages,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SynthFormat {
    /// trace_view.json, csv and json files
    Text,
    /// Database
    Db,
    /// Text files and a database
    Both,
    /// Traces of PyTorch's profiler, as for a job on GPUs
    Kineto,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SynthFramework {
    TorchNpu,
    Mindspore,
}

impl From<SynthCommand> for SynthOptions {
    fn from(command: SynthCommand) -> SynthOptions {
        let changes = JobChanges {
            faults: command.faults,
            tp: command.tp,
            pp: command.pp,
            dp: command.dp,
            cp: command.cp,
            ep: command.ep,
            layers: command.layers,
            hidden: command.hidden,
            sequence: command.sequence,
            micro_batches: command.micro_batches,
            virtual_stages: command.virtual_stages,
            steps: command.steps,
            devices_per_host: command.devices_per_host,
            workload: command.rl.then_some(Workload::ReinforcementLearning),
            windows: command.windows,
            profiling: command.profiling.map(Into::into),
            level: command.level.map(Into::into),
            seed: command.seed,
            framework: command.framework.map(Into::into),
        };
        let (output, scenario, preset) = (command.output, command.scenario, command.preset);
        SynthOptions { output, scenario, preset, format: command.format.into(), changes }
    }
}

impl From<SynthLevel> for Level {
    fn from(level: SynthLevel) -> Level {
        match level {
            SynthLevel::None => Level::None,
            SynthLevel::Level0 => Level::Level0,
            SynthLevel::Level1 => Level::Level1,
            SynthLevel::Level2 => Level::Level2,
        }
    }
}

impl From<SynthProfiling> for Profiling {
    fn from(profiling: SynthProfiling) -> Profiling {
        match profiling {
            SynthProfiling::Schedule => Profiling::Schedule,
            SynthProfiling::Dynamic => Profiling::Dynamic,
            SynthProfiling::Stages => Profiling::Stages,
        }
    }
}

impl From<SynthFormat> for Format {
    fn from(format: SynthFormat) -> Format {
        match format {
            SynthFormat::Text => Format::Text,
            SynthFormat::Db => Format::Db,
            SynthFormat::Both => Format::Both,
            SynthFormat::Kineto => Format::Kineto,
        }
    }
}

impl From<SynthFramework> for Framework {
    fn from(framework: SynthFramework) -> Framework {
        match framework {
            SynthFramework::TorchNpu => Framework::TorchNpu,
            SynthFramework::Mindspore => Framework::MindSpore,
        }
    }
}

/// Examples and the list of faults.
fn synth_help() -> String {
    let mut help = "Examples:
  npuscope synth -o demo --fault slow-rank@5:1.3 && npuscope info demo
  npuscope synth -o moe --preset deepseek-moe --fault experts@2 --fault gc@0:50,steps=11..12
  npuscope synth -o suite --scenario scenarios/

Faults, written KIND@PLACE[:STRENGTH][,steps=FIRST..LAST], with the default strength in brackets:
"
    .to_owned();
    for kind in FaultKind::ALL {
        let place = match kind.place() {
            Place::Rank => "RANK",
            Place::Host => "HOST",
            Place::Stage => "STAGE",
            Place::Link => "RANK-RANK",
        };
        let fault = format!("{}@{place}", kind.name());
        help.push_str(&format!("  {fault:<24} {} [{}]\n", kind.summary().trim(), kind.default_text()));
    }
    help.truncate(help.trim_end().len());
    help
}
