//! What can go wrong, and whose fault it is.

use std::time::Duration;

use datafusion::common::SchemaError;
use datafusion::error::DataFusionError;
use npuscope_store::StoreError;
use npuscope_store::cache::CacheError;
use npuscope_tables::schema;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The query is at fault.
    #[error("{0}")]
    Query(String),
    #[error("there is no table {name}{}", did_you_mean(similar.as_deref()))]
    NoTable { name: String, similar: Option<String> },
    /// `tables` are those that the query reads at that place.
    #[error("there is no column {name} in {}{}", tables.join(" or "), did_you_mean(similar.as_deref()))]
    NoColumn { name: String, tables: Vec<String>, similar: Option<String> },
    #[error("the query needs more memory than the {limit} it may use, although it may spill to disk: {what}")]
    Memory { limit: String, what: String },
    /// What it spilled does not fit into what it may use of the disk.
    #[error(
        "the query needs more space on disk than it may use for what does not fit into memory; select fewer rows or columns"
    )]
    Disk,
    #[error("the query did not end within the {} it may take; select fewer rows, or raise the limit", seconds(*limit))]
    Time { limit: Duration },
    #[error("the query has {bytes} bytes; {limit} is the most")]
    TooLong { bytes: usize, limit: usize },
    #[error(
        "the query nests deeper than {limit} levels: an operator counts as one, a join as ten; \
         shorten it, for example with IN (…) in place of OR"
    )]
    TooDeep { limit: usize },
    #[error("the query selects more than {limit} columns")]
    TooManyColumns { limit: usize },
    /// Common table expressions that name each other make it so.
    #[error(
        "the query becomes longer than {limit} words when its WITH expressions are put in where they are named; \
         name them fewer times"
    )]
    TooLarge { limit: u64 },
    /// Neither the query nor the data is at fault.
    #[error("{0}")]
    Internal(String),
}

/// Characters of a message of DataFusion that are shown.
const MAX_MESSAGE: usize = 600;

/// Said where a query stumbles over the columns called `end`.
const QUOTE_END: &str = "; END is a word of SQL: write the column as \"end\"";

fn did_you_mean(similar: Option<&str>) -> String {
    similar.map(|name| format!(", did you mean {name}?")).unwrap_or_default()
}

impl From<CacheError> for EngineError {
    fn from(error: CacheError) -> EngineError {
        EngineError::Store(error.into())
    }
}

impl EngineError {
    /// What went wrong with a query, and whose fault it is.
    pub(crate) fn of_query(error: &DataFusionError, memory_limit: Option<usize>) -> EngineError {
        match EngineError::in_full(error, memory_limit) {
            EngineError::Query(message) => EngineError::Query(shortened(message)),
            EngineError::Internal(message) => EngineError::Internal(shortened(message)),
            other => other,
        }
    }

    fn in_full(error: &DataFusionError, memory_limit: Option<usize>) -> EngineError {
        match error.find_root() {
            // Comes as an error of the file as often as of the resource.
            root @ (DataFusionError::ResourcesExhausted(_)
            | DataFusionError::ArrowError(..)
            | DataFusionError::IoError(_))
                if root.to_string().contains("during the spilling process has exceeded") =>
            {
                EngineError::Disk
            }
            DataFusionError::SchemaError(schema, _) => schema_error(schema),
            DataFusionError::Plan(message) => plan_error(message),
            DataFusionError::SQL(error, _) => {
                let message = error.to_string();
                let message = message.trim_start_matches("sql parser error: ");
                let is_end = message.to_ascii_lowercase().contains("found: end ");
                EngineError::Query(format!("{message}{}", if is_end { QUOTE_END } else { "" }))
            }
            DataFusionError::NotImplemented(message) if message.contains("single SQL statement") => {
                EngineError::Query("one statement at a time, please".to_owned())
            }
            DataFusionError::Execution(_)
            | DataFusionError::ArrowError(..)
            | DataFusionError::Diagnostic(..)
            | DataFusionError::NotImplemented(_) => EngineError::Query(error.find_root().strip_backtrace()),
            DataFusionError::ResourcesExhausted(what) => {
                let limit = memory_limit.map_or("unlimited".to_owned(), megabytes);
                EngineError::Memory { limit, what: what.lines().next().unwrap_or_default().to_owned() }
            }
            _ => EngineError::Internal(error.strip_backtrace()),
        }
    }
}

/// Messages repeat the query that they are about, which may be long.
fn shortened(message: String) -> String {
    match message.char_indices().nth(MAX_MESSAGE) {
        Some((at, _)) => format!("{}…", message.get(..at).unwrap_or_default()),
        None => message,
    }
}

fn schema_error(error: &SchemaError) -> EngineError {
    let SchemaError::FieldNotFound { field, valid_fields } = error else {
        return EngineError::Query(error.to_string());
    };
    let mut tables: Vec<String> =
        valid_fields.iter().filter_map(|f| Some(f.relation.as_ref()?.table().into())).collect();
    tables.sort();
    tables.dedup();
    if tables.is_empty() {
        tables.push("the query".to_owned());
    }
    let similar = similar(&field.name, valid_fields.iter().map(|f| f.name.as_str()));
    EngineError::NoColumn { name: field.name.clone(), tables, similar }
}

fn plan_error(message: &str) -> EngineError {
    let table = message.strip_prefix("table '").and_then(|rest| rest.strip_suffix("' not found"));
    if let Some(table) = table {
        let name = table.rsplit('.').next().unwrap_or(table).to_owned();
        let similar = similar(&name, schema::all().iter().map(|table| table.name));
        return EngineError::NoTable { name, similar };
    }
    if let Some((_, call)) = message.split_once("No function matches the given name and argument types ") {
        let call = call.split(". ").next().unwrap_or(call);
        return EngineError::Query(format!("there is no function {}", call.trim_matches('\'')));
    }
    if message.starts_with("Column in ORDER BY must be in GROUP BY") {
        let message = "cannot order by an expression that has no name; give it one with AS and order by that";
        return EngineError::Query(message.to_owned());
    }
    match message.split_once(" not supported: ") {
        Some(("DDL" | "DML" | "Statement", what)) => EngineError::Query(format!("a query can only read, not {what}")),
        _ => EngineError::Query(message.lines().map(str::trim).collect::<Vec<_>>().join(" ")),
    }
}

/// The name that is closest to `name`, if one is close.
fn similar<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    npuscope_tables::similar::near(name, names).map(str::to_owned)
}

fn seconds(limit: Duration) -> String {
    if limit.subsec_nanos() == 0 { format!("{} s", limit.as_secs()) } else { format!("{} ms", limit.as_millis()) }
}

#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn megabytes(bytes: usize) -> String {
    format!("{:.1} MB", bytes as f64 / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_close_name_is_suggested() {
        let tables = || schema::all().iter().map(|table| table.name);
        assert_eq!(similar("Kernels", tables()).as_deref(), Some("kernel"));
        assert_eq!(similar("hostop", tables()).as_deref(), Some("host_op"));
        assert_eq!(similar("weather", tables()), None);
    }
}
