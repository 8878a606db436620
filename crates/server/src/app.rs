//! What is answered at which address.

use std::sync::Arc;

use axum::extract::{Path, Query, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, SET_COOKIE, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use npuscope_engine::EngineError;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::access::{Access, Refusal};
use crate::assets::asset;
use crate::run::Run;
use crate::timeline::Timeline;
use crate::timeline::statistics::statistics;
use crate::timeline::tile::{MAX_LEVEL, tile};

/// The largest body of a request.
const MAX_BODY: usize = 1 << 20;

/// Hits of a search that are listed.
const MAX_HITS: usize = 1000;

/// The page loads nothing from elsewhere and cannot be put into another.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/// What all requests share.
pub struct App {
    pub run: Run,
    pub access: Access,
}

pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/api/run", get(run))
        .route("/api/ranks/{rank}/timeline", get(timeline))
        .route("/api/ranks/{rank}/names", get(names))
        .route("/api/ranks/{rank}/tiles/{level}/{index}", get(tiles))
        .route("/api/ranks/{rank}/slices/{slice}", get(slice))
        .route("/api/diagnosis", get(diagnosis))
        .route("/api/search", get(search))
        .route("/api/statistics", post(area))
        .fallback(get(asset))
        .layer(axum::extract::DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(app.clone(), guard))
        .with_state(app)
}

/// Answers nobody but the user.
async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let asks_for_page = request.uri().path() == "/";
    let mut response = match app.access.check(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => return refused(refusal),
    };
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    if let (true, Ok(cookie)) = (asks_for_page, HeaderValue::from_str(&app.access.set_cookie())) {
        headers.insert(SET_COOKIE, cookie);
    }
    response
}

fn refused(refusal: Refusal) -> Response {
    let why = match refusal {
        Refusal::ForeignHost => "this server does not go by that name",
        Refusal::ForeignOrigin => "this server does not answer pages of others",
        Refusal::NoToken => "the address lacks the token that npuscope view printed",
    };
    (StatusCode::FORBIDDEN, Json(json!({"error": why}))).into_response()
}

/// What went wrong with a request.
enum Failure {
    /// There is no such thing.
    NotFound(String),
    /// What is asked for makes no sense.
    Bad(String),
    Internal(String),
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        Failure::Internal(error.to_string())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, why) = match self {
            Failure::NotFound(why) => (StatusCode::NOT_FOUND, why),
            Failure::Bad(why) => (StatusCode::BAD_REQUEST, why),
            Failure::Internal(why) => (StatusCode::INTERNAL_SERVER_ERROR, why),
        };
        (status, Json(json!({"error": why}))).into_response()
    }
}

/// Does work that takes time where it does not keep other requests waiting.
async fn work<T: Send + 'static>(
    app: Arc<App>,
    work: impl FnOnce(&App) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(move || work(&app)).await;
    done.unwrap_or_else(|error| Err(Failure::Internal(error.to_string())))
}

fn timeline_of(app: &App, rank: i64) -> Result<Arc<Timeline>, Failure> {
    app.run.timeline(rank)?.ok_or_else(|| Failure::NotFound(format!("there is no rank {rank}")))
}

async fn run(State(app): State<Arc<App>>) -> Result<Json<Value>, Failure> {
    work(app, |app| {
        let mut described = app.run.describe();
        described["origin"] = json!(app.run.origin()?.to_string());
        Ok(Json(described))
    })
    .await
}

async fn diagnosis(State(app): State<Arc<App>>) -> Result<Json<Value>, Failure> {
    work(app, |app| Ok(Json(app.run.diagnosis()?.clone()))).await
}

async fn timeline(State(app): State<Arc<App>>, Path(rank): Path<i64>) -> Result<Json<Value>, Failure> {
    work(app, move |app| {
        let timeline = timeline_of(app, rank)?;
        let origin = app.run.origin()?;
        let span = timeline.span().map(|span| [span.start - origin, span.end - origin]);
        let mut described = timeline.describe();
        described["span"] = json!(span);
        Ok(Json(described))
    })
    .await
}

async fn names(State(app): State<Arc<App>>, Path(rank): Path<i64>) -> Result<Json<Vec<String>>, Failure> {
    work(app, move |app| Ok(Json(timeline_of(app, rank)?.names().to_vec()))).await
}

