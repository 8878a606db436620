//! `ClusterStepTraceTime`.

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};

use super::super::Reported;
use super::super::steps::{RankStep, StageStep, StepFigures, rank_steps, stage_steps};
use super::groups::rank_set;
use crate::layout::Place;

/// Columns of [`StepFigures::in_order`], and their titles in the csv file.
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

/// DP, PP and TP index.
pub fn indices(place: Place) -> [i64; 3] {
    [place.dp, place.pp, place.tp]
}

/// Steps of ranks and then of stages, in us. Indices are null where the layout is not known; 0 in msprof-analyze, and `NA` for stages.
pub fn table(reported: &Reported) -> ResultTable {
    let mut columns = vec![("step", ColumnKind::Text), ("type", ColumnKind::Text), ("index", ColumnKind::Text)];
    columns.extend(COLUMNS.map(|(name, _)| (name, ColumnKind::Numeric)));
    columns.extend(["dp_index", "pp_index", "tp_index"].map(|name| (name, ColumnKind::Int)));
    let mut table = ResultTable::new("ClusterStepTraceTime", "cluster_step_trace_time", &columns);
    let cells = |figures: &StepFigures| figures.in_order().map(Cell::from);
    for RankStep { step, rank, place, figures } in rank_steps(reported) {
        let indices = match place {
            Some(place) => indices(place).map(Cell::from),
            None if reported.compat => [0i64; 3].map(Cell::from),
            None => [const { Cell::Null }; 3],
        };
        let about = [Cell::from(step), "rank".into(), rank.to_string().into()];
        table.push(about.into_iter().chain(cells(&figures)).chain(indices));
    }
    let no_index: Cell = if reported.compat { "NA".into() } else { Cell::Null };
    for StageStep { step, ranks, figures } in stage_steps(reported) {
        let about = [Cell::from(step), "stage".into(), rank_set(&ranks).into()];
        let indices = std::iter::repeat_n(no_index.clone(), 3);
        table.push(about.into_iter().chain(cells(&figures)).chain(indices));
    }
    table
}
