//! Matches operations of different ranks: the parts of one collective, or both ends of a transfer.
//!
//! Operations of two ranks match if they share group, step, kind, bytes and, for transfers, sender and receiver, and
//! have the same place among such operations of their rank, in the order in which the host launched them. A send and a
//! receive are one transfer. Bytes are ignored where they may differ between ranks, as in an all-to-all. Names are
//! ignored, because NCCL uses one name for all operations of a kind. `npuscope diagnose`, the modes of `npuscope
//! cluster` that compare the ranks of an operation, the timeline's "collective" and "align", and `npuscope show DIR
//! collective` all match operations by this [`Key`].

use std::collections::{BTreeMap, HashMap};

use npuscope_formats::source::RankSource;
use npuscope_measures::communication::has_uneven_bytes;
use npuscope_measures::step_of::StepOf;
use npuscope_store::{Store, StoreError};
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{comm_op, reported_comm};
use npuscope_tables::{Rank, RankTables, Selection, TableId};
use serde::{Deserialize, Serialize};

use crate::communication::GroupKey;
use crate::diagnose::trace::{Operation, RankTrace};
use crate::extract::{Absent, Analysis, RankData, Text, extracts_by_rank};

/// The properties that matching operations share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Signature<'a> {
    group: &'a GroupKey,
    /// `None` outside all steps.
    step: Option<i64>,
    kind: &'a str,
    bytes: i64,
    /// Of a transfer: sender and receiver, numbered within the group.
    pair: Option<(i64, i64)>,
}

/// What operations of different ranks must share to match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key<'a> {
    signature: Signature<'a>,
    /// Place among the operations of the rank with the same signature.
    order: usize,
}

/// Gives the operations of one rank their keys.
#[derive(Debug, Default)]
pub struct Keys<'a> {
    seen: HashMap<Signature<'a>, usize>,
}

impl<'a> Keys<'a> {
    /// The key of the next operation in the order of launches. Steps have the same number on all ranks.
    pub fn next(&mut self, operation: &'a Operation, step: Option<i64>) -> Key<'a> {
        // A send and a receive are one transfer.
        let kind = if operation.direction.is_some() { "transfer" } else { operation.kind.as_str() };
        let bytes = if has_uneven_bytes(&operation.kind) { 0 } else { operation.bytes };
        let signature = Signature { group: &operation.group_key, step, kind, bytes, pair: operation.pair };
        let order = self.seen.entry(signature).or_default();
        *order += 1;
        Key { signature, order: *order - 1 }
    }
}

impl Key<'_> {
    /// The key as data of its own.
    pub fn to_kept(self) -> KeptKey {
        let Key { signature: Signature { group, step, kind, bytes, pair }, order } = self;
        KeptKey { group: group.clone(), step, kind: kind.into(), bytes, pair, order }
    }
}

/// A [`Key`] that is kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KeptKey {
    group: GroupKey,
    step: Option<i64>,
    kind: Text,
    bytes: i64,
    pair: Option<(i64, i64)>,
    order: usize,
}

impl KeptKey {
    pub fn as_key(&self) -> Key<'_> {
        let KeptKey { group, step, kind, bytes, pair, order } = self;
        Key { signature: Signature { group, step: *step, kind, bytes: *bytes, pair: *pair }, order: *order }
    }
}

/// The rows of `comm_op` in the order in which the host launched them, by the step that they belong to.
pub fn launched_operations(tables: &RankTables, step_of: &StepOf) -> Vec<(comm_op::Row, Option<i64>)> {
    let mut operations: Vec<comm_op::Row> = tables.rows().collect();
    operations.sort_by_key(|op| (step_of.launches().call(op.connection_id).unwrap_or(op.start), op.start));
    operations.into_iter().map(|op| (op, step_of.operation(&op))).collect()
}

