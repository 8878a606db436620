//! A report to take along.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use crate::app::{App, body, work};
use crate::failure::Failure;
use crate::report::{self, Contents};

pub async fn report(
    State(app): State<Arc<App>>,
    asked: Result<Json<Contents>, JsonRejection>,
) -> Result<Response, Failure> {
    let contents = body(asked)?;
    let made = work(app, move |app| report::report(&app.profile, &contents)).await?;
    let headers =
        [(CONTENT_TYPE, "application/octet-stream"), (CONTENT_DISPOSITION, "attachment; filename=\"report.html\"")];
    Ok((headers, made).into_response())
}