#[derive(Deserialize)]
struct TileQuery {
    /// By comma.
    lanes: String,
}

async fn tiles(
    State(app): State<Arc<App>>,
    Path((rank, level, index)): Path<(i64, u32, i64)>,
    Query(query): Query<TileQuery>,
) -> Result<Response, Failure> {
    if level > MAX_LEVEL {
        return Err(Failure::Bad(format!("there is no level above {MAX_LEVEL}")));
    }
    let lanes: Result<Vec<usize>, _> = query.lanes.split(',').filter(|lane| !lane.is_empty()).map(str::parse).collect();
    let lanes = lanes.map_err(|_| Failure::Bad("lanes are numbers by comma".to_owned()))?;
    let bytes = work(app, move |app| {
        let timeline = timeline_of(app, rank)?;
        Ok(tile(&timeline, &lanes, level, index, app.run.origin()?))
    });
    let headers = [(CONTENT_TYPE, "application/octet-stream"), (CACHE_CONTROL, "private, max-age=86400, immutable")];
    Ok((headers, bytes.await?).into_response())
}

async fn slice(
    State(app): State<Arc<App>>,
    Path((rank, slice)): Path<(i64, usize)>,
) -> Result<Json<Value>, Failure> {
    work(app, move |app| {
        let details = timeline_of(app, rank)?.details(slice, app.run.origin()?);
        details.map(Json).ok_or_else(|| Failure::NotFound(format!("rank {rank} has no slice {slice}")))
    })
    .await
}

#[derive(Deserialize)]
struct SearchQuery {
    text: String,
    /// By comma; all if none is given.
    ranks: Option<String>,
}

async fn search(State(app): State<Arc<App>>, Query(query): Query<SearchQuery>) -> Result<Json<Value>, Failure> {
    let wanted: Option<Vec<i64>> = match &query.ranks {
        Some(list) => {
            let ranks: Result<_, _> = list.split(',').filter(|rank| !rank.is_empty()).map(str::parse).collect();
            Some(ranks.map_err(|_| Failure::Bad("ranks are numbers by comma".to_owned()))?)
        }
        None => None,
    };
    work(app, move |app| {
        let text = query.text.to_lowercase();
        let origin = app.run.origin()?;
        let (mut hits, mut count) = (Vec::new(), 0usize);
        for rank in app.run.ranks().filter(|rank| wanted.as_ref().is_none_or(|wanted| wanted.contains(rank))) {
            let timeline = timeline_of(app, rank)?;
            let is_hit: Vec<bool> = timeline.names().iter().map(|name| name.to_lowercase().contains(&text)).collect();
            for (id, slice) in timeline.slices().iter().enumerate() {
                if is_hit.get(slice.name as usize).copied().unwrap_or_default() {
                    count += 1;
                    if hits.len() < MAX_HITS {
                        let name = timeline.name(slice);
                        hits.push(json!({"rank": rank, "slice": id, "name": name, "lane": slice.lane, "begin": slice.begin - origin, "end": slice.end - origin}));
                    }
                }
            }
        }
        Ok(Json(json!({"count": count, "hits": hits})))
    })
    .await
}

#[derive(Deserialize)]
struct Area {
    ranks: Vec<LanesOfRank>,
    begin: i64,
    end: i64,
}

#[derive(Deserialize)]
struct LanesOfRank {
    rank: i64,
    lanes: Vec<usize>,
}

async fn area(State(app): State<Arc<App>>, Json(area): Json<Area>) -> Result<Json<Value>, Failure> {
    work(app, move |app| {
        let timelines: Result<Vec<(Arc<Timeline>, &[usize])>, Failure> = area
            .ranks
            .iter()
            .map(|of_rank| Ok((timeline_of(app, of_rank.rank)?, of_rank.lanes.as_slice())))
            .collect();
        let timelines = timelines?;
        let borrowed: Vec<(&Timeline, &[usize])> =
            timelines.iter().map(|(timeline, lanes)| (&**timeline, *lanes)).collect();
        let origin = app.run.origin()?;
        let (begin, end) = (area.begin.saturating_add(origin), area.end.saturating_add(origin));
        Ok(Json(json!(statistics(&borrowed, begin, end))))
    })
    .await
}
