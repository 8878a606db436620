//! A pipeline: passes, transfers between its stages, and the bubbles between passes.

use std::collections::BTreeMap;

use arrow::array::AsArray;
use npuscope_analysis::cluster::Options;
use npuscope_measures::busy::Busy;
use npuscope_measures::intervals::{Interval, gaps, subtract, union};

use crate::columns::{self, Results};
use crate::communication::KIND;
use crate::ranks::layout;
use crate::sql::{self, Time, rows};
use crate::{Made, NotMade, Question, Source};

/// A bar of the chart.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bar {
    rank: i64,
    name: String,
    kind: &'static str,
    micro_batch: Option<i64>,
    start: i64,
    duration: i64,
}

impl Bar {
    fn end(&self) -> i64 {
        self.start + self.duration
    }
}

/// Shorter bubbles are not shown.
const SLIVER: i64 = 10_000;

/// Passes as `pp_chart` tells them, transfers, and bubbles: where a rank receives or is between passes of a step, and
/// computes nothing.
pub fn pipeline(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let transfers = transfers(source, question)?;
    let mut bars = match passes(source, question) {
        Ok(passes) => passes,
        // Transfers alone tell of a pipeline, too.
        Err(NotMade::Missing { .. }) if !transfers.is_empty() => Vec::new(),
        Err(error) => return Err(error),
    };
    let steps = steps(source, question)?;
    number(&mut bars, &steps);
    let mut waits = pauses(&bars, &steps);
    for bar in transfers.iter().filter(|bar| bar.kind == "recv") {
        waits.entry(bar.rank).or_default().push(Interval::new(bar.start, bar.end()));
    }
    bars.extend(bubbles(source, question, &waits)?);
    bars.extend(transfers);
    let scope = &question.scope;
    bars.retain(|bar| {
        scope.begin.is_none_or(|begin| bar.end() >= begin) && scope.end.is_none_or(|end| bar.start < end)
    });
    bars.sort_by(|a, b| (a.rank, a.start, b.duration).cmp(&(b.rank, b.start, a.duration)));
    let layout = layout(source)?;
    columns::made(vec![
        ("rank", columns::ints(bars.iter().map(|bar| bar.rank))),
        ("stage", columns::ints(bars.iter().map(|bar| Some(layout.place(bar.rank)?.pp)))),
        ("name", columns::texts(bars.iter().map(|bar| Some(&bar.name)))),
        ("kind", columns::texts(bars.iter().map(|bar| Some(bar.kind)))),
        ("micro_batch", columns::ints(bars.iter().map(|bar| bar.micro_batch))),
        ("start", columns::ints(bars.iter().map(|bar| bar.start - source.origin))),
        ("duration", columns::ints(bars.iter().map(|bar| bar.duration))),
    ])
}

/// Passes by rank and start. Those of a DualPipeV have names such as `3`, `3F+5B`, `5B`, `5w`; with both passes in one it
/// counts as forward.
fn passes(source: &Source<'_>, question: &Question<'_>) -> Result<Vec<Bar>, NotMade> {
    let answer = question.ask(source, "pp_chart", Options::default())?;
    let passes = Results::of(&answer, "StepTaskInfo");
    let (ranks, names) = (passes.ints("rank"), passes.texts("name"));
    let (starts, ends) = (passes.ints("startNs"), passes.ints("endNs"));
    let bar = |row: usize| {
        let (name, start) = (names[row]?, starts[row]?);
        let is_backward = name == "BP" || (!name.contains('+') && name.ends_with(['B', 'b', 'w']));
        let digits = name.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(name.len());
        Some(Bar {
            rank: ranks[row]?,
            name: name.to_owned(),
            kind: if is_backward { "backward" } else { "forward" },
            micro_batch: name.get(..digits).and_then(|number| number.parse().ok()),
            start,
            duration: ends[row]? - start,
        })
    };
    let mut bars: Vec<Bar> = (0..ranks.len()).filter_map(bar).collect();
    bars.sort_by_key(|bar| (bar.rank, bar.start));
    Ok(bars)
}

/// Operations between two ranks. A batch of transfers ends with what it receives.
fn transfers(source: &Source<'_>, question: &Question<'_>) -> Result<Vec<Bar>, NotMade> {
    let batch = sql::batch(
        source,
        &format!(
            "SELECT rank, name, kind = 'send' AS is_send, start, duration FROM \
             (SELECT rank, name, {KIND} AS kind, start, duration FROM {}) \
             WHERE kind IN ('send', 'receive', 'recv', 'batchsendrecv') ORDER BY rank, start",
            rows("comm_op", Time::Slice, &question.scope)
        ),
    )?;
    let (ranks, names) = (sql::ints(&batch, "rank"), sql::texts(&batch, "name"));
    let sends = batch.column_by_name("is_send").and_then(|column| column.as_boolean_opt());
    let (starts, durations) = (sql::ints(&batch, "start"), sql::ints(&batch, "duration"));
    let bar = |row: usize| {
        let kind = if sends.is_some_and(|sends| sends.value(row)) { "send" } else { "recv" };
        let (rank, start, duration) = (ranks[row]?, starts[row]?, durations[row]?);
        Some(Bar { rank, name: names[row]?.to_owned(), kind, micro_batch: None, start, duration })
    };
    Ok((0..batch.num_rows()).filter_map(bar).collect())
}

