//! The parts of step times, per rank and per pipeline stage.
//!
//! As [`npuscope_measures::step`] defines it: computing, exposed communication and free time make up the
//! device time of a step, which lasts until the first work of the next; bubble is exposed receiving; stage is device
//! time - bubble. Steps of which no device was recorded have no figures. With `--compat` the figures are those that
//! the profiler reported.
//!
//! A stage takes as long as the slowest of its ranks: every figure is the greatest among them.

use npuscope_measures::deliverable::{Target, step_trace};
use npuscope_measures::step::{self, DeviceTime};
use npuscope_tables::Framework;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::reported_step;
use npuscope_tables::{Interner, Rank, Selection, TableId};
use serde::{Deserialize, Serialize};

use super::names::{Name, Translator};
use super::{IndexMap, Reported, ReportedRank, compat};
use crate::cluster::RankData;
use crate::cluster::recipes::Microseconds;
use crate::extract::Text;
use crate::layout::Place;

/// The parts of a step time; `None` if the profiler did not report them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepFigures {
    pub computing: Option<Microseconds>,
    /// Communication while nothing was computed.
    pub exposed: Option<Microseconds>,
    /// Communication while something was computed.
    pub overlapped: Option<Microseconds>,
    pub communication: Option<Microseconds>,
    pub free: Option<Microseconds>,
    pub stage: Option<Microseconds>,
    /// Exposed receiving.
    pub bubble: Option<Microseconds>,
    /// Exposed communication but receiving.
    pub exposed_without_receiving: Option<Microseconds>,
    pub preparing: Option<Microseconds>,
}

impl StepFigures {
    /// In the order of `step_trace_time.csv`.
    pub fn in_order(&self) -> [Option<Microseconds>; 9] {
        let StepFigures { computing, exposed, overlapped, communication, free, .. } = *self;
        let StepFigures { stage, bubble, exposed_without_receiving, preparing, .. } = *self;
        [computing, exposed, overlapped, communication, free, stage, bubble, exposed_without_receiving, preparing]
    }

    /// Of figures in the order of `step_trace_time.csv`.
    fn of(figures: [Option<Microseconds>; 9]) -> StepFigures {
        let [computing, exposed, overlapped, communication, free, rest @ ..] = figures;
        let [stage, bubble, exposed_without_receiving, preparing] = rest;
        StepFigures {
            computing,
            exposed,
            overlapped,
            communication,
            free,
            stage,
            bubble,
            exposed_without_receiving,
            preparing,
        }
    }

    /// What files report, in us.
    fn reported(row: &reported_step::Row) -> StepFigures {
        StepFigures::of(row.figures().map(|us| us.map(Microseconds::of_us)))
    }

    fn of_device(device: DeviceTime) -> StepFigures {
        let DeviceTime { computing, communication, exposed, free, bubble, preparing, .. } = device;
        let time = |ns: i64| Some(Microseconds::of_ns(ns as f64));
        StepFigures {
            computing: time(computing),
            exposed: time(exposed),
            overlapped: time(device.overlapped()),
            communication: time(communication),
            free: time(free),
            stage: time(device.stage()),
            bubble: time(bubble),
            exposed_without_receiving: time(exposed - bubble),
            preparing: time(preparing),
        }
    }

    /// Of each figure the greater.
    fn greatest(&self, other: &StepFigures) -> StepFigures {
        let mut greatest = self.in_order();
        for (most, figure) in greatest.iter_mut().zip(other.in_order()) {
            *most = most.zip(figure).map(|(a, b)| a.max(b)).or(*most).or(figure);
        }
        StepFigures::of(greatest)
    }
}

/// The parts of a step time of a rank.
#[derive(Serialize, Deserialize)]
pub struct StepTime {
    pub step: Option<Name>,
    pub figures: StepFigures,
}

impl StepTime {
    /// Whether nothing was computed or communicated.
    pub fn is_without_device(&self) -> bool {
        let StepFigures { computing, exposed, overlapped, communication, .. } = self.figures;
        let is_nothing = |figure: &Option<Microseconds>| figure.is_none_or(|time| time == Microseconds::default());
        [computing, exposed, overlapped, communication].iter().all(is_nothing)
    }
}

/// The steps of a rank, by the text of their numbers.
pub type ReportedSteps = Vec<(Option<String>, StepFigures)>;

/// What msprof-analyze computes steps from where nothing reports them.
pub const DERIVED_FROM: Selection =
    Selection::of(&[TableId::Step, TableId::Kernel, TableId::CommOp, TableId::Task, TableId::Overlap])
        .without_metrics()
        .and_host_ops(&[Kind::Cann]);

