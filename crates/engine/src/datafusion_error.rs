//! Errors of DataFusion as ours. What users get wrong often has a sentence in every language; the rest keeps DataFusion's
//! text.

use arrow::error::ArrowError;
use datafusion::common::SchemaError;
use datafusion::error::DataFusionError;
use datafusion::sql::sqlparser::parser::ParserError;

use npuscope_messages::{Message, verbatim};
use npuscope_store::StoreError;
use npuscope_store::cache::CacheError;
use npuscope_tables::schema;

use crate::error::EngineError;
use crate::messages;

/// Characters of a text of DataFusion that are shown.
const MAX_TEXT: usize = 600;

impl EngineError {
    /// What went wrong with a query, and whose fault it is.
    pub(crate) fn of_query(error: &DataFusionError, memory_limit: Option<usize>) -> EngineError {
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
            DataFusionError::Plan(text) => plan_error(text),
            DataFusionError::SQL(error, _) => EngineError::Query(syntax_error(error)),
            DataFusionError::NotImplemented(text) if text.contains("single SQL statement") => {
                EngineError::Query(messages::statements())
            }
            DataFusionError::NotImplemented(text) => EngineError::Query(messages::unsupported(shortened(text))),
            DataFusionError::ArrowError(error, _) => EngineError::Query(arrow_error(error)),
            root @ (DataFusionError::Execution(_) | DataFusionError::Diagnostic(..)) => {
                EngineError::Query(messages::query(shortened(&root.strip_backtrace())))
            }
            DataFusionError::ResourcesExhausted(what) => {
                EngineError::Memory { limit: memory_limit, what: what.lines().next().unwrap_or_default().to_owned() }
            }
            root => match of_store(root) {
                Some(error) => EngineError::Store(error),
                None if error.to_string().contains("regex parse error") => {
                    EngineError::Query(messages::regex(shortened(&why_no_regex(&error.to_string()))))
                }
                None => EngineError::Internal(verbatim(shortened(&error.strip_backtrace()))),
            },
        }
    }
}

/// What the store said, where reading a rank failed while a query ran.
fn of_store(error: &DataFusionError) -> Option<StoreError> {
    let DataFusionError::External(cause) = error else { return None };
    let store = cause.downcast_ref::<StoreError>().cloned();
    store.or_else(|| cause.downcast_ref::<CacheError>().map(|error| error.clone().into()))
}

/// The last line of what the library for regular expressions says: `error: unclosed group`.
fn why_no_regex(text: &str) -> String {
    let why = text.lines().filter_map(|line| line.trim().strip_prefix("error: ")).next_back();
    why.unwrap_or_default().to_owned()
}

/// Texts repeat the query that they are about, which may be long.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn schema_error(error: &SchemaError) -> EngineError {
    match error {
        SchemaError::FieldNotFound { field, valid_fields } => {
            let tables = valid_fields.iter().filter_map(|field| Some(field.relation.as_ref()?.table().into()));
            let mut tables: Vec<String> = tables.collect();
            tables.sort();
            tables.dedup();
            let similar = similar(&field.name, valid_fields.iter().map(|field| field.name.as_str()));
            EngineError::NoColumn { name: field.name.clone(), tables, similar }
        }
        SchemaError::AmbiguousReference { field } => EngineError::Query(messages::ambiguous_column(&field.name)),
        SchemaError::DuplicateQualifiedField { name, .. } | SchemaError::DuplicateUnqualifiedField { name } => {
            EngineError::Query(messages::duplicate_column(name))
        }
    }
}

fn plan_error(text: &str) -> EngineError {
    if let Some(table) = text.strip_prefix("table '").and_then(|rest| rest.strip_suffix("' not found")) {
        let name = table.rsplit('.').next().unwrap_or(table).to_owned();
        let similar = similar(&name, schema::all().iter().map(|table| table.name));
        return EngineError::NoTable { name, similar };
    }
    EngineError::Query(plan_message(text))
}

