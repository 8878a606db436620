//! What ranks report about the groups they communicate in.

use std::collections::{BTreeMap, BTreeSet};

use npuscope_formats::info::Settings;
use npuscope_tables::table::{comm_op, reported_comm, reported_link};
use npuscope_tables::{Rank, RankTables, Selection, Str, TableId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Known, MAX_RANKS, Sizes};
use crate::communication::{DeclaredGroup, GroupKey, OpClass, group_key, parallel_groups};

/// What one rank reports about the layout.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankGroups {
    /// `distributed_args` of its metadata.
    #[serde(with = "json_text")]
    pub distributed_args: Option<Value>,
    /// Groups that its metadata lists.
    pub declared: Vec<DeclaredGroup>,
    /// Groups it communicated in, by hash.
    pub used: Vec<UsedGroup>,
    /// Steps in which it did.
    pub steps: usize,
}

/// A group that a rank communicated in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UsedGroup {
    pub hash: GroupKey,
    /// The name that the hash is of, where the source says it.
    pub name: Option<String>,
    /// The number of the rank within the group, if it reports a link to itself.
    pub local: Option<i64>,
    /// Number of ranks of the group: at least one more than the greatest number that a link reports.
    pub size: Option<i64>,
    pub operations: Operations,
}

/// How many operations of which class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operations {
    pub count: usize,
    pub point_to_point: usize,
    pub exchange: usize,
}

impl Operations {
    fn add(&mut self, class: OpClass) {
        self.count += 1;
        match class {
            OpClass::PointToPoint => self.point_to_point += 1,
            OpClass::Exchange => self.exchange += 1,
            OpClass::Collective => {}
        }
    }

    fn join(&mut self, other: Operations) {
        self.count += other.count;
        self.point_to_point += other.point_to_point;
        self.exchange += other.exchange;
    }

    /// Whether there is nothing but sending and receiving.
    pub fn is_point_to_point(&self) -> bool {
        self.count > 0 && self.point_to_point == self.count
    }

    /// Whether most are exchanges of all with all.
    pub fn is_exchange(&self) -> bool {
        2 * self.exchange > self.count
    }
}

impl RankGroups {
    /// The tables that are read: summaries of communication, because they are small. If they are missing, `comm_op`
    /// contains the same facts if it was read; links alone contain only members and classes of operations.
    pub const SELECTION: Selection = Selection::of(&[TableId::Metadata, TableId::ReportedComm, TableId::ReportedLink]);

    pub fn of(tables: &RankTables) -> RankGroups {
        let settings = Settings::of(tables);
        RankGroups {
            distributed_args: settings.get("distributed_args").filter(|args| args.is_object()).cloned(),
            declared: parallel_groups(tables),
            used: used(tables),
            steps: steps(tables),
        }
    }

    /// The sizes in the metadata, if they make sense. Some trainers count context-parallel ranks among the
    /// data-parallel ones.
    pub(super) fn sizes(&self) -> Option<Sizes> {
        let args = self.distributed_args.as_ref()?;
        let size = |key: &str| args.get(key).and_then(Value::as_i64).unwrap_or(1).max(1);
        let world = args.get("world_size").and_then(Value::as_i64).filter(|world| *world <= MAX_RANKS)?;
        let sizes = Sizes {
            tp: size("tensor_model_parallel_size"),
            cp: size("context_parallel_size"),
            dp: size("data_parallel_size"),
            pp: size("pipeline_model_parallel_size"),
            ep: size("expert_model_parallel_size"),
            world,
        };
        let dp = world / sizes.tp.checked_mul(sizes.cp)?.checked_mul(sizes.pp)?;
        [sizes, Sizes { dp, ..sizes }].into_iter().find(Sizes::is_sound)
    }
}

/// JSON in an extract, whose encoding is not self-describing: as text.
mod json_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    pub fn serialize<S: Serializer>(value: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(Value::to_string).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| serde_json::from_str(&text).map_err(D::Error::custom)).transpose()
    }
}

fn steps(tables: &RankTables) -> usize {
    let reported: BTreeSet<Option<Str>> = tables.rows::<reported_comm::Row>().map(|row| row.step).collect();
    reported.len().max(tables.len(TableId::Step)).max(1)
}

fn used(tables: &RankTables) -> Vec<UsedGroup> {
    let mut groups: BTreeMap<GroupKey, UsedGroup> = BTreeMap::new();
    let mut by_id: BTreeMap<Str, Operations> = BTreeMap::new();
    for row in tables.rows::<reported_comm::Row>() {
        let (Some(hash), name) = (row.group_hash, tables.text(row.name)) else { continue };
        by_id.entry(hash).or_default().add(OpClass::of(name));
    }
    for (hash, operations) in by_id {
        entry(&mut groups, GroupKey(tables.text(hash).into())).operations = operations;
    }
    if groups.is_empty() {
        for op in tables.rows::<comm_op::Row>() {
            let hash = group_key(tables, &op);
            if hash.is_unknown() {
                continue;
            }
            let group = entry(&mut groups, hash);
            group.name = group.name.take().or_else(|| tables.opt_text(op.group_name).map(str::to_owned));
            group.size = group.size.max(op.rank_size.filter(|size| *size <= MAX_RANKS));
            group.operations.add(OpClass::of(tables.text(op.name)));
        }
    }
    let has_operations = !groups.is_empty();
    for link in tables.rows::<reported_link::Row>() {
        let number = |end| tables.opt_text(end)?.parse::<i64>().ok().filter(|number| (0..MAX_RANKS).contains(number));
        let (Some(hash), Some(src), Some(dst)) =
            (tables.opt_text(link.group_hash), number(link.src_rank), number(link.dst_rank))
        else {
            continue;
        };
        let group = entry(&mut groups, GroupKey(hash.into()));
        group.size = group.size.max(Some(src.max(dst) + 1));
        if src == dst {
            group.local.get_or_insert(src);
        }
        if !has_operations {
            group.operations.add(OpClass::of(tables.text(link.name)));
        }
    }
    groups.into_values().collect()
}

