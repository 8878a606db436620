//! The pages, as the build put them into the binary.

use std::fs;
use std::path::{Component, Path};
use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{StatusCode, Uri};
use axum::response::{Html, IntoResponse, Response};

use crate::app::App;

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// What is shown where the pages are not in the binary.
const NOT_BUILT: &str = "<!doctype html><meta charset=utf-8><title>npuscope</title>\
<p lang=en>This npuscope was built without its pages. \
Install Node 20 and npm, and build it again; or profile <code>npm ci &amp;&amp; npm run build</code> in <code>ui</code> first.</p>\
<p lang=zh-CN>该 npuscope 构建时未包含页面。\
请安装 Node 20 和 npm 后重新构建；或先在 <code>ui</code> 目录中运行 <code>npm ci &amp;&amp; npm run build</code>。</p>";

/// The file at a path of the pages.
pub async fn asset(State(app): State<Arc<App>>, uri: Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    let path = if path.is_empty() { INDEX } else { path };
    let found = match &app.pages {
        Some(directory) => file(directory, path),
        None => embedded(path).map(<[u8]>::to_vec),
    };
    match found {
        // Names of scripts and styles change with what is in them; the page itself does not.
        Some(bytes) => {
            let cache = if path == INDEX { "no-cache" } else { "private, max-age=31536000, immutable" };
            ([(CONTENT_TYPE, kind(path)), (CACHE_CONTROL, cache)], bytes).into_response()
        }
        None if path == INDEX => Html(NOT_BUILT).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

const INDEX: &str = "index.html";

/// A file of the pages in the binary.
pub fn embedded(path: &str) -> Option<&'static [u8]> {
    ASSETS.iter().find(|(name, _)| *name == path).map(|(_, bytes)| *bytes)
}

/// A file below a directory of pages, for those who work on them.
fn file(directory: &Path, path: &str) -> Option<Vec<u8>> {
    let is_below = Path::new(path).components().all(|component| matches!(component, Component::Normal(_)));
    is_below.then(|| fs::read(directory.join(path)).ok()).flatten()
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
