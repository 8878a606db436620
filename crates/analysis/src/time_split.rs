//! Where the time of devices went: computing by what kernels do, exposed communication by group, free time.
//!
//! The parts add up to the device time of the steps in scope, without overlap and without rest:
//!
//! > computing + exposed communication + free = device time ([`npuscope_measures::step::DeviceTime`])
//!
//! Where several kernels run at once, the time counts for the one that began first, and so for operations. An operation
//! counts where no kernel computes. Free time in which a copy between host and device runs is copying, the rest idle.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use npuscope_formats::source::RankSource;
use npuscope_measures::busy::Busy;
use npuscope_measures::communication::{is_communication_core, kind, op_type};
use npuscope_measures::intervals::{Interval, clip, subtract, total, union};
use npuscope_measures::kernel_class::KernelClass;
use npuscope_measures::step::{self, Clock, DeviceTime, Step};
use npuscope_store::{Store, StoreError};
use npuscope_tables::column::CellView;
use npuscope_tables::table::{comm_op, kernel};
use npuscope_tables::{Memo, RankTables, Selection, Str, TableId};
use serde::{Deserialize, Serialize};

use crate::communication::{GroupKey, group_key};
use crate::extract::{Absent, Analysis, RankData, Text, extracts_by_rank};
use crate::scope::Scope;

/// Which of the three summands of the device time a part belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Category {
    Computing,
    ExposedCommunication,
    Free,
}

impl Category {
    pub const fn name(self) -> &'static str {
        match self {
            Category::Computing => "computing",
            Category::ExposedCommunication => "exposed_communication",
            Category::Free => "free",
        }
    }
}

/// What a part is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    pub category: Category,
    /// Class of kernels, kind of operations, `copying` or `idle`.
    pub part: Text,
    /// Hash of the communication group.
    pub group: Option<GroupKey>,
}

/// A part of the time of devices, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Time that counts for this part and no other.
    pub time: i64,
    /// Kernels, operations or stretches that reach into the time in scope, and their durations in all: what runs at the
    /// same time counts in each.
    pub count: i64,
    pub durations: i64,
    pub min: Option<i64>,
    pub max: Option<i64>,
}

impl Part {
    fn add(&mut self, duration: i64) {
        self.merge(&Part { time: 0, count: 1, durations: duration, min: Some(duration), max: Some(duration) });
    }

    fn merge(&mut self, other: &Part) {
        self.time += other.time;
        self.count += other.count;
        self.durations += other.durations;
        self.min = [self.min, other.min].into_iter().flatten().min();
        self.max = self.max.max(other.max);
    }

    /// Mean of the durations: `durations / count`; `None` where none are known.
    pub fn average(&self) -> Option<f64> {
        (self.count > 0).then(|| self.durations as f64 / self.count as f64)
    }
}

/// The time of one device or of several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// Device time in scope.
    pub device_time: i64,
    /// Windows that are summed up: steps of ranks, or stretches.
    pub windows: i64,
    pub parts: BTreeMap<Key, Part>,
}

impl Split {
    /// The splits of several ranks together.
    pub fn sum<'a>(splits: impl IntoIterator<Item = &'a Split>) -> Split {
        let mut sum = Split::default();
        for split in splits {
            sum.device_time += split.device_time;
            sum.windows += split.windows;
            for (key, part) in &split.parts {
                sum.parts.entry(key.clone()).or_default().merge(part);
            }
        }
        sum
    }

    /// Time of a category: the sum of its parts.
    pub fn time(&self, category: Category) -> i64 {
        self.parts.iter().filter(|(key, _)| key.category == category).map(|(_, part)| part.time).sum()
    }

    /// Share of the device time: `time / device time`.
    pub fn share(&self, part: &Part) -> Option<f64> {
        (self.device_time > 0).then(|| part.time as f64 / self.device_time as f64)
    }

    /// Mean over steps of ranks: `time / windows`.
    pub fn per_step(&self, part: &Part) -> Option<f64> {
        (self.windows > 0).then(|| part.time as f64 / self.windows as f64)
    }

    fn part(&mut self, category: Category, part: &str, group: Option<&GroupKey>) -> &mut Part {
        self.parts.entry(Key { category, part: part.into(), group: group.cloned() }).or_default()
    }

    fn add_reported(&mut self, device: &DeviceTime) {
        self.windows += 1;
        self.device_time += device.time();
        for (category, name, time) in [
            (Category::Computing, KernelClass::Other.name(), device.computing),
            (Category::ExposedCommunication, "", device.exposed),
            (Category::Free, "idle", device.free),
        ] {
            self.part(category, name, None).time += time;
        }
    }
}

