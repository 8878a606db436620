//! One file per command.

pub mod completion;
pub mod convert;
pub mod doctor;
pub mod info;
pub mod sql;
pub mod synth;

use npuscope_engine::Session;
use npuscope_tables::TableId;
use npuscope_tables::table::diagnostic;

use crate::error::CliError;
use crate::settings::Settings;

/// Says what went wrong without costing an answer.
fn say_warnings(session: &Session, settings: &Settings) {
    for warning in session.take_warnings() {
        settings.terminal.warning(&warning);
    }
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
            Err(CliError::Strict(format!("{} problems while reading (--strict); the first: {first}", worst.len())))
        }
    }
}
