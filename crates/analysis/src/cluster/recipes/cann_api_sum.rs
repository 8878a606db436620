//! `cann_api_sum`: Summarize the durations of CANN calls.
//!
//! Reads `host_op` of kind `cann`. A call is counted if it starts in the selected step. Writes two tables of
//! durations:
//!
//! - `CannApiSumRank`: per name and rank, with the share in the time of all calls of the rank;
//! - `CannApiSum`: per name over all ranks, with the ranks of the shortest and of the longest call.
//!
//! Shares are in percent. Quartiles are computed from all calls of a name. `stdev` is the population standard
//! deviation, in ns. Values are rounded to one decimal, shares of a rank to two. With `--compat`, the values over all
//! ranks are computed from the rounded values of each rank: Q1 is the minimum, the median is the median of the
//! medians, and Q3 is the maximum.

use std::collections::{BTreeMap, HashMap};

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_tables::column::CellView;
use npuscope_tables::number::round;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::{Rank, Selection, Str};
use serde::{Deserialize, Serialize};

use crate::cluster::statistics::{median, population_deviation, quantile, sum};
use crate::cluster::{Absent, Answer, Failure, Job, Mode, RankData};
use crate::extract::{Analysis, Text};
use crate::messages::collection;

pub const MODE: Mode =
    Mode { name: "cann_api_sum", folder: "CannApiSum", about: "Summarize the durations of CANN calls", run };

const CALLS: Selection = Selection::NONE.and_host_ops(&[Kind::Cann]);

/// The calls of one name.
#[derive(Serialize, Deserialize)]
struct Calls {
    name: Text,
    figures: Figures,
    /// In ns, in order; none with `--compat`, which does not need them.
    durations: Vec<i64>,
}

/// The calls of each rank, by name.
#[derive(Serialize)]
struct CallTimes {
    compat: bool,
}

impl Analysis for CallTimes {
    type Extract = Vec<Calls>;
    const NAME: &'static str = "cann_api_sum";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        CALLS
    }

    fn map(&self, data: &RankData<'_>) -> Result<Vec<Calls>, Absent> {
        Ok(calls(data, self.compat))
    }
}

/// Durations of the calls of one name, in ns; all but total and count are rounded to one decimal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    pub total: f64,
    pub count: usize,
    pub average: f64,
    pub min: f64,
    pub q1: f64,
    pub median: f64,
    pub q3: f64,
    pub max: f64,
    /// Of a population.
    pub deviation: f64,
}

/// The calls of one name.
#[derive(Clone, Debug, PartialEq)]
pub struct CallsOfName {
    pub name: Text,
    pub figures: Figures,
    /// Time in calls of any name, in ns.
    pub all: f64,
}

impl CallsOfName {
    /// Share of the time in all calls: `total / sum over names(total)`.
    pub fn share(&self) -> f64 {
        self.figures.total / self.all
    }

    /// [`CallsOfName::share`] as msprof-analyze writes it: in per cent, rounded.
    fn percent(&self, digits: usize) -> Cell {
        round(100.0 * self.figures.total / self.all, digits).into()
    }
}

/// The calls of one name on all ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct CallsOfJob {
    pub calls: CallsOfName,
    /// The ranks of the shortest and of the longest call.
    pub shortest_ranks: Vec<Rank>,
    pub longest_ranks: Vec<Rank>,
}

/// Durations of CANN calls, by total, longest first.
#[derive(Clone, Debug, PartialEq)]
pub struct CallSums {
    pub ranks: Vec<(Rank, Vec<CallsOfName>)>,
    pub all: Vec<CallsOfJob>,
}