/// The operations of all ranks, those that are one together. The operations of each rank are in the order of launches;
/// `of` gives what each is, and its step.
pub fn meet<'a, R: Copy, T>(
    ranks: impl Iterator<Item = (R, &'a [T])>,
    of: impl Fn(&'a T) -> (&'a Operation, Option<i64>),
) -> BTreeMap<Key<'a>, Vec<(R, &'a T)>> {
    let mut met: BTreeMap<Key<'a>, Vec<(R, &'a T)>> = BTreeMap::new();
    for (rank, operations) in ranks {
        let mut keys = Keys::default();
        for operation in operations {
            let (what, step) = of(operation);
            met.entry(keys.next(what, step)).or_default().push((rank, operation));
        }
    }
    met
}

/// The operations of one rank, in the order in which the host launched them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RankOperations {
    pub rank: Rank,
    pub list: Vec<RankOperation>,
}

/// An operation as one rank saw it. Times are ns since the epoch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RankOperation {
    operation: Operation,
    step: Option<i64>,
    pub start: i64,
    pub end: i64,
}

impl RankOperation {
    pub fn name(&self) -> &str {
        &self.operation.name
    }

    /// The group, by name or hash.
    pub fn group(&self) -> &str {
        self.operation.group.as_str()
    }
}

/// The operations of each rank.
#[derive(Serialize)]
struct Operations;

impl Analysis for Operations {
    type Extract = RankOperations;
    const NAME: &'static str = "operations";
    const VERSION: u32 = 1;

    fn needs(&self) -> Selection {
        Selection::of(&[TableId::Step, TableId::CommOp, TableId::CommTask]).and_host_ops(&[Kind::Cann])
    }

    fn map(&self, rank: &RankData<'_>) -> Result<RankOperations, Absent> {
        Ok(RankOperations::of(rank.rank, &rank.tables))
    }
}

/// The operations of some ranks.
pub fn operations(store: &Store, sources: &[&RankSource]) -> Result<Vec<RankOperations>, StoreError> {
    Ok(extracts_by_rank(store, sources, &Operations)?.into_iter().map(|(_, operations)| operations).collect())
}

impl RankOperations {
    fn of(rank: Rank, tables: &RankTables) -> RankOperations {
        let trace = RankTrace::of(rank, tables);
        let operations = trace.items.iter().filter_map(|item| {
            let step = trace.step_of(item).and_then(|step| trace.steps.get(step)).map(|step| step.id);
            let operation = trace.operation(item)?.clone();
            Some(RankOperation { operation, step, start: item.start, end: item.end })
        });
        RankOperations { rank, list: operations.collect() }
    }

    /// The operation of that name that begins at a time.
    pub fn starting(&self, name: &str, start: i64) -> Option<usize> {
        self.list.iter().position(|operation| operation.start == start && operation.operation.name == name)
    }

    /// The operation that is going on at a time, of several the one that began last.
    pub fn open_at(&self, time: i64) -> Option<usize> {
        let is_open = |operation: &RankOperation| operation.start <= time && time < operation.end;
        let open = self.list.iter().enumerate().filter(|(_, operation)| is_open(operation));
        open.max_by_key(|(_, operation)| operation.start).map(|(index, _)| index)
    }

    fn keys(&self) -> impl Iterator<Item = Key<'_>> {
        let mut keys = Keys::default();
        self.list.iter().map(move |operation| keys.next(&operation.operation, operation.step))
    }

    fn key(&self, index: usize) -> Option<Key<'_>> {
        self.keys().nth(index)
    }
}

/// An operation on one of its ranks.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    pub rank: Rank,
    pub operation: &'a RankOperation,
    /// Its start less the first start on any rank, in ns.
    pub late: i64,
}

/// The operation of a rank on all ranks that took part, that rank included; the last to begin is last.
pub fn members<'a>(of: &'a RankOperations, index: usize, others: &[&'a RankOperations]) -> Vec<Member<'a>> {
    let (Some(key), Some(own)) = (of.key(index), of.list.get(index)) else { return Vec::new() };
    let mut members = vec![Member { rank: of.rank, operation: own, late: 0 }];
    for other in others.iter().filter(|other| other.rank != of.rank) {
        let same = other.keys().position(|known| known == key).and_then(|place| other.list.get(place));
        members.extend(same.map(|operation| Member { rank: other.rank, operation, late: 0 }));
    }
    members.sort_by_key(|member| (member.operation.start, member.rank));
    let first = members.first().map_or(own.start, |member| member.operation.start);
    members.iter_mut().for_each(|member| member.late = member.operation.start - first);
    members
}

/// Start skew of one operation, in ns: the last start less the first, by the clocks of the hosts. `None` of no start.
pub fn start_skew(starts: impl Iterator<Item = i64> + Clone) -> Option<i64> {
    Some(starts.clone().max()? - starts.min()?)
}

/// How long an operation moved data and waited for others, in ns, as the profile's own summary says.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ReportedTime {
    /// With the hash of the group or without.
    name: Text,
    start: Option<f64>,
    transit: Option<i64>,
    wait: Option<i64>,
}

