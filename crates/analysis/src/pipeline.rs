//! A pipeline: passes, transfers between its stages, and the time in which a stage waits.

use std::collections::BTreeMap;

use npuscope_measures::busy::Busy;
use npuscope_measures::communication::{Direction, direction_of};
use npuscope_measures::intervals::{Interval, gaps, subtract, union};
use npuscope_measures::step_of::{self, StepOf};
use npuscope_tables::table::{comm_op, step};
use npuscope_tables::{Rank, RankTables, Selection};

use crate::cluster::recipes::pp_chart::Pass;
use crate::scope::Scope;

/// What a bar shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Forward,
    Backward,
    Send,
    /// A receive, or a batch of transfers, which ends with what it receives.
    Receive,
    /// A receive runs and no kernel computes: [`npuscope_measures::step::DeviceTime::bubble`].
    Bubble,
    /// Between two passes of a step, without computing and without a receive.
    Idle,
}

impl Kind {
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Forward => "forward",
            Kind::Backward => "backward",
            Kind::Send => "send",
            Kind::Receive => "recv",
            Kind::Bubble => "bubble",
            Kind::Idle => "idle",
        }
    }
}

/// A bar of the chart. Times are ns since the epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    pub rank: Rank,
    pub name: String,
    pub kind: Kind,
    pub micro_batch: Option<i64>,
    pub start: i64,
    pub duration: i64,
}

impl Bar {
    pub fn end(&self) -> i64 {
        self.start + self.duration
    }

    fn waiting(rank: Rank, kind: Kind, interval: Interval) -> Bar {
        let (start, duration) = (interval.start, interval.end - interval.start);
        Bar { rank, name: kind.name().to_owned(), kind, micro_batch: None, start, duration }
    }
}

/// Shorter bubbles and idle times are not shown.
const SLIVER: i64 = 10_000;

/// What is kept of a rank.
#[derive(Clone, Debug, Default)]
pub struct RankTransfers {
    rank: Rank,
    transfers: Vec<Bar>,
    /// Starts of the chosen steps, in order.
    steps: Vec<i64>,
    computing: Vec<Interval>,
    /// Receives without computing.
    bubbles: Vec<Interval>,
}

impl RankTransfers {
    /// What it is read from.
    pub const NEEDS: Selection = Busy::NEEDS.and(step_of::needs(Busy::NEEDS));

    pub fn of(rank: Rank, tables: &RankTables, scope: &Scope) -> RankTransfers {
        let of_step = |step: &step::Row| scope.step.is_none_or(|wanted| step.id == Some(wanted));
        let marked: Vec<step::Row> = tables.rows::<step::Row>().filter(of_step).collect();
        let step_of = scope.step.map(|_| StepOf::of(tables));
        let bar = |op: comm_op::Row| {
            if step_of.as_ref().is_some_and(|step_of| step_of.operation(&op) != scope.step) {
                return None;
            }
            let kind = if direction_of(tables, &op)? == Direction::Send { Kind::Send } else { Kind::Receive };
            let (name, start) = (tables.text(op.name).to_owned(), op.start.0);
            Some(Bar { rank, name, kind, micro_batch: None, start, duration: op.duration.ns() })
        };
        let mut transfers: Vec<Bar> = tables.rows::<comm_op::Row>().filter_map(bar).collect();
        transfers.retain(|bar| scope.reaches(bar.start, bar.end()));
        transfers.sort_by_key(|bar| bar.start);
        let busy = Busy::of(tables);
        let receives = transfers.iter().filter(|bar| bar.kind == Kind::Receive);
        let receiving = union(receives.map(|bar| Interval::new(bar.start, bar.end())).collect());
        let bubbles = subtract(&receiving, &busy.computing);
        let mut steps: Vec<i64> = marked.iter().map(|step| step.start.0).collect();
        steps.sort_unstable();
        RankTransfers { rank, transfers, steps, computing: busy.computing, bubbles }
    }
}

/// Whether any rank transfers to another.
pub fn has_transfers(ranks: &[RankTransfers]) -> bool {
    ranks.iter().any(|rank| !rank.transfers.is_empty())
}

