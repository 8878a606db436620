//! Arguments of `npuscope config`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use npuscope_collect::Dialect;
use npuscope_collect::dialect::{Notation, Reader, Run};

use crate::commands::ReportFormat;
use crate::commands::config::{CheckOptions, ConfigOptions, ConvertOptions, ExplainOptions, Source};

/// Check, convert and explain a trainer's profiler settings before training
///
/// Reads MindSpeed-LLM flags from a script, YAML of FSDP2 and MindSpeed-RL, and JSON of the torch_npu and MindSpore
/// profilers (arguments, dynamic files, MS_PROFILER_OPTIONS). The file may contain the whole configuration of a trainer;
/// only the profiler settings are read, in the same way as the trainer reads them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope config check train.yaml --steps 1000 --world-size 8
  npuscope config convert pretrain.sh --to fsdp2
  npuscope config explain train.yaml")]
pub struct ConfigCommand {
    #[command(subcommand)]
    pub action: ConfigAction,
}

#[derive(Debug, Subcommand)]
pub enum ConfigAction {
    Check(ConfigCheckCommand),
    Convert(ConfigConvertCommand),
    Explain(ConfigExplainCommand),
}

/// Report misspelt keys, contradictory and impossible settings
///
/// Exits with 1 if there is an error or a warning, such as a misspelt key, or if nothing would be recorded. Exits with 2
/// if the file cannot be read or contains no profiler settings.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope config check train.yaml
  npuscope config check pretrain.sh --iteration 1000 --steps 2000 --world-size 64
  echo '--profile --profile-level level1' | npuscope config check -")]
pub struct ConfigCheckCommand {
    #[command(flatten)]
    pub source: ConfigSource,
    /// Output format; json includes the settings
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: ReportFormat,
}

/// Write the same settings for another trainer or profiler
///
/// The same steps of the job are recorded, but their numbers may change: FSDP2 counts from 0, MindSpeed from 1. Settings
/// that the target dialect cannot express are reported.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope config convert pretrain.sh --to fsdp2
  npuscope config convert train.yaml --to torch_npu_dynamic -o profiler_config.json")]
pub struct ConfigConvertCommand {
    #[command(flatten)]
    pub source: ConfigSource,
    /// Dialect to write
    #[arg(long, value_enum, value_name = "DIALECT")]
    pub to: TargetDialect,
    /// Write the result to FILE, which must not exist [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

/// Show what is recorded, at which steps and ranks, and the expected size
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope config explain train.yaml
  npuscope config explain pretrain.sh --steps 2000 --world-size 64 --kernels 20000")]
pub struct ConfigExplainCommand {
    #[command(flatten)]
    pub source: ConfigSource,
    /// Estimate the size for N kernels per step and rank [default: 10000]
    #[arg(long, value_name = "N")]
    pub kernels: Option<u64>,
    /// Output format
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: ReportFormat,
}

/// The settings, and the job they are for.
#[derive(Debug, Args)]
pub struct ConfigSource {
    /// Script, YAML or JSON file; `-` reads stdin
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Dialect of the file [default: detected]
    #[arg(long, value_enum, value_name = "DIALECT")]
    pub dialect: Option<SourceDialect>,
    /// Assume that training resumes from a checkpoint after N steps
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub iteration: u64,
    /// Total number of training steps, including those before the checkpoint
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Number of ranks in the job
    #[arg(long, value_name = "N")]
    pub world_size: Option<u32>,
    /// Who reads the settings: the trainer, or npuscope in its place [default: detected]
    #[arg(long, value_enum, value_name = "READER")]
    pub reader: Option<ReaderName>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReaderName {
    Trainer,
    Npuscope,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum SourceDialect {
    /// Flags of MindSpeed-LLM
    Llm,
    /// YAML or flags of MindSpeed-LLM with FSDP2
    Fsdp2,
    /// YAML of MindSpeed-RL
    Rl,
    /// JSON of MindSpore: arguments, dynamic file, MS_PROFILER_OPTIONS
    Mindspore,
    /// JSON of torch_npu: arguments or dynamic file
    TorchNpu,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum TargetDialect {
    /// Flags of MindSpeed-LLM
    Llm,
    /// YAML of MindSpeed-LLM with FSDP2
    Fsdp2,
    /// YAML of MindSpeed-RL
    Rl,
    /// Arguments of MindSpore's profiler as JSON
    Mindspore,
    /// profiler_config.json of MindSpore
    MindsporeDynamic,
    /// Arguments of torch_npu's profiler as JSON
    TorchNpu,
    /// profiler_config.json of torch_npu
    TorchNpuDynamic,
}

impl From<ConfigCommand> for ConfigOptions {
    fn from(command: ConfigCommand) -> ConfigOptions {
        match command.action {
            ConfigAction::Check(ConfigCheckCommand { source, format }) => {
                ConfigOptions::Check(CheckOptions { source: source.with_kernels(None), format })
            }
            ConfigAction::Convert(ConfigConvertCommand { source, to, output }) => {
                ConfigOptions::Convert(ConvertOptions { source: source.with_kernels(None), to: to.into(), output })
            }
            ConfigAction::Explain(ConfigExplainCommand { source, kernels, format }) => {
                ConfigOptions::Explain(ExplainOptions { source: source.with_kernels(kernels), format })
            }
        }
    }
}

impl ConfigSource {
    fn with_kernels(self, kernels_per_step: Option<u64>) -> Source {
        let run = Run {
            iteration: self.iteration,
            total_steps: self.steps,
            world_size: self.world_size,
            kernels_per_step,
            ..Run::default()
        };
        let reader = self.reader.map(|reader| match reader {
            ReaderName::Trainer => Reader::Trainer,
            ReaderName::Npuscope => Reader::Npuscope,
        });
        Source { file: self.file, dialect: self.dialect.map(Into::into), reader, run }
    }
}

impl From<SourceDialect> for Dialect {
    fn from(dialect: SourceDialect) -> Dialect {
        match dialect {
            SourceDialect::Llm => Dialect::MindSpeedLlm,
            SourceDialect::Fsdp2 => Dialect::Fsdp2,
            SourceDialect::Rl => Dialect::MindSpeedRl,
            SourceDialect::Mindspore => Dialect::MindSpore,
            SourceDialect::TorchNpu => Dialect::TorchNpu,
        }
    }
}

impl From<TargetDialect> for Notation {
    fn from(dialect: TargetDialect) -> Notation {
        match dialect {
            TargetDialect::Llm => Notation::LlmFlags,
            TargetDialect::Fsdp2 => Notation::Fsdp2Yaml,
            TargetDialect::Rl => Notation::RlYaml,
            TargetDialect::Mindspore => Notation::of(Dialect::MindSpore),
            TargetDialect::MindsporeDynamic => Notation::MindSporeDynamic,
            TargetDialect::TorchNpu => Notation::TorchNpuArguments,
            TargetDialect::TorchNpuDynamic => Notation::TorchNpuDynamic,
        }
    }
}