/// Durations of CANN calls, by rank and name, and by name over all ranks.
pub fn rows(job: &Job<'_>) -> Result<CallSums, Failure> {
    let ranks = job.extracts(&CallTimes { compat: job.options.compat })?;
    if ranks.iter().all(|(_, calls)| calls.is_empty()) {
        return Err(Failure::missing(MODE.name, collection::data_cann_calls(), collection::collect_cann_calls()));
    }
    let figures: Vec<(Rank, BTreeMap<&Text, Figures>)> = ranks
        .iter()
        .map(|(rank, calls)| (*rank, calls.iter().map(|calls| (&calls.name, calls.figures)).collect()))
        .collect();
    let all = if job.options.compat { combined(&figures) } else { pooled(&ranks) };
    let of_job = |calls: CallsOfName| {
        let ranks_with = |part: fn(&Figures) -> f64| {
            let has_equal_part = |rank: &BTreeMap<&Text, Figures>| {
                rank.get(&calls.name).is_some_and(|rank| part(rank) == part(&calls.figures))
            };
            figures.iter().filter(|(_, rank)| has_equal_part(rank)).map(|(rank, _)| *rank).collect()
        };
        let (shortest_ranks, longest_ranks) = (ranks_with(|f| f.min), ranks_with(|f| f.max));
        CallsOfJob { calls, shortest_ranks, longest_ranks }
    };
    Ok(CallSums {
        all: by_total(&all).into_iter().map(of_job).collect(),
        ranks: figures.iter().map(|(rank, figures)| (*rank, by_total(figures))).collect(),
    })
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let sums = rows(job)?;
    Ok(Answer::of_tables([per_rank(&sums.ranks), over_ranks(&sums.all)]))
}

fn calls(data: &RankData<'_>, compat: bool) -> Vec<Calls> {
    let tables = &data.tables;
    let mut by_name: HashMap<Str, Vec<i64>> = HashMap::new();
    for (view, rows) in tables.views::<host_op::Row>() {
        let is_call = |row: &usize| tables.text(view.kind.get(*row)) == Kind::Cann.name();
        for row in (0..rows).filter(is_call).filter(|row| data.has_moment(view.start.get(*row))) {
            by_name.entry(view.name.get(row)).or_default().push(view.duration.get(row).ns());
        }
    }
    let mut calls: Vec<Calls> = by_name
        .into_iter()
        .map(|(name, durations)| {
            let figures = Figures::of(durations.iter().map(|ns| *ns as f64).collect());
            let durations = if compat { Vec::new() } else { durations };
            Calls { name: tables.text(name).into(), figures, durations }
        })
        .collect();
    calls.sort_by(|a, b| a.name.cmp(&b.name));
    calls
}

impl Figures {
    fn of(durations: Vec<f64>) -> Figures {
        let total = sum(durations.iter().copied());
        let deviation = round(population_deviation(&durations), 1);
        let mut sorted = durations;
        sorted.sort_unstable_by(f64::total_cmp);
        let quantile = |q| round(quantile(&sorted, q), 1);
        Figures {
            total,
            count: sorted.len(),
            average: round(total / sorted.len() as f64, 1),
            min: quantile(0.0),
            q1: quantile(0.25),
            median: quantile(0.5),
            q3: quantile(0.75),
            max: quantile(1.0),
            deviation,
        }
    }

    /// The figures over all ranks as msprof-analyze computes them from the figures of each rank.
    fn of_ranks(ranks: &[Figures]) -> Figures {
        let total = sum(ranks.iter().map(|rank| rank.total));
        let count: usize = ranks.iter().map(|rank| rank.count).sum();
        let average = total / count as f64;
        let least = |part: fn(&Figures) -> f64| ranks.iter().map(part).fold(f64::INFINITY, f64::min);
        let greatest = |part: fn(&Figures) -> f64| ranks.iter().map(part).fold(0.0, f64::max);
        let deviation = match ranks {
            [rank] => rank.deviation,
            _ => {
                let inside = |rank: &Figures| (rank.count as f64 - 1.0) * rank.deviation * rank.deviation;
                let between = |rank: &Figures| rank.count as f64 * (rank.average - average).powi(2);
                (ranks.iter().map(|rank| inside(rank) + between(rank)).sum::<f64>() / (count as f64 - 1.0)).sqrt()
            }
        };
        Figures {
            total,
            count,
            average: round(average, 1),
            min: least(|rank| rank.min),
            q1: least(|rank| rank.q1),
            median: round(median(&ranks.iter().map(|rank| rank.median).collect::<Vec<_>>()), 1),
            q3: greatest(|rank| rank.q3),
            max: greatest(|rank| rank.max),
            deviation: round(deviation, 1),
        }
    }
}

