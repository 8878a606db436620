//! The timeline of a rank.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use npuscope_tables::Rank;
use serde::Deserialize;

use super::numbers;
use crate::answers::{self, Flows, ListedSlices, Slice};
use crate::app::{App, work};
use crate::failure::{Bad, Failure, NotFound};
use crate::timeline::Timeline;
use crate::timeline::tile::{MAX_LEVEL, TileTime, tile};

pub fn timeline_of(app: &App, rank: Rank) -> Result<Arc<Timeline>, Failure> {
    let known = || app.profile.ranks().collect();
    app.profile.timeline(rank)?.ok_or_else(|| NotFound::Rank { rank, ranks: known() }.into())
}

pub async fn timeline(State(app): State<Arc<App>>, Path(rank): Path<Rank>) -> Result<Json<answers::Timeline>, Failure> {
    work(app, move |app| Ok(Json(timeline_of(app, rank)?.describe(app.profile.origin()?)))).await
}

pub async fn names(State(app): State<Arc<App>>, Path(rank): Path<Rank>) -> Result<Json<Vec<String>>, Failure> {
    work(app, move |app| Ok(Json(timeline_of(app, rank)?.names().to_vec()))).await
}

/// Bytes that stay what they are for as long as the profile is open.
fn binary(bytes: Vec<u8>) -> Response {
    let headers = [(CONTENT_TYPE, "application/octet-stream"), (CACHE_CONTROL, "private, max-age=86400, immutable")];
    (headers, bytes).into_response()
}

#[derive(Deserialize)]
pub struct TileQuery {
    lanes: String,
}

pub async fn tiles(
    State(app): State<Arc<App>>,
    Path((rank, level, index)): Path<(Rank, u32, i64)>,
    Query(query): Query<TileQuery>,
) -> Result<Response, Failure> {
    let lanes: Vec<usize> = numbers(&query.lanes, "lanes")?;
    check_level(level)?;
    let made = work(app, move |app| {
        let time = TileTime::new(level, index, app.profile.origin()?);
        Ok(tile(&*timeline_of(app, rank)?, &lanes, time))
    });
    Ok(binary(made.await?))
}

fn check_level(level: u32) -> Result<(), Failure> {
    if level > MAX_LEVEL { Err(Bad::Level { most: MAX_LEVEL }.into()) } else { Ok(()) }
}

#[derive(Deserialize)]
pub struct CounterQuery {
    counters: String,
}

pub async fn counters(
    State(app): State<Arc<App>>,
    Path((rank, level, index)): Path<(Rank, u32, i64)>,
    Query(query): Query<CounterQuery>,
) -> Result<Response, Failure> {
    let counters: Vec<usize> = numbers(&query.counters, "counters")?;
    check_level(level)?;
    let made = work(app, move |app| {
        let time = TileTime::new(level, index, app.profile.origin()?);
        Ok(timeline_of(app, rank)?.counters().tile(&counters, time))
    });
    Ok(binary(made.await?))
}

/// The most parts that a strip is asked for in.
const MAX_BUCKETS: usize = 1 << 14;

#[derive(Deserialize)]
pub struct StripQuery {
    buckets: usize,
    begin: i64,
    end: i64,
}

pub async fn strip(
    State(app): State<Arc<App>>,
    Path(rank): Path<Rank>,
    Query(query): Query<StripQuery>,
) -> Result<Response, Failure> {
    if query.buckets == 0 || query.buckets > MAX_BUCKETS || query.begin >= query.end {
        return Err(Bad::Strip { most: MAX_BUCKETS }.into());
    }
    let made = work(app, move |app| {
        let origin = app.profile.origin()?;
        let (begin, end) = (query.begin.saturating_add(origin), query.end.saturating_add(origin));
        Ok(timeline_of(app, rank)?.strip_bytes(begin, end, query.buckets))
    });
    Ok(binary(made.await?))
}

pub async fn slice(
    State(app): State<Arc<App>>,
    Path((rank, slice)): Path<(Rank, u32)>,
) -> Result<Json<Slice>, Failure> {
    work(app, move |app| {
        let details = timeline_of(app, rank)?.details(slice, app.profile.origin()?);
        details.map(Json).ok_or_else(|| NotFound::Slice { rank, slice }.into())
    })
    .await
}

/// Slices or arrows that are given at a time, unless fewer are wanted.
const MAX_LISTED: usize = 5000;

#[derive(Deserialize)]
pub struct SlicesQuery {
    lanes: String,
    begin: i64,
    end: i64,
    name: Option<String>,
    /// Only slices that begin in the stretch, as statistics count them.
    #[serde(default)]
    begins: bool,
    limit: Option<usize>,
}

pub async fn slices(
    State(app): State<Arc<App>>,
    Path(rank): Path<Rank>,
    Query(query): Query<SlicesQuery>,
) -> Result<Json<ListedSlices>, Failure> {
    let lanes: Vec<usize> = numbers(&query.lanes, "lanes")?;
    work(app, move |app| {
        let timeline = timeline_of(app, rank)?;
        let origin = app.profile.origin()?;
        let (begin, end) = (query.begin.saturating_add(origin), query.end.saturating_add(origin));
        let found = timeline.between(&lanes, begin, end, query.begins, query.name.as_deref());
        let limit = query.limit.unwrap_or(MAX_LISTED).min(MAX_LISTED);
        let listed = found.page(0, limit);
        let slices = listed.iter().map(|slice| timeline.listed(slice, origin)).collect();
        Ok(Json(ListedSlices { count: found.count, slices }))
    })
    .await
}

#[derive(Deserialize)]
pub struct FlowsQuery {
    begin: i64,
    end: i64,
    kinds: Option<String>,
    limit: Option<usize>,
}

pub async fn flows(
    State(app): State<Arc<App>>,
    Path(rank): Path<Rank>,
    Query(query): Query<FlowsQuery>,
) -> Result<Json<Flows>, Failure> {
    work(app, move |app| {
        let origin = app.profile.origin()?;
        let (begin, end) = (query.begin.saturating_add(origin), query.end.saturating_add(origin));
        let kinds: Option<Vec<&str>> = query.kinds.as_ref().map(|kinds| kinds.split(',').collect());
        let limit = query.limit.unwrap_or(MAX_LISTED).min(MAX_LISTED);
        Ok(Json(timeline_of(app, rank)?.flows_in(begin, end, kinds.as_deref(), limit, origin)))
    })
    .await
}
