//! What one rank shows of others: who kept whom waiting.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use npuscope_analysis::communication::parallel_groups;
use npuscope_formats::trace_json::layers::group_in_lane;
use npuscope_tables::table::reported_comm;
use serde::Deserialize;
use serde_json::{Value, json};

use super::timeline::timeline_of;
use crate::app::{App, work};
use crate::failure::Failure;
use crate::timeline::gap::Cause;
use crate::timeline::{ShownSlice, Timeline};

/// Ranks that are opened to look for one operation.
const MAX_RANKS: usize = 128;

const NS_PER_MS: f64 = 1e6;

#[derive(Deserialize)]
pub struct GapQuery {
    time: i64,
    lane: usize,
}

/// Why nothing ran on a lane at a time.
pub async fn gap(
    State(app): State<Arc<App>>,
    Path(rank): Path<i64>,
    Query(query): Query<GapQuery>,
) -> Result<Json<Value>, Failure> {
    work(app, move |app| {
        let timeline = timeline_of(app, rank)?;
        let origin = app.run.origin()?;
        let found = timeline.gap(query.lane, query.time.saturating_add(origin));
        let gap = found.ok_or_else(|| Failure::Bad("this is no gap of a lane of the device".to_owned()))?;
        let place = |rank: i64, timeline: &Timeline, slice: u32, what: &str| {
            let mut place = json!(timeline.summary(&timeline.slice(slice)?, origin));
            place["rank"] = rank.into();
            place["what"] = what.into();
            Some(place)
        };
        let mut places: Vec<Value> = Vec::new();
        if gap.cause == Cause::WaitingForRank
            && let Some(operation) = gap.next.and_then(|next| timeline.operation_of(next))
            && let Some(last) = meeting(app, rank, timeline.clone(), &operation).last()
            && last.rank != rank
        {
            places.extend(place(last.rank, &last.timeline, last.slice.id, "last"));
        }
        places.extend(gap.places.iter().filter_map(|slice| place(rank, &timeline, *slice, "cause")));
        places.extend(gap.next.and_then(|next| place(rank, &timeline, next, "next")));
        Ok(Json(json!({"begin": gap.begin - origin, "end": gap.end - origin, "cause": gap.cause, "places": places})))
    })
    .await
}

/// An operation as one rank saw it.
struct Seen {
    rank: i64,
    timeline: Arc<Timeline>,
    slice: ShownSlice,
}

/// The operation of a slice on all ranks that took part, the last to begin last. A rank that cannot be read is left out.
fn meeting(app: &App, rank: i64, timeline: Arc<Timeline>, slice: &ShownSlice) -> Vec<Seen> {
    let (name, occurrence) = (timeline.name(slice).to_owned(), timeline.occurrence(slice));
    let layer = timeline.layer_of(slice);
    let group = group_in_lane(timeline.lane_name(slice)).map(str::to_owned);
    let groups = parallel_groups(timeline.tables());
    let declared = groups.into_iter().find(|declared| group.as_ref() == Some(&declared.id));
    let known: Vec<i64> = app.run.ranks().collect();
    let others: Vec<i64> = match declared {
        Some(group) => group.ranks.into_iter().filter(|rank| known.contains(rank)).collect(),
        None => known,
    };
    let mut seen = vec![Seen { rank, timeline, slice: *slice }];
    for other in others.into_iter().filter(|other| *other != rank).take(MAX_RANKS) {
        let Ok(timeline) = timeline_of(app, other) else { continue };
        let found = timeline.occurrences(&name, layer).nth(occurrence);
        seen.extend(found.map(|slice| Seen { rank: other, timeline, slice }));
    }
    seen.sort_by_key(|seen| seen.slice.begin);
    seen
}

#[derive(Deserialize)]
pub struct SliceQuery {
    rank: i64,
    slice: u32,
}

