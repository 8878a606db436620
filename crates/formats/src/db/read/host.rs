//! What the host did: operators, calls, marks, garbage collections.

use std::ops::ControlFlow;

use hashbrown::HashMap;
use npuscope_measures::communication::host_operation;
use npuscope_tables::table::host_op;
use npuscope_tables::{ConnectionId, Interner, RankBuilder, Str};
use serde_json::{Map, Value};

use super::DbReader;
use crate::db::flows::Flows;
use crate::db::layout::Only;
use crate::db::layouts::{self, ApiRow};
use crate::db::lists::ListsById;
use crate::db::names::Vocabulary;
use crate::db::needed;
use crate::lanes::{self, Lanes};

impl DbReader<'_> {
    /// Call chains by id, frames joined as a trace has them.
    pub(super) fn call_chains(&mut self, rank: &mut RankBuilder) -> HashMap<i64, Str> {
        let mut chains: HashMap<i64, Vec<(i64, Str)>> = HashMap::new();
        self.table(self.needed.operators, &layouts::PYTORCH_CALLCHAINS, &mut rank.strings, |row, _| {
            chains.entry(row.id).or_default().push((row.depth, row.frame));
        });
        let joined = chains.into_iter().map(|(id, mut frames)| {
            frames.sort_by_key(|(depth, _)| *depth);
            let text: Vec<&str> = frames.iter().map(|(_, frame)| rank.strings.get(*frame)).collect();
            let text = text.join(";\r\n");
            (id, rank.strings.intern(&text))
        });
        joined.collect()
    }

    pub(super) fn connections(&mut self, rank: &mut RankBuilder) -> ListsById<i64, ConnectionId> {
        let mut connections = ListsById::default();
        self.table(self.needed.connections, &layouts::CONNECTION_IDS, &mut rank.strings, |row, _| {
            connections.push(row.id, row.connection);
        });
        connections
    }

    pub(super) fn host_calls(
        &mut self,
        rank: &mut RankBuilder,
        frames: &HashMap<i64, Str>,
        connections: &ListsById<i64, ConnectionId>,
        flows: &mut Flows,
    ) {
        let mut lanes = std::mem::replace(&mut self.lanes, Lanes::new(0));
        let (words, needed) = (self.words, self.needed);
        let RankBuilder { strings, host_op: host_ops, .. } = rank;
        self.swapped = needed.operators && self.shapes_and_types_are_swapped(strings);
        let layout = if self.swapped { &layouts::PYTORCH_API_SWAPPED } else { &layouts::PYTORCH_API };
        let is_wanted = |api_type| needed.framework.has(api_type);
        let only = (!needed.framework.has_all()).then_some(Only { column: "type", keeps: &is_wanted });
        // Without a device, what a call of PyTorch's started is of the host.
        let on_host = !self.database.has_rows("TASK");
        let mut ids = Vec::new();
        self.rows(needed.operators, layout, strings, only, |row: &mut ApiRow, context| {
            row.op.lane = lanes.framework(row.thread);
            row.op.stack = row.call_chain.and_then(|id| frames.get(&id).copied());
            ids.clear();
            ids.extend(row.connections.into_iter().flat_map(|id| connections.get(id)));
            let kind = framework_kind(row, context.strings);
            match kind {
                host_op::Kind::Enqueue | host_op::Kind::Dequeue => {
                    row.op.connection_id = ids.first().copied();
                    flows.queue(kind, &row.op);
                }
                host_op::Kind::Op if on_host && host_operation(context.strings.get(row.op.name)).is_some() => {
                    row.op.connection_id = ids.first().copied();
                }
                host_op::Kind::Op => flows.operator(&row.op, &ids),
                _ => {}
            }
            row.op.kind = context.strings.intern(kind.name());
            host_ops.push(row.op);
        });
        self.table(needed.calls, &layouts::CANN_API, strings, |row: &mut ApiRow, context| {
            row.op.lane = lanes.host_layer(lanes::CANN, row.thread);
            row.op.kind = context.strings.intern(host_op::Kind::Cann.name());
            row.op.level = row.api_type.and_then(|id| words.word(Vocabulary::ApiType, id));
            flows.call(&row.op);
            host_ops.push(row.op);
        });
        self.table(needed.marks, &layouts::MSTX_EVENTS, strings, |row: &mut ApiRow, context| {
            row.op.lane = lanes.host_layer(lanes::MSTX, row.thread);
            row.op.kind = context.strings.intern(host_op::Kind::Mstx.name());
            row.op.args = mstx_args(row, context.strings);
            flows.mark(&row.op);
            host_ops.push(row.op);
        });
        self.table(needed.collections, &layouts::GC_RECORD, strings, |row: &mut ApiRow, context| {
            row.op.lane = lanes.garbage_collection(row.thread);
            row.op.kind = context.strings.intern(host_op::Kind::Gc.name());
            row.op.name = context.strings.intern("GC");
            host_ops.push(row.op);
        });
        self.table(needed.os_calls, &layouts::OSRT_API, strings, |row: &mut ApiRow, context| {
            row.op.lane = lanes.host_layer(lanes::OS_RUNTIME, row.thread);
            row.op.kind = context.strings.intern(host_op::Kind::Other.name());
            host_ops.push(row.op);
        });
        self.lanes = lanes;
    }

    /// Whether `inputDtypes` holds shapes and `inputShapes` types, as some writers had it: types have
    /// letters in them and shapes do not.
    fn shapes_and_types_are_swapped(&self, strings: &mut Interner) -> bool {
        const ROWS_TO_DECIDE: usize = 2000;
        let Some(table) = self.database.table("PYTORCH_API") else { return false };
        let find = |column: &str| table.columns.iter().position(|name| name == column);
        let (Some(types), Some(shapes)) = (find("inputDtypes"), find("inputShapes")) else { return false };
        let mut has_letters = |id: Option<i64>| {
            let text = id.and_then(|id| self.words.string(id, strings)).map(|s| strings.get(s)).unwrap_or_default();
            text.bytes().any(|b| b.is_ascii_alphabetic())
        };
        let (mut straight, mut swapped) = (0, 0);
        self.database.scan(table, |row| {
            match (has_letters(row.integer(types)), has_letters(row.integer(shapes))) {
                (true, false) => straight += 1,
                (false, true) => swapped += 1,
                _ => {}
            }
            if straight + swapped < ROWS_TO_DECIDE { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        swapped > straight
    }
}

/// The kind of a row of `PYTORCH_API`.
fn framework_kind(row: &ApiRow, strings: &Interner) -> host_op::Kind {
    match row.api_type {
        Some(needed::QUEUE) if strings.get(row.op.name).starts_with("Dequeue") => host_op::Kind::Dequeue,
        Some(needed::QUEUE) => host_op::Kind::Enqueue,
        Some(needed::PYTHON) => host_op::Kind::Python,
        Some(needed::MSTX) => host_op::Kind::Mstx,
        _ => host_op::Kind::Op,
    }
}

/// What an mstx row says beyond the columns of `host_op`.
fn mstx_args(row: &ApiRow, strings: &mut Interner) -> Option<Str> {
    let mut args = Map::new();
    if let Some(range) = row.range {
        args.insert("rangeId".to_owned(), range.into());
    }
    if let Some(category) = row.category {
        args.insert("category".to_owned(), strings.get(category).into());
    }
    if let Some(end) = row.end_thread.filter(|&end| end != row.thread) {
        args.insert("endGlobalTid".to_owned(), end.into());
    }
    (!args.is_empty()).then(|| strings.intern(&Value::Object(args).to_string()))
}