/// Passes, transfers, bubbles and idle times in scope, by rank and start.
pub fn bars(passes: &[(Rank, Vec<Pass>)], ranks: Vec<RankTransfers>, scope: &Scope) -> Vec<Bar> {
    let mut bars: Vec<Bar> =
        passes.iter().flat_map(|(rank, passes)| passes.iter().map(|pass| bar_of(*rank, pass))).collect();
    bars.sort_by_key(|bar| (bar.rank, bar.start));
    let steps: BTreeMap<Rank, Vec<i64>> = ranks.iter().map(|rank| (rank.rank, rank.steps.clone())).collect();
    number(&mut bars, &steps);
    let pauses = pauses(&bars, &steps);
    for rank in ranks {
        let idle = subtract(pauses.get(&rank.rank).map(Vec::as_slice).unwrap_or_default(), &rank.computing);
        let idle = subtract(&idle, &rank.bubbles);
        let waits = rank.bubbles.iter().map(|interval| (Kind::Bubble, *interval));
        let waits = waits.chain(idle.into_iter().map(|interval| (Kind::Idle, interval)));
        let waits = waits.filter(|(_, interval)| interval.end - interval.start >= SLIVER);
        bars.extend(waits.map(|(kind, interval)| Bar::waiting(rank.rank, kind, interval)));
        bars.extend(rank.transfers);
    }
    bars.retain(|bar| scope.reaches(bar.start, bar.end()));
    bars.sort_by(|a, b| (a.rank, a.start, b.duration).cmp(&(b.rank, b.start, a.duration)));
    bars
}

/// A pass. Those of a DualPipeV have names such as `3`, `3F+5B`, `5B`, `5w`; with both passes in one it counts as
/// forward.
fn bar_of(rank: Rank, pass: &Pass) -> Bar {
    let name = pass.name.as_str();
    let is_backward = name == "BP" || (!name.contains('+') && name.ends_with(['B', 'b', 'w']));
    let digits = name.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(name.len());
    Bar {
        rank,
        name: name.to_owned(),
        kind: if is_backward { Kind::Backward } else { Kind::Forward },
        micro_batch: name.get(..digits).and_then(|number| number.parse().ok()),
        start: pass.start.0,
        duration: pass.end.since(pass.start),
    }
}

/// Numbers passes of each kind within a step, if their names do not. Steps have as many of them; where that is not so,
/// all are numbered on.
fn number(bars: &mut [Bar], steps: &BTreeMap<Rank, Vec<i64>>) {
    let mut counts: BTreeMap<(Rank, Kind), usize> = BTreeMap::new();
    bars.iter().for_each(|bar| *counts.entry((bar.rank, bar.kind)).or_default() += 1);
    let mut next: BTreeMap<(Rank, Kind), usize> = BTreeMap::new();
    for bar in bars {
        let key = (bar.rank, bar.kind);
        let count = counts.get(&key).copied().unwrap_or_default();
        let of_rank = steps.get(&bar.rank).map_or(1, Vec::len).max(1);
        let of_step = if count.is_multiple_of(of_rank) { count / of_rank } else { count };
        let place = next.entry(key).or_default();
        bar.micro_batch = bar.micro_batch.or(i64::try_from(*place % of_step.max(1)).ok());
        *place += 1;
    }
}

/// The time between passes of each rank, without that in which a step begins.
fn pauses(bars: &[Bar], steps: &BTreeMap<Rank, Vec<i64>>) -> BTreeMap<Rank, Vec<Interval>> {
    let mut pauses: BTreeMap<Rank, Vec<Interval>> = BTreeMap::new();
    for of_rank in bars.chunk_by(|a, b| a.rank == b.rank) {
        let passes = union(of_rank.iter().map(|bar| Interval::new(bar.start, bar.end())).collect());
        let rank = of_rank.first().map_or(Rank(0), |bar| bar.rank);
        let starts = steps.get(&rank).map(Vec::as_slice).unwrap_or_default();
        let is_in_step = |gap: &Interval| !starts.iter().any(|start| (gap.start..=gap.end).contains(start));
        pauses.insert(rank, gaps(&passes).into_iter().filter(is_in_step).collect());
    }
    pauses
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(kind: Kind, start: i64, duration: i64) -> Bar {
        Bar { rank: Rank(0), name: String::new(), kind, micro_batch: None, start, duration }
    }

    #[test]
    fn pauses_are_between_passes_of_a_step() {
        let bars = [
            pass(Kind::Forward, 10, 10),
            pass(Kind::Backward, 30, 10),
            pass(Kind::Forward, 40, 5),
            pass(Kind::Forward, 110, 10),
            pass(Kind::Backward, 121, 10),
        ];
        let steps = BTreeMap::from([(Rank(0), vec![0, 100])]);
        assert_eq!(pauses(&bars, &steps)[&Rank(0)], [Interval::new(20, 30), Interval::new(120, 121)]);
    }

    #[test]
    fn micro_batches_are_numbered_in_each_step() {
        let mut bars = [1, 2, 3, 4].map(|start| pass(Kind::Forward, start, 1));
        number(&mut bars, &BTreeMap::from([(Rank(0), vec![0, 3])]));
        assert_eq!(bars.map(|bar| bar.micro_batch), [Some(0), Some(1), Some(0), Some(1)]);
    }
}
