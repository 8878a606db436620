//! The command line as clap reads it: one file per command.
//!
//! These types exist for parsing, help, manual pages and completion. Each becomes the plain options of its
//! command (`DoctorCommand` becomes `DoctorOptions`), so that commands do not know clap.

mod choice;
mod cluster;
mod completion;
mod config;
mod convert;
mod diagnose;
mod doctor;
mod dynamic;
mod glossary;
mod info;
mod parse;
mod report;
mod run;
mod show;
mod sql;
mod synth;
mod values;
mod view;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueHint};
use npuscope_store::discover::Choice;

use crate::terminal::ColorChoice;
use values::Lang;

pub use cluster::ClusterCommand;
pub use completion::{AutoCompletionCommand, CompletionCommand, ManCommand};
pub use config::ConfigCommand;
pub use convert::ConvertCommand;
pub use diagnose::DiagnoseCommand;
pub use doctor::DoctorCommand;
pub use dynamic::{DynamicCommand, StartStepError};
pub use glossary::GlossaryCommand;
pub use info::InfoCommand;
pub use parse::ParseCommand;
pub use report::ReportCommand;
pub use run::RunCommand;
pub use show::{ParameterError, ShowCommand};
pub use sql::{SizeError, SqlCommand, TimeError};
pub use synth::SynthCommand;
pub use view::ViewCommand;

/// Find out why a training step is slow, from profiles of Ascend NPUs and GPUs
#[derive(Debug, Parser)]
#[command(name = "npuscope", bin_name = "npuscope", version, max_term_width = 100, propagate_version = true)]
#[command(disable_help_flag = true, disable_version_flag = true)]
#[command(after_help = "A profile is a directory that torch_npu, MindSpore, msprof or PyTorch's profiler wrote.
A directory that contains several of them, one per rank, is the profile of a job.
Start with `npuscope doctor DIR`, then run `npuscope diagnose DIR`.")]
pub struct Arguments {
    #[command(flatten)]
    pub global: GlobalArguments,
    #[command(subcommand)]
    pub command: Command,
}

/// The heading of [`GlobalArguments`] in help.
pub const OPTIONS_OF_EVERY_COMMAND: &str = "Options of every command";

#[derive(Debug, Args)]
#[command(next_help_heading = OPTIONS_OF_EVERY_COMMAND)]
pub struct GlobalArguments {
    /// Cache profiles in DIR [default: NPUSCOPE_CACHE_DIR, or the user's cache directory]
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub cache_dir: Option<PathBuf>,
    /// Neither read nor write the cache; keep ranks in memory until the command ends [env: NPUSCOPE_NO_CACHE]
    #[arg(long, global = true)]
    pub no_cache: bool,
    /// Use N threads for reading and querying [default: NPUSCOPE_THREADS, or one per core]
    #[arg(long, global = true, value_name = "N")]
    pub threads: Option<usize>,
    /// When to show colors and progress bars
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
    /// Language of the output [default: zh if LC_ALL, LC_MESSAGES or LANG is Chinese, else en]
    #[arg(long, global = true, value_enum, value_name = "LANGUAGE")]
    pub lang: Option<Lang>,
    /// Print only results and errors
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Print help; -h prints a summary
    #[arg(long, short, visible_short_alias = 'H', global = true, action = ArgAction::Help)]
    help: Option<bool>,
    /// Print the version
    #[arg(long, short = 'V', visible_short_alias = 'v', global = true, action = ArgAction::Version)]
    version: Option<bool>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Doctor(DoctorCommand),
    Info(InfoCommand),
    Diagnose(DiagnoseCommand),
    Cluster(ClusterCommand),
    View(ViewCommand),
    Report(ReportCommand),
    Show(ShowCommand),
    Sql(SqlCommand),
    Convert(ConvertCommand),
    Parse(ParseCommand),
    Run(Box<RunCommand>),
    Config(ConfigCommand),
    Dynamic(DynamicCommand),
    Synth(SynthCommand),
    Glossary(GlossaryCommand),
    Completion(CompletionCommand),
    AutoCompletion(AutoCompletionCommand),
    Man(ManCommand),
    /// Run a command line of msprof-analyze
    ///
    /// The rest of the line is what follows `msprof-analyze`: `npuscope msprof-analyze cluster -m slow_rank -d DIR` is
    /// `npuscope cluster -m slow_rank -d DIR`. A link to npuscope with the name msprof-analyze does the same.
    #[command(name = "msprof-analyze", arg_required_else_help = true)]
    MsprofAnalyze(CommandOfPeer),
    /// Compare two profiles, as msprof-analyze does; not supported yet
    #[command(hide = true)]
    Compare(NotSupportedYet),
    /// Advise what to change, as msprof-analyze does; not supported yet
    #[command(hide = true)]
    Advisor(NotSupportedYet),
}

/// A command line of msprof-analyze. What runs one takes the name away before it is parsed: only help is left.
#[derive(Debug, Args)]
pub struct CommandOfPeer {
    /// Command line of msprof-analyze
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// The arguments of a command of msprof-analyze that is refused, whatever they are.
#[derive(Debug, Args)]
pub struct NotSupportedYet {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Command {
    /// Which part of the profile to open, of commands that open one.
    pub fn choice(&self) -> Choice {
        let choice = match self {
            Command::Doctor(command) => &command.choice,
            Command::Info(command) => &command.choice,
            Command::Diagnose(command) => &command.choice,
            Command::Cluster(command) => &command.choice,
            Command::View(command) => &command.choice,
            Command::Report(command) => &command.choice,
            Command::Show(command) => &command.choice,
            Command::Sql(command) => &command.choice,
            Command::Convert(command) => &command.choice,
            _ => return Choice::default(),
        };
        choice.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
