//! `slow_link`: Find collectives and links that take longer than comparable ones.
//!
//! Reads `comm_op`, the CANN calls that launched the operations, `reported_link` and `metadata`. Data of the selected
//! step is counted.
//!
//! Operations are matched across ranks by group, step, kind, bytes and launch order. The transmit time of a
//! collective is the shortest duration among its ranks, because the last rank to arrive does not wait. Collectives of
//! the same type, size and number of ranks form a class. A collective is slow if its transmit time exceeds the median
//! of its class by more than 20 % and by more than three deviations (a deviation is 1.4826 times the median absolute
//! deviation from the median). Sends and receives are not compared, because one waits for the other.
//!
//! - `SlowLinkOps`: slow collectives, one row per rank.
//! - `SlowLinkSum`: the classes with slow collectives, the `--top_num` (15) with the largest offset. The offset is
//!   the largest distance from the mean, in standard deviations. `maxRank` and `minRank` are the ranks that arrived
//!   last in the collectives with the longest and the shortest transmit time.
//! - `SlowLinks`: links that take more than 20 % longer than expected, slowest first, at most `--top_num`. Size and
//!   time of links are summed per link, separately for each type of operation, transport and power of two of the
//!   bytes per step. The expected time is the bytes divided by the median bandwidth of the links in the same
//!   category. The profile reports links as numbers within groups. These are mapped to ranks with
//!   `parallel_group_info`, with the links that ranks report to themselves, and with the distances between ranks.
//!   Links that cannot be mapped are skipped, and a note gives their number.
//!
//! With `--compat`: all steps are counted; operations of the same group and name are one collective, and each of its
//! ranks is counted; all collectives of a class are listed if a transmit time is more than three standard deviations
//! away from the mean, which requires at least eleven values; there is no table of links.

use std::collections::{BTreeMap, BTreeSet};

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_tables::table::{comm_op, host_op, reported_link};
use npuscope_tables::{Rank, RankTables, Selection, Str, TableId};
use serde::{Deserialize, Serialize};

use super::STAT_COLUMNS;
use crate::cluster::statistics::{Summary, median, population_deviation};
use crate::cluster::{Absent, Answer, Failure, Job, Mode, RankData};
use crate::communication::{GroupKey, bytes_of_element, direction_of, group_of, is_point_to_point, op_type};
use crate::diagnose::trace::Operation;
use crate::extract::{Analysis, Text};
use crate::layout::{Layout, RankGroups};
use crate::meetings::{launched_operations, meet};
use crate::messages::cluster as messages;
use crate::messages::collection;
use npuscope_messages::Message;

pub const MODE: Mode =
    Mode { name: "slow_link", folder: "SlowLink", about: "Find slow collectives and slow links", run };

const DEFAULT_TOP: usize = 15;

/// A collective or link is slow if it takes longer than expected by this factor. `diagnose` uses 1.15 for links: it
/// compares transfers of one size. The sums over steps that are compared here differ by up to a factor of two in size
/// and therefore vary more.
const SLOW: f64 = 1.2;

/// An operation on one rank.
#[derive(Serialize, Deserialize)]
struct Op {
    what: Operation,
    step: Option<i64>,
    op_type: Text,
    dtype: Text,
    size: Option<i64>,
    duration: i64,
}

/// Traffic of a link.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Moved {
    bytes: f64,
    ns: f64,
}

impl Moved {
    fn bandwidth(self) -> f64 {
        self.bytes / self.ns
    }

    fn add(&mut self, other: Moved) {
        self.bytes += other.bytes;
        self.ns += other.ns;
    }
}

/// Sending and receiving rank, and the transport.
type Link = (Rank, Rank, Text);

/// A link as a rank reports it: the hash of the group, the numbers of both ends within it, the transport.
type ReportedLink = (GroupKey, i64, i64, Text);

/// Type of operation, transport, power of two of the bytes.
type Kind = (Text, Text, i64);

/// The extract of a rank.
#[derive(Serialize, Deserialize)]
struct Part {
    ops: Vec<Op>,
    moved: BTreeMap<(ReportedLink, Kind), Moved>,
    /// Maps numbers within groups to ranks.
    groups: RankGroups,
}

/// An operation of all ranks.
struct Collective<'a> {
    /// The operation on each rank.
    ranks: Vec<(Rank, &'a Op)>,
    /// The shortest duration, and the rank that had it.
    transmit: i64,
    last_rank: Rank,
}

/// Operations of one type, size and number of ranks.
type Class<'a> = (&'a Text, Option<i64>, usize);

