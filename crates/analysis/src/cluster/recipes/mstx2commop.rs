//! `mstx2commop`: List communication operations from the mstx ranges of HCCL.
//!
//! At level_none, a profile has no communication operations, but HCCL marks each operation with an mstx range. The
//! message of the range is JSON with `streamId`, `count`, `dataType`, `groupName` and `opName`. For each rank without
//! communication operations, `MstxCommunicationOp` lists the operations in order of start, with the times of the
//! range on the device. `opType` is `opName` followed by `_`. The operation name is `{opType}_{last three digits of
//! the group's hash}_{n}_1`, with n counted per group and type. For each rank that was saved as a database, the mode
//! also writes a copy of the database with the table `COMMUNICATION_OP`, for viewers.
//!
//! With `--compat`: a range is joined with each task of its connection or of its stream, so that n ranges of a stream
//! give n² operations; all steps are counted; only the copies are written.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_formats::db::{AmendedDb, data_type_id};
use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_measures::link::group_hash;
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::task;
use npuscope_tables::{ConnectionId, Ns, Rank, RankTables, Selection, Str, TableId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rank_files::{path_of, profiler_db};
use crate::cluster::{Absent, Answer, Failure, Job, Mode, RankData, ResultFile};
use crate::extract::{Analysis, Text};
use crate::messages::cluster as messages;
use crate::messages::collection;

pub const MODE: Mode = Mode {
    name: "mstx2commop",
    folder: "Mstx2Commop",
    about: "List communication operations from the mstx ranges of HCCL",
    run,
};

/// An operation that a range records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkedOp {
    pub name: Text,
    pub op_type: Text,
    /// Name of the group.
    pub group: Text,
    pub data_type: Text,
    /// As the message has it.
    pub count: Text,
    pub start: Ns,
    pub end: Ns,
    pub connection: Option<ConnectionId>,
    pub step: Option<i64>,
}

/// The extract of a rank.
#[derive(Serialize, Deserialize)]
struct Part {
    has_operations: bool,
    marked: Vec<MarkedOp>,
}

/// The operations that ranges of each rank record.
#[derive(Serialize)]
struct MarkedOps {
    compat: bool,
}

impl Analysis for MarkedOps {
    type Extract = Part;
    const NAME: &'static str = "mstx2commop";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        NEEDED.and(Selection::of(&[TableId::Step]))
    }

    fn map(&self, data: &RankData<'_>) -> Result<Part, Absent> {
        let has_operations = !data.tables.is_empty(TableId::CommOp);
        let marked = if has_operations { Vec::new() } else { marked_ops(data, self.compat) };
        Ok(Part { has_operations, marked })
    }
}

/// The operations that ranges record, by start, of each rank that has no others. No rank if all have others.
pub fn rows(job: &Job<'_>) -> Result<Vec<(Rank, Vec<MarkedOp>)>, Failure> {
    let mut parts = job.extracts(&MarkedOps { compat: job.options.compat })?;
    parts.retain(|(_, part)| !part.has_operations);
    if !parts.is_empty() && parts.iter().all(|(_, part)| part.marked.is_empty()) {
        let hint = collection::collect_communication_ranges();
        return Err(Failure::missing(MODE.name, collection::data_communication_ranges(), hint));
    }
    Ok(parts.into_iter().map(|(rank, part)| (rank, part.marked)).collect())
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let ranks = rows(job)?;
    if ranks.is_empty() {
        return Ok(Answer::default().note(messages::note_has_operations()));
    }
    // msprof-analyze gives copies alone.
    let listed = if job.options.compat { &[] } else { ranks.as_slice() };
    let mut answer = Answer::of_tables([table(listed)]);
    for (rank, marked) in ranks.into_iter().filter(|(_, marked)| !marked.is_empty()) {
        let source = job.source(rank);
        if let Some((source, db)) = source.and_then(|source| Some((source, profiler_db(source, job)?))) {
            let path = path_of(&MODE, job, source, &db.name);
            let write = move |path: &Path| {
                let mut copy = AmendedDb::copy(&db.path, path)?;
                add_operations(&mut copy, &marked)?;
                copy.finish()
            };
            answer.files.push(ResultFile::new(path, write).of_rank(rank).copied());
        }
    }
    Ok(answer)
}

/// `MstxCommunicationOp`.
fn table(ranks: &[(Rank, Vec<MarkedOp>)]) -> ResultTable {
    let columns = [
        ("rank", ColumnKind::Int),
        ("step", ColumnKind::Int),
        ("opName", ColumnKind::Text),
        ("opType", ColumnKind::Text),
        ("groupName", ColumnKind::Text),
        ("dataType", ColumnKind::Text),
        ("count", ColumnKind::Int),
        ("startNs", ColumnKind::Int),
        ("endNs", ColumnKind::Int),
        ("connectionId", ColumnKind::Int),
    ];
    let mut table = ResultTable::new("MstxCommunicationOp", "mstx_communication_op", &columns);
    for (rank, op) in ranks.iter().flat_map(|(rank, ops)| ops.iter().map(move |op| (*rank, op))) {
        table.push([
            rank.into(),
            op.step.into(),
            (&op.name).into(),
            (&op.op_type).into(),
            (&op.group).into(),
            (&op.data_type).into(),
            op.count.parse::<i64>().ok().into(),
            op.start.0.into(),
            op.end.0.into(),
            op.connection.into(),
        ]);
    }
    table
}

/// What [`marked_ops`] reads.
pub const NEEDED: Selection = Selection::of(&[TableId::CommOp, TableId::Task]).and_host_ops(&[Kind::Mstx]);

/// What the message of a range says.
struct Message {
    stream: Option<i64>,
    count: Text,
    data_type: Text,
    group: Text,
    op_type: Text,
}