fn slice_of(app: &App, rank: i64, slice: u32) -> Result<(Arc<Timeline>, ShownSlice), Failure> {
    let timeline = timeline_of(app, rank)?;
    let found = timeline.slice(slice).ok_or_else(|| Failure::NotFound(format!("rank {rank} has no slice {slice}")))?;
    Ok((timeline, found))
}

/// The same operation on all ranks of its group.
pub async fn collective(State(app): State<Arc<App>>, Query(query): Query<SliceQuery>) -> Result<Json<Value>, Failure> {
    work(app, move |app| {
        let (timeline, slice) = slice_of(app, query.rank, query.slice)?;
        let origin = app.run.origin()?;
        let seen = meeting(app, query.rank, timeline.clone(), &slice);
        let name = timeline.name(&slice).to_owned();
        let mut instances = Vec::new();
        let mut before = Vec::new();
        for Seen { rank, timeline: of_rank, slice } in &seen {
            let (transit, wait) = reported(of_rank, &name, slice);
            let mut instance = json!(of_rank.summary(slice, origin));
            instance["rank"] = json!(rank);
            instance["transit_ns"] = json!(transit);
            instance["wait_ns"] = json!(wait);
            instances.push(instance);
            if let Some(previous) = of_rank.before(slice) {
                let mut previous = json!(of_rank.summary(&previous, origin));
                previous["rank"] = json!(rank);
                before.push(previous);
            }
        }
        let (first, last) = (seen.first(), seen.last());
        let skew = first.zip(last).map(|(first, last)| last.slice.begin - first.slice.begin);
        Ok(Json(json!({
            "name": name, "group": timeline.lane_name(&slice), "instances": instances, "before": before,
            "last_rank": last.map(|seen| seen.rank), "skew_ns": skew,
        })))
    })
    .await
}

/// How long an operation moved data and waited for others, in ns, where the profile says so.
fn reported(timeline: &Timeline, name: &str, slice: &ShownSlice) -> (Option<i64>, Option<i64>) {
    let tables = timeline.tables();
    let is_same = |row: &reported_comm::Row| {
        let told = tables.text(row.name);
        let starts_alike = row.start.is_none_or(|start| (start * 1e3 - slice.begin as f64).abs() < NS_PER_MS);
        (told == name || told.split('@').next() == Some(name)) && starts_alike
    };
    let Some(row) = tables.rows::<reported_comm::Row>().find(is_same) else { return (None, None) };
    let ns = |ms: Option<f64>| ms.map(|ms| (ms * NS_PER_MS).round() as i64);
    (ns(row.transit), ns(row.wait))
}

#[derive(Deserialize)]
pub struct AlignQuery {
    rank: i64,
    slice: u32,
    side: Side,
    /// As `0-7,12`.
    ranks: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Side {
    Start,
    End,
}

/// How far the same operation lies on other ranks from where it lies on this.
pub async fn align(State(app): State<Arc<App>>, Query(query): Query<AlignQuery>) -> Result<Json<Value>, Failure> {
    let ranks = query.ranks.as_deref().map(crate::timeline::search::ranges).transpose()?;
    work(app, move |app| {
        let (timeline, base) = slice_of(app, query.rank, query.slice)?;
        let anchor = |slice: &ShownSlice| match query.side {
            Side::Start => slice.begin,
            Side::End => slice.end,
        };
        let (name, occurrence) = (timeline.name(&base), timeline.occurrence(&base));
        let is_asked = |rank: &i64| match &ranks {
            Some(ranks) => ranks.iter().any(|range| range.contains(rank)),
            None => true,
        };
        let mut offsets = Vec::new();
        for rank in app.run.ranks().filter(is_asked).take(MAX_RANKS) {
            let of_rank = timeline_of(app, rank)?;
            if let Some(slice) = of_rank.occurrences(name, timeline.layer_of(&base)).nth(occurrence) {
                offsets.push(json!({"rank": rank, "offset_ns": anchor(&slice) - anchor(&base)}));
            }
        }
        Ok(Json(json!({"offsets": offsets})))
    })
    .await
}