/// What the splits of a rank are computed from: the whole rank and each of its steps divide the same work.
struct Work {
    steps: Vec<Step>,
    busy: Busy,
    computing: Slices,
    communication: Slices,
}

impl Work {
    const NEEDS: Selection = step::NEEDS;

    fn of(tables: &RankTables) -> Work {
        let busy = Busy::of(tables);
        Work {
            steps: step::steps(tables),
            computing: Slices::of_kernels(tables, &busy),
            communication: Slices::of_operations(tables, &busy),
            busy,
        }
    }

    /// How the time in scope divides.
    fn split(&self, scope: &Scope) -> Split {
        let mut split = Split::default();
        // Only a file of step times was kept.
        if self.steps.iter().any(|step| step.clock == Clock::File) {
            let chosen = self.steps.iter().filter(|step| scope.has_step(step.id, None));
            chosen.filter_map(|step| step.device.as_ref()).for_each(|device| split.add_reported(device));
            return split;
        }
        let windows = scope.device_windows(&self.steps, &self.busy);
        split.windows = windows.len() as i64;
        split.device_time = windows.iter().map(|window| window.end - window.start).sum();
        if windows.is_empty() {
            return split;
        }
        self.computing.add_to(&mut split, &windows);
        self.communication.add_to(&mut split, &windows);
        let within = |list: &[Interval]| windows.iter().flat_map(|window| clip(list, *window)).collect::<Vec<_>>();
        let bare = |list: &[Interval]| subtract(&subtract(list, &self.busy.computing), &self.busy.communication);
        let (free, copying) = (bare(&union(windows.clone())), bare(&within(&self.busy.copying)));
        for (name, list) in [("copying", &copying), ("idle", &subtract(&free, &copying))] {
            if !list.is_empty() {
                let part = split.part(Category::Free, name, None);
                list.iter().for_each(|interval| part.add(interval.end - interval.start));
                part.time = part.durations;
            }
        }
        split
    }
}

/// Kernels or operations, each with the number of its key.
struct Slices {
    category: Category,
    /// Class or kind, and group.
    keys: Vec<(String, Option<GroupKey>)>,
    /// By start.
    list: Vec<(Interval, usize)>,
    /// The time that counts for each key: neither a slice that began before nor anything that hides these runs.
    own: Vec<Vec<Interval>>,
}

impl Slices {
    fn new(
        category: Category,
        keys: Vec<(String, Option<GroupKey>)>,
        mut list: Vec<(Interval, usize)>,
        hidden: &[Interval],
    ) -> Slices {
        list.sort_unstable();
        let mut own: Vec<Vec<Interval>> = vec![Vec::new(); keys.len()];
        let mut covered = i64::MIN;
        for (interval, key) in &list {
            let start = interval.start.max(covered);
            if let Some(own) = own.get_mut(*key).filter(|_| start < interval.end) {
                own.push(Interval { start, end: interval.end });
            }
            covered = covered.max(interval.end);
        }
        let own = own.iter().map(|own| subtract(own, hidden)).collect();
        Slices { category, keys, list, own }
    }

