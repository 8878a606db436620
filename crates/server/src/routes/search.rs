//! Questions about slices of many ranks.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Query, State};
use npuscope_tables::Rank;
use serde::Deserialize;

use super::timeline::timeline_of;
use crate::answers::{Hit, Hits, RankHits};
use crate::app::{App, body, work};
use crate::failure::Failure;
use crate::timeline::Timeline;
use crate::timeline::search::{Wanted, ranges};
use crate::timeline::statistics::{self, NameStatistics, Part};

/// Hits of a search that are listed at a time.
const MAX_HITS: usize = 1000;

#[derive(Deserialize)]
pub struct SearchQuery {
    text: String,
    /// As `0-7,12`; all if none is given.
    ranks: Option<String>,
    from: Option<usize>,
}

pub async fn search(State(app): State<Arc<App>>, Query(query): Query<SearchQuery>) -> Result<Json<Hits>, Failure> {
    let wanted = Wanted::parse(&query.text)?;
    let ranks = query.ranks.as_deref().map(ranges).transpose()?;
    work(app, move |app| {
        let origin = app.profile.origin()?;
        let mut skip = query.from.unwrap_or_default();
        let (mut hits, mut by_rank, mut count) = (Vec::new(), Vec::new(), 0);
        let is_asked = |rank: &Rank| ranks.as_ref().is_none_or(|ranks| ranks.iter().any(|range| range.contains(rank)));
        for rank in app.profile.ranks().filter(|rank| wanted.has_rank(*rank) && is_asked(rank)) {
            let timeline = timeline_of(app, rank)?;
            let found = timeline.find(&wanted);
            if found.count == 0 {
                continue;
            }
            count += found.count;
            by_rank.push(RankHits { rank, count: found.count });
            for slice in found.page(skip, MAX_HITS - hits.len()) {
                hits.push(Hit { slice: timeline.listed(&slice, origin), rank });
            }
            skip = skip.saturating_sub(found.count);
        }
        Ok(Json(Hits { count, hits, by_rank }))
    })
    .await
}

#[derive(Deserialize)]
pub struct Area {
    ranks: Vec<LanesOfRank>,
    begin: i64,
    end: i64,
}

#[derive(Deserialize)]
struct LanesOfRank {
    rank: Rank,
    lanes: Vec<usize>,
    /// How far the rank is shown from where it is.
    #[serde(default)]
    offset: i64,
}

pub async fn statistics(
    State(app): State<Arc<App>>,
    asked: Result<Json<Area>, JsonRejection>,
) -> Result<Json<Vec<NameStatistics>>, Failure> {
    let area = body(asked)?;
    work(app, move |app| {
        let origin = app.profile.origin()?;
        let timelines: Result<Vec<Arc<Timeline>>, Failure> =
            area.ranks.iter().map(|of_rank| timeline_of(app, of_rank.rank)).collect();
        let timelines = timelines?;
        let parts = timelines.iter().zip(&area.ranks).map(|(timeline, of_rank)| {
            let time = |time: i64| time.saturating_add(of_rank.offset).saturating_add(origin);
            Part { timeline, lanes: &of_rank.lanes, begin: time(area.begin), end: time(area.end) }
        });
        Ok(Json(statistics::statistics(parts)))
    })
    .await
}
