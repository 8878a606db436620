//! What is answered at which address, and to whom.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY,
    SET_COOKIE, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, extract::rejection::JsonRejection};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::access::{Access, Refusal};
use crate::answers::ErrorAnswer;
use crate::assets::asset;
use crate::failure::{Bad, Failure, NotFound};
use crate::messages;
use crate::profile::ServedProfile;
use crate::routes::{across, profile, report, search, tables, timeline};

/// The largest body of a request.
const MAX_BODY: usize = 1 << 20;

/// Answers smaller than this are not worth packing.
const WORTH_PACKING: usize = 16 << 10;

/// The page loads nothing from elsewhere and cannot be put into another.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// What all requests share.
pub struct App {
    pub profile: ServedProfile,
    pub access: Access,
    /// Where the pages are, if not in the binary.
    pub pages: Option<PathBuf>,
    pub asked: Mutex<Asked>,
}

/// Who asks, and when somebody last did.
pub struct Asked {
    /// Requests that are being answered.
    open: usize,
    last: Instant,
}

impl Asked {
    pub fn new() -> Asked {
        Asked { open: 0, last: Instant::now() }
    }

    /// Time since the last request.
    pub fn idle(&self) -> Duration {
        if self.open > 0 { Duration::ZERO } else { self.last.elapsed() }
    }
}

/// A request that is being answered.
struct Asking<'a>(&'a App);

impl Asking<'_> {
    fn new(app: &App) -> Asking<'_> {
        app.asked.lock().unwrap_or_else(PoisonError::into_inner).open += 1;
        Asking(app)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let mut asked = self.0.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.open = asked.open.saturating_sub(1);
        asked.last = Instant::now();
    }
}

pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/api/profile", get(profile::profile))
        .route("/api/health", get(profile::health))
        .route("/api/diagnosis", get(profile::diagnosis))
        .route("/api/progress", get(profile::progress))
        .route("/api/tables", get(tables::views))
        .route("/api/tables/{view}", get(tables::view))
        .route("/api/query", post(tables::query))
        .route("/api/schema", get(tables::schema))
        .route("/api/ranks/{rank}/timeline", get(timeline::timeline))
        .route("/api/ranks/{rank}/names", get(timeline::names))
        .route("/api/ranks/{rank}/tiles/{level}/{index}", get(timeline::tiles))
        .route("/api/ranks/{rank}/counters/{level}/{index}", get(timeline::counters))
        .route("/api/ranks/{rank}/overview", get(timeline::strip))
        .route("/api/ranks/{rank}/slices", get(timeline::slices))
        .route("/api/ranks/{rank}/slices/{slice}", get(timeline::slice))
        .route("/api/ranks/{rank}/flows", get(timeline::flows))
        .route("/api/ranks/{rank}/gap", get(across::gap))
        .route("/api/collective", get(across::collective))
        .route("/api/align", get(across::align))
        .route("/api/search", get(search::search))
        .route("/api/statistics", post(search::statistics))
        .route("/api/report", post(report::report))
        .route("/api/{*rest}", get(nothing).post(nothing))
        .fallback(get(asset))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn(json_errors))
        .layer(from_fn(packed))
        .layer(from_fn_with_state(app.clone(), guard))
        .with_state(app)
}

async fn nothing() -> Failure {
    NotFound::Address.into()
}

/// Puts what axum says of an address that cannot be read into an answer as all others are.
async fn json_errors(request: Request, next: Next) -> Response {
    let asks_for_data = request.uri().path().starts_with("/api/");
    let response = next.run(request).await;
    let is_json = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if !asks_for_data || !response.status().is_client_error() || is_json {
        return response;
    }
    let (head, body) = response.into_parts();
    let text = to_bytes(body, MAX_BODY).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let text = if text.is_empty() { head.status.to_string() } else { text.into_owned() };
    (head.status, Json(ErrorAnswer { error: messages::request_invalid(&text) })).into_response()
}

/// Answers nobody but the user.
async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let asks_for_page = request.uri().path() == "/";
    let mut response = match app.access.check(request.uri(), request.headers()) {
        Ok(()) => {
            let _asking = Asking::new(&app);
            next.run(request).await
        }
        Err(refusal) => return refused(refusal, asks_for_page),
    };
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    // The address of the page has the token.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if let (true, Ok(cookie)) = (asks_for_page, HeaderValue::from_str(&app.access.set_cookie())) {
        headers.insert(SET_COOKIE, cookie);
    }
    response
}

fn refused(refusal: Refusal, asks_for_page: bool) -> Response {
    let error = match refusal {
        Refusal::ForeignHost => messages::refused_host(),
        Refusal::ForeignOrigin => messages::refused_origin(),
        Refusal::NoToken if asks_for_page => return (StatusCode::FORBIDDEN, Html(NO_TOKEN)).into_response(),
        Refusal::NoToken => messages::refused_token(),
    };
    (StatusCode::FORBIDDEN, Json(ErrorAnswer { error })).into_response()
}

/// What somebody sees who opens the page without the token, or with one of another server.
const NO_TOKEN: &str = "<!doctype html><meta charset=utf-8><title>npuscope</title>\
<p lang=en>Open the address that <code>npuscope view</code> printed when it started. It ends in a token, which is different each time.</p>\
<p lang=zh-CN>请打开 <code>npuscope view</code> 启动时打印的地址。地址末尾有 token，每次启动都不同。</p>";

/// Packs tables and texts for browsers that unpack. Tiles are small, and wanted at once.
async fn packed(request: Request, next: Next) -> Response {
    let accepts = request.headers().get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let accepts = accepts.is_some_and(|value| value.split(',').any(|coding| coding.trim().starts_with("gzip")));
    let response = next.run(request).await;
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_packable = ["application/json", ARROW, "text/javascript", "text/css", "text/html"]
        .into_iter()
        .any(|packable| kind.starts_with(packable));
    if !accepts || !is_packable {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    if bytes.len() < WORTH_PACKING {
        return Response::from_parts(head, Body::from(bytes));
    }
    let packing = tokio::task::spawn_blocking(move || pack(&bytes));
    let Ok(packed) = packing.await else { return StatusCode::INTERNAL_SERVER_ERROR.into_response() };
    head.headers.remove(CONTENT_LENGTH);
    head.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    head.headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    Response::from_parts(head, Body::from(packed))
}

/// The kind of answer that a table is.
pub const ARROW: &str = "application/vnd.apache.arrow.stream";

/// Bytes, packed by gzip.
fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// The body of a request as JSON, or why it is not.
pub fn body<T>(body: Result<Json<T>, JsonRejection>) -> Result<T, Failure> {
    body.map(|Json(body)| body).map_err(|rejection| {
        let is_too_large = rejection.status() == StatusCode::PAYLOAD_TOO_LARGE;
        let invalid = || Bad::Request(rejection.body_text()).into();
        if is_too_large { Failure::TooLarge { limit: MAX_BODY } } else { invalid() }
    })
}

/// Does work that takes time where it does not keep other requests waiting.
pub async fn work<T: Send + 'static>(
    app: Arc<App>,
    work: impl FnOnce(&App) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(move || work(&app)).await;
    done.unwrap_or_else(|error| Err(Failure::Internal(error.to_string())))
}
