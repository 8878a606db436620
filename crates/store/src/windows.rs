//! The tables of a rank from those of its windows.
//!
//! Steps keep the numbers that the trainer gave. Where those do not distinguish the windows of a stage, because each
//! recording counts from 0 or marks no steps at all, a window is a step, and they are numbered in their order.

use std::collections::{BTreeMap, BTreeSet};

use npuscope_formats::diagnostic::{Code, Diagnostic, Severity};
use npuscope_formats::source::WindowSource;
use npuscope_measures::link::{set_values, time_span, with_more};
use npuscope_measures::step;
use npuscope_measures::step_of::{StepOf, fill_steps};
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::{comm_op, kernel, rank, step as step_table, task, window};
use npuscope_tables::{Ns, RankTables, Selection, Str, TableId, window as join};

use crate::messages;

/// The tables of a rank, of its windows in their order, with what follows from their steps. `wanted` is what was read of
/// a window.
pub fn joined(
    mut windows: Vec<(&WindowSource, RankTables)>,
    wanted: impl Fn(&WindowSource) -> Selection,
) -> RankTables {
    if windows.len() > 1 && windows.iter().all(|(source, _)| wanted(source).has(TableId::Step)) {
        number_steps(&mut windows);
    }
    let finished = |(source, tables): (&WindowSource, RankTables)| {
        let tables = with_more(tables, |tables, more| {
            let span = time_span(tables);
            let ids = || tables.rows::<step_table::Row>().filter_map(|step| step.id);
            let row = window::Row {
                stage: source.stage.as_deref().map(|stage| more.strings.intern(stage)),
                directory: more.strings.intern(&source.name()),
                start: span.map(|(start, _)| start),
                end: span.map(|(_, end)| end),
                first_step: ids().min(),
                last_step: ids().max(),
            };
            more.window.push(row);
        });
        (source.window, with_steps(tables, wanted(source)))
    };
    let mut windows: Vec<_> = windows.into_iter().map(finished).collect();
    match windows.len() {
        1 if windows.iter().all(|(window, _)| window.0 == 0) => windows.remove(0).1,
        _ => one_rank_row(join::join(windows)),
    }
}

/// Adds what follows from the steps of a window.
fn with_steps(mut tables: RankTables, wanted: Selection) -> RankTables {
    if !wanted.has(TableId::StepTime) {
        return tables;
    }
    let step_of = StepOf::of(&tables);
    fill_steps(&mut tables, &step_of);
    step::with_step_times(tables, step_of.launches())
}

/// Numbers the steps of windows that repeat numbers or mark no steps: of those of all stages alike, since stages of one
/// iteration have one number.
fn number_steps(windows: &mut [(&WindowSource, RankTables)]) {
    let mut stages: BTreeMap<Option<String>, Vec<usize>> = BTreeMap::new();
    for (place, (source, _)) in windows.iter().enumerate() {
        stages.entry(source.stage.clone()).or_default().push(place);
    }
    let is_known = |windows: &[(&WindowSource, RankTables)], places: &[usize]| {
        let mut seen = BTreeSet::new();
        places.iter().filter_map(|place| windows.get(*place)).all(|(_, tables)| {
            let ids: BTreeSet<Option<i64>> = tables.rows::<step_table::Row>().map(|step| step.id).collect();
            !ids.is_empty() && ids.into_iter().all(|id| id.is_some() && seen.insert(id))
        })
    };
    let (of_none, of_stages): (Vec<_>, Vec<_>) = stages.into_iter().partition(|(stage, _)| stage.is_none());
    for stages in [of_none, of_stages] {
        if stages.iter().all(|(_, places)| is_known(windows, places)) {
            continue;
        }
        for (number, place) in stages.into_iter().flat_map(|(_, places)| (1..).zip(places)) {
            if let Some((_, tables)) = windows.get_mut(place) {
                *tables = one_step(tables.clone(), number);
            }
        }
        if let Some((_, tables)) = windows.first_mut() {
            *tables = with_more(tables.clone(), |_, more| {
                let message = messages::steps_by_order();
                Diagnostic::new(Severity::Info, Code::StepsByOrder, "", message).record(more);
            });
        }
    }
}