fn entry(groups: &mut BTreeMap<GroupKey, UsedGroup>, hash: GroupKey) -> &mut UsedGroup {
    groups.entry(hash).or_insert_with_key(|hash| UsedGroup { hash: hash.clone(), ..UsedGroup::default() })
}

/// A group as all ranks together report it.
#[derive(Clone, Debug, Default)]
pub(super) struct SeenGroup {
    pub hash: GroupKey,
    pub name: Option<String>,
    pub pg_name: Option<String>,
    /// Its ranks as the metadata lists them.
    pub declared: Option<Vec<Rank>>,
    /// Ranks that used it, with their numbers within the group where known.
    pub users: BTreeMap<Rank, Option<i64>>,
    pub size: Option<i64>,
    pub operations: Operations,
    /// Steps of its users, in all.
    pub steps: usize,
}

/// Ranks at even distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub first: Rank,
    pub stride: i64,
    pub count: i64,
}

impl Row {
    pub fn ranks(&self) -> impl Iterator<Item = Rank> + use<> {
        let Row { first, stride, count } = *self;
        (0..count).map(move |number| Rank(first.0 + number * stride))
    }

    pub fn last(&self) -> Rank {
        Rank(self.first.0 + (self.count - 1) * self.stride)
    }

    pub fn has(&self, rank: Rank) -> bool {
        (self.first..=self.last()).contains(&rank) && (rank.0 - self.first.0) % self.stride == 0
    }
}

impl SeenGroup {
    /// Its ranks and how they are known.
    pub fn ranks(&self) -> (Vec<Rank>, Known) {
        match (&self.declared, self.numbered_row()) {
            (Some(ranks), _) => (ranks.clone(), Known::Declared),
            (None, Some(row)) => (row.ranks().collect(), Known::Reckoned),
            (None, None) => (self.users.keys().copied().collect(), Known::Seen),
        }
    }

    /// The row that its users are in: by their numbers within the group, or by the greatest distance that leads
    /// from each to the next. `None` for fewer than two, or more than there can be.
    pub fn row(&self) -> Option<Row> {
        let ranks: Vec<Rank> = match &self.declared {
            Some(ranks) => ranks.clone(),
            None => self.users.keys().copied().collect(),
        };
        let (first, last) = (*ranks.first()?, *ranks.last()?);
        if first == last {
            return None;
        }
        if self.declared.is_none()
            && let Some(row) = self.numbered_row()
        {
            return Some(row);
        }
        let stride = ranks.iter().fold(0, |stride, rank| greatest_divisor(stride, rank.0 - first.0));
        Some(Row { first, stride, count: (last.0 - first.0) / stride + 1 })
    }

    fn numbered_row(&self) -> Option<Row> {
        let numbered: Vec<(i64, i64)> =
            self.users.iter().filter_map(|(rank, local)| Some((rank.0, (*local)?))).collect();
        let (&(low, low_number), &(high, high_number)) = (numbered.first()?, numbered.last()?);
        let numbers = high_number - low_number;
        if numbers <= 0 || (high - low) % numbers != 0 {
            return None;
        }
        let stride = (high - low) / numbers;
        let first = low - low_number * stride;
        let count = self.size.unwrap_or(0).max(high_number + 1);
        let row = Row { first: Rank(first), stride, count };
        let fits = first >= 0 && numbered.iter().all(|(rank, number)| first + number * stride == *rank);
        (fits && row.last().0 < MAX_RANKS).then_some(row)
    }
}

fn greatest_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

/// All groups, by hash.
pub(super) fn seen_groups(ranks: &[(Rank, RankGroups)]) -> Vec<SeenGroup> {
    let mut groups: BTreeMap<GroupKey, SeenGroup> = BTreeMap::new();
    for (rank, reported) in ranks.iter().filter(|(rank, _)| (0..MAX_RANKS).contains(&rank.0)) {
        for used in &reported.used {
            let group = groups.entry(used.hash.clone()).or_default();
            group.name = group.name.take().or_else(|| used.name.clone());
            group.users.insert(*rank, used.local);
            group.size = group.size.max(used.size);
            group.operations.join(used.operations);
            group.steps += reported.steps;
        }
    }
    for declared in ranks.iter().flat_map(|(_, reported)| &reported.declared) {
        let group = groups.entry(declared.hash.clone()).or_default();
        group.name = Some(declared.id.clone());
        let purpose = Some(&declared.purpose).filter(|purpose| !purpose.is_empty());
        group.pg_name = group.pg_name.take().or_else(|| purpose.cloned());
        if group.declared.is_none() && !declared.ranks.is_empty() {
            group.declared = Some(declared.ranks.clone());
        }
    }
    groups.into_iter().map(|(hash, group)| SeenGroup { hash, ..group }).collect()
}
