//! The command line, as a library: the binary and the Python wheel both call [`run`].
//!
//! [`arguments`] is the command line as clap reads it, one file per command. `settings` resolves it with the
//! environment, `commands` does the work, one file per command, and knows neither. `terminal` and `progress` are how it
//! speaks to users, [`help`] what it says of itself. `error` says whose fault a failure is, and so the exit code,
//! `clap_errors` what is wrong with the command line itself. [`rank_list`] and [`time_range`] are values that users
//! write.
//!
//! ```
//! use clap::Parser;
//! use npuscope::arguments::{Arguments, Command};
//! use npuscope_tables::Rank;
//!
//! let arguments = Arguments::try_parse_from(["npuscope", "report", "DIR", "-o", "report.html", "--ranks", "0,4-7"])?;
//! let Command::Report(report) = arguments.command else { panic!("not the command that was given") };
//! assert!(report.ranks.is_some_and(|ranks| ranks.contains(Rank(5)) && !ranks.contains(Rank(1))));
//! # Ok::<(), clap::Error>(())
//! ```

pub mod arguments;
mod clap_errors;
mod commands;
mod error;
pub mod help;
mod memory;
pub mod messages;
mod progress;
pub mod rank_list;
mod settings;
mod terminal;
pub mod time_range;
mod usage;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use arguments::{Arguments, Command};
use error::CliError;
use settings::Settings;
use terminal::Terminal;
use usage::UsageError;

/// Runs a command line and gives its exit code: 0 fine, 1 findings above a threshold, 2 bad usage or
/// input, 3 internal error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words = with_command(arguments);
    let language = settings::language_of(&words);
    let mut command = help::command(language);
    let parsed = command.try_get_matches_from_mut(words).and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed.map_err(|error| error.format(&mut command)) {
        Ok(arguments) => arguments,
        Err(error) => return clap_errors::print(&error, language).unwrap_or_else(|| help::print(&error, language)),
    };
    let settings = match Settings::resolve(&arguments.global, arguments.command.choice()) {
        Ok(settings) => settings,
        Err(error) => {
            Terminal::new(arguments.global.color, false, language).error(&error.text(language));
            return ExitCode::from(error.exit_code());
        }
    };
    let result = match arguments.command {
        Command::Doctor(command) => commands::doctor::run(&command.into(), &settings),
        Command::Info(command) => commands::info::run(&command.into(), &settings),
        Command::Diagnose(command) => commands::diagnose::run(&command.into(), &settings),
        Command::Cluster(command) => commands::cluster::run(&command.into(), &settings),
        Command::View(command) => commands::view::run(&command.into(), &settings),
        Command::Report(command) => commands::report::run(&command.into(), &settings),
        Command::Show(command) => commands::show::run(&command.into(), &settings),
        Command::Sql(command) => commands::sql::run(&command.into(), &settings),
        Command::Convert(command) => commands::convert::run(&command.into(), &settings),
        Command::Parse(command) => commands::parse::run(&command.into(), &settings),
        Command::Run(command) => commands::run::run(&(*command).into(), &settings),
        Command::Config(command) => commands::config::run(&command.into(), &settings),
        Command::Dynamic(command) => commands::dynamic::run(&command.into(), &settings),
        Command::Synth(command) => commands::synth::run(&command.into(), &settings),
        Command::Glossary(command) => commands::glossary::run(&command.into(), &settings),
        Command::Completion(command) => commands::completion::run(&command),
        Command::AutoCompletion(command) => commands::completion::activate(&command, &settings),
        Command::Man(command) => commands::man::run(&command),
        // The name was taken away; clap prints what is left, help.
        Command::MsprofAnalyze(_) => Ok(ExitCode::from(2)),
        Command::Compare(_) => Err(UsageError::NotSupportedYet("compare").into()),
        Command::Advisor(_) => Err(UsageError::NotSupportedYet("advisor").into()),
    };
    match result {
        Ok(code) => code,
        Err(CliError::Closed) => ExitCode::SUCCESS,
        Err(error) => {
            settings.terminal.error(&error.text(settings.language));
            ExitCode::from(error.exit_code())
        }
    }
}

/// The first word of a command line of msprof-analyze. A link of that name to the program works like it, too.
const PEER: &str = "msprof-analyze";

/// The arguments with `cluster` put in where a profile is given by -d and no command is, and without the name of
/// msprof-analyze, whose command line is ours but for the name.
fn with_command(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    let program = Arguments::command();
    let first = |arguments: &[OsString]| {
        let words: Vec<&str> = arguments.iter().skip(1).filter_map(|word| word.to_str()).collect();
        first_plain_word(&words, &program).map(str::to_owned)
    };
    let is_help = |word: &OsString| ["-h", "-H", "--help"].iter().any(|help| word == help);
    match first(&arguments).as_deref() {
        Some(PEER) => {
            let place = arguments.iter().skip(1).position(|word| word == PEER).map_or(0, |place| place + 1);
            if !arguments.iter().skip(place + 1).all(is_help) {
                arguments.remove(place);
            }
        }
        // clap has no help on help.
        Some("help") => arguments.retain(|word| !is_help(word)),
        _ => {}
    }
    let words: Vec<&str> = arguments.iter().skip(1).filter_map(|word| word.to_str()).collect();
    let is_profile = |word: &&str| {
        let long = word.split('=').next().is_some_and(|name| ["--profiling_path", "--profiling-path"].contains(&name));
        long || word.starts_with("-d") && !word.starts_with("--")
    };
    let is_command = |word: &str| word == "help" || program.find_subcommand(word).is_some();
    if words.iter().any(is_profile) && !first_plain_word(&words, &program).is_some_and(is_command) {
        arguments.insert(1, "cluster".into());
    }
    arguments
}

/// The first word that is neither an option nor the value of one.
fn first_plain_word<'a>(words: &[&'a str], program: &clap::Command) -> Option<&'a str> {
    let options =
        || [Some(program), program.find_subcommand("cluster")].into_iter().flatten().flat_map(|c| c.get_arguments());
    let takes_value = |word: &str| {
        options().filter(|option| option.get_action().takes_values()).any(|option| {
            let long = word.strip_prefix("--").is_some_and(|name| {
                option.get_long() == Some(name) || option.get_all_aliases().is_some_and(|all| all.contains(&name))
            });
            long || option.get_short().is_some_and(|short| word == format!("-{short}"))
        })
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            return Some(word);
        }
        if takes_value(word) {
            words.next();
        }
    }
    None
}