/// What a range records of an operation, or `None` if it is about something else.
fn parse(message: &str) -> Option<Message> {
    if !message.contains("opName") {
        return None;
    }
    // Some writers escape the quotes of the JSON.
    let said: Value = serde_json::from_str(&message.replace("\\\"", "\"")).ok()?;
    let text = |key: &str| match said.get(key)? {
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    Some(Message {
        stream: text("streamId")?.parse().ok(),
        count: text("count")?.into(),
        data_type: text("dataType")?.into(),
        group: text("groupName")?.into(),
        op_type: format!("{}_", text("opName")?).into(),
    })
}

/// The operations that the ranges of a rank record, by start.
pub fn marked_ops(data: &RankData<'_>, compat: bool) -> Vec<MarkedOp> {
    let tables = &data.tables;
    let ranges = ranges(tables);
    let steps = data.steps();
    let tasks = Tasks::of(tables);
    let mut ops: Vec<MarkedOp> = Vec::new();
    for (message, connection, launch) in &ranges {
        for task in tasks.of_range(message, *connection, compat) {
            ops.push(MarkedOp {
                name: Text::default(),
                op_type: message.op_type.clone(),
                group: message.group.clone(),
                data_type: message.data_type.clone(),
                count: message.count.clone(),
                start: task.start,
                end: task.end,
                connection: task.connection,
                // msprof-analyze takes the step in which the operation starts on the device.
                step: steps.at(if compat { task.start } else { *launch }),
            });
        }
    }
    if !compat {
        ops.sort_by_key(|op| op.start);
    }
    let mut numbers: BTreeMap<(Text, Text), usize> = BTreeMap::new();
    for op in &mut ops {
        let number = numbers.entry((op.group.clone(), op.op_type.clone())).or_default();
        let hash = group_hash(&op.group);
        let digits = hash.get(hash.len().saturating_sub(3)..).unwrap_or(&hash);
        op.name = format!("{}_{digits}_{number}_1", op.op_type).into();
        *number += 1;
    }
    ops.sort_by_key(|op| op.start);
    ops.retain(|op| compat || data.has_step(op.step));
    ops
}

/// What ranges say, the connections to their side on the device, and when they begin on the host, in order.
fn ranges(tables: &RankTables) -> Vec<(Message, Option<ConnectionId>, Ns)> {
    let mut ranges = Vec::new();
    let mut kinds = Memo::default();
    for (view, rows) in tables.views::<host_op::Row>() {
        for row in 0..rows {
            let kind: Str = view.kind.get(row);
            if kinds.get(kind, || tables.text(kind) == Kind::Mstx.name())
                && let Some(message) = parse(tables.text(view.name.get(row)))
            {
                ranges.push((message, view.connection_id.get(row), view.start.get(row)));
            }
        }
    }
    ranges
}

#[derive(Clone, Copy)]
struct DeviceTask {
    start: Ns,
    end: Ns,
    connection: Option<ConnectionId>,
    stream: Option<i64>,
}

/// Tasks in order, and where those of a connection are.
struct Tasks {
    all: Vec<DeviceTask>,
    by_connection: HashMap<ConnectionId, usize, FixedState>,
}

impl Tasks {
    fn of(tables: &RankTables) -> Tasks {
        let mut tasks = Tasks { all: Vec::new(), by_connection: HashMap::default() };
        for (view, rows) in tables.views::<task::Row>() {
            for row in 0..rows {
                let (start, connection) = (view.start.get(row), view.connection_id.get(row));
                let end = start.plus(view.duration.get(row).ns());
                if let Some(connection) = connection {
                    tasks.by_connection.entry(connection).or_insert(tasks.all.len());
                }
                tasks.all.push(DeviceTask { start, end, connection, stream: view.stream.get(row) });
            }
        }
        tasks
    }

    /// The device's side of a range: the task of its connection; with `compat` also all tasks of its stream.
    fn of_range(&self, message: &Message, connection: Option<ConnectionId>, compat: bool) -> Vec<DeviceTask> {
        if compat {
            let is_joined = |task: &&DeviceTask| {
                let is_launched = connection.is_some() && task.connection == connection;
                is_launched || message.stream.is_some() && task.stream == message.stream
            };
            return self.all.iter().filter(is_joined).copied().collect();
        }
        let own = connection.and_then(|connection| self.by_connection.get(&connection));
        own.map(|&index| self.all[index]).into_iter().collect()
    }
}

/// Gives a database the table of operations, `COMMUNICATION_OP`.
pub fn add_operations(db: &mut AmendedDb, ops: &[MarkedOp]) -> io::Result<()> {
    let columns = [
        ("opId", ColumnKind::Int),
        ("opName", ColumnKind::Int),
        ("startNs", ColumnKind::Int),
        ("endNs", ColumnKind::Int),
        ("connectionId", ColumnKind::Int),
        ("groupName", ColumnKind::Int),
        ("relay", ColumnKind::Text),
        ("retry", ColumnKind::Text),
        ("dataType", ColumnKind::Int),
        ("algType", ColumnKind::Text),
        ("count", ColumnKind::Text),
        ("opType", ColumnKind::Int),
    ];
    let mut table = ResultTable::new("COMMUNICATION_OP", "", &columns);
    for (number, op) in ops.iter().enumerate() {
        let [name, group, op_type] = [&op.name, &op.group, &op.op_type].map(|text| db.string_id(text));
        table.push([
            number.into(),
            name?.into(),
            op.start.0.into(),
            op.end.0.into(),
            op.connection.into(),
            group?.into(),
            Cell::Null,
            Cell::Null,
            data_type_id(&op.data_type).into(),
            Cell::Null,
            (&op.count).into(),
            op_type?.into(),
        ]);
    }
    db.replace_table(&table)
}