/// The steps of a rank.
pub fn of(data: &RankData<'_>, compat: bool) -> ReportedSteps {
    if compat {
        return reported(data);
    }
    let steps = step::whole(step::steps(&data.tables));
    let figures = |device: Option<DeviceTime>| device.map(StepFigures::of_device).unwrap_or_default();
    steps.iter().map(|step| (step.id.map(|id| id.to_string()), figures(step.device))).collect()
}

/// What msprof-analyze takes for the steps of a rank: those that its files report.
fn reported(data: &RankData<'_>) -> ReportedSteps {
    let tables = &data.tables;
    let framework = data.source.framework();
    let mut steps: ReportedSteps = tables
        .rows::<reported_step::Row>()
        .map(|row| {
            let step = tables.opt_text(row.step).filter(|step| !step.is_empty());
            (step.map(str::to_owned), StepFigures::reported(&row))
        })
        .collect();
    if steps.is_empty() && data.is_db() && framework != Framework::TorchNpu {
        let mut strings = Interner::default();
        let rows = step_trace(tables, Target::Db(framework), &mut strings);
        let step = |row: &reported_step::Row| row.step.map(|step| strings.get(step).to_owned());
        steps.extend(rows.iter().map(|row| (step(row), StepFigures::reported(row))));
    }
    steps
}

/// The steps that are wanted, by name.
pub fn translate(steps: &ReportedSteps, translator: &mut Translator<'_>) -> Vec<StepTime> {
    let step = |(step, figures): &(Option<String>, StepFigures)| {
        let name = step.as_deref().map(|step| translator.names.intern(step));
        translator.is_wanted(name).then_some(StepTime { step: name, figures: *figures })
    };
    steps.iter().filter_map(step).collect()
}

/// The place of each rank in the layout; `None` if the layout is unknown.
pub fn places(reported: &Reported) -> Option<Vec<Option<Place>>> {
    let layout = &reported.layout;
    let is_known = if reported.compat { compat::has_indices(reported) } else { layout.is_known() };
    is_known.then(|| reported.ranks.iter().map(|rank| layout.place(rank.rank)).collect())
}

/// The steps of all stages, stage by stage.
pub fn stage_steps(reported: &Reported) -> Vec<StageStep> {
    let ranks = reported.ranks.iter().map(|rank| rank.rank);
    let stages = if reported.compat { compat::stages(reported) } else { reported.layout.stages(ranks) };
    let mut times = Vec::new();
    for (named, members) in
        stages.iter().map(|ranks| (ranks.clone(), ranks.clone())).chain(left_over(reported, &stages))
    {
        let mut by_step: IndexMap<Option<Name>, StepFigures> = IndexMap::default();
        for rank in reported.ranks.iter().filter(|rank| members.contains(&rank.rank)) {
            for step in &rank.steps {
                let most = by_step.entry(step.step).or_insert(step.figures);
                *most = most.greatest(&step.figures);
            }
        }
        let name = |step| reported.names.opt_text(step).map(Text::from);
        let row = |(step, figures)| StageStep { step: name(step), ranks: named.clone(), figures };
        times.extend(by_step.into_iter().map(row));
    }
    times
}

/// The ranks without a stage, which msprof-analyze treats as a stage without ranks: the ranks in its name, and its
/// ranks.
fn left_over(reported: &Reported, stages: &[Vec<Rank>]) -> Option<(Vec<Rank>, Vec<Rank>)> {
    let ranks = reported.ranks.iter().map(|rank| rank.rank);
    let rest: Vec<Rank> = ranks.filter(|rank| !stages.iter().any(|stage| stage.contains(rank))).collect();
    (reported.compat && !stages.is_empty() && !rest.is_empty()).then_some((Vec::new(), rest))
}

/// The parts of a step time of a rank, and the place of the rank in the layout.
#[derive(Clone, Debug, PartialEq)]
pub struct RankStep {
    /// The number of the step; its name with `--compat`.
    pub step: Option<Text>,
    pub rank: Rank,
    /// `None` if the parallel layout is not known.
    pub place: Option<Place>,
    pub figures: StepFigures,
}

/// The parts of a step time of a pipeline stage: the maximum of each over its ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct StageStep {
    /// The number of the step; its name with `--compat`.
    pub step: Option<Text>,
    pub ranks: Vec<Rank>,
    pub figures: StepFigures,
}

/// The steps of all ranks, rank by rank.
pub fn rank_steps(reported: &Reported) -> Vec<RankStep> {
    let names = &reported.names;
    let places = places(reported).unwrap_or_default();
    let of_rank = |(at, rank): (usize, &ReportedRank)| {
        let (number, place) = (rank.rank, places.get(at).copied().flatten());
        let row = move |step: &StepTime| {
            let name = names.opt_text(step.step).map(Text::from);
            RankStep { step: name, rank: number, place, figures: step.figures }
        };
        rank.steps.iter().map(row).collect::<Vec<_>>()
    };
    reported.ranks.iter().enumerate().flat_map(of_rank).collect()
}
