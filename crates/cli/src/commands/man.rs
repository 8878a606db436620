//! `npuscope man`.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_mangen::Man;
use npuscope_formats::output::Output;

use crate::arguments::{Arguments, ManCommand};
use crate::error::CliError;

pub fn run(command: &ManCommand) -> Result<ExitCode, CliError> {
    let out = Output::new(&command.output)?;
    let mut program = Arguments::command();
    program.build();
    let commands = program.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help");
    for command in std::iter::once(&program).chain(commands) {
        let page = Man::new(command.clone());
        out.file(&page.get_filename(), |file| page.render(file))?;
    }
    Ok(ExitCode::SUCCESS)
}
