//! What one rank shows of others: who kept whom waiting.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use npuscope_analysis::communication::parallel_groups;
use npuscope_analysis::gap::{Cause, gap_on_lane};
use npuscope_analysis::meetings::{RankOperations, members, start_skew};
use npuscope_tables::Rank;
use serde::{Deserialize, Serialize};

use super::timeline::timeline_of;
use crate::app::{App, work};
use crate::failure::{Bad, Failure, NotFound};
use crate::timeline::details::ListedSlice;
use crate::timeline::{ShownSlice, Timeline};

/// Ranks that are opened to look for one operation.
const MAX_RANKS: usize = 128;

#[derive(Deserialize)]
pub struct GapQuery {
    time: i64,
    lane: usize,
}

/// Why nothing ran. Times are ns from the origin of the profile.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GapAnswer {
    pub begin: i64,
    pub end: i64,
    pub cause: Cause,
    pub places: Vec<Place>,
}

/// Something that shows the cause of a gap.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Place {
    #[serde(flatten)]
    pub at: ListedSlice,
    #[cfg_attr(test, ts(as = "i64"))]
    pub rank: Rank,
    pub what: PlaceKind,
}

/// What a place shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum PlaceKind {
    /// The operation of the rank that came last.
    Last,
    Cause,
    /// What ran next.
    Next,
}

/// Why nothing ran on a lane at a time.
pub async fn gap(
    State(app): State<Arc<App>>,
    Path(rank): Path<Rank>,
    Query(query): Query<GapQuery>,
) -> Result<Json<GapAnswer>, Failure> {
    work(app, move |app| {
        let timeline = timeline_of(app, rank)?;
        let origin = app.profile.origin()?;
        let found = gap_on_lane(&*timeline, query.lane, query.time.saturating_add(origin));
        let gap = found.ok_or(Bad::NoGap)?;
        let place = |rank: Rank, timeline: &Timeline, slice: u32, what: PlaceKind| {
            let at = timeline.listed(&timeline.slice(slice)?, origin);
            Some(Place { at, rank, what })
        };
        let mut places: Vec<Place> = Vec::new();
        if gap.cause == Cause::WaitingForRank
            && let Some(operation) = gap.next.and_then(|next| timeline.operation_of(next))
            && let Some(last) = meeting(app, rank, timeline.clone(), &operation)?.last()
            && last.rank != rank
        {
            places.extend(place(last.rank, &last.timeline, last.slice.id, PlaceKind::Last));
        }
        places.extend(gap.places.iter().filter_map(|slice| place(rank, &timeline, *slice, PlaceKind::Cause)));
        places.extend(gap.next.and_then(|next| place(rank, &timeline, next, PlaceKind::Next)));
        Ok(Json(GapAnswer { begin: gap.begin - origin, end: gap.end - origin, cause: gap.cause, places }))
    })
    .await
}

/// An operation as one rank saw it.
struct Seen {
    rank: Rank,
    timeline: Arc<Timeline>,
    slice: ShownSlice,
}

/// The slice on all ranks that have it, the last to begin last: of a communication operation those that took part
/// ([`npuscope_analysis::meetings`]), of anything else the slice with its place among those of its name. A rank that
/// cannot be read is left out.
fn meeting(app: &App, rank: Rank, timeline: Arc<Timeline>, slice: &ShownSlice) -> Result<Vec<Seen>, Failure> {
    let own = operations_of(app, rank, &timeline)?;
    let Some(index) = own.starting(timeline.name(slice), slice.begin).filter(|_| timeline.is_operation(slice.id))
    else {
        return Ok(same_place(app, rank, timeline, slice));
    };
    let group = own.list.get(index).map(|operation| operation.group().to_owned()).unwrap_or_default();
    let declared = parallel_groups(timeline.tables());
    let declared = declared.into_iter().find(|declared| declared.id == group || declared.hash.as_str() == group);
    let known: Vec<Rank> = app.profile.ranks().collect();
    let ranks: Vec<Rank> = match declared {
        Some(group) => group.ranks.into_iter().filter(|rank| known.contains(rank)).collect(),
        None => known,
    };
    let mut others = Vec::new();
    for other in ranks.into_iter().filter(|other| *other != rank).take(MAX_RANKS) {
        let Ok(timeline) = timeline_of(app, other) else { continue };
        others.push((operations_of(app, other, &timeline)?, timeline));
    }
    let of_others: Vec<&RankOperations> = others.iter().map(|(operations, _)| &**operations).collect();
    let mut seen = Vec::new();
    for member in members(&own, index, &of_others) {
        let of_rank = others.iter().find(|(operations, _)| operations.rank == member.rank);
        let of_rank = of_rank.map_or(&timeline, |(_, timeline)| timeline);
        let slice = of_rank.operation_at(member.operation.name(), member.operation.start);
        seen.extend(slice.map(|slice| Seen { rank: member.rank, timeline: of_rank.clone(), slice }));
    }
    Ok(seen)
}

/// The operations of a rank, read once while its timeline is open.
fn operations_of(app: &App, rank: Rank, timeline: &Timeline) -> Result<Arc<RankOperations>, Failure> {
    Ok(timeline.operations(|| app.profile.operations(rank))?)
}

