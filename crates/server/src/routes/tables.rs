//! Tables, as streams of Arrow.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow_ipc::writer::StreamWriter;
use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, Query, State};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use npuscope_engine::EngineError;
use npuscope_tables::schema;
use serde::Deserialize;
use serde_json::json;

use super::numbers;
use crate::answers::{SchemaColumn, SchemaTable, Texts, ViewInfo};
use crate::app::{ARROW, App, body, work};
use crate::failure::{Bad, Failure, NotFound};
use crate::profile::ServedProfile;
use npuscope_views::{BadQuestion, Question, Scope, VIEWS, View, plain_table};

/// Rows that a query gives, unless fewer are wanted.
const MAX_ROWS: usize = 1_000_000;

/// Bytes that the answer to a query takes in memory at most.
const MAX_ANSWER_BYTES: usize = 256 << 20;

/// The header that says by what an answer was cut: `rows` or `bytes`.
const CUT: &str = "x-npuscope-cut";

/// The tables that there are.
pub async fn views() -> Json<Vec<ViewInfo>> {
    let views =
        VIEWS.iter().map(|view| ViewInfo { view: view.name, about: Texts::of(view.about), parameters: view.own });
    Json(views.collect())
}

pub async fn view(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Query(parameters): Query<BTreeMap<String, String>>,
) -> Result<Response, Failure> {
    let made = work(app, move |app| table(&app.profile, &name, parameters)).await?;
    Ok(([(CONTENT_TYPE, ARROW)], made).into_response())
}

/// The table of a view, as the bytes of a stream.
pub fn table(
    profile: &ServedProfile,
    name: &str,
    mut parameters: BTreeMap<String, String>,
) -> Result<Vec<u8>, Failure> {
    let view = View::find(name).ok_or_else(|| NotFound::View(name.to_owned()))?;
    // A token in the address is not a question.
    parameters.remove("token");
    let question = json!([name, parameters]).to_string();
    // Nobody asks again for the same stretch of time.
    let is_kept = ["begin", "end", "at"].iter().all(|time| !parameters.contains_key(*time));
    let mut make = || {
        let source = profile.source()?;
        let mut number = |name: &str| {
            let parse = |text: String| text.parse::<i64>().map_err(|_| BadQuestion::NotANumber(name.to_owned()));
            parameters.remove(name).map(parse).transpose()
        };
        let step = number("step")?;
        let mut time = |name: &str| Ok::<_, Failure>(number(name)?.map(|time| time.saturating_add(source.origin)));
        let (begin, end) = (time("begin")?, time("end")?);
        let ranks = parameters.remove("ranks").map(|list| numbers(&list, "ranks")).transpose()?;
        let question = Question { scope: Scope { ranks, step, begin, end }, own: &parameters };
        let made = view.make(&source, &question)?;
        stream(&made.schema, &made.batches)
    };
    if is_kept { Ok(profile.kept(&question, &mut make)?.to_vec()) } else { make() }
}

#[derive(Deserialize)]
pub struct Asked {
    sql: String,
    limit: Option<usize>,
}

/// Runs a query. It stops when the future is dropped, as it is when the client goes away.
pub async fn query(
    State(app): State<Arc<App>>,
    asked: Result<Json<Asked>, JsonRejection>,
) -> Result<Response, Failure> {
    let asked = body(asked)?;
    let limit = asked.limit.unwrap_or(MAX_ROWS).min(MAX_ROWS);
    // What is wrong is the question, and the engine says what.
    let wrong = |error: EngineError| Failure::Bad(Bad::Query(error));
    let mut query = app.profile.queries().start(&asked.sql).map_err(wrong)?;
    let answer = match query.deadline() {
        Some(deadline) => tokio::time::timeout_at(deadline.into(), collect(&mut query, limit)).await,
        None => Ok(collect(&mut query, limit).await),
    };
    let (schema, batches, cut) = answer.unwrap_or_else(|_| Err(query.out_of_time())).map_err(wrong)?;
    drop(query);
    let made = work(app, move |_| {
        let made = plain_table(&schema, batches)?;
        stream(&made.schema, &made.batches)
    });
    let mut response = ([(CONTENT_TYPE, ARROW)], made.await?).into_response();
    if let Some(cut) = cut {
        response.headers_mut().insert(CUT, HeaderValue::from_static(cut));
    }
    Ok(response)
}

/// The first `limit` rows of a query, and by what they were cut, if they were.
async fn collect(
    query: &mut npuscope_engine::Query,
    limit: usize,
) -> Result<(SchemaRef, Vec<RecordBatch>, Option<&'static str>), EngineError> {
    let schema = query.schema().await?;
    let (mut batches, mut rows, mut bytes) = (Vec::new(), 0, 0);
    let cut = loop {
        let Some(batch) = query.next().await? else { break None };
        if batch.num_rows() == 0 {
            continue;
        }
        let wanted = batch.num_rows().min(limit - rows);
        bytes += batch.get_array_memory_size();
        if bytes > MAX_ANSWER_BYTES && !batches.is_empty() {
            break Some("bytes");
        }
        rows += wanted;
        let is_cut = wanted < batch.num_rows();
        batches.push(batch.slice(0, wanted));
        if is_cut {
            break Some("rows");
        }
    };
    Ok((schema, batches, cut))
}

fn stream(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Vec<u8>, Failure> {
    let wrong = |error: arrow::error::ArrowError| Failure::Internal(error.to_string());
    let mut writer = StreamWriter::try_new(Vec::new(), schema).map_err(wrong)?;
    for batch in batches {
        writer.write(batch).map_err(wrong)?;
    }
    writer.into_inner().map_err(wrong)
}

/// The tables that a query may name.
pub async fn schema() -> Json<Vec<SchemaTable>> {
    let tables = schema::all().iter().map(|table| {
        let columns = table.columns.iter().map(|column| SchemaColumn {
            name: column.name.to_string(),
            ty: format!("{:?}", column.ty),
            unit: column.unit,
            about: Texts::of(column.doc),
        });
        SchemaTable { table: table.name, about: Texts::of(table.doc), columns: columns.collect() }
    });
    Json(tables.collect())
}
