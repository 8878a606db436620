//! Settings, and tables that no other reader has: they are kept as they are.

use npuscope_tables::table::metadata;
use npuscope_tables::{RankBuilder, TableId};
use serde_json::Value;

use super::DbReader;
use crate::db::{layouts, sheet};

/// Tables that hold nothing of a run: SQLite's own.
const NOT_OURS: &[&str] = &["sqlite_sequence", "sqlite_stat1", "sqlite_stat4"];

/// Tables that are kept cell by cell and describe the rank itself: they are read whatever is wanted.
const OF_THE_RANK: &[&str] = &["RANK_DEVICE_MAP", "HOST_INFO", "NPU_INFO"];

impl DbReader<'_> {
    pub(super) fn metadata(&mut self, rank: &mut RankBuilder) {
        let RankBuilder { strings, metadata: rows, .. } = rank;
        self.table(true, &layouts::META_DATA, strings, |row: &mut metadata::Row, context| {
            row.file = context.strings.intern("META_DATA");
            let value = context.strings.get(row.value);
            let is_object = serde_json::from_str::<Value>(value).is_ok_and(|v| v.is_object() || v.is_array());
            if !is_object {
                // Plain text becomes a JSON string; what is JSON stays as it stands.
                let value = Value::String(value.to_owned()).to_string();
                row.value = context.strings.intern(&value);
            }
            rows.push(*row);
        });
    }

    /// Tables that no reader above has are kept cell by cell.
    pub(super) fn other_tables(&mut self, rank: &mut RankBuilder) {
        let is_wanted = |name: &str| self.selection.has(TableId::Sheet) || OF_THE_RANK.contains(&name);
        let is_other = |name: &str| is_of_the_run(name) && !self.known.contains(&name) && is_wanted(name);
        let others = self.database.tables().iter().filter(|table| is_other(&table.name));
        let kept: Vec<_> = others
            .map(|table| (table.name.clone(), sheet::read(self.database, &self.file.name, table, self.words, rank)))
            .collect();
        self.outcomes.extend(kept);
    }
}

/// Whether a table holds something of a run, and not just the words for it.
pub(super) fn is_of_the_run(table: &str) -> bool {
    !NOT_OURS.contains(&table) && table != "STRING_IDS"
}
