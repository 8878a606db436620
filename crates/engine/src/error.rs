//! What can go wrong, and whose fault it is.

use std::time::Duration;

use npuscope_messages::Message;
use npuscope_store::StoreError;
use npuscope_store::cache::CacheError;

use crate::messages;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    Store(#[from] StoreError),
    /// The query is at fault.
    Query(Message),
    NoTable {
        name: String,
        similar: Option<String>,
    },
    /// `tables` are those that the query reads at that place; there may be none.
    NoColumn {
        name: String,
        tables: Vec<String>,
        similar: Option<String>,
    },
    /// `what` is DataFusion's own text.
    Memory {
        limit: Option<usize>,
        what: String,
    },
    /// What it spilled does not fit into what it may use of the disk.
    Disk,
    Time {
        limit: Duration,
    },
    TooLong {
        bytes: usize,
        limit: usize,
    },
    TooDeep {
        limit: usize,
    },
    TooManyColumns {
        limit: usize,
    },
    /// Common table expressions that name each other make it so.
    TooLarge {
        limit: u64,
    },
    /// Whatever ran the query is gone, and did not report why.
    Ended,
    /// Neither the query nor the data is at fault; most often the text of another library.
    Internal(Message),
}

impl EngineError {
    pub fn message(&self) -> Message {
        match self {
            EngineError::Store(error) => error.message(),
            EngineError::Query(message) => message.clone(),
            EngineError::NoTable { name, similar: None } => messages::no_table(name),
            EngineError::NoTable { name, similar: Some(similar) } => messages::no_table_similar(name, similar),
            EngineError::NoColumn { name, tables, similar } => no_column(name, tables, similar.as_deref()),
            EngineError::Memory { limit: Some(limit), what } => messages::memory(mebibytes(*limit), what),
            EngineError::Memory { limit: None, what } => messages::memory_exhausted(what),
            EngineError::Disk => messages::disk(),
            EngineError::Time { limit } => messages::time(seconds(*limit)),
            EngineError::TooLong { bytes, limit } => messages::too_long(*bytes, *limit),
            EngineError::TooDeep { limit } => messages::too_deep(*limit),
            EngineError::TooManyColumns { limit } => messages::too_many_columns(*limit),
            EngineError::TooLarge { limit } => messages::too_large(*limit),
            EngineError::Ended => messages::ended(),
            EngineError::Internal(what) => messages::internal(what.clone()),
        }
    }
}

npuscope_messages::display_message!(EngineError);

impl From<CacheError> for EngineError {
    fn from(error: CacheError) -> EngineError {
        EngineError::Store(error.into())
    }
}

fn no_column(name: &str, tables: &[String], similar: Option<&str>) -> Message {
    let names = || tables.iter().map(String::as_str).collect();
    match (tables, similar) {
        ([], None) => messages::no_column(name),
        ([], Some(similar)) => messages::no_column_similar(name, similar),
        (_, None) => messages::no_column_in(name, names()),
        (_, Some(similar)) => messages::no_column_in_similar(name, names(), similar),
    }
}

fn seconds(limit: Duration) -> String {
    if limit.subsec_nanos() == 0 { format!("{} s", limit.as_secs()) } else { format!("{} ms", limit.as_millis()) }
}

#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn mebibytes(bytes: usize) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}
