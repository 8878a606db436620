//! The pages, as the build put them into the binary.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{StatusCode, Uri};
use axum::response::{Html, IntoResponse, Response};

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// What is shown where the pages are not in the binary.
const NOT_BUILT: &str = "<!doctype html><title>npuscope</title><p>This npuscope was built without its pages. \
Install Node 20 and npm, and build it again; or run <code>npm ci &amp;&amp; npm run build</code> in <code>ui</code> first.</p>";

/// The file at a path of the pages.
pub async fn asset(uri: Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    match ASSETS.iter().find(|(name, _)| *name == path) {
        // Names of scripts and styles change with what is in them; the page itself does not.
        Some((_, bytes)) => {
            let cache = if path == "index.html" { "no-cache" } else { "private, max-age=31536000, immutable" };
            ([(CONTENT_TYPE, kind(path)), (CACHE_CONTROL, cache)], *bytes).into_response()
        }
        None if path == "index.html" => Html(NOT_BUILT).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}
