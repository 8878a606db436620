//! `npuscope parse`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use npuscope_collect::messages;
use npuscope_store::StoreError;
use npuscope_store::discover::{RawRank, discover_raw};
use npuscope_store::parse::{Export, Parsed, parse};
use npuscope_store::read::ReadOptions;

use crate::error::CliError;
use crate::settings::Settings;
use crate::usage::UsageError;

/// What to parse, and into which deliverables.
#[derive(Clone, Debug)]
pub struct ParseOptions {
    pub path: PathBuf,
    /// What to write; as set when recording if there is none.
    pub export: Option<Export>,
    /// Parse directories again that already have deliverables.
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
        settings.terminal.note(&settings.text(&messages::parse_skipped(skipped.len())));
    }
    let mut failed = 0;
    for raw in &wanted {
        if reading.stop.load(Ordering::Relaxed) {
            return Err(StoreError::Stopped.into());
        }
        let rank = raw.rank.unwrap_or_default();
        reading.progress.start(rank, raw.source.bytes());
        let progress = |bytes: u64| reading.progress.advance(rank, bytes);
        let read = ReadOptions { threads: reading.threads, progress: &progress, ..ReadOptions::default() };
        let result = parse(raw, options.export, read);
        reading.progress.finish(rank);
        match result {
            Ok(parsed) => report(raw, &parsed, settings),
            Err(error) => {
                failed += 1;
                settings.terminal.error(&settings.text(&error.message()));
            }
        }
    }
    if !wanted.is_empty() && failed < wanted.len() {
        let done = match failed {
            0 => messages::parse_done(wanted.len(), &options.path),
            _ => messages::parse_done_partly(wanted.len() - failed, wanted.len(), &options.path),
        };
        settings.terminal.note(&settings.text(&done));
    }
    let is_failure = failed > 0 && (options.strict || failed == wanted.len());
    Ok(if is_failure { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

/// Prints the diagnostics and notes of a directory, after its name.
fn report(raw: &RawRank, parsed: &Parsed, settings: &Settings) {
    let name = raw.source.directory_name();
    if let Some(first) = parsed.diagnostics.first() {
        let diagnostic = match parsed.diagnostics.len() {
            1 => messages::parse_of_directory(&name, first.clone()),
            many => messages::parse_more_diagnostics(&name, first.clone(), many - 1),
        };
        settings.terminal.warning(&settings.text(&diagnostic));
    }
    for note in &parsed.notes {
        settings.terminal.note(&settings.text(&messages::parse_of_directory(&name, note.clone())));
    }
}
