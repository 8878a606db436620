//! Memory over time, and whose it is.

use npuscope_analysis::memory::{self, Holder, thinned};
use npuscope_analysis::messages::collection as data;
use npuscope_collect::Setting;

use crate::columns;
use crate::missing::{missing, unless_missing};
use crate::sql::{self, Time, quoted, rows};
use crate::{Made, NotMade, Question, Source};

/// Points of a curve.
const POINTS: usize = 2000;

/// Points of all curves together.
const ALL_POINTS: usize = 400_000;

const ALLOCATIONS: usize = 1000;
const MOST_ALLOCATIONS: usize = 100_000;

/// Curves of allocators, driver modules and processes, downsampled so that minima and maxima stay.
pub fn curve(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let batch = sql::batch(
        source,
        &format!(
            "SELECT rank, kind, component, time, allocated, reserved, active FROM {} \
             WHERE coalesce(allocated, reserved, active) IS NOT NULL ORDER BY rank, kind, component, time",
            rows("mem_sample", Time::Moment, &question.scope)
        ),
    )?;
    if batch.num_rows() == 0 && !sql::has_rows(source, "SELECT 1 FROM mem_sample")? {
        return Err(missing(source, data::data_memory_figures(), &[Setting::Memory]));
    }
    let (ranks, times) = (sql::ints(&batch, "rank"), sql::ints(&batch, "time"));
    let (kinds, components) = (sql::texts(&batch, "kind"), sql::texts(&batch, "component"));
    let [allocated, reserved, active] = ["allocated", "reserved", "active"].map(|name| sql::ints(&batch, name));
    let key = |row: usize| (ranks[row], kinds[row], components[row]);
    let all: Vec<usize> = (0..batch.num_rows()).collect();
    let heights = |row: usize| [allocated[row], reserved[row], active[row]];
    // Drivers list all their modules, most of which have no memory at all.
    let has_any =
        |curve: &&[usize]| curve.iter().any(|row| heights(*row).into_iter().flatten().any(|bytes| bytes != 0));
    let curves: Vec<&[usize]> = all.chunk_by(|a, b| key(*a) == key(*b)).filter(has_any).collect();
    let points = POINTS.min(ALL_POINTS / curves.len().max(1));
    let kept: Vec<usize> = curves.into_iter().flat_map(|curve| thinned(curve, points, heights)).collect();
    let pick = |values: &[Option<i64>]| columns::ints(kept.iter().map(|row| values[*row]));
    let names = |values: &[Option<&str>]| columns::texts(kept.iter().map(|row| values[*row]));
    columns::made(vec![
        ("rank", pick(&ranks)),
        ("kind", names(&kinds)),
        ("component", names(&components)),
        ("time", columns::ints(kept.iter().map(|row| Some(times[*row]? - source.origin)))),
        ("allocated", pick(&allocated)),
        ("reserved", pick(&reserved)),
        ("active", pick(&active)),
    ])
}

/// Allocations in scope, the largest first.
pub fn allocations(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let limit = question.count("limit", ALLOCATIONS, MOST_ALLOCATIONS)?;
    let mut filter = "kind = 'operator'".to_owned();
    if let Some(name) = question.text("name") {
        filter.push_str(&format!(" AND name = {}", quoted(name)));
    }
    if let Some(at) = question.at(source)? {
        filter.push_str(&format!(" AND {}", alive(at)));
    }
    let origin = source.origin;
    let made = sql::query(
        source,
        &format!(
            "SELECT rank, name, bytes, start - {origin} AS start, release - {origin} AS release, \
             active_release - {origin} AS active_release, duration, active_duration, start_allocated, start_reserved, \
             stream_ptr FROM {} WHERE {filter} ORDER BY bytes DESC NULLS LAST, rank, start LIMIT {limit}",
            rows("mem_event", Time::Life, &question.scope)
        ),
    )?;
    unless_no_allocations(source, made)
}

/// `made`, unless the profile has no allocations of operators.
fn unless_no_allocations(source: &Source<'_>, made: Made) -> Result<Made, NotMade> {
    let rows = "SELECT 1 FROM mem_event WHERE kind = 'operator'";
    unless_missing(source, made, rows, data::data_allocations(), &[Setting::Memory])
}

/// What memory is alive at a moment.
fn alive(at: i64) -> String {
    format!("start <= {at} AND (release IS NULL OR release > {at})")
}

/// Memory that was allocated at a moment, by the operator that allocated it, largest first; at the peak of each rank if
/// no moment is given. The row without a name is what the allocator had in all beyond that: memory from before the
/// profile. `total` is what it had in all: at the peak, the memory peak.
pub fn peak(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let at = question.at(source)?;
    let holders = memory::ask(source.store, &question.sources(source), &question.scope, at)?;
    let ints = |of: fn(&Holder) -> Option<i64>| columns::ints(holders.iter().map(|(_, holder)| of(holder)));
    let made = columns::made(vec![
        ("rank", columns::ranks(holders.iter().map(|(rank, _)| *rank))),
        ("time", columns::ints(holders.iter().map(|(_, holder)| holder.time.saturating_sub(source.origin)))),
        ("name", columns::texts(holders.iter().map(|(_, holder)| holder.name.as_ref()))),
        ("count", ints(|holder| holder.count)),
        ("bytes", ints(|holder| Some(holder.bytes))),
        ("total", ints(|holder| Some(holder.total))),
        ("share", columns::reals(holders.iter().map(|(_, holder)| holder.share))),
    ])?;
    unless_no_allocations(source, made)
}

/// What a graph compiler planned. It has no time: only ranks choose it.
pub fn planned(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let made = sql::query(
        source,
        &format!(
            "SELECT rank, model, graph, name, bytes, node_start, node_end FROM {} \
             WHERE kind = 'static' AND name <> 'TOTAL' ORDER BY rank, graph, node_start, bytes DESC",
            rows("mem_event", Time::Timeless, &question.scope)
        ),
    )?;
    let (what, is_static) = (data::data_planned_memory(), "SELECT 1 FROM mem_event WHERE kind = 'static'");
    // Where memory was recorded, no setting would add this.
    let is_recorded =
        sql::has_rows(source, "SELECT 1 FROM mem_event")? || sql::has_rows(source, "SELECT 1 FROM mem_sample")?;
    if is_recorded && made.rows() == 0 && !sql::has_rows(source, is_static)? {
        return Err(NotMade::missing(what, data::collect_graph_mode()));
    }
    unless_missing(source, made, is_static, what, &[Setting::Memory])
}
