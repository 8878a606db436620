//! The profile as a whole: what it is, how healthy its data are, what is wrong with it.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures::stream::{Stream, unfold};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;

use crate::answers;
use crate::app::{App, work};
use crate::failure::Failure;

pub async fn profile(State(app): State<Arc<App>>) -> Result<Json<answers::Profile>, Failure> {
    work(app, |app| Ok(Json(app.profile.describe()?))).await
}

pub async fn health(State(app): State<Arc<App>>) -> Result<Json<Value>, Failure> {
    work(app, |app| Ok(Json(app.profile.health()?))).await
}

pub async fn diagnosis(State(app): State<Arc<App>>) -> Result<Json<Value>, Failure> {
    work(app, |app| Ok(Json(app.profile.diagnosis()?))).await
}

/// How far the ranks are read that are being read.
pub async fn progress(State(app): State<Arc<App>>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let events = unfold(app.profile.watch_progress(), async |mut watched| {
        loop {
            match watched.recv().await {
                Ok(progress) => {
                    let event = Event::default().data(json!(progress).to_string());
                    return Some((Ok(event), watched));
                }
                // Whoever is slow gets what comes now.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}