/// Communication that takes longer than comparable communication.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SlowLinks {
    /// Classes with slow operations, the greatest offset first, the `--top_num` first of them.
    pub classes: Vec<SlowClass>,
    /// Slow operations, rank by rank.
    pub operations: Vec<SlowOperation>,
    /// Slow links, the slowest first, the `--top_num` first of them; none with `--compat`.
    pub links: Vec<SlowLink>,
    /// Further notes.
    pub notes: Vec<Message>,
}

/// Operations of one type, size and number of ranks, some of which are slow.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowClass {
    pub op_type: Text,
    /// Bytes that each operation moves, where known.
    pub bytes: Option<i64>,
    /// Ranks that take part.
    pub ranks: usize,
    /// In ns.
    pub transmit_times: Summary,
    /// The greatest distance from the mean in deviations.
    pub offset: f64,
    /// The ranks that gave the greatest and the least transmit time: those which came last.
    pub max_rank: Rank,
    pub min_rank: Rank,
}

/// A rank's part of a slow operation.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowOperation {
    pub rank: Rank,
    pub group: Text,
    pub name: Text,
    pub op_type: Text,
    pub dtype: Text,
    pub bytes: Option<i64>,
    /// Of the rank, in ns.
    pub duration: i64,
    /// Of all ranks, in ns.
    pub transmit_time: i64,
    /// Ranks that take part.
    pub ranks: usize,
}

/// A link that takes longer than others with the same traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowLink {
    pub src: Rank,
    pub dst: Rank,
    /// For example `HCCS`.
    pub transport: Text,
    pub bytes: i64,
    /// In ns.
    pub time: f64,
    /// In ns, with the median bandwidth of the links with the same traffic.
    pub expected_time: f64,
    /// In GB/s.
    pub bandwidth: f64,
    /// In GB/s: bytes by the expected time.
    pub expected_bandwidth: f64,
    /// Time by expected time.
    pub ratio: f64,
}

/// Operations and links of each rank.
#[derive(Serialize)]
struct Communication {
    compat: bool,
    step: Option<i64>,
}

impl Analysis for Communication {
    type Extract = Part;
    const NAME: &'static str = "slow_link";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        match self.compat {
            true => Selection::of(&[TableId::CommOp]),
            false => Selection::of(&[TableId::CommOp, TableId::Step, TableId::ReportedLink])
                .and_host_ops(&[host_op::Kind::Cann]),
        }
    }

    fn map(&self, data: &RankData<'_>) -> Result<Part, Absent> {
        Ok(part(data, self))
    }
}

/// Finds communication that takes longer than comparable communication.
pub fn rows(job: &Job<'_>) -> Result<SlowLinks, Failure> {
    let compat = job.options.compat;
    let mut parts = job.extracts(&Communication { compat, step: job.options.step })?;
    if parts.iter().all(|(_, part)| part.ops.is_empty()) {
        let (what, hint) = (collection::data_operations(), collection::collect_level1_or_mstx());
        return Err(Failure::missing(MODE.name, what, hint));
    }
    let top = job.options.top_num.unwrap_or(DEFAULT_TOP);
    if compat {
        return Ok(compatible(&parts, top));
    }
    let has_links = parts.iter().any(|(_, part)| !part.moved.is_empty());
    let mut found = answer(&mut parts, top);
    // Without links, only whole operations were compared.
    if !has_links {
        let hint = match parts.len() {
            1 => collection::collect_level1_of_devices(),
            _ => collection::collect_level1(),
        };
        found.notes.push(messages::note_not_reported(collection::data_links(), hint));
    }
    Ok(found)
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let rows = rows(job)?;
    let mut tables = vec![class_table(&rows.classes), operation_table(&rows.operations)];
    if !job.options.compat {
        tables.push(link_table(&rows.links));
    }
    let is_empty = tables.iter().all(ResultTable::is_empty);
    let answer = Answer { tables, notes: rows.notes, ..Answer::default() };
    Ok(if is_empty { answer.note(messages::note_no_slow_links()) } else { answer })
}

