//! `p2p_pairing`: Match sends with the receives of other ranks.
//!
//! Reads `comm_op`, the CANN calls that launched the operations, and `comm_task`. A send or receive has one partner,
//! which is read from its communication tasks. Within a group, the sends from one rank to another and the receives on
//! the other rank are numbered in order of time. The n-th send is matched with the n-th receive. A batch of sends and
//! receives may have several partners. The n-th batch that sends to a rank is matched with the n-th batch of that
//! rank that receives from the sender. If no batch of one side names the transfer, all of its batches in the group
//! are numbered.
//!
//! `P2PPairing` has one row for each side of a transfer, with global ranks and `opConnectionId`, which both sides
//! share: `{hash of the group}_{source}_{destination}_{n}`. Source and destination are numbers within the group; for
//! batches, n is preceded by `b`. For each rank that was saved as a database, the mode also writes a copy of the
//! database for viewers, in which `COMMUNICATION_OP` has this column. Several ids of one batch are separated by
//! semicolons.
//!
//! With `--compat`: only the copies are written, ids contain three digits of the hash, n is counted over all groups,
//! and batches are not matched.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_formats::db::AmendedDb;
use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_measures::intervals::Interval;
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{comm_op, comm_task};
use npuscope_tables::{OpId, Rank, RankTables, Selection, TableId};
use serde::{Deserialize, Serialize};

use super::rank_facts::op_interval;
use super::rank_files::{path_of, profiler_db};
use crate::cluster::{Absent, Answer, Failure, Job, Mode, RankData, ResultFile};
use crate::communication::{Direction, GroupKey, direction, group_key, parallel_groups};
use crate::extract::{Analysis, Text};
use crate::messages::cluster as messages;
use crate::messages::collection;
use npuscope_messages::Message;

pub const MODE: Mode =
    Mode { name: "p2p_pairing", folder: "P2PPairing", about: "Match sends with the receives of other ranks", run };

const COLUMNS: &[(&str, ColumnKind)] = &[
    ("rank", ColumnKind::Int),
    ("step", ColumnKind::Int),
    ("opName", ColumnKind::Text),
    ("groupName", ColumnKind::Text),
    ("startNs", ColumnKind::Int),
    ("endNs", ColumnKind::Int),
    ("srcRank", ColumnKind::Int),
    ("dstRank", ColumnKind::Int),
    ("opConnectionId", ColumnKind::Text),
];

const NEEDED: Selection =
    Selection::of(&[TableId::CommOp, TableId::CommTask, TableId::Step]).and_host_ops(&[Kind::Cann]);

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let pairing = pair(job)?;
    if pairing.operations == 0 {
        return Ok(Answer::default().note(messages::note_no_sends()));
    }
    if pairing.ids.is_empty() {
        return Err(Failure::missing(MODE.name, collection::data_pieces(), collection::collect_level1()));
    }
    let mut answer = Answer { tables: vec![table(&pairing.sides)], notes: pairing.notes, ..Answer::default() };
    for source in job.sources() {
        let Some((db, ids)) = profiler_db(source, job).zip(pairing.ids.get(&source.rank).cloned()) else { continue };
        let write = move |path: &Path| {
            let copy = AmendedDb::copy(&db.path, path)?;
            add_ids(&copy, &ids)?;
            copy.finish()
        };
        answer.files.push(ResultFile::new(path_of(&MODE, job, source, &db.name), write).of_rank(source.rank).copied());
    }
    Ok(answer)
}

fn table(rows: &[PairedSide]) -> ResultTable {
    let mut table = ResultTable::new("P2PPairing", "p2p_pairing", COLUMNS);
    for row in rows {
        table.push([
            row.rank.into(),
            row.step.into(),
            (&row.name).into(),
            row.group_name.as_ref().map_or(Cell::Null, Cell::from),
            row.interval.start.into(),
            row.interval.end.into(),
            row.src.into(),
            row.dst.into(),
            row.connection.as_str().into(),
        ]);
    }
    table
}