/// Starts of the chosen steps by rank, in order.
fn steps(source: &Source<'_>, question: &Question<'_>) -> Result<BTreeMap<i64, Vec<i64>>, NotMade> {
    let chosen = question.scope.step.map(|step| format!("WHERE id = {step}")).unwrap_or_default();
    let steps = rows("step", Time::Timeless, &question.scope);
    let batch = sql::batch(source, &format!("SELECT rank, start FROM {steps} {chosen} ORDER BY rank, start"))?;
    let mut starts: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (rank, start) in sql::ints(&batch, "rank").into_iter().zip(sql::ints(&batch, "start")) {
        if let (Some(rank), Some(start)) = (rank, start) {
            starts.entry(rank).or_default().push(start);
        }
    }
    Ok(starts)
}

/// Numbers passes of each kind within a step, if their names do not. Steps have as many of them; where that is not so,
/// all are numbered on.
fn number(bars: &mut [Bar], steps: &BTreeMap<i64, Vec<i64>>) {
    let mut counts: BTreeMap<(i64, &str), usize> = BTreeMap::new();
    bars.iter().for_each(|bar| *counts.entry((bar.rank, bar.kind)).or_default() += 1);
    let mut next: BTreeMap<(i64, &str), usize> = BTreeMap::new();
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
fn pauses(bars: &[Bar], steps: &BTreeMap<i64, Vec<i64>>) -> BTreeMap<i64, Vec<Interval>> {
    let mut pauses: BTreeMap<i64, Vec<Interval>> = BTreeMap::new();
    for of_rank in bars.chunk_by(|a, b| a.rank == b.rank) {
        let passes = union(of_rank.iter().map(|bar| Interval::new(bar.start, bar.end())).collect());
        let rank = of_rank.first().map_or(0, |bar| bar.rank);
        let starts = steps.get(&rank).map(Vec::as_slice).unwrap_or_default();
        let is_in_step = |gap: &Interval| !starts.iter().any(|start| (gap.start..=gap.end).contains(start));
        pauses.insert(rank, gaps(&passes).into_iter().filter(is_in_step).collect());
    }
    pauses
}

/// What of the waits of ranks no computing covers.
fn bubbles(
    source: &Source<'_>,
    question: &Question<'_>,
    waits: &BTreeMap<i64, Vec<Interval>>,
) -> Result<Vec<Bar>, NotMade> {
    let of_ranks = source.store.each(&question.sources(source), Busy::NEEDS, |rank, tables| {
        let computing = Busy::of(&tables).computing;
        let bubbles = subtract(&union(waits.get(&rank.rank).cloned().unwrap_or_default()), &computing);
        (rank.rank, bubbles)
    })?;
    let bubble = |rank: i64, interval: Interval| {
        let (start, duration) = (interval.start, interval.end - interval.start);
        Bar { rank, name: "bubble".to_owned(), kind: "bubble", micro_batch: None, start, duration }
    };
    let bubbles = of_ranks.into_iter().flat_map(|(rank, bubbles)| bubbles.into_iter().map(move |b| bubble(rank, b)));
    Ok(bubbles.filter(|bar| bar.duration >= SLIVER).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(kind: &'static str, start: i64, duration: i64) -> Bar {
        Bar { rank: 0, name: String::new(), kind, micro_batch: None, start, duration }
    }

    #[test]
    fn pauses_are_between_passes_of_a_step() {
        let bars = [
            pass("forward", 10, 10),
            pass("backward", 30, 10),
            pass("forward", 40, 5),
            pass("forward", 110, 10),
            pass("backward", 121, 10),
        ];
        let steps = BTreeMap::from([(0, vec![0, 100])]);
        assert_eq!(pauses(&bars, &steps)[&0], [Interval::new(20, 30), Interval::new(120, 121)]);
    }

    #[test]
    fn micro_batches_are_numbered_in_each_step() {
        let mut bars = [1, 2, 3, 4].map(|start| pass("forward", start, 1));
        number(&mut bars, &BTreeMap::from([(0, vec![0, 3])]));
        assert_eq!(bars.map(|bar| bar.micro_batch), [Some(0), Some(1), Some(0), Some(1)]);
    }
}
