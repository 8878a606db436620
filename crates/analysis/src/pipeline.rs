//! A pipeline: passes, transfers between its stages, and the time in which a stage waits.

use std::collections::BTreeMap;

use npuscope_formats::source::RankSource;
use npuscope_measures::busy::Busy;
use npuscope_measures::communication::{Direction, direction_of};
use npuscope_measures::intervals::{Interval, gaps, intersect, subtract, union};
use npuscope_measures::step_of::{self, StepOf};
use npuscope_store::{Store, StoreError};
use npuscope_tables::table::{comm_op, step};
use npuscope_tables::{Rank, RankTables, Selection};
use serde::{Deserialize, Serialize};

use crate::cluster::recipes::pp_chart::Pass;
use crate::extract::{Absent, Analysis, RankData, Text, extracts_by_rank};
use crate::scope::Scope;

/// What a bar shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bar {
    pub rank: Rank,
    pub name: Text,
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
        Bar { rank, name: kind.name().into(), kind, micro_batch: None, start, duration }
    }
}

/// Shorter bubbles and idle times are not shown.
const SLIVER: i64 = 10_000;

/// The extract of a rank, for all its steps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RankTransfers {
    /// Each with the step that it belongs to, by start.
    transfers: Vec<(Option<i64>, Bar)>,
    /// Number and time of each step, by start.
    steps: Vec<(Option<i64>, Interval)>,
    /// The time without computing, without stretches that are too short to be shown.
    pauses: Vec<Interval>,
    /// Receives without computing.
    bubbles: Vec<Interval>,
}

/// The transfers of each rank, and when it waited.
#[derive(Serialize)]
struct Transfers;

impl Analysis for Transfers {
    type Extract = RankTransfers;
    const NAME: &'static str = "pipeline";
    const VERSION: u32 = 1;

    fn needs(&self) -> Selection {
        Busy::NEEDS.and(step_of::needs(Busy::NEEDS))
    }

    fn map(&self, rank: &RankData<'_>) -> Result<RankTransfers, Absent> {
        Ok(RankTransfers::of(rank.rank, &rank.tables))
    }
}

impl RankTransfers {
    fn of(rank: Rank, tables: &RankTables) -> RankTransfers {
        let step_of = StepOf::of(tables);
        let transfer = |op: comm_op::Row| {
            let kind = if direction_of(tables, &op)? == Direction::Send { Kind::Send } else { Kind::Receive };
            let (name, start) = (tables.text(op.name).into(), op.start.0);
            let bar = Bar { rank, name, kind, micro_batch: None, start, duration: op.duration.ns() };
            Some((step_of.operation(&op), bar))
        };
        let mut transfers: Vec<(Option<i64>, Bar)> = tables.rows::<comm_op::Row>().filter_map(transfer).collect();
        transfers.sort_by_key(|(_, bar)| bar.start);
        let computing = Busy::of(tables).computing;
        let always = Interval { start: i64::MIN, end: i64::MAX };
        let mut pauses = subtract(&[always], &computing);
        pauses.retain(|pause| pause.length() >= SLIVER);
        let of_step = |step: step::Row| (step.id, Interval::new(step.start.0, step.end.0));
        let mut steps: Vec<(Option<i64>, Interval)> = tables.rows::<step::Row>().map(of_step).collect();
        steps.sort_by_key(|(_, span)| *span);
        let bubbles = subtract(&receiving(&transfers), &computing);
        RankTransfers { transfers, steps, pauses, bubbles }
    }

    /// What of it is in scope.
    fn within(mut self, scope: &Scope) -> RankTransfers {
        self.steps.retain(|(id, _)| scope.step.is_none_or(|wanted| *id == Some(wanted)));
        let is_chosen = |step: Option<i64>| scope.step.is_none() || step == scope.step;
        self.transfers.retain(|(step, bar)| is_chosen(*step) && scope.reaches(bar.start, bar.end()));
        self.bubbles = intersect(&receiving(&self.transfers), &self.bubbles);
        self
    }
}

/// When any of some transfers received.
fn receiving(transfers: &[(Option<i64>, Bar)]) -> Vec<Interval> {
    let receives = transfers.iter().map(|(_, bar)| bar).filter(|bar| bar.kind == Kind::Receive);
    union(receives.map(|bar| Interval::new(bar.start, bar.end())).collect())
}

/// The transfers of some ranks in scope, and when these waited.
pub fn ask(store: &Store, sources: &[&RankSource], scope: &Scope) -> Result<Vec<(Rank, RankTransfers)>, StoreError> {
    let of_ranks = extracts_by_rank(store, sources, &Transfers)?;
    Ok(of_ranks.into_iter().map(|(rank, transfers)| (rank, transfers.within(scope))).collect())
}

/// Whether any rank transfers to another.
pub fn has_transfers(ranks: &[(Rank, RankTransfers)]) -> bool {
    ranks.iter().any(|(_, rank)| !rank.transfers.is_empty())
}

/// Passes, transfers, bubbles and idle times in scope, by rank and start.
pub fn bars(passes: &[(Rank, Vec<Pass>)], ranks: Vec<(Rank, RankTransfers)>, scope: &Scope) -> Vec<Bar> {
    let mut bars: Vec<Bar> =
        passes.iter().flat_map(|(rank, passes)| passes.iter().map(|pass| bar_of(*rank, pass))).collect();
    bars.sort_by_key(|bar| (bar.rank, bar.start));
    let starts = |rank: &RankTransfers| rank.steps.iter().map(|(_, span)| span.start).collect();
    let steps: BTreeMap<Rank, Vec<i64>> = ranks.iter().map(|(rank, transfers)| (*rank, starts(transfers))).collect();
    number(&mut bars, &steps);
    let pauses = pauses(&bars, &steps);
    for (rank, kept) in ranks {
        let idle = intersect(pauses.get(&rank).map(Vec::as_slice).unwrap_or_default(), &kept.pauses);
        let idle = subtract(&idle, &kept.bubbles);
        let waits = kept.bubbles.iter().map(|interval| (Kind::Bubble, *interval));
        let waits = waits.chain(idle.into_iter().map(|interval| (Kind::Idle, interval)));
        let waits = waits.filter(|(_, interval)| interval.end - interval.start >= SLIVER);
        bars.extend(waits.map(|(kind, interval)| Bar::waiting(rank, kind, interval)));
        bars.extend(kept.transfers.into_iter().map(|(_, bar)| bar));
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
        name: pass.name.clone(),
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
        Bar { rank: Rank(0), name: Text::default(), kind, micro_batch: None, start, duration }
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