    fn of_kernels(tables: &RankTables, busy: &Busy) -> Slices {
        let mut classes: HashMap<(Option<Str>, Str, Option<Str>), usize> = HashMap::new();
        let number = |class: KernelClass| KernelClass::ALL.iter().position(|known| *known == class).unwrap_or_default();
        let mut cores = Memo::default();
        let mut kernels: Vec<(Interval, usize)> = Vec::new();
        for (view, rows) in tables.views::<kernel::Row>() {
            for row in 0..rows {
                let core = view.core.get(row);
                if core.is_some_and(|core| cores.get(core, || is_communication_core(tables.text(core)))) {
                    continue;
                }
                let (kind, name) = (view.op_type.get(row), view.name.get(row));
                let class = *classes.entry((kind, name, core)).or_insert_with(|| {
                    let text = |text| tables.opt_text(text).unwrap_or_default();
                    number(KernelClass::of(text(kind), tables.text(name), text(core)))
                });
                let start = view.start.get(row);
                kernels.push((Interval::new(start.0, start.plus(view.duration.get(row).ns()).0), class));
            }
        }
        // A trace alone says when kernels ran, not which.
        if kernels.is_empty() {
            let other = number(KernelClass::Other);
            kernels.extend(busy.computing.iter().map(|interval| (*interval, other)));
        }
        let keys = KernelClass::ALL.iter().map(|class| (class.name().to_owned(), None)).collect();
        Slices::new(Category::Computing, keys, kernels, &[])
    }

    fn of_operations(tables: &RankTables, busy: &Busy) -> Slices {
        let mut keys: Vec<(String, Option<GroupKey>)> = Vec::new();
        let mut numbers: BTreeMap<(String, Option<GroupKey>), usize> = BTreeMap::new();
        let mut operations: Vec<(Interval, usize)> = Vec::new();
        for op in tables.rows::<comm_op::Row>() {
            let key = (kind(op_type(tables, &op)), Some(group_key(tables, &op)));
            let number = *numbers.entry(key).or_insert_with_key(|key| {
                keys.push(key.clone());
                keys.len() - 1
            });
            operations.push((Interval::new(op.start.0, op.start.plus(op.duration.ns()).0), number));
        }
        if operations.is_empty() {
            keys.push(("operations".to_owned(), None));
            operations.extend(busy.communication.iter().map(|interval| (*interval, 0)));
        }
        Slices::new(Category::ExposedCommunication, keys, operations, &busy.computing)
    }

    /// Adds the time in the windows that counts for each key, and the slices that reach into them.
    fn add_to(&self, split: &mut Split, windows: &[Interval]) {
        let mut parts = vec![Part::default(); self.keys.len()];
        let end = windows.last().map_or(i64::MIN, |window| window.end);
        for (interval, key) in self.list.iter().take_while(|(interval, _)| interval.start < end) {
            let after = windows.partition_point(|window| window.end <= interval.start);
            let is_reached = |window: &&Interval| window.start < interval.end.max(interval.start.saturating_add(1));
            if let (Some(_), Some(part)) = (windows.get(after).filter(is_reached), parts.get_mut(*key)) {
                part.add(interval.end - interval.start);
            }
        }
        for ((mut part, own), (name, group)) in parts.into_iter().zip(&self.own).zip(&self.keys) {
            part.time = windows.iter().map(|window| total(&clip(own, *window))).sum();
            if part.count > 0 || part.time > 0 {
                split.part(self.category, name, group.as_ref()).merge(&part);
            }
        }
    }
}

/// The extract of a rank.
#[derive(Serialize, Deserialize)]
struct RankSplits {
    /// Whether anything of the device was recorded.
    has_device: bool,
    all: Split,
    /// By number of the step.
    steps: BTreeMap<i64, Split>,
}

impl RankSplits {
    /// The split of the chosen step, of all if none is.
    fn of_step(mut self, step: Option<i64>) -> Split {
        step.map_or(self.all, |step| self.steps.remove(&step).unwrap_or_default())
    }
}