fn part(data: &RankData<'_>, options: &Communication) -> Part {
    let tables = &data.tables;
    let compat = options.compat;
    let operation = |op: &comm_op::Row, step: Option<i64>| {
        let dtype = tables.opt_text(op.dtype).unwrap_or_default();
        let kind = if compat { tables.opt_text(op.op_type).unwrap_or("N/A") } else { op_type(tables, op) };
        Op {
            what: Operation::of(tables, op),
            step,
            op_type: kind.into(),
            dtype: dtype.into(),
            size: op.count.zip(bytes_of_element(dtype)).map(|(count, bytes)| count * bytes),
            duration: op.duration.ns(),
        }
    };
    if compat {
        let collectives = tables.rows::<comm_op::Row>().filter(|op| !is_point_to_point(tables.text(op.name)));
        let peers = |op: comm_op::Row| {
            let mut of_group = operation(&op, None);
            // msprof-analyze identifies groups by name.
            of_group.what.group = group_of(tables, &op).into();
            of_group
        };
        let ops = collectives.map(peers).collect();
        return Part { ops, moved: BTreeMap::new(), groups: RankGroups::default() };
    }
    let launched = launched_operations(tables, data.step_of());
    let chosen = launched.iter().filter(|(op, step)| data.has_step(*step) && direction_of(tables, op).is_none());
    let ops = chosen.map(|(op, step)| operation(op, *step)).collect();
    Part { ops, moved: moved(tables, options.step), groups: RankGroups::of(tables) }
}

/// Traffic of the links of a rank in one step, or in all steps.
fn moved(tables: &RankTables, step: Option<i64>) -> BTreeMap<(ReportedLink, Kind), Moved> {
    let step = step.map(|step| format!("step{step}"));
    let is_wanted = |row: &reported_link::Row| step.is_none() || tables.opt_text(row.step) == step.as_deref();
    let mut moved: BTreeMap<(ReportedLink, Kind), Moved> = BTreeMap::new();
    for row in tables.rows::<reported_link::Row>().filter(is_wanted) {
        let Some(op_type) = summed_up(tables.text(row.name)) else { continue };
        let group = tables.opt_text(row.group_hash).unwrap_or_default();
        let number = |end: Option<Str>| tables.opt_text(end)?.parse::<i64>().ok();
        let (Some(from), Some(to), Some(transport)) =
            (number(row.src_rank), number(row.dst_rank), tables.opt_text(row.transport))
        else {
            continue;
        };
        let of_link =
            Moved { bytes: row.transit_size.unwrap_or_default() * 1e6, ns: row.transit_time.unwrap_or_default() * 1e6 };
        if from != to && of_link.bytes >= 1.0 && of_link.ns > 0.0 {
            let kind = (op_type.into(), transport.into(), of_link.bytes.log2() as i64);
            let link = (GroupKey(group.into()), from, to, transport.into());
            moved.entry((link, kind)).or_default().add(of_link);
        }
    }
    moved
}

/// The operation type of a row with sums: `allreduce-total`, or an operation of older files, which have no rows for the
/// fastest and slowest operations.
fn summed_up(name: &str) -> Option<&str> {
    match name.rsplit_once('-') {
        Some((op_type, "total")) => Some(op_type),
        Some((_, place)) if ["top", "middle", "bottom"].iter().any(|word| place.starts_with(word)) => None,
        _ => Some(name.split("__").next().unwrap_or(name)),
    }
}

/// Collectives as msprof-analyze matches them: operations of the same group and name.
fn collectives_as_peer(parts: &[(Rank, Part)]) -> Vec<Vec<(Rank, &Op)>> {
    let mut collectives: BTreeMap<(&str, &str), Vec<(Rank, &Op)>> = BTreeMap::new();
    for (rank, part) in parts {
        for op in &part.ops {
            collectives.entry((&op.what.group, &op.what.name)).or_default().push((*rank, op));
        }
    }
    collectives.into_values().collect()
}

/// Collectives as [`meet`] matches them.
fn collectives(parts: &[(Rank, Part)]) -> Vec<Vec<(Rank, &Op)>> {
    let lists = parts.iter().map(|(rank, part)| (*rank, part.ops.as_slice()));
    meet(lists, |op| (&op.what, op.step)).into_values().collect()
}

/// Collectives by class.
fn classes(collectives: Vec<Vec<(Rank, &Op)>>) -> BTreeMap<Class<'_>, Vec<Collective<'_>>> {
    let mut classes: BTreeMap<Class<'_>, Vec<Collective<'_>>> = BTreeMap::new();
    for ranks in collectives {
        let Some((last_rank, op)) = ranks.iter().min_by_key(|(_, op)| op.duration).copied() else { continue };
        let class = (&op.op_type, op.size, ranks.len());
        classes.entry(class).or_default().push(Collective { transmit: op.duration, last_rank, ranks });
    }
    classes
}

