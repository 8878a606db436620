//! Where the time of devices went: computing by what kernels do, exposed communication by group, free time.
//!
//! The parts add up to the device time of the steps in scope, without overlap and without rest:
//!
//! > computing + exposed communication + free = device time ([`npuscope_measures::step::DeviceTime`])
//!
//! Where several kernels run at once, the time counts for the one that began first, and so for operations. An operation
//! counts where no kernel computes. Free time in which a copy between host and device runs is copying, the rest idle.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use npuscope_measures::busy::Busy;
use npuscope_measures::communication::{is_communication_core, kind, op_type};
use npuscope_measures::intervals::{Interval, clip, subtract, total, union};
use npuscope_measures::kernel_class::KernelClass;
use npuscope_measures::step::{self, Clock, DeviceTime};
use npuscope_tables::column::CellView;
use npuscope_tables::table::{comm_op, kernel};
use npuscope_tables::{Memo, RankTables, Selection, Str};

use crate::communication::{GroupKey, group_key};
use crate::scope::Scope;

/// What a rank's split is computed from.
pub const NEEDS: Selection = step::NEEDS;

/// Which of the three summands of the device time a part belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub category: Category,
    /// Class of kernels, kind of operations, `copying` or `idle`.
    pub part: String,
    /// Hash of the communication group.
    pub group: Option<GroupKey>,
}

/// A part of the time of devices, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
}

/// The time of one device or of several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// Device time in scope.
    pub device_time: i64,
    /// Windows that are summed up: steps of ranks, or stretches.
    pub windows: i64,
    pub parts: BTreeMap<Key, Part>,
}

impl Split {
    /// The split of a rank.
    pub fn of(tables: &RankTables, scope: &Scope) -> Split {
        let steps = step::steps(tables);
        let busy = Busy::of(tables);
        let mut split = Split::default();
        // Only a file of step times was kept.
        if steps.iter().any(|step| step.clock == Clock::File) {
            let chosen = steps.iter().filter(|step| scope.has_step(step.id, None));
            chosen.filter_map(|step| step.device.as_ref()).for_each(|device| split.add_reported(device));
            return split;
        }
        let windows = scope.device_windows(&steps, &busy);
        split.windows = windows.len() as i64;
        split.device_time = windows.iter().map(|window| window.end - window.start).sum();
        if windows.is_empty() {
            return split;
        }
        split.add_computing(tables, &busy, &windows);
        split.add_communication(tables, &busy, &windows);
        let within = |list: &[Interval]| windows.iter().flat_map(|window| clip(list, *window)).collect::<Vec<_>>();
        let free = subtract(&subtract(&union(windows.clone()), &busy.computing), &busy.communication);
        let copying = subtract(&subtract(&within(&busy.copying), &busy.computing), &busy.communication);
        for (name, list) in [("copying", &copying), ("idle", &subtract(&free, &copying))] {
            if !list.is_empty() {
                let part = split.part(Category::Free, name, None);
                list.iter().for_each(|interval| part.add(interval.end - interval.start));
                part.time = part.durations;
            }
        }
        split
    }

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

    fn part(&mut self, category: Category, part: &str, group: Option<GroupKey>) -> &mut Part {
        self.parts.entry(Key { category, part: part.to_owned(), group }).or_default()
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

    fn add_computing(&mut self, tables: &RankTables, busy: &Busy, windows: &[Interval]) {
        let mut classes: HashMap<(Option<Str>, Str, Option<Str>), KernelClass> = HashMap::new();
        let mut cores = Memo::default();
        let mut kernels: Vec<(Interval, KernelClass)> = Vec::new();
        for (view, rows) in tables.views::<kernel::Row>() {
            for row in 0..rows {
                let core = view.core.get(row);
                if core.is_some_and(|core| cores.get(core, || is_communication_core(tables.text(core)))) {
                    continue;
                }
                let (kind, name) = (view.op_type.get(row), view.name.get(row));
                let class = *classes.entry((kind, name, core)).or_insert_with(|| {
                    let text = |text| tables.opt_text(text).unwrap_or_default();
                    KernelClass::of(text(kind), tables.text(name), text(core))
                });
                let start = view.start.get(row);
                kernels.push((Interval::new(start.0, start.plus(view.duration.get(row).ns()).0), class));
            }
        }
        // A trace alone says when kernels ran, not which.
        if kernels.is_empty() {
            kernels.extend(busy.computing.iter().map(|interval| (*interval, KernelClass::Other)));
        }
        let key = |class: KernelClass| (class.name().to_owned(), None);
        self.add_slices(Category::Computing, kernels, key, &[], windows);
    }

    fn add_communication(&mut self, tables: &RankTables, busy: &Busy, windows: &[Interval]) {
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
        let key = |number: usize| keys.get(number).cloned().unwrap_or_default();
        self.add_slices(Category::ExposedCommunication, operations, key, &busy.computing, windows);
    }

    /// Adds slices by their key: the time in the windows in which neither a slice that began before nor anything of
    /// `hidden` was running.
    fn add_slices<K: Copy + Ord>(
        &mut self,
        category: Category,
        mut slices: Vec<(Interval, K)>,
        key: impl Fn(K) -> (String, Option<GroupKey>),
        hidden: &[Interval],
        windows: &[Interval],
    ) {
        slices.sort_by_key(|(interval, key)| (*interval, *key));
        let mut own: BTreeMap<K, (Vec<Interval>, Part)> = BTreeMap::new();
        let mut covered = i64::MIN;
        for (interval, of) in slices {
            let (list, part) = own.entry(of).or_default();
            let after = windows.partition_point(|window| window.end <= interval.start);
            if windows.get(after).is_some_and(|window| window.start < interval.end.max(interval.start + 1)) {
                part.add(interval.end - interval.start);
            }
            let start = interval.start.max(covered);
            if start < interval.end {
                list.push(Interval { start, end: interval.end });
            }
            covered = covered.max(interval.end);
        }
        for (of, (list, mut part)) in own {
            let shown = subtract(&list, hidden);
            part.time = windows.iter().map(|window| total(&clip(&shown, *window))).sum();
            if part.count > 0 || part.time > 0 {
                let (name, group) = key(of);
                self.part(category, &name, group).merge(&part);
            }
        }
    }
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
        let found = split.parts.iter().find(|(key, _)| key.part == part);
        found.map(|(_, part)| (part.time, part.count)).unwrap_or_default()
    }

    #[test]
    fn what_began_first_has_the_time() {
        let split = Split::of(&tables(), &Scope::default());
        assert_eq!((split.device_time, split.windows), (100, 1));
        assert_eq!((time(&split, "matmul"), time(&split, "other")), ((40, 2), (20, 1)));
        assert_eq!((time(&split, "allreduce"), time(&split, "send")), ((20, 1), (20, 1)));
        assert_eq!(split.time(Category::Computing) + split.time(Category::ExposedCommunication), 100);
    }

    #[test]
    fn a_stretch_of_time_cuts_the_parts() {
        let scope = Scope { begin: Some(55), end: Some(200), ..Scope::default() };
        let split = Split::of(&tables(), &scope);
        assert_eq!((split.device_time, time(&split, "other"), time(&split, "matmul")), (45, (5, 1), (0, 0)));
        let twice = Split::sum([&split, &split]);
        assert_eq!((twice.device_time, time(&twice, "send")), (90, (40, 2)));
    }
}
