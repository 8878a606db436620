//! What reading came to: rows of `source` and `diagnostic`, and what the database holds.

use npuscope_messages::Message;
use npuscope_sqlite::Scan;
use npuscope_sqlite::pages::DamageKind;
use npuscope_tables::RankBuilder;
use npuscope_tables::table::source;

use super::DbReader;
use super::kept::is_of_the_run;
use crate::db::layouts;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::messages;

/// The tables of host slices.
const HOST_TABLES: &[&str] = &["PYTORCH_API", "CANN_API", "MSTX_EVENTS", "GC_RECORD", "OSRT_API"];

/// What a database holds, wanted or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Any row at all.
    pub rows: bool,
    /// Tasks or host slices: what a trace has.
    pub timeline: bool,
    /// What `communication.json` has.
    pub communication: bool,
}

impl DbReader<'_> {
    /// Writes the rows of `source` and `diagnostic`; what the database holds.
    pub(super) fn record(&mut self, rank: &mut RankBuilder) -> Content {
        let file = &self.file.name;
        let mut total = 0;
        for (table, outcome) in std::mem::take(&mut self.outcomes) {
            total += outcome.rows;
            let json = |list: &[String]| serde_json::to_string(list).unwrap_or_default();
            let unread = (!outcome.unread.is_empty()).then(|| json(&outcome.unread));
            let row = source::Row {
                file: rank.strings.intern(&format!("{file}#{table}")),
                kind: rank.strings.intern("db_table"),
                bytes: None,
                rows: i64::try_from(outcome.rows).ok(),
                columns: Some(rank.strings.intern(&json(&outcome.columns))),
                unread: unread.map(|u| rank.strings.intern(&u)),
                spelling: None,
            };
            rank.source.push(row);
            damages_of(&table, outcome.rows, &outcome.scan, file).iter().for_each(|diagnostic| diagnostic.record(rank));
            if outcome.bad_cells > 0 {
                let message = messages::db_bad_cells(outcome.bad_cells, &table);
                Diagnostic::new(Severity::Warning, Code::BadCell, file, message).record(rank);
            }
        }
        for (table, rows, scan) in self.words.scans() {
            damages_of(table, *rows, scan, file).iter().for_each(|diagnostic| diagnostic.record(rank));
        }
        for damage in &self.database.damages {
            let message = messages::db_schema_damaged(damage_message(damage.kind));
            Diagnostic::new(Severity::Warning, Code::DamagedDatabase, file, message).at(damage.offset).record(rank);
        }
        if self.swapped {
            Diagnostic::new(Severity::Info, Code::SwappedColumns, file, messages::db_swapped_columns()).record(rank);
        }
        if self.dangling > 0 {
            let message = messages::db_dangling_ids(self.dangling);
            Diagnostic::new(Severity::Warning, Code::DanglingId, file, message).record(rank);
        }
        for (table, lacking, rows) in self.orphans.iter().filter(|(_, _, rows)| *rows > 0) {
            let message = messages::db_orphan_rows(*rows, table, lacking);
            Diagnostic::new(Severity::Warning, Code::OrphanRows, file, message).record(rank);
        }
        let row = source::Row {
            file: rank.strings.intern(file),
            kind: rank.strings.intern(self.file.kind.name()),
            bytes: i64::try_from(self.file.bytes).ok(),
            rows: i64::try_from(total).ok(),
            columns: None,
            unread: None,
            spelling: None,
        };
        rank.source.push(row);
        let content = self.content(total > 0);
        if !content.rows {
            Diagnostic::new(Severity::Info, Code::EmptyDatabase, file, messages::db_empty()).record(rank);
        }
        content
    }

    fn content(&self, has_read_rows: bool) -> Content {
        let database = self.database;
        let names = database.tables().iter().map(|table| table.name.as_str());
        Content {
            rows: has_read_rows || names.filter(|name| is_of_the_run(name)).any(|name| database.has_rows(name)),
            timeline: database.has_rows(layouts::TASK.table) || HOST_TABLES.iter().any(|name| database.has_rows(name)),
            communication: database.has_rows(layouts::COMM_ANALYZER_TIME.table),
        }
    }
}

/// What could not be read of a table.
fn damages_of(table: &str, rows: u64, scan: &Scan, file: &str) -> Vec<Diagnostic> {
    let diagnostic = |message| Diagnostic::new(Severity::Warning, Code::DamagedTable, file, message);
    let damages = scan.damages.iter().map(|damage| {
        let message = messages::db_table_damaged(table, damage_message(damage.kind), rows);
        diagnostic(message).at(damage.offset)
    });
    let mut diagnostics: Vec<Diagnostic> = damages.collect();
    if scan.more_damages > 0 {
        diagnostics.push(diagnostic(messages::db_more_damage(table, scan.more_damages)));
    }
    if let Some(error) = &scan.error {
        diagnostics.push(diagnostic(messages::db_table_unreadable(table, error.to_string(), rows)));
    }
    diagnostics
}

fn damage_message(kind: DamageKind) -> Message {
    match kind {
        DamageKind::Row => messages::db_damage_row(),
        DamageKind::Loop => messages::db_damage_loop(),
        DamageKind::MissingPage => messages::db_damage_missing_page(),
        DamageKind::ForeignPage => messages::db_damage_foreign_page(),
        DamageKind::NoChildren => messages::db_damage_no_children(),
    }
}
