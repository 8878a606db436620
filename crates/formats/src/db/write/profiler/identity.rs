//! Who and where a rank is, its settings, and the words of the database.

use std::io;

use npuscope_sqlite::SqlCell;
use npuscope_tables::table::rank;
use npuscope_tables::{Ns, RankTables, Str};

use super::Profiler;
use crate::db::write::tables::OpenTables;
use crate::info_json::Settings;

/// The schema this module writes.
const SCHEMA: [(&str, &str); 4] = [
    ("SCHEMA_VERSION_MICRO", "0"),
    ("SCHEMA_VERSION_MINOR", "2"),
    ("SCHEMA_VERSION_MAJOR", "1"),
    ("SCHEMA_VERSION", "1.2.0"),
];

/// What the row of `rank` says.
#[derive(Default)]
pub(super) struct RankFacts {
    pub(super) device: Option<i64>,
    pub(super) process: Option<i64>,
    pub(super) host: Option<String>,
    pub(super) host_uid: Option<String>,
    pub(super) chip: Option<String>,
    pub(super) session: Option<(Ns, Ns)>,
}

impl RankFacts {
    pub(super) fn of(row: &rank::Row, tables: &RankTables) -> RankFacts {
        let text = |id: Option<Str>| tables.opt_text(id).map(str::to_owned);
        RankFacts {
            device: row.device,
            process: row.process,
            host: text(row.host),
            host_uid: text(row.host_uid),
            chip: text(row.chip),
            session: row.session_start.or(row.start).zip(row.session_end.or(row.end)),
        }
    }
}

impl Profiler {
    /// Who and where: small tables that a database always has.
    pub(super) fn identity(&mut self) -> io::Result<()> {
        let device = self.device();
        let RankFacts { host, host_uid, chip, session, .. } = std::mem::take(&mut self.facts);
        let (file, kept) = (&mut self.database.file, &self.kept);
        let is_kept = |table: &str| kept.iter().any(|kept| kept.name == table);
        let column = |name: &str, sql: &'static str| (name.to_owned(), sql);
        let text = |text: String| SqlCell::Text(text.into());
        if !is_kept("RANK_DEVICE_MAP") {
            let columns = [column("rankId", "INTEGER"), column("deviceId", "INTEGER")];
            let row = vec![SqlCell::Int(self.rank.0), SqlCell::Int(device)];
            file.cells("RANK_DEVICE_MAP", &columns, [row])?;
        }
        if let Some(host) = host.filter(|_| !is_kept("HOST_INFO")) {
            let columns = [column("hostUid", "TEXT"), column("hostName", "TEXT")];
            let uid = host_uid.unwrap_or(host.clone());
            file.cells("HOST_INFO", &columns, [vec![text(uid), text(host)]])?;
        }
        if let Some(chip) = chip.filter(|_| !is_kept("NPU_INFO")) {
            let columns = [column("id", "INTEGER"), column("name", "TEXT")];
            file.cells("NPU_INFO", &columns, [vec![SqlCell::Int(device), text(chip)]])?;
        }
        if let Some((start, end)) = session.filter(|_| !is_kept("SESSION_TIME_INFO")) {
            let columns = [column("startTimeNs", "INTEGER"), column("endTimeNs", "INTEGER")];
            file.cells("SESSION_TIME_INFO", &columns, [vec![SqlCell::Int(start.0), SqlCell::Int(end.0)]])?;
        }
        Ok(())
    }

    pub(super) fn meta_data(&mut self, settings: &Settings) -> io::Result<()> {
        let rows_of = |file: &'static str| {
            settings.of(file).map(|(key, value)| {
                // Plain text was kept as a JSON string, everything else as it stood.
                let value = serde_json::from_str::<String>(value).unwrap_or_else(|_| value.to_owned());
                (key.to_owned(), value)
            })
        };
        let mut rows: Vec<(String, String)> = rows_of("META_DATA").collect();
        if rows.is_empty() {
            rows = SCHEMA.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
            rows.extend(rows_of("profiler_metadata"));
        }
        let columns = [("name".to_owned(), "TEXT"), ("value".to_owned(), "TEXT")];
        let rows = rows.into_iter().map(|(name, value)| vec![SqlCell::Text(name.into()), SqlCell::Text(value.into())]);
        self.database.file.cells("META_DATA", &columns, rows)
    }

    /// `STRING_IDS` and the `ENUM_*` tables: last, when all words are known.
    pub(super) fn words(&mut self) -> io::Result<()> {
        let OpenTables { file, words, .. } = &mut self.database;
        let row = |id: i64, word: &str| vec![SqlCell::Int(id), SqlCell::Text(word.to_owned().into())];
        let columns = [("id".to_owned(), "INTEGER PRIMARY KEY"), ("value".to_owned(), "TEXT")];
        file.cells("STRING_IDS", &columns, words.strings().map(|(id, text)| row(id, text)))?;
        let columns = [("id".to_owned(), "INTEGER PRIMARY KEY"), ("name".to_owned(), "TEXT")];
        for (vocabulary, words) in words.vocabularies() {
            file.cells(vocabulary.table(), &columns, words.iter().map(|(id, word)| row(*id, word)))?;
        }
        Ok(())
    }
}