/// The slice with the same place among those of its name, on all ranks.
fn same_place(app: &App, rank: Rank, timeline: Arc<Timeline>, slice: &ShownSlice) -> Vec<Seen> {
    let (name, occurrence) = (timeline.name(slice).to_owned(), timeline.occurrence(slice));
    let layer = timeline.layer_of(slice);
    let mut seen = vec![Seen { rank, timeline, slice: *slice }];
    for other in app.profile.ranks().filter(|other| *other != rank).take(MAX_RANKS) {
        let Ok(timeline) = timeline_of(app, other) else { continue };
        let found = timeline.occurrences(&name, layer).nth(occurrence);
        seen.extend(found.map(|slice| Seen { rank: other, timeline, slice }));
    }
    seen.sort_by_key(|seen| seen.slice.begin);
    seen
}

#[derive(Deserialize)]
pub struct SliceQuery {
    rank: Rank,
    slice: u32,
}

fn slice_of(app: &App, rank: Rank, slice: u32) -> Result<(Arc<Timeline>, ShownSlice), Failure> {
    let timeline = timeline_of(app, rank)?;
    let found = timeline.slice(slice).ok_or(NotFound::Slice { rank, slice })?;
    Ok((timeline, found))
}

/// An operation on all ranks of its group.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CollectiveAnswer {
    pub name: String,
    /// The lane it is on, which names the group.
    pub group: String,
    /// The last to begin is last.
    pub instances: Vec<Instance>,
    /// What each rank ran before.
    pub before: Vec<RankSlice>,
    #[cfg_attr(test, ts(as = "Option<i64>"))]
    pub last_rank: Option<Rank>,
    /// From the first to the last start.
    pub skew_ns: Option<i64>,
}

/// A slice of a rank.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RankSlice {
    #[serde(flatten)]
    pub at: ListedSlice,
    #[cfg_attr(test, ts(as = "i64"))]
    pub rank: Rank,
}

/// The operation on one rank.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(rename = "CollectiveInstance"))]
pub struct Instance {
    #[serde(flatten)]
    pub at: ListedSlice,
    #[cfg_attr(test, ts(as = "i64"))]
    pub rank: Rank,
    /// How long it moved data and waited for others, where the profile says so.
    pub transit_ns: Option<i64>,
    pub wait_ns: Option<i64>,
}

/// The same operation on all ranks of its group.
pub async fn collective(
    State(app): State<Arc<App>>,
    Query(query): Query<SliceQuery>,
) -> Result<Json<CollectiveAnswer>, Failure> {
    work(app, move |app| {
        let (timeline, slice) = slice_of(app, query.rank, query.slice)?;
        let origin = app.profile.origin()?;
        let seen = meeting(app, query.rank, timeline.clone(), &slice)?;
        let mut instances = Vec::new();
        let mut before = Vec::new();
        for Seen { rank, timeline: of_rank, slice } in &seen {
            let (transit_ns, wait_ns) = app.profile.reported_times(*rank, of_rank.name(slice), slice.begin)?;
            instances.push(Instance { at: of_rank.listed(slice, origin), rank: *rank, transit_ns, wait_ns });
            let previous = of_rank.before(slice);
            before.extend(previous.map(|previous| RankSlice { at: of_rank.listed(&previous, origin), rank: *rank }));
        }
        Ok(Json(CollectiveAnswer {
            name: timeline.name(&slice).to_owned(),
            group: timeline.lane_name(&slice).to_owned(),
            instances,
            before,
            last_rank: seen.last().map(|seen| seen.rank),
            skew_ns: start_skew(seen.iter().map(|seen| seen.slice.begin)),
        }))
    })
    .await
}

#[derive(Deserialize)]
pub struct AlignQuery {
    rank: Rank,
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

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AlignAnswer {
    pub offsets: Vec<Offset>,
}

/// How far a slice lies on a rank from where it lies on the one that was asked about.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Offset {
    #[cfg_attr(test, ts(as = "i64"))]
    pub rank: Rank,
    pub offset_ns: i64,
}

/// How far the same operation lies on other ranks from where it lies on this.
pub async fn align(State(app): State<Arc<App>>, Query(query): Query<AlignQuery>) -> Result<Json<AlignAnswer>, Failure> {
    let ranks = query.ranks.as_deref().map(crate::timeline::search::ranges).transpose()?;
    work(app, move |app| {
        let (timeline, base) = slice_of(app, query.rank, query.slice)?;
        let anchor = |slice: &ShownSlice| match query.side {
            Side::Start => slice.begin,
            Side::End => slice.end,
        };
        let is_asked = |rank: Rank| match &ranks {
            Some(ranks) => ranks.iter().any(|range| range.contains(&rank)),
            None => true,
        };
        let seen = meeting(app, query.rank, timeline, &base)?;
        let offset = |seen: &Seen| Offset { rank: seen.rank, offset_ns: anchor(&seen.slice) - anchor(&base) };
        let mut offsets: Vec<Offset> = seen.iter().filter(|seen| is_asked(seen.rank)).map(offset).collect();
        offsets.sort_by_key(|offset| offset.rank);
        Ok(Json(AlignAnswer { offsets }))
    })
    .await
}
