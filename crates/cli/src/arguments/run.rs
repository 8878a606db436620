//! Arguments of `npuscope run`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueHint};

use crate::commands::run::{Recorded, RunOptions};

/// Run a training command and record it, without a change to its script
///
/// Reads the settings from the first source that has any: --config, MindSpeed-LLM flags of the command, a YAML or JSON file
/// that the command names, MS_PROFILER_OPTIONS, the table [run] of npuscope.toml. Without settings, records steps 5 to 7.
/// The options below take precedence. A step ends when the optimizer has updated the parameters.
///
/// What will be recorded, and what cannot be, is printed before training starts. Signals are forwarded to the
/// command. `npuscope run` exits with the exit code of the command.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope run -- torchrun --nproc-per-node 8 pretrain.py --profile --profile-step-start 5 --profile-step-end 6
  npuscope run --steps 5-7 --ranks 0,4 -o profile -- torchrun --nproc-per-node 8 train.py
  npuscope run --step-function train_step -- python train.py")]
pub struct RunCommand {
    /// Read the settings from FILE
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// Record into directory DIR [default: that of the settings, else ./profile]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
    /// Record these steps, counted from 1, for example 5-7, 5 or 5- (to the end)
    #[arg(long, value_name = "FIRST-LAST")]
    pub steps: Option<String>,
    /// Ranks to record, for example 0,3-7, or all
    #[arg(long, value_name = "LIST")]
    pub ranks: Option<String>,
    /// Step number of the checkpoint that training resumes from
    #[arg(long, value_name = "N")]
    pub iteration: Option<u64>,
    /// What ends a step: each optimizer update, or each data loader batch; none records the whole run without steps
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(["auto", "optimizer", "loader", "none"]))]
    pub count: Option<String>,
    /// Count the calls of a function as steps: NAME, CLASS.NAME or MODULE:NAME
    #[arg(long, value_name = "NAME", conflicts_with = "count")]
    pub step_function: Option<String>,
    /// Level of detail to record
    #[arg(long, value_name = "LEVEL")]
    #[arg(value_parser = PossibleValuesParser::new(["none", "level0", "level1", "level2"]))]
    pub level: Option<String>,
    /// Activities to record: the host (cpu), the device (npu) or both (cpu,npu)
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = PossibleValuesParser::new(["cpu", "npu"]))]
    pub activities: Option<Vec<String>>,
    /// Formats that the profiler exports: text, db or both (text,db)
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = PossibleValuesParser::new(["text", "db"]))]
    pub export: Option<Vec<String>>,
    /// Record call stacks
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub with_stack: Option<bool>,
    /// Record module calls
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub modules: Option<bool>,
    /// Record memory usage
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub memory: Option<bool>,
    /// Record input shapes of operators
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub shapes: Option<bool>,
    /// Record the number of floating-point operations of operators
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub flops: Option<bool>,
    /// Let the profiler parse the data after recording
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub analyse: Option<bool>,
    /// Backend that records [default: the best available one]
    #[arg(long, value_name = "NAME")]
    #[arg(value_parser = PossibleValuesParser::new(["torch_npu", "mindspore", "mindspore_cpu", "torch", "native", "cann"]))]
    pub backend: Option<String>,
    /// Command to run, after `--`
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

impl From<RunCommand> for RunOptions {
    fn from(command: RunCommand) -> RunOptions {
        let joined = |list: Option<Vec<String>>| list.map(|list| list.join(","));
        RunOptions {
            recorded: Recorded {
                config: command.config,
                output: command.output,
                steps: command.steps,
                ranks: command.ranks,
                iteration: command.iteration,
                count: command.count,
                step_function: command.step_function,
                level: command.level,
                activities: joined(command.activities),
                export: joined(command.export),
                with_stack: command.with_stack,
                modules: command.modules,
                memory: command.memory,
                shapes: command.shapes,
                flops: command.flops,
                analyse: command.analyse,
                backend: command.backend,
            },
            command: command.command,
        }
    }
}
