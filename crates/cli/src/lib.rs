//! The command line, as a library: the binary and the Python wheel both call [`run`].

pub mod arguments;
mod commands;
mod error;
mod progress;
mod settings;
mod terminal;
pub mod time_range;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use arguments::{Arguments, Command};
use error::CliError;
use settings::Settings;
use terminal::Terminal;

/// Runs a command line and gives its exit code: 0 fine, 1 findings above a threshold, 2 bad usage or
/// input, 3 internal error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(with_command(arguments)) {
        Ok(arguments) => arguments,
        Err(error) => {
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            // Help and version go to stdout, errors to stderr; a closed pipe is nobody's fault.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let settings = match Settings::resolve(&arguments.global) {
        Ok(settings) => settings,
        Err(error) => {
            Terminal::new(arguments.global.color, false).error(&error.to_string());
            return ExitCode::from(error.exit_code());
        }
    };
    let result = match &arguments.command {
        Command::Doctor(command) => commands::doctor::run(command, &settings),
        Command::Info(command) => commands::info::run(command, &settings),
        Command::Diagnose(command) => commands::diagnose::run(command, &settings),
        Command::Cluster(command) => commands::cluster::run(command, &settings),
        Command::Sql(command) => commands::sql::run(command, &settings),
        Command::Convert(command) => commands::convert::run(command, &settings),
        Command::Synth(command) => commands::synth::run(command, &settings),
        Command::Completion(command) => commands::completion::run(command),
        Command::Man(command) => commands::man::run(command),
    };
    match result {
        Ok(code) => code,
        Err(CliError::Closed) => ExitCode::SUCCESS,
        Err(error) => {
            settings.terminal.error(&error.to_string());
            ExitCode::from(error.exit_code())
        }
    }
}

/// The arguments with `cluster` put in where a profile is given by -d and no command is, as msprof-analyze has it.
fn with_command(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    let words = || arguments.iter().skip(1).filter_map(|word| word.to_str());
    let gives_profile = words().any(|word| {
        matches!(word, "-d" | "--profiling_path" | "--profiling-path") || word.starts_with("--profiling_path=")
    });
    let program = Arguments::command();
    let has_command = words().any(|word| word == "help" || program.find_subcommand(word).is_some());
    if gives_profile && !has_command {
        arguments.insert(1, "cluster".into());
    }
    arguments
}