fn answer(parts: &mut [(Rank, Part)], top: usize) -> SlowLinks {
    let groups: Vec<(Rank, RankGroups)> =
        parts.iter_mut().map(|(rank, part)| (*rank, std::mem::take(&mut part.groups))).collect();
    let (by_kind, unknown) = moved_between_ranks(parts, &Layout::of(&groups));
    let mut found = SlowLinks { links: links(&by_kind, top), ..SlowLinks::default() };
    found.notes.extend(unknown);
    for (class, collectives) in &classes(collectives(parts)) {
        let slow = slow(collectives);
        if slow.is_empty() {
            continue;
        }
        found.operations.extend(slow.iter().flat_map(|collective| operations(class, collective)));
        let times: Vec<f64> = collectives.iter().map(|collective| collective.transmit as f64).collect();
        let rank = |end: Option<&Collective<'_>>| end.map_or(Rank(-1), |collective| collective.last_rank);
        let least = rank(collectives.iter().min_by_key(|collective| collective.transmit));
        let greatest = rank(collectives.iter().max_by_key(|collective| collective.transmit));
        found.classes.push(slow_class(class, &times, greatest, least));
    }
    keep_top(&mut found.classes, top);
    found
}

/// Traffic of links between ranks, by kind.
type MovedByKind<'a> = BTreeMap<&'a Kind, BTreeMap<Link, Moved>>;

/// Traffic of links whose ends are known, and a note about the others.
fn moved_between_ranks<'a>(parts: &'a [(Rank, Part)], layout: &Layout) -> (MovedByKind<'a>, Option<Message>) {
    let mut by_kind = MovedByKind::new();
    let mut unknown: BTreeSet<(&GroupKey, i64, i64)> = BTreeSet::new();
    for (((hash, from, to, transport), kind), moved) in parts.iter().flat_map(|(_, part)| &part.moved) {
        let rank = |number: i64| layout.group(hash.as_str())?.rank(number);
        match rank(*from).zip(rank(*to)) {
            Some((from, to)) => {
                by_kind.entry(kind).or_default().entry((from, to, transport.clone())).or_default().add(*moved);
            }
            None => drop(unknown.insert((hash, *from, *to))),
        }
    }
    let note = unknown
        .first()
        .map(|(hash, from, to)| messages::note_unknown_links(unknown.len(), *from, *to, hash.to_string()));
    (by_kind, note)
}

/// The operations of a class that are slow.
fn slow<'a, 'b>(class: &'b [Collective<'a>]) -> Vec<&'b Collective<'a>> {
    let times: Vec<f64> = class.iter().map(|collective| collective.transmit as f64).collect();
    let middle = median(&times);
    let distances: Vec<f64> = times.iter().map(|time| (time - middle).abs()).collect();
    let usual = (middle * SLOW).max(middle + 3.0 * 1.4826 * median(&distances));
    class.iter().filter(|collective| collective.transmit as f64 > usual).collect()
}

/// The result of msprof-analyze.
fn compatible(parts: &[(Rank, Part)], top: usize) -> SlowLinks {
    let mut classes = classes(collectives_as_peer(parts));
    let times = |collectives: &[Collective<'_>]| -> Vec<f64> {
        collectives.iter().flat_map(|c| c.ranks.iter().map(|_| c.transmit as f64)).collect()
    };
    classes.retain(|(_, size, _), collectives| {
        let times = times(collectives);
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let allowed = 3.0 * population_deviation(&times);
        size.is_some() && times.iter().any(|time| (time - mean).abs() > allowed)
    });
    let mut found = SlowLinks::default();
    for (class, collectives) in &classes {
        found.operations.extend(collectives.iter().flat_map(|collective| operations(class, collective)));
        // All ranks have one transmit time: the first is named.
        let first =
            collectives.first().and_then(|collective| collective.ranks.first()).map_or(Rank(-1), |(rank, _)| *rank);
        found.classes.push(slow_class(class, &times(collectives), first, first));
    }
    keep_top(&mut found.classes, top);
    found
}

fn slow_class((op_type, bytes, ranks): &Class<'_>, times: &[f64], max_rank: Rank, min_rank: Rank) -> SlowClass {
    let s = Summary::of(times);
    let offset = (s.max - s.mean).abs().max((s.min - s.mean).abs()) / s.deviation;
    let (op_type, bytes, ranks) = ((*op_type).clone(), *bytes, *ranks);
    SlowClass { op_type, bytes, ranks, transmit_times: s, offset, max_rank, min_rank }
}

fn keep_top(classes: &mut Vec<SlowClass>, top: usize) {
    classes.sort_by(|a, b| b.offset.total_cmp(&a.offset));
    classes.truncate(top);
}

