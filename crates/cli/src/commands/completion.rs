//! `npuscope completion` and `npuscope auto-completion`.

use std::io;
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::{Arguments, AutoCompletionCommand, CompletionCommand};
use crate::error::CliError;
use crate::messages;
use crate::settings::Settings;

pub fn run(command: &CompletionCommand) -> Result<ExitCode, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(command.shell, &mut Arguments::command(), "npuscope", &mut script);
    io::Write::write_all(&mut io::stdout(), &script)?;
    Ok(ExitCode::SUCCESS)
}

/// The command goes to stdout alone, so that `eval "$(npuscope auto-completion)"` works, too.
pub fn activate(command: &AutoCompletionCommand, settings: &Settings) -> Result<ExitCode, CliError> {
    settings.terminal.note(&settings.text(&messages::completion_paste()));
    let script = format!("npuscope completion {}", command.shell);
    let activation = match command.shell {
        Shell::Fish => format!("{script} | source"),
        Shell::PowerShell => format!("{script} | Out-String | Invoke-Expression"),
        Shell::Elvish => format!("eval ({script} | slurp)"),
        _ => format!("eval \"$({script})\""),
    };
    io::Write::write_all(&mut io::stdout(), format!("{activation}\n").as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