/// What the summaries of each rank say of its operations.
#[derive(Serialize)]
struct ReportedTimes;

const NS_PER_MS: f64 = 1e6;

impl Analysis for ReportedTimes {
    type Extract = Vec<ReportedTime>;
    const NAME: &'static str = "reported_times";
    const VERSION: u32 = 1;

    fn needs(&self) -> Selection {
        Selection::of(&[TableId::ReportedComm])
    }

    fn map(&self, rank: &RankData<'_>) -> Result<Vec<ReportedTime>, Absent> {
        let ns = |ms: Option<f64>| ms.map(|ms| (ms * NS_PER_MS).round() as i64);
        let time = |row: reported_comm::Row| ReportedTime {
            name: rank.tables.text(row.name).into(),
            start: row.start.map(|us| us * 1e3),
            transit: ns(row.transit),
            wait: ns(row.wait),
        };
        Ok(rank.tables.rows::<reported_comm::Row>().map(time).collect())
    }
}

/// How long an operation of a rank moved data and waited for others, in ns, where the profile's own summary says so.
pub fn reported_times(
    store: &Store,
    source: &RankSource,
    name: &str,
    start: i64,
) -> Result<(Option<i64>, Option<i64>), StoreError> {
    let is_this_operation = |reported: &&ReportedTime| {
        let starts_alike = reported.start.is_none_or(|ns| (ns - start as f64).abs() < NS_PER_MS);
        (&*reported.name == name || reported.name.split('@').next() == Some(name)) && starts_alike
    };
    let of_rank = extracts_by_rank(store, &[source], &ReportedTimes)?;
    let found = of_rank.iter().flat_map(|(_, times)| times).find(is_this_operation);
    Ok(found.map(|reported| (reported.transit, reported.wait)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use crate::communication::Direction;

    use super::*;

    fn operation(kind: &str, direction: Option<Direction>, start: i64) -> RankOperation {
        let operation = Operation {
            group: "g".into(),
            group_key: GroupKey("g".into()),
            kind: kind.into(),
            name: format!("{kind}_{start}").into(),
            bytes: 8,
            direction,
            pair: direction.map(|_| (0, 1)),
        };
        RankOperation { operation, step: Some(3), start, end: start + 10 }
    }

    #[test]
    fn both_ends_of_a_transfer_and_all_of_a_collective_meet() {
        let list = vec![
            operation("allreduce", None, 0),
            operation("send", Some(Direction::Send), 20),
            operation("allreduce", None, 40),
        ];
        let first = RankOperations { rank: Rank(0), list };
        let list = vec![
            operation("allreduce", None, 5),
            operation("receive", Some(Direction::Receive), 15),
            operation("allreduce", None, 100),
        ];
        let second = RankOperations { rank: Rank(1), list };
        let met = |index| {
            let members = members(&first, index, &[&first, &second]);
            members.iter().map(|member| (member.rank.0, member.operation.start)).collect::<Vec<_>>()
        };
        assert_eq!(met(0), [(0, 0), (1, 5)]);
        assert_eq!(met(1), [(1, 15), (0, 20)]);
        assert_eq!(met(2), [(0, 40), (1, 100)]);
        let late = members(&first, 2, &[&second]).iter().map(|member| member.late).collect::<Vec<_>>();
        assert_eq!((late, start_skew([40, 100].into_iter())), (vec![0, 60], Some(60)));
        assert_eq!((first.open_at(45), first.open_at(60)), (Some(2), None));
        assert_eq!(first.starting("send_20", 20), Some(1));
    }
}
