//! One file per command.

pub mod completion;
pub mod convert;
pub mod doctor;
pub mod info;
pub mod man;
pub mod sql;
pub mod synth;

use std::path::Path;

use npuscope_engine::Session;
use npuscope_tables::TableId;
use npuscope_tables::table::diagnostic;

use crate::error::CliError;
use crate::settings::Settings;
use crate::terminal;

/// Says what went wrong without costing an answer.
fn say_warnings(session: &Session, settings: &Settings) {
    for warning in session.take_warnings() {
        settings.terminal.warning(&warning);
    }
}

/// Says in one line what reading the loaded ranks met.
fn say_problems(session: &Session, path: &Path, settings: &Settings) -> Result<(), CliError> {
    let (mut problems, mut remarks) = (0, 0);
    for loaded in session.loaded().iter().filter(|loaded| loaded.rows(TableId::Diagnostic) > 0) {
        let tables = loaded.tables()?;
        for row in tables.rows::<diagnostic::Row>() {
            *(if tables.text(row.severity) == "info" { &mut remarks } else { &mut problems }) += 1;
        }
    }
    let counts = [(problems, "problem"), (remarks, "remark")];
    let counts = counts.iter().filter(|(count, _)| *count > 0).map(|&(count, what)| terminal::counted(count, what));
    let what = counts.collect::<Vec<_>>().join(" and ");
    let them = if problems + remarks == 1 { "it" } else { "them" };
    let warned = if problems > 0 { ", what is shown may be incomplete" } else { "" };
    let message = format!("{what} while reading{warned}; npuscope doctor {} lists {them}", path.display());
    match (problems, remarks) {
        (0, 0) => {}
        (0, _) => settings.terminal.note(&message),
        _ => settings.terminal.warning(&message),
    }
    Ok(())
}

/// Fails if reading the profile met anything worse than a remark.
fn check_strict(session: &Session) -> Result<(), CliError> {
    let mut worst = Vec::new();
    for (source, loaded) in session.profile().sources().zip(session.load_all()?) {
        if loaded.rows(TableId::Diagnostic) == 0 {
            continue;
        }
        let tables = loaded.tables()?;
        for row in tables.rows::<diagnostic::Row>().filter(|row| tables.text(row.severity) != "info") {
            let place = tables.opt_text(row.file).unwrap_or_default();
            worst.push(format!("rank {} {place}: {}", source.rank, tables.text(row.message)));
        }
    }
    match worst.first() {
        None => Ok(()),
        Some(first) => {
            let count = terminal::counted(worst.len() as u64, "problem");
            Err(CliError::Strict(format!("{count} while reading (--strict); the first: {first}")))
        }
    }
}