/// One side of a transfer.
pub struct PairedSide {
    pub rank: Rank,
    pub step: Option<i64>,
    pub name: Text,
    pub group_name: Option<Text>,
    pub interval: Interval,
    /// Ranks of the whole job, where known.
    pub src: Option<Rank>,
    pub dst: Option<Rank>,
    /// What both sides share.
    pub connection: String,
}

/// Numbers of operations and their connection ids.
pub type OperationIds = Vec<(OpId, String)>;

/// Writes the connection ids of operations to a database.
pub fn add_ids(db: &AmendedDb, ids: &OperationIds) -> io::Result<()> {
    let texts: Vec<(i64, &str)> = ids.iter().map(|(op, text)| (op.0, text.as_str())).collect();
    db.set_texts("COMMUNICATION_OP", "opConnectionId", "opId", &texts)
}

/// Which operations are matched.
#[derive(Default)]
pub struct Pairing {
    /// How many sends, receives and batches there are in the chosen step.
    operations: usize,
    pub sides: Vec<PairedSide>,
    /// By rank.
    pub ids: BTreeMap<Rank, OperationIds>,
    notes: Vec<Message>,
}

/// The sends and receives of each rank.
#[derive(Serialize)]
struct Transfers;

impl Analysis for Transfers {
    type Extract = Part;
    const NAME: &'static str = "p2p_pairing";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        NEEDED
    }

    fn map(&self, data: &RankData<'_>) -> Result<Part, Absent> {
        Ok(Part::of(data))
    }
}

/// The number of sends and receives of each rank and their ids, as msprof-analyze makes them.
#[derive(Serialize)]
struct PeerIds;

impl Analysis for PeerIds {
    type Extract = (usize, OperationIds);
    const NAME: &'static str = "p2p_pairing_compat";
    const VERSION: u32 = 1;

    fn needs(&self) -> Selection {
        NEEDED
    }

    fn map(&self, data: &RankData<'_>) -> Result<(usize, OperationIds), Absent> {
        Ok(ids_as_peer(&data.tables))
    }
}

/// Pairs the sends and receives of a job.
pub fn pair(job: &Job<'_>) -> Result<Pairing, Failure> {
    if job.options.compat {
        return pair_as_peer(job);
    }
    let parts = job.extracts(&Transfers)?;
    let chosen = parts.iter().flat_map(|(_, part)| &part.ops).filter(|op| op.is_chosen);
    let mut pairing = Pairing { operations: chosen.count(), ..Pairing::default() };
    let ranks = GroupRanks::of_all(&parts);
    let mut sides = numbered(&parts);
    pairing.notes = unequal(&parts, &sides, &ranks);
    sides.extend(batches(&parts, &ranks));
    sides.sort_by_key(|side| (side.part, side.op));
    for side in sides {
        let (rank, part) = &parts[side.part];
        let op = &part.ops[side.op];
        if !op.is_chosen {
            continue;
        }
        let id = side.id(&op.group);
        pairing.sides.push(PairedSide {
            rank: *rank,
            step: op.step,
            name: op.name.clone(),
            group_name: op.group_name.clone(),
            interval: op.interval,
            src: ranks.get(&op.group, side.source),
            dst: ranks.get(&op.group, side.destination),
            connection: id.clone(),
        });
        let ids = pairing.ids.entry(*rank).or_default();
        match ids.last_mut().filter(|(number, _)| *number == op.number) {
            Some((_, known)) => *known = format!("{known};{id}"),
            None => ids.push((op.number, id)),
        }
    }
    Ok(pairing)
}

/// Ranks of the whole job by group and number in it.
#[derive(Default, Serialize, Deserialize)]
struct GroupRanks(BTreeMap<GroupKey, BTreeMap<i64, Rank>>);

impl GroupRanks {
    fn of_all(parts: &[(Rank, Part)]) -> GroupRanks {
        let mut all = GroupRanks::default();
        for (group, ranks) in parts.iter().flat_map(|(_, part)| &part.ranks.0) {
            match all.0.get_mut(group) {
                Some(known) => known.extend(ranks),
                None => drop(all.0.insert(group.clone(), ranks.clone())),
            }
        }
        all
    }

