//! `npuscope report`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use npuscope_formats::output::Output;
use npuscope_server::{Contents, ServedProfile, report};

use crate::commands::chosen_ranks;
use crate::error::CliError;
use crate::messages::output as messages;
use crate::rank_list::RankList;
use crate::settings::Settings;
use crate::terminal;
use crate::usage::UsageError;

/// What to write into which file.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    pub path: PathBuf,
    pub output: PathBuf,
    /// Ranks whose timelines to keep; those that findings show if there is no list.
    pub ranks: Option<RankList>,
    /// Steps to keep the tables of one by one.
    pub steps: Vec<i64>,
}

pub fn run(options: &ReportOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let Some(name) = options.output.file_name().map(|name| name.to_string_lossy().into_owned()) else {
        return Err(UsageError::OutputName.into());
    };
    let open_options = settings.open_options();
    let cache = open_options.cache.clone();
    let profile = ServedProfile::open(&options.path, open_options)?;
    settings.say_jobs(profile.profile());
    let ranks = match &options.ranks {
        Some(list) => chosen_ranks(list, profile.ranks().collect(), settings)?,
        None => Vec::new(),
    };
    let contents = Contents { ranks, steps: options.steps.clone(), findings: Vec::new() };
    let bytes = report(&profile, &contents)?;
    for warning in cache.take_warnings() {
        settings.terminal.warning(&settings.text(&warning));
    }
    let directory = options.output.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Output::new(directory)?.file(&name, |file| file.write_all(&bytes))?;
    let size = fs::metadata(&options.output).map_or(0, |metadata| metadata.len());
    settings.terminal.note(&settings.text(&messages::report_written(terminal::bytes(size), &options.output)));
    Ok(ExitCode::SUCCESS)
}
