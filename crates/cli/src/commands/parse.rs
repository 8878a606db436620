//! `npuscope parse`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use npuscope_store::StoreError;
use npuscope_store::discover::{RawRank, discover_raw};
use npuscope_store::parse::{Export, Parsed, parse};
use npuscope_store::read::ReadOptions;

use crate::error::CliError;
use crate::settings::Settings;
use crate::terminal;
use crate::usage::UsageError;

/// What to parse, and into which deliverables.
#[derive(Clone, Debug)]
pub struct ParseOptions {
    pub path: PathBuf,
    /// What to write; what the recording asked for if there is none.
    pub export: Option<Export>,
    /// Parse directories that have deliverables already.
    pub force: bool,
    /// Fail if any directory could not be parsed.
    pub strict: bool,
}

pub fn run(options: &ParseOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let reading = settings.stoppable_options();
    let found = discover_raw(&options.path).map_err(UsageError::Discover)?;
    if found.is_empty() {
        return Err(UsageError::NoRawData(options.path.clone()).into());
    }
    let (skipped, wanted): (Vec<RawRank>, Vec<RawRank>) =
        found.into_iter().partition(|raw| raw.is_parsed && !options.force);
    if !skipped.is_empty() {
        let (count, verb) = match skipped.len() {
            1 => ("1 directory is".to_owned(), "it"),
            many => (format!("{} directories are", terminal::grouped(many as u64)), "them"),
        };
        settings.terminal.note(&format!("{count} parsed already; --force parses {verb} again"));
    }
    let mut failed = 0;
    for raw in &wanted {
        if reading.stop.load(Ordering::Relaxed) {
            return Err(StoreError::Stopped.into());
        }
        let rank = raw.source.rank;
        reading.progress.start(rank, raw.source.bytes());
        let progress = |bytes: u64| reading.progress.advance(rank, bytes);
        let read = ReadOptions { threads: reading.threads, progress: &progress, ..ReadOptions::default() };
        let result = parse(raw, options.export, read);
        reading.progress.finish(rank);
        match result {
            Ok(parsed) => say(raw, &parsed, settings),
            Err(error) => {
                failed += 1;
                settings.terminal.error(&error.to_string());
            }
        }
    }
    if !wanted.is_empty() && failed < wanted.len() {
        let all = terminal::counted(wanted.len() as u64, "rank");
        let count = match failed {
            0 => all,
            _ => format!("{} of {all}", terminal::grouped((wanted.len() - failed) as u64)),
        };
        settings.terminal.note(&format!("{count} parsed in {}", options.path.display()));
    }
    let is_failure = failed > 0 && (options.strict || failed == wanted.len());
    Ok(if is_failure { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

/// Tells what could not be read or has no place, by the directory's name.
fn say(raw: &RawRank, parsed: &Parsed, settings: &Settings) {
    let name = raw.source.directory_name();
    if let Some(first) = parsed.problems.first() {
        let more = match parsed.problems.len() {
            1 => String::new(),
            many => format!(" (and {})", terminal::counted(many as u64 - 1, "more problem")),
        };
        settings.terminal.warning(&format!("{name}: {first}{more}"));
    }
    for note in &parsed.notes {
        settings.terminal.note(&format!("{name}: {note}"));
    }
}