    fn get(&self, group: &GroupKey, number: i64) -> Option<Rank> {
        self.0.get(group)?.get(&number).copied()
    }
}

/// A send, a receive or a batch of them.
#[derive(Serialize, Deserialize)]
struct Op {
    /// `comm_op.op`.
    number: OpId,
    name: Text,
    group: GroupKey,
    group_name: Option<Text>,
    interval: Interval,
    step: Option<i64>,
    is_chosen: bool,
    direction: Direction,
    /// The number of the rank in the group.
    own: Option<i64>,
    /// Numbers in the group of ranks that get data, and of those that give it.
    to: Vec<i64>,
    from: Vec<i64>,
}

/// The operations of a rank, by start.
#[derive(Serialize, Deserialize)]
struct Part {
    ops: Vec<Op>,
    /// Ranks of the groups of these operations, as far as this rank knows them.
    ranks: GroupRanks,
}

/// A transfer that a communication task belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Transfer {
    source: i64,
    destination: i64,
    /// It moves no data.
    is_notice: bool,
}

impl Part {
    fn of(data: &RankData<'_>) -> Part {
        let tables = &data.tables;
        let groups = parallel_groups(tables);
        let mut part = Part { ops: Vec::new(), ranks: GroupRanks::default() };
        let mut rows: Vec<(comm_op::Row, Direction)> =
            tables.rows::<comm_op::Row>().filter_map(|op| Some((op, direction(tables.text(op.name))?))).collect();
        rows.sort_by_key(|(op, _)| op.start);
        let transfers = transfers(tables, &rows);
        for ((op, direction), transfers) in rows.into_iter().zip(transfers) {
            let key = group_key(tables, &op);
            let group = groups.iter().find(|group| group.hash == key);
            let listed = group.and_then(|group| group.ranks.iter().position(|&rank| rank == data.rank));
            let notice = transfers.iter().find(|transfer| transfer.is_notice).map(|transfer| transfer.source);
            let own = listed.and_then(|place| i64::try_from(place).ok()).or(notice);
            let (to, from) = own.map(|own| partners(own, direction, &transfers)).unwrap_or_default();
            let listed = || group.into_iter().flat_map(|group| (0..).zip(group.ranks.iter().copied()));
            let ranks = part.ranks.0.entry(key.clone()).or_insert_with(|| listed().collect());
            ranks.extend(own.map(|own| (own, data.rank)));
            part.ops.push(Op {
                number: op.op,
                name: tables.text(op.name).into(),
                group: key,
                group_name: tables.opt_text(op.group_name).map(Text::from),
                interval: op_interval(&op),
                step: data.step_of().operation(&op),
                is_chosen: data.has_operation(&op),
                direction,
                own,
                to,
                from,
            });
        }
        part
    }
}

/// The transfers of the communication tasks of each operation.
fn transfers(tables: &RankTables, ops: &[(comm_op::Row, Direction)]) -> Vec<Vec<Transfer>> {
    let places: HashMap<OpId, usize, FixedState> = (0..).zip(ops).map(|(place, (op, _))| (op.op, place)).collect();
    let mut transfers: Vec<Vec<Transfer>> = vec![Vec::new(); ops.len()];
    let (mut notices, mut rdma) = (Memo::default(), Memo::default());
    for (view, rows) in tables.views::<comm_task::Row>() {
        for row in 0..rows {
            let Some(&place) = view.op.get(row).and_then(|op| places.get(&op)) else { continue };
            let Some((source, destination)) = view.src_rank.get(row).zip(view.dst_rank.get(row)) else { continue };
            let (name, kind) = (view.name.get(row), view.rdma_type.get(row));
            let is_notice = notices.get(name, || tables.text(name).starts_with("Notify"))
                || kind.is_some_and(|kind| rdma.get(kind, || tables.text(kind).contains("NOTIFY")));
            let transfer = Transfer { source, destination, is_notice };
            if source != destination && !transfers[place].contains(&transfer) {
                transfers[place].push(transfer);
            }
        }
    }
    transfers
}