fn plan_message(text: &str) -> Message {
    if text.starts_with("No SQL statements") {
        return messages::no_statement();
    }
    if let Some((name, rest)) = text.strip_prefix("Invalid function '").and_then(|rest| rest.split_once('\'')) {
        // DataFusion suggests the closest name however far it is.
        let suggested = rest.split_once("Did you mean '").and_then(|(_, rest)| rest.strip_suffix("'?"));
        return match suggested.and_then(|suggested| similar(name, std::iter::once(suggested))) {
            Some(similar) => messages::no_function_similar(name, &similar),
            None => messages::no_function(name),
        };
    }
    if let Some((_, call)) = text.split_once("No function matches the given name and argument types ") {
        let call = call.split(". ").next().unwrap_or(call);
        return messages::no_function_types(&with_our_types(call.trim_matches('\'')));
    }
    if text.starts_with("Column in ORDER BY must be in GROUP BY") {
        return messages::unnamed_order();
    }
    if text.contains("must be in GROUP BY or an aggregate function")
        && let Some((_, rest)) = text.split_once("column \"")
        && let Some((column, _)) = rest.split_once('"')
    {
        return messages::not_grouped(column);
    }
    if let Some((_, rest)) = text.split_once("Cannot infer common argument type for ")
        && let Some((_, expression)) = rest.split_once("operation ")
    {
        return messages::types(&with_our_types(expression.lines().next().unwrap_or(expression)));
    }
    if let Some((_, rest)) = text.split_once("Cannot coerce arithmetic expression ")
        && let Some((expression, _)) = rest.split_once(" to valid types")
    {
        return messages::types(&with_our_types(expression));
    }
    if let Some(name) = duplicate_column(text) {
        return messages::duplicate_column(name);
    }
    match text.split_once(" not supported: ") {
        Some(("DDL" | "DML" | "Statement", what)) => messages::read_only(&as_sql(what)),
        _ => messages::query(shortened(&text.lines().map(str::trim).collect::<Vec<_>>().join(" "))),
    }
}

/// The column that a query selects twice: `… names but the expression "kernel.name" at position 0 and …`, or `"1 AS a"`.
fn duplicate_column(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("unique expression names but the expression \"")?;
    let (expression, _) = rest.split_once("\" at position")?;
    Some(match expression.rsplit_once(" AS ") {
        Some((_, name)) => name,
        None if expression.contains('(') => expression,
        None => expression.rsplit('.').next().unwrap_or(expression),
    })
}

/// The statement as SQL writes it: `DROP TABLE` of DataFusion's `DropTable`.
fn as_sql(statement: &str) -> String {
    let mut words = String::new();
    for character in statement.chars() {
        if character.is_ascii_uppercase() && words.ends_with(|last: char| last.is_ascii_lowercase()) {
            words.push(' ');
        }
        words.push(character);
    }
    words.to_ascii_uppercase().replace("CREATE MEMORY TABLE", "CREATE TABLE").replace("SET VARIABLE", "SET")
}

/// Types as `\d` names them.
fn with_our_types(text: &str) -> String {
    ["Utf8View", "LargeUtf8", "Utf8"].iter().fold(text.to_owned(), |text, name| text.replace(name, "Text"))
}