/// The splits of each rank.
#[derive(Serialize)]
struct Splits;

impl Analysis for Splits {
    type Extract = RankSplits;
    const NAME: &'static str = "time_split";
    const VERSION: u32 = 1;

    fn needs(&self) -> Selection {
        Work::NEEDS
    }

    fn map(&self, rank: &RankData<'_>) -> Result<RankSplits, Absent> {
        let work = Work::of(&rank.tables);
        let of_step = |id: i64| (id, work.split(&Scope { step: Some(id), ..Scope::default() }));
        let numbers: BTreeSet<i64> = work.steps.iter().filter_map(|step| step.id).collect();
        Ok(RankSplits {
            has_device: !rank.tables.is_empty(TableId::Task) || !rank.tables.is_empty(TableId::Kernel),
            all: work.split(&Scope::default()),
            steps: numbers.into_iter().map(of_step).collect(),
        })
    }
}

/// How the time of the devices of some ranks divides; `None` if nothing was recorded of any device of the job.
pub fn ask(store: &Store, sources: &[&RankSource], scope: &Scope) -> Result<Option<Split>, StoreError> {
    let kept = |sources: &[&RankSource]| extracts_by_rank(store, sources, &Splits);
    let of_ranks: Vec<Split> = match scope.is_stretch() {
        true => store.each(sources, Work::NEEDS, |_, tables| Work::of(&tables).split(scope))?,
        false => kept(sources)?.into_iter().map(|(_, rank)| rank.of_step(scope.step)).collect(),
    };
    let split = Split::sum(&of_ranks);
    let all: Vec<&RankSource> = store.profile().ranks.iter().collect();
    let is_answer = split.windows > 0 || kept(&all)?.iter().any(|(_, rank)| rank.has_device);
    Ok(is_answer.then_some(split))
}

#[cfg(test)]
mod tests {
    use npuscope_tables::{Ns, RankBuilder, Span};

    use super::*;

    fn tables() -> RankTables {
        let mut rank = RankBuilder::default();
        for (name, start, end) in [("MatMul", 0, 40), ("Add", 30, 60), ("MatMul", 35, 38)] {
            let name = rank.strings.intern(name);
            let duration = Span::from_ns(end - start);
            rank.kernel.push(kernel::Row { name, start: Ns(start), duration, ..Default::default() });
        }
        for (name, start, end) in [("hcom_allReduce__1_0_1", 50, 80), ("hcom_send__2_0_1", 70, 100)] {
            let name = rank.strings.intern(name);
            let duration = Span::from_ns(end - start);
            rank.comm_op.push(comm_op::Row { name, start: Ns(start), duration, ..Default::default() });
        }
        rank.finish()
    }

    fn time(split: &Split, part: &str) -> (i64, i64) {
        let found = split.parts.iter().find(|(key, _)| &*key.part == part);
        found.map(|(_, part)| (part.time, part.count)).unwrap_or_default()
    }

    #[test]
    fn what_began_first_has_the_time() {
        let split = Work::of(&tables()).split(&Scope::default());
        assert_eq!((split.device_time, split.windows), (100, 1));
        assert_eq!((time(&split, "matmul"), time(&split, "other")), ((40, 2), (20, 1)));
        assert_eq!((time(&split, "allreduce"), time(&split, "send")), ((20, 1), (20, 1)));
        assert_eq!(split.time(Category::Computing) + split.time(Category::ExposedCommunication), 100);
    }

    #[test]
    fn a_stretch_of_time_cuts_the_parts() {
        let scope = Scope { begin: Some(55), end: Some(200), ..Scope::default() };
        let split = Work::of(&tables()).split(&scope);
        assert_eq!((split.device_time, time(&split, "other"), time(&split, "matmul")), (45, (5, 1), (0, 0)));
        let twice = Split::sum([&split, &split]);
        assert_eq!((twice.device_time, time(&twice, "send")), (90, (40, 2)));
    }
}