fn operations<'a>(
    (op_type, bytes, ranks): &'a Class<'a>,
    collective: &'a Collective<'a>,
) -> impl Iterator<Item = SlowOperation> + 'a {
    collective.ranks.iter().map(|(rank, op)| SlowOperation {
        rank: *rank,
        group: op.what.group.clone(),
        name: op.what.name.clone(),
        op_type: (*op_type).clone(),
        dtype: op.dtype.clone(),
        bytes: *bytes,
        duration: op.duration,
        transmit_time: collective.transmit,
        ranks: *ranks,
    })
}

/// Links that take longer than others with the same traffic.
fn links(by_kind: &MovedByKind<'_>, top: usize) -> Vec<SlowLink> {
    // Traffic of each link, and its expected time.
    let mut links: BTreeMap<&Link, (Moved, f64)> = BTreeMap::new();
    for moved in by_kind.values() {
        let usual = median(&moved.values().map(|moved| moved.bandwidth()).collect::<Vec<_>>());
        for (link, moved) in moved {
            let (all, expected) = links.entry(link).or_default();
            all.add(*moved);
            *expected += moved.bytes / usual;
        }
    }
    let links = links.into_iter().filter(|(_, (moved, expected))| moved.ns > SLOW * expected);
    let mut slow: Vec<SlowLink> = links
        .map(|((src, dst, transport), (moved, expected))| SlowLink {
            src: *src,
            dst: *dst,
            transport: transport.clone(),
            bytes: moved.bytes as i64,
            time: moved.ns,
            expected_time: expected,
            bandwidth: moved.bandwidth(),
            expected_bandwidth: moved.bytes / expected,
            ratio: moved.ns / expected,
        })
        .collect();
    slow.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
    slow.truncate(top);
    slow
}

fn class_table(rows: &[SlowClass]) -> ResultTable {
    let key = [("opTypeRelatedRanksDataSize", ColumnKind::Text)];
    let more = [("offsetRatio", ColumnKind::Real), ("maxRank", ColumnKind::Int), ("minRank", ColumnKind::Int)];
    let mut table = ResultTable::new("SlowLinkSum", "slow_link_sum", &[&key, STAT_COLUMNS, &more].concat());
    for row in rows {
        let bytes = row.bytes.map_or_else(|| "N/A".to_owned(), |bytes| bytes.to_string());
        let name = format!("{}{}_{bytes}", row.op_type, row.ranks);
        let ends = [Cell::from(row.offset), row.max_rank.into(), row.min_rank.into()];
        table.push([Cell::from(name)].into_iter().chain(row.transmit_times.cells()).chain(ends));
    }
    table
}

fn operation_table(rows: &[SlowOperation]) -> ResultTable {
    let columns = [
        ("rankId", ColumnKind::Int),
        ("groupName", ColumnKind::Text),
        ("communicationTime", ColumnKind::Int),
        ("opName", ColumnKind::Text),
        ("opType", ColumnKind::Text),
        ("dataType", ColumnKind::Text),
        ("dataSize", ColumnKind::Int),
        ("transmitTime", ColumnKind::Int),
        ("relatedRanks", ColumnKind::Int),
    ];
    let mut table = ResultTable::new("SlowLinkOps", "slow_link_ops", &columns);
    for row in rows {
        table.push([
            Cell::from(row.rank),
            Cell::from(&row.group),
            row.duration.into(),
            Cell::from(&row.name),
            Cell::from(&row.op_type),
            Cell::from(&row.dtype),
            row.bytes.into(),
            row.transmit_time.into(),
            row.ranks.into(),
        ]);
    }
    table
}

fn link_table(rows: &[SlowLink]) -> ResultTable {
    let columns = [
        ("srcRank", ColumnKind::Int),
        ("dstRank", ColumnKind::Int),
        ("transport", ColumnKind::Text),
        ("dataSize", ColumnKind::Int),
        ("timeNs", ColumnKind::Real),
        ("bandwidth(GB/s)", ColumnKind::Real),
        ("expectedBandwidth(GB/s)", ColumnKind::Real),
        ("timeRatio", ColumnKind::Real),
    ];
    let mut table = ResultTable::new("SlowLinks", "slow_links", &columns);
    for row in rows {
        table.push([
            Cell::from(row.src),
            row.dst.into(),
            Cell::from(&row.transport),
            row.bytes.into(),
            row.time.into(),
            row.bandwidth.into(),
            row.expected_bandwidth.into(),
            row.ratio.into(),
        ]);
    }
    table
}