fn combined<'a>(ranks: &[(Rank, BTreeMap<&'a Text, Figures>)]) -> BTreeMap<&'a Text, Figures> {
    let mut by_name: BTreeMap<&Text, Vec<Figures>> = BTreeMap::new();
    for (name, figures) in ranks.iter().flat_map(|(_, figures)| figures) {
        by_name.entry(name).or_default().push(*figures);
    }
    by_name.into_iter().map(|(name, ranks)| (name, Figures::of_ranks(&ranks))).collect()
}

fn pooled(ranks: &[(Rank, Vec<Calls>)]) -> BTreeMap<&Text, Figures> {
    let mut by_name: BTreeMap<&Text, Vec<f64>> = BTreeMap::new();
    for calls in ranks.iter().flat_map(|(_, calls)| calls) {
        by_name.entry(&calls.name).or_default().extend(calls.durations.iter().map(|ns| *ns as f64));
    }
    by_name.into_iter().map(|(name, calls)| (name, Figures::of(calls))).collect()
}

/// The greatest total first, then by name.
fn by_total(figures: &BTreeMap<&Text, Figures>) -> Vec<CallsOfName> {
    let all = sum(figures.values().map(|figures| figures.total));
    let calls = |(name, figures): (&&Text, &Figures)| CallsOfName { name: (*name).clone(), figures: *figures, all };
    let mut sorted: Vec<CallsOfName> = figures.iter().map(calls).collect();
    sorted.sort_by(|a, b| b.figures.total.total_cmp(&a.figures.total));
    sorted
}

fn whole(total: f64) -> Cell {
    Cell::Int(total as i64)
}

fn per_rank(ranks: &[(Rank, Vec<CallsOfName>)]) -> ResultTable {
    let columns = [
        ("name", ColumnKind::Text),
        ("durationRatio", ColumnKind::Real),
        ("totalTimeNs", ColumnKind::Int),
        ("totalCount", ColumnKind::Int),
        ("averageNs", ColumnKind::Real),
        ("minNs", ColumnKind::Real),
        ("Q1Ns", ColumnKind::Real),
        ("medNs", ColumnKind::Real),
        ("Q3Ns", ColumnKind::Real),
        ("maxNs", ColumnKind::Real),
        ("stdev", ColumnKind::Real),
        ("rank", ColumnKind::Int),
    ];
    let mut table = ResultTable::new("CannApiSumRank", "rank_stats", &columns);
    for (rank, calls) in ranks {
        for calls in calls {
            let f = calls.figures;
            let [average, min, q1, median, q3, max, deviation] =
                [f.average, f.min, f.q1, f.median, f.q3, f.max, f.deviation].map(Cell::from);
            let (name, share) = (Cell::from(&calls.name), calls.percent(2));
            let count = f.count.into();
            let rank = Cell::from(*rank);
            table.push([name, share, whole(f.total), count, average, min, q1, median, q3, max, deviation, rank]);
        }
    }
    table
}

fn over_ranks(all: &[CallsOfJob]) -> ResultTable {
    let columns = [
        ("name", ColumnKind::Text),
        ("timeRatio", ColumnKind::Real),
        ("totalTimeNs", ColumnKind::Int),
        ("totalCount", ColumnKind::Int),
        ("averageNs", ColumnKind::Real),
        ("Q1Ns", ColumnKind::Real),
        ("medNs", ColumnKind::Real),
        ("Q3Ns", ColumnKind::Real),
        ("minNs", ColumnKind::Real),
        ("maxNs", ColumnKind::Real),
        ("stdev", ColumnKind::Real),
        ("minRank", ColumnKind::Text),
        ("maxRank", ColumnKind::Text),
    ];
    let mut table = ResultTable::new("CannApiSum", "all_stats", &columns).indexed(1);
    let list = |ranks: &[Rank]| Cell::from(ranks.iter().map(Rank::to_string).collect::<Vec<_>>().join(", "));
    for CallsOfJob { calls, shortest_ranks, longest_ranks } in all {
        let f = calls.figures;
        let [average, q1, median, q3, min, max, deviation] =
            [f.average, f.q1, f.median, f.q3, f.min, f.max, f.deviation].map(Cell::from);
        let (name, share) = (Cell::from(&calls.name), calls.percent(1));
        let (min_rank, max_rank) = (list(shortest_ranks), list(longest_ranks));
        let count = f.count.into();
        let total = whole(f.total);
        table.push([name, share, total, count, average, q1, median, q3, min, max, deviation, min_rank, max_rank]);
    }
    table
}
