//! How the time of steps divides, per rank and per stage of the pipeline.
//!
//! All in us, as [`npuscope_measures::step`] defines them: computing, exposed communication and free time make up the
//! device time of a step, which lasts until the first work of the next; bubble is exposed receiving; stage is device
//! time - bubble. Steps of which no device was recorded have no figures. With `--compat` the figures are those that
//! the profiler reported.
//!
//! A stage takes as long as the slowest of its ranks: every figure is the greatest among them.

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_measures::deliverable::{Target, step_trace};
use npuscope_measures::step::{self, DeviceTime};
use npuscope_tables::Flavour;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::reported_step;
use npuscope_tables::{Interner, Rank, Selection, TableId};
use serde::{Deserialize, Serialize};

use super::groups::rank_set;
use super::names::{Name, Translator};
use super::{IndexMap, Reported, compat};
use crate::cluster::RankData;

/// Computing, exposed communication, overlapped, communication, free, stage, bubble, exposed communication without
/// receiving, preparing.
pub const COLUMNS: [(&str, &str); 9] = [
    ("computing", "Computing"),
    ("communication_not_overlapped", "Communication(Not Overlapped)"),
    ("overlapped", "Overlapped"),
    ("communication", "Communication"),
    ("free", "Free"),
    ("stage", "Stage"),
    ("bubble", "Bubble"),
    ("communication_not_overlapped_and_exclude_receive", "Communication(Not Overlapped and Exclude Receive)"),
    ("preparing", "Preparing"),
];

/// In the order of [`COLUMNS`].
type Figures = [Option<f64>; 9];

/// How the time of a step of a rank divides.
#[derive(Serialize, Deserialize)]
pub struct StepTime {
    pub step: Option<Name>,
    pub figures: Figures,
}

impl StepTime {
    /// Whether nothing was computed or communicated.
    pub fn is_without_device(&self) -> bool {
        let [computing, exposed, overlapped, communication, ..] = self.figures;
        [computing, exposed, overlapped, communication].iter().all(|figure| figure.is_none_or(|us| us == 0.0))
    }
}

/// The steps of a rank, by the text of their numbers.
pub type ReportedSteps = Vec<(Option<String>, Figures)>;

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
    let steps = step::steps(&data.tables);
    steps.iter().map(|step| (step.id.map(|id| id.to_string()), step.device.map_or([None; 9], figures))).collect()
}

/// What msprof-analyze takes for the steps of a rank: those that its files report.
fn reported(data: &RankData<'_>) -> ReportedSteps {
    let tables = &data.tables;
    let flavour = data.source.flavour;
    let mut steps: ReportedSteps = tables
        .rows::<reported_step::Row>()
        .map(|row| (tables.opt_text(row.step).filter(|step| !step.is_empty()).map(str::to_owned), row.figures()))
        .collect();
    if steps.is_empty() && data.is_db() && flavour != Flavour::TorchNpu {
        let mut strings = Interner::default();
        let rows = step_trace(tables, Target::Db(flavour), &mut strings);
        steps.extend(rows.into_iter().map(|row| (row.step.map(|step| strings.get(step).to_owned()), row.figures())));
    }
    steps
}

/// The device time of a step in the order of [`COLUMNS`].
fn figures(device: DeviceTime) -> Figures {
    let DeviceTime { computing, communication, exposed, free, bubble, preparing, .. } = device;
    let (overlapped, stage) = (device.overlapped(), device.stage());
    [computing, exposed, overlapped, communication, free, stage, bubble, exposed - bubble, preparing]
        .map(|ns| Some(ns as f64 / 1e3))
}

/// The steps that are wanted, by name.
pub fn translate(steps: &ReportedSteps, translator: &mut Translator<'_>) -> Vec<StepTime> {
    let step = |(step, figures): &(Option<String>, Figures)| {
        let name = step.as_deref().map(|step| translator.names.intern(step));
        translator.is_wanted(name).then_some(StepTime { step: name, figures: *figures })
    };
    steps.iter().filter_map(step).collect()
}

