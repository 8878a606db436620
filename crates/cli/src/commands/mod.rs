//! One file per command: its options, and what it does.

pub mod cluster;
pub mod completion;
pub mod config;
pub mod convert;
pub mod diagnose;
pub mod doctor;
pub mod dynamic;
pub mod glossary;
pub mod info;
pub mod json;
pub mod man;
pub mod parse;
pub mod report;
pub mod result;
pub mod run;
pub mod show;
pub mod sql;
pub mod synth;
pub mod units;
pub mod view;

use std::path::Path;
use std::process::ExitCode;

use npuscope_analysis::cluster::Usage;
use npuscope_analysis::diagnostic::of_rank;
use npuscope_analysis::steps::numbers_of_job;
use npuscope_analysis::{Evidence, Finding, Severity};
use npuscope_messages::{Decimal, Message, severity};
use npuscope_store::Store;
use npuscope_tables::table::diagnostic;
use npuscope_tables::{Rank, TableId};

use crate::error::CliError;
use crate::messages;
use crate::rank_list::RankList;
use crate::settings::Settings;
use crate::terminal::{Style, ranges};
use crate::usage::UsageError;

/// How a report is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    Text,
    Json,
}

/// Findings that are listed one by one.
const MAX_FINDINGS: usize = 8;
/// Rows of evidence that are shown of a finding.
const MAX_EVIDENCE: usize = 3;

/// 1 if a finding has at least the severity of `--fail-on`, else 0.
fn exit_code(findings: &[Finding], fail_on: Option<Severity>) -> ExitCode {
    let failed = fail_on.is_some_and(|threshold| findings.iter().any(|finding| finding.severity >= threshold));
    if failed { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

/// Findings that are less sure say so: what was compared with two others or fewer.
const SURE: f64 = 0.7;

/// Findings as text; `none` where there are none.
fn findings_text(findings: &[Finding], has_steps: bool, none: &Message, settings: &Settings) -> String {
    let mut text =
        settings.terminal.styled(Style::Bold, &format!("{}\n", settings.text(&messages::findings_heading())));
    if findings.is_empty() {
        text.push_str(&settings.terminal.styled(Style::Green, &format!("  {}\n", settings.text(none))));
    }
    for finding in findings.iter().take(MAX_FINDINGS) {
        text.push_str(&finding_text(finding, has_steps, settings));
    }
    if let Some(more) = findings.len().checked_sub(MAX_FINDINGS).filter(|more| *more > 0) {
        let more = format!("  {}\n", settings.text(&messages::findings_more(more)));
        text.push_str(&settings.terminal.styled(Style::Dim, &more));
    }
    text
}

fn finding_text(finding: &Finding, has_steps: bool, settings: &Settings) -> String {
    let style = match finding.severity {
        Severity::Critical => Style::Red,
        Severity::Warning => Style::Yellow,
        Severity::Info => Style::Dim,
    };
    let severity = settings.text(&match finding.severity {
        Severity::Critical => severity::critical(),
        Severity::Warning => severity::warning(),
        Severity::Info => severity::info(),
    });
    let severity = settings.terminal.styled(style, &severity);
    let claim = messages::output::labelled(&severity, &settings.text(&finding.claim));
    let mut text = format!("  {}\n", settings.text(&claim));
    let mut line = |message: &Message| text.push_str(&format!("    {}\n", settings.text(message)));
    if let Some(share) = finding.share_of_step {
        let share = Decimal(share * 100.0);
        line(&if has_steps { messages::finding_share(share) } else { messages::finding_share_of_time(share) });
    }
    if let Some(doubt) = finding.doubt.as_ref().filter(|_| finding.confidence < SURE) {
        line(&messages::finding_confidence(Decimal(finding.confidence * 100.0), doubt.clone()));
    }
    let mut seen: Vec<(Message, usize)> = Vec::new();
    for Evidence { rank, step, what, .. } in &finding.evidence {
        let place = match step {
            Some(step) => messages::finding_seen_in_step(*rank, *step, what.clone()),
            None => messages::finding_seen(*rank, what.clone()),
        };
        match seen.iter_mut().find(|(known, _)| *known == place) {
            Some((_, times)) => *times += 1,
            None => seen.push((place, 1)),
        }
    }
    for (place, times) in seen.into_iter().take(MAX_EVIDENCE) {
        line(&if times > 1 { messages::finding_seen_again(place, times) } else { place });
    }
    line(&messages::finding_try(finding.suggestion.clone()));
    if let Some(next) = &finding.next {
        line(&messages::finding_see(next));
    }
    text
}

/// Those of the ranks `there` that are in a list. Says which ranks of the list do not exist; fails if none does.
fn chosen_ranks(list: &RankList, there: Vec<Rank>, settings: &Settings) -> Result<Vec<Rank>, CliError> {
    let chosen: Vec<Rank> = there.iter().copied().filter(|rank| list.contains(*rank)).collect();
    if chosen.is_empty() {
        return Err(UsageError::NoSuchRanks { there }.into());
    }
    let missing: Vec<Rank> = list.numbers().filter(|rank| !chosen.contains(rank)).collect();
    if !missing.is_empty() {
        let message = messages::ranks_left_out(ranges(&missing), ranges(&there));
        settings.terminal.warning(&settings.text(&message));
    }
    Ok(chosen)
}

/// Says what went wrong without costing an answer.
fn say_warnings(store: &Store, settings: &Settings) {
    for warning in store.take_warnings() {
        settings.terminal.warning(&settings.text(&warning));
    }
}

/// Says in one line what reading the loaded ranks met.
fn say_diagnostics(store: &Store, path: &Path, settings: &Settings) -> Result<(), CliError> {
    let met = store.loader().met()?;
    say_counts(met.losses, met.infos, path, settings);
    Ok(())
}

/// Says in one line how many diagnostics reading met.
fn say_counts(losses: u64, infos: u64, path: &Path, settings: &Settings) {
    let text = |message| settings.text(&message);
    match (losses, infos) {
        (0, 0) => {}
        (0, _) => settings.terminal.note(&text(messages::reading_infos(infos, path))),
        (_, 0) => settings.terminal.warning(&text(messages::reading_losses(losses, path))),
        _ => settings.terminal.warning(&text(messages::reading_losses_and_infos(losses, infos, path))),
    }
}

/// Fails if the job has no step of that number.
fn check_step(store: &Store, step: Option<i64>) -> Result<(), CliError> {
    let Some(step) = step else { return Ok(()) };
    let steps = numbers_of_job(store)?;
    if !steps.contains(&step) {
        return Err(UsageError::NoStep(Usage::NoStep { step, steps: steps.into_iter().collect() }).into());
    }
    Ok(())
}

/// Fails if reading the profile met a diagnostic of severity warning or error.
fn check_strict(store: &Store) -> Result<(), CliError> {
    let mut worst = Vec::new();
    for (source, loaded) in store.profile().sources().zip(store.load_all()?) {
        if loaded.rows(TableId::Diagnostic) == 0 {
            continue;
        }
        let tables = loaded.tables()?;
        for row in tables.rows::<diagnostic::Row>().filter(|row| row.is_loss(&tables)) {
            worst.push(of_rank(source.rank, tables.opt_text(row.file), row.message(&tables)));
        }
    }
    let count = worst.len();
    match worst.into_iter().next() {
        None => Ok(()),
        Some(first) => Err(CliError::Strict(Box::new(messages::reading_strict(count, first)))),
    }
}