/// The numbers of the ranks that an operation sends data to, and of those that it receives data from. A send or receive
/// has one partner, whatever the direction of its communication tasks; a batch has the ranks that data moves to and
/// from.
fn partners(own: i64, direction: Direction, transfers: &[Transfer]) -> (Vec<i64>, Vec<i64>) {
    let distinct = |partners: &mut Vec<i64>| {
        partners.sort_unstable();
        partners.dedup();
    };
    let other = |transfer: &Transfer| if transfer.source == own { transfer.destination } else { transfer.source };
    let mut others: Vec<i64> = transfers.iter().map(other).collect();
    distinct(&mut others);
    let moves = transfers.iter().filter(|transfer| !transfer.is_notice);
    match (direction, others.as_slice()) {
        (Direction::Send, [_]) => (others, Vec::new()),
        (Direction::Receive, [_]) => (Vec::new(), others),
        (Direction::Batch, _) => {
            let mut to: Vec<i64> = moves.clone().filter(|m| m.source == own).map(|m| m.destination).collect();
            let mut from: Vec<i64> = moves.filter(|m| m.destination == own).map(|m| m.source).collect();
            distinct(&mut to);
            distinct(&mut from);
            (to, from)
        }
        _ => (Vec::new(), Vec::new()),
    }
}

/// One side of a transfer: an operation, and which transfer from one member of its group to another it was.
struct Side {
    /// Numbers of the rank and of the operation.
    part: usize,
    op: usize,
    source: i64,
    destination: i64,
    number: usize,
    is_batch: bool,
}

impl Side {
    fn id(&self, group: &GroupKey) -> String {
        let kind = if self.is_batch { "b" } else { "" };
        format!("{group}_{}_{}_{kind}{}", self.source, self.destination, self.number)
    }
}

/// Sends and receives, numbered by group, source and destination.
fn numbered(parts: &[(Rank, Part)]) -> Vec<Side> {
    let mut sides = Vec::new();
    for (part, (_, ops)) in parts.iter().enumerate() {
        let mut numbers: HashMap<(&GroupKey, i64, i64), usize, FixedState> = HashMap::default();
        for (index, op) in ops.ops.iter().enumerate().filter(|(_, op)| op.direction != Direction::Batch) {
            let Some(own) = op.own else { continue };
            let ends = op.to.first().map(|&to| (own, to)).or(op.from.first().map(|&from| (from, own)));
            let Some((source, destination)) = ends else { continue };
            let number = numbers.entry((&op.group, source, destination)).or_default();
            sides.push(Side { part, op: index, source, destination, number: *number, is_batch: false });
            *number += 1;
        }
    }
    sides
}

/// Notes about pairs of ranks whose numbers of sends and receives differ.
fn unequal(parts: &[(Rank, Part)], sides: &[Side], ranks: &GroupRanks) -> Vec<Message> {
    let mut counts: BTreeMap<(&GroupKey, i64, i64), [usize; 2]> = BTreeMap::new();
    for side in sides {
        let op = &parts[side.part].1.ops[side.op];
        let is_receive = usize::from(op.direction == Direction::Receive);
        counts.entry((&op.group, side.source, side.destination)).or_default()[is_receive] += 1;
    }
    let is_here = |rank: &Rank| parts.iter().any(|(known, _)| known == rank);
    let note = |((group, source, destination), [sent, received]): ((&GroupKey, i64, i64), [usize; 2])| {
        let rank = |local| ranks.get(group, local).filter(is_here);
        let (source, destination) = (rank(source)?, rank(destination)?);
        let differs = sent != received;
        differs.then(|| messages::note_unequal_sends(source, sent, destination, received))
    };
    counts.into_iter().filter_map(note).collect()
}

