//! `npuscope completion`.

use std::io;
use std::process::ExitCode;

use clap::CommandFactory;

use crate::arguments::{Arguments, CompletionCommand};
use crate::error::CliError;

pub fn run(command: &CompletionCommand) -> Result<ExitCode, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(command.shell, &mut Arguments::command(), "npuscope", &mut script);
    io::Write::write_all(&mut io::stdout(), &script)?;
    Ok(ExitCode::SUCCESS)
}
