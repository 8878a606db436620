//! What the host did: `PYTORCH_API`, `CANN_API` and the other tables of calls.

use std::io;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_measures::communication::host_operation;
use npuscope_sqlite::SqlCell;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::{Memo, RankTables, Str, TableView};
use serde_json::{Map, Value};

use super::Profiler;
use crate::db::connections::{Connection, OperatorConnections};
use crate::db::layouts::{self, ApiRow, FrameRow};
use crate::db::names::Vocabulary;
use crate::rows::rows_where;

impl Profiler {
    /// Calls of the host below the framework: `CANN_API`, `MSTX_EVENTS`, `GC_RECORD`, `OSRT_API`.
    pub(super) fn calls(&mut self, tables: &RankTables) -> io::Result<()> {
        let Profiler { database, lanes, calls: taken, .. } = self;
        let mut levels: HashMap<Str, Option<i64>, FixedState> = HashMap::default();
        for (view, rows) in tables.views::<host_op::Row>() {
            for level in (0..rows).filter_map(|row| view.level.get(row)) {
                let words = &mut database.words;
                levels.entry(level).or_insert_with(|| words.word(Vocabulary::ApiType, tables.text(level)));
            }
        }
        let call = |row: host_op::Row| ApiRow {
            end: row.start.plus(row.duration.ns()),
            thread: lanes.get(&row.lane).map_or(0, |l| l.thread),
            api_type: row.level.and_then(|level| levels.get(&level).copied().flatten()),
            op: row,
            ..ApiRow::default()
        };
        // The connection id is the key of the table: calls without one, or with one that is taken, get one in the end.
        let calls = host_ops(tables, Kind::Cann).map(|mut row| {
            row.connection_id = row.connection_id.filter(|id| taken.insert(id.0));
            call(row)
        });
        database.table(tables, &layouts::CANN_API, calls)?;
        let marks = host_ops(tables, Kind::Mstx).map(|row| mark(tables, call(row)));
        database.table(tables, &layouts::MSTX_EVENTS, marks)?;
        database.table(tables, &layouts::GC_RECORD, host_ops(tables, Kind::Gc).map(call))?;
        let is_os_runtime = |row: &host_op::Row| lanes.get(&row.lane).is_some_and(|lane| lane.is_os_runtime);
        database.table(tables, &layouts::OSRT_API, host_ops(tables, Kind::Other).filter(is_os_runtime).map(call))
    }

    /// `PYTORCH_API` and what hangs on it.
    pub(super) fn framework(&mut self, tables: &RankTables) -> io::Result<()> {
        let Profiler { database, lanes, connections, chains, .. } = self;
        let mut of_operators = OperatorConnections::of(tables, connections);
        let mut kinds = Memo::default();
        let rows = tables.views::<host_op::Row>().flat_map(|(view, rows)| {
            let wanted: Vec<(usize, Kind)> = (0..rows)
                .filter_map(|row| {
                    let kind = view.kind.get(row);
                    let kind = kinds.get(kind, || Kind::from_name(tables.text(kind)))?;
                    matches!(kind, Kind::Op | Kind::Enqueue | Kind::Dequeue | Kind::Python).then_some((row, kind))
                })
                .collect();
            wanted.into_iter().map(move |(row, kind)| (view.row(row), kind))
        });
        let rows = rows.map(|(row, kind)| {
            let (api_type, connections) = match kind {
                Kind::Op => {
                    let launched = of_operators.take((row.lane, row.start)).iter().copied();
                    // A call that started an operation of the host has its connection.
                    let started = row.connection_id.filter(|_| host_operation(tables.text(row.name)).is_some());
                    (50001, connections.key(launched.chain(started.map(Connection::Id))))
                }
                Kind::Enqueue | Kind::Dequeue => (50002, connections.key(row.connection_id.map(Connection::Id))),
                _ => (50003, None),
            };
            ApiRow {
                end: row.start.plus(row.duration.ns()),
                thread: lanes.get(&row.lane).map_or(0, |l| l.thread),
                api_type: Some(api_type),
                connections,
                call_chain: row.stack.map(|stack| chains.key(stack, tables)),
                op: row,
                ..ApiRow::default()
            }
        });
        let layout = if self.swaps_columns { &layouts::PYTORCH_API_SWAPPED } else { &layouts::PYTORCH_API };
        database.table(tables, layout, rows)?;
        // Its rows come in the end; its place in the list is here.
        database.table(tables, &layouts::CONNECTION_IDS, [])?;
        let words = &mut database.words;
        let frames: Vec<(FrameRow, i64)> = chains
            .take_new()
            .flat_map(|(id, frames)| frames.zip(0..).map(move |(frame, depth)| (frame, id, depth)))
            .map(|(frame, id, depth)| (FrameRow { id, frame: Str::default(), depth }, words.string(frame)))
            .collect();
        database.table_with(tables, &layouts::PYTORCH_CALLCHAINS, frames, &["stack"], |_, (_, frame), _| {
            Some(SqlCell::Int(*frame))
        })
    }
}

/// The host slices of a kind.
fn host_ops(tables: &RankTables, wanted: Kind) -> impl Iterator<Item = host_op::Row> {
    let mut kinds = Memo::default();
    rows_where(tables, move |view: &host_op::View, row| {
        let kind = view.kind.get(row);
        kinds.get(kind, || tables.text(kind) == wanted.name())
    })
}

/// What an mstx row had in columns that `host_op` lacks.
fn mark(tables: &RankTables, mut row: ApiRow) -> ApiRow {
    let args = tables.opt_text(row.op.args).and_then(|args| serde_json::from_str::<Map<String, Value>>(args).ok());
    let args = args.unwrap_or_default();
    row.range = args.get("rangeId").and_then(Value::as_i64);
    row.end_thread = args.get("endGlobalTid").and_then(Value::as_i64).or(Some(row.thread));
    row
}
