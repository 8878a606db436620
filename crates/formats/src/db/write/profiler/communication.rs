//! `COMMUNICATION_OP` and `COMMUNICATION_TASK_INFO`.

use std::io;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_sqlite::SqlCell;
use npuscope_tables::column::CellView;
use npuscope_tables::table::{comm_op, comm_task, metadata};
use npuscope_tables::{OpId, RankTables, Str, number};
use serde_json::{Map, Value};

use super::Profiler;
use crate::db::layouts::{self, CommOpRow, CommTaskRow};

impl Profiler {
    pub(super) fn communication(&mut self, tables: &RankTables) -> io::Result<()> {
        /// What the pieces of an operation have of it.
        struct OpWords {
            name: Str,
            group: i64,
            op_type: i64,
        }
        let device = self.device();
        let from_db = self.database.carried("COMMUNICATION_OP").is_some();
        let mut words: HashMap<OpId, OpWords, FixedState> = HashMap::default();
        let mut group_ids: HashMap<(Option<Str>, Option<Str>), i64, FixedState> = HashMap::default();
        for (view, rows) in tables.views::<comm_op::Row>() {
            for row in 0..rows {
                let (name, group) = (view.name.get(row), (view.group_name.get(row), view.group_hash.get(row)));
                let ids = &mut self.database.words;
                let group = *group_ids.entry(group).or_insert_with(|| ids.string(self.groups.name(tables, group)));
                let op_type = match view.op_type.get(row) {
                    Some(op_type) => ids.string_of(op_type, tables),
                    None => ids.string(&operation_type(tables.text(name))),
                };
                words.insert(view.op.get(row), OpWords { name, group, op_type });
            }
        }
        let ops = tables.rows::<comm_op::Row>().map(|mut op| {
            op.device = op.device.or(Some(device));
            CommOpRow { end: op.start.plus(op.duration.ns()), op }
        });
        let special = &["groupName", "opType"];
        self.database.table_with(tables, &layouts::COMMUNICATION_OP, ops, special, |column, row, _| match column {
            "groupName" if row.op.group_name.is_none() => words.get(&row.op.op).map(|op| SqlCell::Int(op.group)),
            "opType" if row.op.op_type.is_none() && !from_db => {
                words.get(&row.op.op).map(|op| SqlCell::Int(op.op_type))
            }
            _ => None,
        })?;
        let pieces = tables.rows::<comm_task::Row>().map(|piece| {
            let op_name = piece.op_name.or_else(|| Some(words.get(&piece.op?)?.name));
            CommTaskRow { op_name, bandwidth: bytes_per_second(&piece), piece }
        });
        let special = &["groupName"];
        self.database.table_with(tables, &layouts::COMMUNICATION_TASK_INFO, pieces, special, |_, row, _| {
            let group = words.get(&row.piece.op?).filter(|_| row.piece.group_name.is_none());
            group.map(|op| SqlCell::Int(op.group))
        })
    }
}

/// `hcom_allReduce_` of `hcom_allReduce__586_0_1`.
fn operation_type(name: &str) -> String {
    name.split_once("__").map_or_else(|| name.to_owned(), |(head, _)| format!("{head}_"))
}

/// Bandwidth in B/s: from size and duration where that is what was reported, since that is how it came about.
#[expect(clippy::cast_precision_loss, reason = "sizes are below 2^53")]
fn bytes_per_second(piece: &comm_task::Row) -> Option<f64> {
    let reported = piece.bandwidth? * 1e9;
    let computed = piece.bytes.map(|bytes| bytes as f64 / piece.duration.ns() as f64 * 1e9);
    let is_near = |computed: &f64| (computed - reported).abs() <= reported.abs() * 1e-9;
    Some(computed.filter(is_near).unwrap_or_else(|| number::scaled(piece.bandwidth.unwrap_or_default(), 9)))
}

/// Names of communication groups, by their hash.
#[derive(Default)]
pub(super) struct GroupNames {
    by_hash: HashMap<String, String>,
}

impl GroupNames {
    pub(super) fn append(&mut self, tables: &RankTables) {
        let groups = tables.rows::<metadata::Row>().filter(|row| tables.text(row.key) == "parallel_group_info");
        for row in groups {
            let groups = serde_json::from_str::<Map<String, Value>>(tables.text(row.value)).unwrap_or_default();
            self.by_hash.extend(groups.into_iter().map(|(name, _)| (npuscope_measures::link::group_hash(&name), name)));
        }
    }

    /// The name of a group; its hash where the name is not known.
    pub(super) fn name<'a>(&'a self, tables: &'a RankTables, (name, hash): (Option<Str>, Option<Str>)) -> &'a str {
        tables.opt_text(name).unwrap_or_else(|| {
            let hash = tables.opt_text(hash).unwrap_or_default();
            self.by_hash.get(hash).map_or(hash, String::as_str)
        })
    }
}