/// What the parser says: `Expected: …, found: … at Line: 1, Column: 8`.
fn syntax_error(error: &ParserError) -> Message {
    let text = match error {
        ParserError::TokenizerError(text) | ParserError::ParserError(text) => text.as_str(),
        ParserError::RecursionLimitExceeded => return messages::syntax(error.to_string()),
    };
    let place = text.rsplit_once(" at Line: ").and_then(|(text, place)| {
        let (line, column) = place.split_once(", Column: ")?;
        Some((text, line.trim(), column.trim()))
    });
    let said = place.map_or(text, |(text, ..)| text);
    let expected = said.strip_prefix("Expected: ").and_then(|rest| rest.rsplit_once(", found: "));
    match (expected, place) {
        (Some((expected, found)), place) => {
            let message = match place {
                Some((_, line, column)) => messages::syntax_expected(line, column, token(expected), token(found)),
                None => messages::syntax_expected_here(token(expected), token(found)),
            };
            let is_end = found.trim().eq_ignore_ascii_case("end");
            if is_end { messages::syntax_end_column(message) } else { message }
        }
        (None, Some(("Unterminated string literal", line, column))) => messages::syntax_string_open(line, column),
        (None, Some((text, line, column))) => messages::syntax_at(line, column, shortened(text)),
        (None, None) => messages::syntax(shortened(text)),
    }
}

/// The parser's words for what it expects or found: most are SQL, some are English.
fn token(text: &str) -> Message {
    match text {
        "an SQL statement" => messages::token_statement(),
        "end of statement" | "EOF" => messages::token_end(),
        "an expression" | "an expression:" => messages::token_expression(),
        "identifier" => messages::token_identifier(),
        other => messages::token(shortened(other)),
    }
}

fn arrow_error(error: &ArrowError) -> Message {
    match error {
        ArrowError::DivideByZero => messages::division(),
        ArrowError::ArithmeticOverflow(text) => messages::overflow(shortened(text)),
        ArrowError::CastError(text) => match cast(text) {
            Some((value, to)) => messages::cast_value(shortened(value), to),
            None => messages::cast(shortened(text)),
        },
        other => messages::query(shortened(&other.to_string())),
    }
}

/// The value and the type of `Cannot cast string 'abc' to value of Int64 type`.
fn cast(text: &str) -> Option<(&str, &str)> {
    let (value, rest) = text.strip_prefix("Cannot cast string ")?.rsplit_once(" to value of ")?;
    Some((value, rest.strip_suffix(" type")?))
}

/// The name that is closest to `name`, if one is close.
fn similar<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    npuscope_tables::similar::near(name, names).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_store_stays_one() {
        let of_query = |cause: Box<dyn std::error::Error + Send + Sync>| {
            let error = DataFusionError::External(cause).context("reading kernel");
            EngineError::of_query(&DataFusionError::Shared(std::sync::Arc::new(error)), None)
        };
        let stopped = of_query(Box::new(StoreError::Stopped));
        assert!(matches!(stopped, EngineError::Store(StoreError::Stopped)), "{stopped:?}");
        let cache = of_query(Box::new(CacheError::Off));
        assert!(matches!(cache, EngineError::Store(StoreError::Cache(CacheError::Off))), "{cache:?}");
        assert!(matches!(of_query("other".into()), EngineError::Internal(_)));
    }

    #[test]
    fn statements_types_and_columns_are_named_as_in_sql() {
        let statements = ["DropTable", "CreateMemoryTable", "SetVariable", "COPY", "Delete"].map(as_sql);
        assert_eq!(statements, ["DROP TABLE", "CREATE TABLE", "SET", "COPY", "DELETE"]);
        assert_eq!(with_our_types("sum(Utf8View)"), "sum(Text)");
        let twice = |expression: &str| {
            format!("Projections require unique expression names but the expression \"{expression}\" at position 0 and")
        };
        let names = ["Int64(1) AS a", "kernel.name", "sum(kernel.duration)"]
            .map(|expression| duplicate_column(&twice(expression)).map(str::to_owned));
        assert_eq!(names.map(Option::unwrap), ["a", "name", "sum(kernel.duration)"]);
    }

    #[test]
    fn only_a_close_name_is_suggested() {
        let tables = || schema::all().iter().map(|table| table.name);
        assert_eq!(similar("Kernels", tables()).as_deref(), Some("kernel"));
        assert_eq!(similar("hostop", tables()).as_deref(), Some("host_op"));
        assert_eq!(similar("weather", tables()), None);
    }
}