/// Batches, numbered by group, source and destination.
fn batches(parts: &[(Rank, Part)], ranks: &GroupRanks) -> Vec<Side> {
    let is_batch = |op: &&Op| op.direction == Direction::Batch;
    let mut links: Vec<(&GroupKey, i64, i64)> = Vec::new();
    for (_, part) in parts {
        for op in part.ops.iter().filter(is_batch) {
            let Some(own) = op.own else { continue };
            links.extend(op.to.iter().map(|&to| (&op.group, own, to)));
            links.extend(op.from.iter().map(|&from| (&op.group, from, own)));
        }
    }
    links.sort_unstable();
    links.dedup();
    let mut sides = Vec::new();
    for (group, source, destination) in links {
        for local in [source, destination] {
            let rank = ranks.get(group, local);
            let Some(part) = parts.iter().position(|(known, _)| Some(*known) == rank) else { continue };
            let names_transfer =
                |op: &Op| if local == source { op.to.contains(&destination) } else { op.from.contains(&source) };
            let of_group: Vec<usize> = (0..)
                .zip(&parts[part].1.ops)
                .filter(|(_, op)| is_batch(op) && op.group == *group)
                .map(|(index, _)| index)
                .collect();
            let naming: Vec<usize> =
                of_group.iter().copied().filter(|&op| names_transfer(&parts[part].1.ops[op])).collect();
            let matched = if naming.is_empty() { of_group } else { naming };
            let side = |(number, op)| Side { part, op, source, destination, number, is_batch: true };
            sides.extend(matched.into_iter().enumerate().map(side));
        }
    }
    sides
}

fn pair_as_peer(job: &Job<'_>) -> Result<Pairing, Failure> {
    let mut pairing = Pairing::default();
    for (rank, (operations, ids)) in job.extracts(&PeerIds)? {
        pairing.operations += operations;
        if !ids.is_empty() {
            pairing.ids.insert(rank, ids);
        }
    }
    Ok(pairing)
}

/// Source and destination, numbered within the group.
type Ends = (Option<i64>, Option<i64>);

/// The number of sends and receives of a rank, and ids of those whose notices name one source and one destination.
fn ids_as_peer(tables: &RankTables) -> (usize, OperationIds) {
    let mut ops: Vec<(comm_op::Row, &str, bool)> = tables
        .rows::<comm_op::Row>()
        .filter_map(|op| {
            let (digits, is_receive) = group_digits(tables.text(op.name))?;
            Some((op, digits, is_receive))
        })
        .collect();
    ops.sort_by_key(|(op, _, _)| op.start);
    let mut ends: HashMap<OpId, Vec<Ends>, FixedState> = HashMap::default();
    let groups: HashMap<OpId, _, FixedState> = ops.iter().map(|(op, _, _)| (op.op, op.group_name)).collect();
    for piece in tables.rows::<comm_task::Row>() {
        let Some(op) = piece.op.filter(|op| groups.get(op) == Some(&piece.group_name)) else { continue };
        if matches!(tables.text(piece.name), "Notify_Record" | "Notify_Wait") {
            ends.entry(op).or_default().push((piece.src_rank, piece.dst_rank));
        }
    }
    let mut numbers: HashMap<(i64, i64), usize, FixedState> = HashMap::default();
    let mut ids = OperationIds::new();
    for (op, digits, is_receive) in &ops {
        let Some(of_op) = ends.get(&op.op) else { continue };
        let Some(&(Some(own), Some(other))) = of_op.first().filter(|first| of_op.iter().all(|ends| ends == *first))
        else {
            continue;
        };
        let (source, destination) = if *is_receive { (other, own) } else { (own, other) };
        let number = numbers.entry((source, destination)).or_default();
        ids.push((op.op, format!("{digits}_{source}_{destination}_{number}")));
        *number += 1;
    }
    (ops.len(), ids)
}

/// The digits of the group in a name such as `hcom_send__539_0_1`, and whether it is a receive.
fn group_digits(name: &str) -> Option<(&str, bool)> {
    let (verb, rest) = name.strip_prefix("hcom_")?.split_once("__")?;
    let is_receive = match verb {
        "send" | "Send" => false,
        "recv" | "Recv" | "receive" | "Receive" => true,
        _ => return None,
    };
    let parts: Vec<&str> = rest.split('_').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (parts.len() == 3 && parts.iter().all(is_number)).then(|| (parts[0], is_receive))
}
