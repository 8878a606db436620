//! Memory over time, and whose it is.

use arrow::array::RecordBatch;
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

const MEMORY: &str = "memory figures";

/// Curves of allocators, driver modules and processes, thinned so that what is least and greatest stays.
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
        return Err(missing(source, MEMORY, &[Setting::Memory]));
    }
    let (ranks, times) = (sql::ints(&batch, "rank"), sql::ints(&batch, "time"));
    let (kinds, components) = (sql::texts(&batch, "kind"), sql::texts(&batch, "component"));
    let [allocated, reserved, active] = ["allocated", "reserved", "active"].map(|name| sql::ints(&batch, name));
    let key = |row: usize| (ranks[row], kinds[row], components[row]);
    let all: Vec<usize> = (0..batch.num_rows()).collect();
    let height = |row: usize| allocated[row].or(reserved[row]).or(active[row]).unwrap_or_default();
    // Drivers list all their modules, most of which have no memory at all.
    let has_any = |curve: &&[usize]| curve.iter().any(|row| height(*row) != 0);
    let curves: Vec<&[usize]> = all.chunk_by(|a, b| key(*a) == key(*b)).filter(has_any).collect();
    let points = POINTS.min((ALL_POINTS / curves.len().max(1)).max(4));
    let kept: Vec<usize> = curves.into_iter().flat_map(|curve| thinned(curve, points, height)).collect();
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

/// At most so many of the rows of a curve: of each stretch the first, the lowest, the highest and the last.
fn thinned(rows: &[usize], points: usize, height: impl Fn(usize) -> i64) -> Vec<usize> {
    if rows.len() <= points {
        return rows.to_vec();
    }
    let stretch = rows.len().div_ceil((points / 4).max(1));
    let mut kept = Vec::with_capacity(points);
    for part in rows.chunks(stretch) {
        let lowest = part.iter().copied().min_by_key(|row| height(*row));
        let highest = part.iter().copied().max_by_key(|row| height(*row));
        let mut of_part: Vec<usize> =
            [part.first().copied(), lowest, highest, part.last().copied()].into_iter().flatten().collect();
        of_part.sort_unstable();
        of_part.dedup();
        kept.extend(of_part);
    }
    kept
}

