//! Where the time of the host went, for jobs whose device was not recorded.

use std::collections::{HashMap, HashSet};

use npuscope_measures::link::STEP_PREFIX;
use npuscope_measures::step_of::Steps;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{host_op, step};
use npuscope_tables::{Rank, RankTables};
use serde::Serialize;

/// How many names are listed.
const MOST: usize = 8;

/// Ranges or operators of one name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostTime {
    pub name: String,
    /// Whether the user named it (mstx); else it is an operator.
    pub is_range: bool,
    /// Of each rank that has it, the mean over its steps, in milliseconds.
    pub ranks: Vec<(Rank, f64)>,
}

impl HostTime {
    /// The mean over the ranks that have it.
    #[expect(clippy::cast_precision_loss, reason = "a count of ranks")]
    pub fn mean(&self) -> f64 {
        self.ranks.iter().map(|(_, ms)| ms).sum::<f64>() / self.ranks.len().max(1) as f64
    }

    /// The rank that spends least in it, and the one that spends most.
    pub fn extremes(&self) -> Option<((Rank, f64), (Rank, f64))> {
        let by_time = |a: &&(Rank, f64), b: &&(Rank, f64)| a.1.total_cmp(&b.1);
        Some((*self.ranks.iter().min_by(by_time)?, *self.ranks.iter().max_by(by_time)?))
    }
}

/// Milliseconds of a step in each name, by whether the user gave it.
pub type Spent = HashMap<(bool, String), f64>;

/// What a rank spends in ranges, and in operators that no other is around, on average over its steps, or those of a
/// number; over all of it if no step is marked.
#[expect(clippy::cast_precision_loss, reason = "durations are far below 2^53 ns")]
pub fn spent(tables: &RankTables, wanted: Option<i64>) -> Spent {
    let steps = Steps::marked(tables);
    let is_wanted = |step: &&step::Row| wanted.is_none_or(|wanted| step.id == Some(wanted));
    let is_in_step = |row: &host_op::Row| {
        let step = || steps.as_slice().get(steps.place_at(row.start)?);
        steps.is_empty() || step().as_ref().is_some_and(is_wanted)
    };
    // Stages of one iteration are one step.
    let chosen = steps.iter().filter(is_wanted);
    let (numbers, unnumbered): (HashSet<_>, Vec<_>) = chosen.fold(Default::default(), |(mut ids, mut rest), step| {
        match step.id {
            Some(id) => drop(ids.insert(id)),
            None => rest.push(step),
        }
        (ids, rest)
    });
    let count = (numbers.len() + unnumbered.len()).max(1) as f64;
    let rows: Vec<host_op::Row> = tables.rows().collect();
    let is_marker = |row: &host_op::Row| tables.text(row.name).starts_with(STEP_PREFIX);
    let is_outermost = |row: &host_op::Row| {
        let parent = row.parent.and_then(|parent| rows.get(parent as usize));
        parent.is_none_or(|parent| is_marker(parent) || tables.text(parent.kind) != Kind::Op.name())
    };
    let mut spent = Spent::new();
    for row in rows.iter().filter(|row| row.duration.ns() > 0 && !is_marker(row) && is_in_step(row)) {
        let is_range = match tables.text(row.kind) {
            kind if kind == Kind::Mstx.name() => true,
            kind if kind == Kind::Op.name() && is_outermost(row) => false,
            _ => continue,
        };
        let time = spent.entry((is_range, tables.text(row.name).to_owned())).or_default();
        *time += row.duration.ns() as f64 / 1e6 / count;
    }
    spent
}

/// The names that most time goes to, the user's own first.
pub fn longest(ranks: &[(Rank, Spent)]) -> Vec<HostTime> {
    let mut names: HashMap<&(bool, String), Vec<(Rank, f64)>> = HashMap::new();
    for (rank, spent) in ranks {
        for (name, &time) in spent {
            names.entry(name).or_default().push((*rank, time));
        }
    }
    let times =
        names.into_iter().map(|((is_range, name), ranks)| HostTime { name: name.clone(), is_range: *is_range, ranks });
    let mut times: Vec<HostTime> = times.collect();
    times.sort_by(|a, b| {
        b.is_range.cmp(&a.is_range).then_with(|| b.mean().total_cmp(&a.mean())).then_with(|| a.name.cmp(&b.name))
    });
    times.truncate(MOST);
    times
}

#[cfg(test)]
mod tests {
    use npuscope_tables::{Ns, RankBuilder, Span};

    use super::*;

    #[test]
    fn ranges_and_outermost_operators_inside_of_steps_count() {
        let mut rank = RankBuilder::default();
        for (id, start) in [(1, 0), (2, 10_000_000)] {
            rank.step.push(step::Row { id: Some(id), start: Ns(start), end: Ns(start + 8_000_000) });
        }
        let slices = [
            (Kind::Op, "ProfilerStep#1", 0, 8, None),
            (Kind::Mstx, "dataloader", 0, 1, None),
            (Kind::Python, "train.py(1): main", 0, 8, None),
            (Kind::Op, "linear", 1, 4, Some(0)),
            (Kind::Op, "matmul", 2, 2, Some(3)),
            (Kind::Mstx, "between steps", 9, 1, None),
            (Kind::Mstx, "dataloader", 10, 3, None),
        ];
        for (kind, name, start, ms, parent) in slices {
            let (kind, name) = (rank.strings.intern(kind.name()), rank.strings.intern(name));
            let duration = Span::from_ns(ms * 1_000_000);
            let start = Ns(start * 1_000_000);
            rank.host_op.push(host_op::Row { kind, name, start, duration, parent, ..host_op::Row::default() });
        }
        let spent = spent(&rank.finish(), None);
        let longest = longest(&[(Rank(3), spent.clone()), (Rank(4), spent)]);
        let listed: Vec<_> = longest.iter().map(|time| (time.name.as_str(), time.is_range, time.mean())).collect();
        assert_eq!(listed, [("dataloader", true, 2.0), ("linear", false, 2.0)]);
        assert_eq!(longest[0].ranks.len(), 2);
    }

    #[test]
    fn the_ranks_that_spend_least_and_most_are_named() {
        let time = HostTime {
            name: "load".to_owned(),
            is_range: true,
            ranks: vec![(Rank(0), 2.0), (Rank(1), 5.0), (Rank(2), 1.0)],
        };
        assert_eq!(time.extremes(), Some(((Rank(2), 1.0), (Rank(1), 5.0))));
    }
}
