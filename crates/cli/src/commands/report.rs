//! `npuscope report`.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use npuscope_formats::output::Output;
use npuscope_server::{Contents, Run, report};

use crate::arguments::ReportCommand;
use crate::error::CliError;
use crate::settings::Settings;

pub fn run(command: &ReportCommand, settings: &Settings) -> Result<ExitCode, CliError> {
    let Some(name) = command.output.file_name().map(|name| name.to_string_lossy().into_owned()) else {
        return Err(CliError::Usage("-o is the name of a file".to_owned()));
    };
    let options = settings.open_options();
    let cache = options.cache.clone();
    let run = Run::open(&command.path, options)?;
    let ranks = match &command.ranks {
        Some(list) => run.ranks().filter(|rank| list.contains(*rank)).collect(),
        None => Vec::new(),
    };
    if command.ranks.is_some() && ranks.is_empty() {
        return Err(CliError::Usage("the profile has none of these ranks".to_owned()));
    }
    let contents = Contents { ranks, steps: command.steps.clone(), findings: Vec::new() };
    let bytes = report(&run, &contents)?;
    for warning in cache.take_warnings() {
        settings.terminal.warning(&warning);
    }
    let directory = command.output.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Output::new(directory)?.file(&name, |file| file.write_all(&bytes))?;
    let size = fs::metadata(&command.output).map_or(0, |metadata| metadata.len());
    settings.terminal.note(&format!("{:.1} MB written to {}", size as f64 / 1e6, command.output.display()));
    Ok(ExitCode::SUCCESS)
}