/// Allocations in scope, the largest first.
pub fn allocations(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let limit = question.count("limit", ALLOCATIONS, MOST_ALLOCATIONS)?;
    let mut filter = "kind = 'operator'".to_owned();
    if let Some(name) = question.text("name") {
        filter.push_str(&format!(" AND name = {}", quoted(name)));
    }
    if let Some(at) = moment(source, question)? {
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
    unless_missing(source, made, "SELECT 1 FROM mem_event WHERE kind = 'operator'", "allocations", &[Setting::Memory])
}

/// The parameter `at` in ns since the epoch.
fn moment(source: &Source<'_>, question: &Question<'_>) -> Result<Option<i64>, NotMade> {
    Ok(question.number("at")?.map(|at| at.saturating_add(source.origin)))
}

/// What memory is alive at a moment.
fn alive(at: i64) -> String {
    format!("start <= {at} AND (release IS NULL OR release > {at})")
}

/// What was alive at a moment, by who allocated it, the most first; each rank at its own peak if no moment is given.
/// The row without a name is what the allocator had in all beyond that: memory from before the profile.
pub fn peak(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let events = rows("mem_event", Time::Life, &question.scope);
    let peaks = match moment(source, question)? {
        Some(at) => format!(
            "SELECT l.rank, l.time, l.allocated - coalesce(sum(f.bytes), 0) AS allocated FROM \
             (SELECT rank, CAST({at} AS BIGINT) AS time, max(start) AS last, \
              last_value(start_allocated ORDER BY start) AS allocated \
              FROM {events} WHERE kind = 'operator' AND start <= {at} GROUP BY rank) l \
             LEFT JOIN {events} f ON f.rank = l.rank AND f.kind = 'operator' AND f.release > l.last AND f.release <= {at} \
             GROUP BY l.rank, l.time, l.allocated"
        ),
        None => format!(
            "SELECT rank, first_value(start ORDER BY start_allocated DESC, start) AS time, \
             max(start_allocated) AS allocated FROM {events} \
             WHERE kind = 'operator' AND start_allocated IS NOT NULL GROUP BY rank"
        ),
    };
    let batch = sql::batch(
        source,
        &format!(
            "SELECT p.rank, p.time - {} AS time, p.allocated, e.name, count(*) AS count, sum(e.bytes) AS bytes \
             FROM ({peaks}) p LEFT JOIN (SELECT rank, name, bytes, start, release FROM {events} WHERE kind = 'operator') e \
             ON e.rank = p.rank AND e.start <= p.time AND (e.release IS NULL OR e.release > p.time) \
             GROUP BY p.rank, p.time, p.allocated, e.name ORDER BY p.rank, bytes DESC, e.name",
            source.origin
        ),
    )?;
    let owners = owners(&batch);
    let ints = |of: fn(&Owner<'_>) -> Option<i64>| columns::ints(owners.iter().map(of));
    let made = columns::made(vec![
        ("rank", ints(|owner| owner.rank)),
        ("time", ints(|owner| owner.time)),
        ("name", columns::texts(owners.iter().map(|owner| owner.name))),
        ("count", ints(|owner| owner.count)),
        ("bytes", ints(|owner| Some(owner.bytes))),
        ("share", columns::reals(owners.iter().map(|owner| owner.share))),
    ])?;
    unless_missing(source, made, "SELECT 1 FROM mem_event WHERE kind = 'operator'", "allocations", &[Setting::Memory])
}

/// Memory of one name that was alive.
struct Owner<'a> {
    rank: Option<i64>,
    time: Option<i64>,
    name: Option<&'a str>,
    count: Option<i64>,
    bytes: i64,
    share: f64,
}

/// Rows with their shares of what their rank had in all, and for each rank the rest of that.
fn owners(batch: &RecordBatch) -> Vec<Owner<'_>> {
    let names = sql::texts(batch, "name");
    let [ranks, times, allocated, counts, bytes] =
        ["rank", "time", "allocated", "count", "bytes"].map(|name| sql::ints(batch, name));
    let all_rows: Vec<usize> = (0..batch.num_rows()).collect();
    let mut owners = Vec::with_capacity(all_rows.len());
    for of_rank in all_rows.chunk_by(|a, b| ranks[*a] == ranks[*b]) {
        let Some(first) = of_rank.first().copied() else { continue };
        let told: i64 = of_rank.iter().filter_map(|row| bytes[*row]).sum();
        let all = allocated[first].unwrap_or(told).max(told);
        let owner = |name, count, bytes: i64| {
            let share = bytes as f64 / all.max(1) as f64;
            Owner { rank: ranks[first], time: times[first], name, count, bytes, share }
        };
        let alive = of_rank.iter().filter_map(|row| Some((*row, bytes[*row]?)));
        owners.extend(alive.map(|(row, bytes)| owner(names[row], counts[row], bytes)));
        owners.extend((all > told).then(|| owner(None, None, all - told)));
    }
    owners
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
    let what = "memory that a graph compiler planned; only jobs that run as compiled graphs have it";
    unless_missing(source, made, "SELECT 1 FROM mem_event WHERE kind = 'static'", what, &[Setting::Memory])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_curve_keeps_its_extremes() {
        let heights: Vec<i64> = (0..10_000).map(|row| (row * 7919) % 10_007).collect();
        let rows: Vec<usize> = (0..heights.len()).collect();
        let kept = thinned(&rows, 100, |row| heights[row]);
        assert!(kept.len() <= 100);
        assert!(kept.is_sorted());
        let of_kept = || kept.iter().map(|row| heights[*row]);
        assert_eq!((of_kept().min(), of_kept().max()), (heights.iter().min().copied(), heights.iter().max().copied()));
        assert_eq!((kept.first(), kept.last()), (Some(&0), Some(&9_999)));
        assert_eq!(thinned(&rows[..5], 100, |row| heights[row]), [0, 1, 2, 3, 4]);
    }
}
