//! `npuscope dynamic status`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use npuscope_collect::dynamic::{Ranks, Request, State, Status, config_file, read, statuses};
use npuscope_tables::Rank;
use serde::Serialize;

use super::set::what_happens;
use crate::commands::ReportFormat;
use crate::error::CliError;
use crate::settings::Settings;
use crate::terminal::{self, Style};
use crate::usage::UsageError;

#[derive(Serialize)]
struct Report {
    config: PathBuf,
    style: Option<npuscope_collect::dynamic::Style>,
    fingerprint: Option<String>,
    /// What a job that reads the file will do.
    asks: Option<String>,
    /// What is wrong with the file.
    problem: Option<String>,
    ranks: Vec<RankReport>,
    /// Ranks that the file names and that have told nothing.
    silent: Vec<u32>,
}

#[derive(Serialize)]
struct RankReport {
    #[serde(flatten)]
    status: Status,
    took: Took,
    /// Why no more is to be expected of it.
    lost: Option<Lost>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Took {
    This,
    Older,
    Nothing,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Lost {
    /// Its process is not there any more.
    Gone,
    /// It has told nothing for too long.
    Stale,
}

/// Which file to look at, and how to print the report.
#[derive(Clone, Debug)]
pub struct StatusOptions {
    /// The profiler_config.json, or its directory.
    pub config: PathBuf,
    pub format: ReportFormat,
    /// Time without a report after which a rank counts as lost.
    pub stale_after: Duration,
}

pub fn run(options: &StatusOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let config = config_file(&options.config);
    let told = statuses(&config);
    if told.is_empty() && !config.exists() {
        return Err(UsageError::NoControlFile(config).into());
    }
    let report = report(config, told, options.stale_after);
    let mut out = io::stdout().lock();
    match options.format {
        ReportFormat::Json => {
            serde_json::to_writer_pretty(&mut out, &report)?;
            writeln!(out)?;
        }
        ReportFormat::Text => out.write_all(text(&report, settings).as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn report(config: PathBuf, told: Vec<Status>, stale_after: Duration) -> Report {
    let (request, problem) = match read(&config) {
        Ok(request) => (Some(request), None),
        Err(problem) => (None, Some(problem)),
    };
    let fingerprint = request.as_ref().map(|request| request.fingerprint.clone());
    let here = Status::of_this_process(0).host;
    let rank = |status: Status| RankReport {
        took: match &status.fingerprint {
            None => Took::Nothing,
            taken if *taken == fingerprint => Took::This,
            Some(_) => Took::Older,
        },
        lost: lost(&status, &here, stale_after),
        status,
    };
    let ranks: Vec<RankReport> = told.into_iter().map(rank).collect();
    let named = match request.as_ref().map(|request| &request.ranks) {
        Some(Ranks::Some(named)) => named.clone(),
        _ => Vec::new(),
    };
    let is_silent = |rank: &u32| ranks.iter().all(|report| report.status.rank != *rank);
    let silent = named.into_iter().filter(is_silent).collect();
    let style = request.as_ref().map(|request| request.style);
    let asks = request.as_ref().map(|request: &Request| what_happens(request));
    Report { config, style, fingerprint, asks, problem: problem.map(|problem| problem.to_string()), ranks, silent }
}

fn lost(status: &Status, here: &str, stale_after: Duration) -> Option<Lost> {
    let processes = Path::new("/proc/self");
    let is_gone =
        status.host == here && processes.exists() && !Path::new("/proc").join(status.pid.to_string()).exists();
    match (is_gone, status.age() > stale_after) {
        (true, _) => Some(Lost::Gone),
        (_, true) => Some(Lost::Stale),
        _ => None,
    }
}

fn text(report: &Report, settings: &Settings) -> String {
    let path = report.config.display();
    let mut text = match (&report.asks, &report.problem) {
        (Some(asks), _) => settings.terminal.styled(Style::Bold, &format!("{path} {asks}\n")),
        (None, Some(problem)) => settings.terminal.styled(Style::Red, &format!("{path} cannot be used: {problem}\n")),
        (None, None) => String::new(),
    };
    text.push('\n');
    if report.ranks.is_empty() {
        text.push_str(
            "no rank has reported: no job watches this file with npuscope, or none has come to its first step\n",
        );
        return text;
    }
    let headers = ["rank", "host", "pid", "step", "state", "took", "steps", "reported", "data", "problem"];
    text.push_str(&terminal::columns(&headers, &[0, 2, 3], report.ranks.iter().map(row)));
    if !report.silent.is_empty() {
        let mut silent: Vec<Rank> = report.silent.iter().map(|&rank| Rank(i64::from(rank))).collect();
        silent.sort_unstable();
        text.push_str(&format!("  without a report: ranks {}\n", terminal::ranges(&silent)));
    }
    text
}

fn row(report: &RankReport) -> Vec<String> {
    let status = &report.status;
    let took = match report.took {
        Took::This => "this file",
        Took::Older => "an older one",
        Took::Nothing => "none",
    };
    // Who has recorded what was asked for may well have ended.
    let state = match (report.lost, status.state) {
        (None, state) | (_, state @ (State::Done | State::Failed)) => state.name().to_owned(),
        (Some(Lost::Gone), state) => format!("{}, process gone", state.name()),
        (Some(Lost::Stale), state) => format!("{}, no word since", state.name()),
    };
    let steps = match (status.start, status.stop) {
        (Some(start), Some(stop)) if start == stop => start.to_string(),
        (Some(start), Some(stop)) => format!("{start}-{stop}"),
        _ => String::new(),
    };
    let or_nothing = |text: &Option<String>| text.clone().unwrap_or_default();
    vec![
        status.rank.to_string(),
        status.host.clone(),
        status.pid.to_string(),
        status.step.to_string(),
        state,
        took.to_owned(),
        steps,
        ago(status.age()),
        or_nothing(&status.output),
        or_nothing(&status.problem),
    ]
}

fn ago(age: Duration) -> String {
    match age.as_secs() {
        seconds @ 0..120 => format!("{seconds} s ago"),
        seconds @ 120..7200 => format!("{} min ago", seconds / 60),
        seconds => format!("{} h ago", seconds / 3600),
    }
}