/// A window whose steps, or whose whole time where none are marked, are one step of that number.
fn one_step(mut tables: RankTables, number: i64) -> RankTables {
    let span = work_span(&tables).or_else(|| time_span(&tables));
    if !tables.is_empty(TableId::Step) {
        let ids = vec![Some(number); tables.len(TableId::Step)];
        set_values(&mut tables, TableId::Step, "id", &ids);
    }
    with_more(tables, |tables, more| {
        if let Some((start, end)) = span.filter(|_| tables.is_empty(TableId::Step)) {
            more.step.push(step_table::Row { id: Some(number), start, end });
        }
    })
}

/// From the first to the last work of the device or call that launches some.
fn work_span(tables: &RankTables) -> Option<(Ns, Ns)> {
    let calls = tables.rows::<host_op::Row>().filter(|row| tables.text(row.kind) == Kind::Cann.name());
    let calls = calls.map(|row| (row.start, row.duration));
    let kernels = tables.rows::<kernel::Row>().map(|row| (row.start, row.duration));
    let tasks = tables.rows::<task::Row>().map(|row| (row.start, row.duration));
    let operations = tables.rows::<comm_op::Row>().map(|row| (row.start, row.duration));
    let work = calls.chain(kernels).chain(tasks).chain(operations);
    let spans = work.map(|(start, duration)| (start, start.plus(duration.ns())));
    spans.reduce(|(first, last), (start, end)| (first.min(start), last.max(end)))
}

/// Of the rows of `rank`, one for each window, makes one: what the first window lacks, a later one may have.
fn one_rank_row(mut tables: RankTables) -> RankTables {
    let rows: Vec<rank::Row> = tables.rows().collect();
    let Some(row) = rows.into_iter().reduce(merged) else { return tables };
    tables.clear(TableId::Rank);
    with_more(tables, |tables, more| {
        let mut again = |text: Str| more.strings.intern(tables.text(text));
        let row = rank::Row {
            host: row.host.map(&mut again),
            host_uid: row.host_uid.map(&mut again),
            chip: row.chip.map(&mut again),
            framework: row.framework.map(&mut again),
            framework_version: row.framework_version.map(&mut again),
            cann_version: row.cann_version.map(&mut again),
            schema_version: row.schema_version.map(&mut again),
            format: again(row.format),
            level: row.level.map(&mut again),
            aic_metrics: row.aic_metrics.map(&mut again),
            directory: again(row.directory),
            ..row
        };
        more.rank.push(row);
    })
}

fn merged(first: rank::Row, later: rank::Row) -> rank::Row {
    let least = |a: Option<Ns>, b| [a, b].into_iter().flatten().min();
    let most = |a: Option<Ns>, b| [a, b].into_iter().flatten().max();
    rank::Row {
        device: first.device.or(later.device),
        host: first.host.or(later.host),
        host_uid: first.host_uid.or(later.host_uid),
        chip: first.chip.or(later.chip),
        process: first.process.or(later.process),
        framework: first.framework.or(later.framework),
        framework_version: first.framework_version.or(later.framework_version),
        cann_version: first.cann_version.or(later.cann_version),
        schema_version: first.schema_version.or(later.schema_version),
        format: first.format,
        level: first.level.or(later.level),
        aic_metrics: first.aic_metrics.or(later.aic_metrics),
        directory: first.directory,
        start: least(first.start, later.start),
        end: most(first.end, later.end),
        session_start: least(first.session_start, later.session_start),
        session_end: most(first.session_end, later.session_end),
        world_size: first.world_size.or(later.world_size),
        tp_size: first.tp_size.or(later.tp_size),
        pp_size: first.pp_size.or(later.pp_size),
        dp_size: first.dp_size.or(later.dp_size),
        cp_size: first.cp_size.or(later.cp_size),
        ep_size: first.ep_size.or(later.ep_size),
    }
}