/// Where a rank is: DP, PP and TP index.
pub type Indices = Option<[i64; 3]>;

/// DP, PP and TP index of every rank; `None` if the layout is not known.
pub fn indices(reported: &Reported) -> Option<Vec<Indices>> {
    let layout = &reported.layout;
    let is_known = if reported.compat { compat::has_indices(reported) } else { layout.is_known() };
    let place = |rank: Rank| layout.place(rank).map(|place| [place.dp, place.pp, place.tp]);
    is_known.then(|| reported.ranks.iter().map(|rank| place(rank.rank)).collect())
}

/// The figures of a stage in a step.
pub struct StageTime {
    pub step: Option<Name>,
    pub ranks: Vec<Rank>,
    pub figures: Figures,
}

/// The figures of all stages, stage by stage.
pub fn stage_times(reported: &Reported) -> Vec<StageTime> {
    let ranks = reported.ranks.iter().map(|rank| rank.rank);
    let stages = if reported.compat { compat::stages(reported) } else { reported.layout.stages(ranks) };
    let mut times = Vec::new();
    for (named, members) in
        stages.iter().map(|ranks| (ranks.clone(), ranks.clone())).chain(left_over(reported, &stages))
    {
        let mut by_step: IndexMap<Option<Name>, Figures> = IndexMap::default();
        for rank in reported.ranks.iter().filter(|rank| members.contains(&rank.rank)) {
            for step in &rank.steps {
                let most = by_step.entry(step.step).or_insert(step.figures);
                for (most, figure) in most.iter_mut().zip(step.figures) {
                    *most = most.zip(figure).map(|(a, b)| a.max(b)).or(*most).or(figure);
                }
            }
        }
        times.extend(by_step.into_iter().map(|(step, figures)| StageTime { step, ranks: named.clone(), figures }));
    }
    times
}

/// The ranks of no stage, which msprof-analyze takes for a stage without ranks: what it is called, and who it is.
fn left_over(reported: &Reported, stages: &[Vec<Rank>]) -> Option<(Vec<Rank>, Vec<Rank>)> {
    let ranks = reported.ranks.iter().map(|rank| rank.rank);
    let rest: Vec<Rank> = ranks.filter(|rank| !stages.iter().any(|stage| stage.contains(rank))).collect();
    (reported.compat && !stages.is_empty() && !rest.is_empty()).then_some((Vec::new(), rest))
}

/// `ClusterStepTraceTime`: steps of ranks and then of stages. Indices are null where the layout is not known; 0 in
/// msprof-analyze, and `NA` for stages.
pub fn table(reported: &Reported) -> ResultTable {
    let mut columns = vec![("step", ColumnKind::Text), ("type", ColumnKind::Text), ("index", ColumnKind::Text)];
    columns.extend(COLUMNS.map(|(name, _)| (name, ColumnKind::Numeric)));
    columns.extend(["dp_index", "pp_index", "tp_index"].map(|name| (name, ColumnKind::Int)));
    let mut table = ResultTable::new("ClusterStepTraceTime", "cluster_step_trace_time", &columns);
    let names = &reported.names;
    let indices = indices(reported).unwrap_or_default();
    for (at, rank) in reported.ranks.iter().enumerate() {
        let indices = match indices.get(at).copied().flatten() {
            Some(indices) => indices.map(Cell::from),
            None if reported.compat => [0i64; 3].map(Cell::from),
            None => [const { Cell::Null }; 3],
        };
        for step in &rank.steps {
            let place = [names.opt_cell(step.step), "rank".into(), rank.rank.to_string().into()];
            table.push(place.into_iter().chain(step.figures.map(Cell::from)).chain(indices.clone()));
        }
    }
    let no_index: Cell = if reported.compat { "NA".into() } else { Cell::Null };
    for stage in stage_times(reported) {
        let place = [names.opt_cell(stage.step), "stage".into(), rank_set(&stage.ranks).into()];
        let indices = std::iter::repeat_n(no_index.clone(), 3);
        table.push(place.into_iter().chain(stage.figures.map(Cell::from)).chain(indices));
    }
    table
}
