//! `npuscope parse`.

use std::process::ExitCode;
use std::sync::atomic::Ordering;

use npuscope_store::StoreError;
use npuscope_store::discover::{RawRank, discover_raw};
use npuscope_store::parse::{Export, Parsed, parse};
use npuscope_store::read::ReadOptions;

use crate::arguments::{ParseCommand, ParseExport};
use crate::error::CliError;
use crate::settings::Settings;
use crate::terminal;

pub fn run(command: &ParseCommand, settings: &Settings) -> Result<ExitCode, CliError> {
    let options = settings.stoppable_options();
    let found = discover_raw(&command.path).map_err(|error| CliError::Usage(error.to_string()))?;
    if found.is_empty() {
        let path = command.path.display();
        let message = format!(
            "no raw data in {path}: expected directories with FRAMEWORK in them, such as npuscope's recorder writes"
        );
        return Err(CliError::Usage(message));
    }
    let (skipped, wanted): (Vec<RawRank>, Vec<RawRank>) =
        found.into_iter().partition(|raw| raw.is_parsed && !command.force);
    if !skipped.is_empty() {
        let (count, verb) = match skipped.len() {
            1 => ("1 directory is".to_owned(), "it"),
            many => (format!("{} directories are", terminal::grouped(many as u64)), "them"),
        };
        settings.terminal.note(&format!("{count} parsed already; --force parses {verb} again"));
    }
    let export = command.export.map(|export| match export {
        ParseExport::Text => Export::TEXT,
        ParseExport::Db => Export::DB,
        ParseExport::Both => Export::BOTH,
    });
    let mut failed = 0;
    for raw in &wanted {
        if options.stop.load(Ordering::Relaxed) {
            return Err(StoreError::Stopped.into());
        }
        let rank = raw.source.rank;
        options.progress.start(rank, raw.source.bytes());
        let progress = |bytes: u64| options.progress.advance(rank, bytes);
        let read = ReadOptions { threads: options.threads, progress: &progress, ..ReadOptions::default() };
        let result = parse(raw, export, read);
        options.progress.finish(rank);
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
        settings.terminal.note(&format!("{count} parsed in {}", command.path.display()));
    }
    let is_failure = failed > 0 && (command.strict || failed == wanted.len());
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
