//! `npuscope dynamic status`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use npuscope_collect::dynamic::{Ranks, State, Status, config_file, read, statuses};
use npuscope_collect::messages;
use npuscope_messages::Message;
use npuscope_tables::Rank;
use serde::Serialize;

use super::set::effect;
use crate::commands::{ReportFormat, json};
use crate::error::CliError;
use crate::settings::Settings;
use crate::terminal::{self, Style};
use crate::usage::UsageError;

#[derive(Serialize)]
struct Report {
    config: PathBuf,
    dialect: Option<npuscope_collect::dynamic::DynamicDialect>,
    fingerprint: Option<String>,
    /// What a job that reads the file will do.
    asks: Option<Message>,
    /// What is wrong with the file.
    error: Option<Message>,
    ranks: Vec<RankReport>,
    /// Ranks that the file names and that have not reported.
    silent: Vec<u32>,
}

#[derive(Serialize)]
struct RankReport {
    #[serde(flatten)]
    status: Status,
    took: Took,
    /// Why no further report is expected.
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
    /// Its process does not exist any more.
    Gone,
    /// It has not reported for too long.
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
    let statuses = statuses(&config);
    if statuses.is_empty() && !config.exists() {
        return Err(UsageError::NoControlFile(config).into());
    }
    let report = report(config, statuses, options.stale_after);
    let mut out = io::stdout().lock();
    match options.format {
        ReportFormat::Json => json::print(&mut out, &report, &[("dialect", "style"), ("error", "problem")])?, // older name
        ReportFormat::Text => out.write_all(text(&report, settings).as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn report(config: PathBuf, statuses: Vec<Status>, stale_after: Duration) -> Report {
    let (request, error) = match read(&config) {
        Ok(request) => (Some(request), None),
        Err(error) => (None, Some(error)),
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
    let ranks: Vec<RankReport> = statuses.into_iter().map(rank).collect();
    let named = match request.as_ref().map(|request| &request.ranks) {
        Some(Ranks::Some(named)) => named.clone(),
        _ => Vec::new(),
    };
    let is_silent = |rank: &u32| ranks.iter().all(|report| report.status.rank != *rank);
    let silent = named.into_iter().filter(is_silent).collect();
    let dialect = request.as_ref().map(|request| request.dialect);
    let asks = request.as_ref().map(effect);
    Report { config, dialect, fingerprint, asks, error: error.map(|error| error.message()), ranks, silent }
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
    let path = &report.config;
    let headline = match (&report.asks, &report.error) {
        (Some(asks), _) => Some((Style::Bold, messages::status_asks(path, asks.clone()))),
        (None, Some(error)) => Some((Style::Red, messages::dynamic_unusable(path, error.clone()))),
        (None, None) => None,
    };
    let headline = headline.map(|(style, message)| settings.terminal.styled(style, &settings.text(&message)) + "\n");
    let mut text = headline.unwrap_or_default();
    text.push('\n');
    if report.ranks.is_empty() {
        text.push_str(&settings.text(&messages::status_no_reports()));
        text.push('\n');
        return text;
    }
    let headers = [
        messages::status_host(),
        messages::status_state(),
        messages::status_config(),
        messages::status_steps(),
        messages::status_reported(),
        messages::status_data(),
        messages::status_error(),
    ];
    let [host, state, config, steps, reported, data, error] = headers.map(|header| settings.text(&header));
    let headers = ["rank", &host, "pid", "step", &state, &config, &steps, &reported, &data, &error];
    text.push_str(&terminal::columns(&headers, &[0, 2, 3], report.ranks.iter().map(|rank| row(rank, settings))));
    if !report.silent.is_empty() {
        let mut silent: Vec<Rank> = report.silent.iter().map(|&rank| Rank(i64::from(rank))).collect();
        silent.sort_unstable();
        text.push_str(&format!(
            "  {}\n",
            settings.text(&messages::status_silent(silent.len(), terminal::ranges(&silent)))
        ));
    }
    text
}

fn row(report: &RankReport, settings: &Settings) -> Vec<String> {
    let status = &report.status;
    let took = match report.took {
        Took::This => messages::status_current(),
        Took::Older => messages::status_older(),
        Took::Nothing => messages::status_none(),
    };
    // A rank that has recorded everything may well have ended.
    let state = match (report.lost, status.state) {
        (None, state) | (_, state @ (State::Done | State::Failed)) => state.message(),
        (Some(Lost::Gone), state) => messages::status_gone(state.message()),
        (Some(Lost::Stale), state) => messages::status_stale(state.message()),
    };
    let steps = match (status.start, status.stop) {
        (Some(start), Some(stop)) if start == stop => start.to_string(),
        (Some(start), Some(stop)) => format!("{start}-{stop}"),
        _ => String::new(),
    };
    let error = status.error.as_ref().map(|error| error.text(settings.language));
    vec![
        status.rank.to_string(),
        status.host.clone(),
        status.pid.to_string(),
        status.step.to_string(),
        settings.text(&state),
        settings.text(&took),
        steps,
        settings.text(&ago(status.age())),
        status.output.clone().unwrap_or_default(),
        error.unwrap_or_default().to_owned(),
    ]
}

fn ago(age: Duration) -> Message {
    match age.as_secs() {
        seconds @ 0..120 => messages::seconds_ago(seconds),
        seconds @ 120..7200 => messages::minutes_ago(seconds / 60),
        seconds => messages::hours_ago(seconds / 3600),
    }
}
