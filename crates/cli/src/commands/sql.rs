//! `npuscope sql`.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use arrow::datatypes::DataType;
use npuscope_engine::{EngineError, FUNCTIONS, QueryOptions, Session, SqlFunction};
use npuscope_messages::Language;
use npuscope_messages::documentation::translate;
use npuscope_tables::schema::{self, TableSpec};
use npuscope_tables::window::WINDOW;

use crate::commands::result::{ResultFormat, Target};
use crate::commands::{check_strict, say_diagnostics, say_warnings};
use crate::error::CliError;
use crate::memory;
use crate::messages::output as messages;
use crate::settings::Settings;
use crate::terminal;
use crate::usage::UsageError;

/// A query, and where its result goes.
#[derive(Clone, Debug)]
pub struct SqlOptions {
    pub path: PathBuf,
    /// `-` reads it from stdin.
    pub query: String,
    /// Format of the result; as the ending of `output` says if there is none.
    pub format: Option<ResultFormat>,
    pub output: Option<PathBuf>,
    /// Rows to print as a table.
    pub max_rows: usize,
    /// Rows of the result at most.
    pub limit: Option<usize>,
    /// Bytes the query may use before it spills to disk; 0 is no limit, nothing a share of the machine's memory.
    pub memory_limit: Option<usize>,
    pub timeout: Option<Duration>,
    pub spill_dir: Option<PathBuf>,
    /// Fail if anything could not be read.
    pub strict: bool,
}

pub fn run(options: &SqlOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let query = match options.query.as_str() {
        "-" => {
            let mut query = String::new();
            io::stdin().read_to_string(&mut query).map_err(UsageError::Stdin)?;
            query
        }
        query => query.to_owned(),
    };
    if let Some(listing) = listing(query.trim(), settings.language)? {
        io::stdout().write_all(listing.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let store = Arc::new(settings.open_stoppable(&options.path)?);
    let limits = QueryOptions {
        memory_limit: memory::query_limit(options.memory_limit),
        spill: options.spill_dir.clone(),
        time_limit: options.timeout,
        row_limit: options.limit,
        ..QueryOptions::default()
    };
    let session = Session::new(store.clone(), &limits)?;
    if options.strict {
        check_strict(&store)?;
    }
    let target =
        Target { format: options.format, output: options.output.as_deref(), max_rows: options.max_rows, view: None };
    let printed = target.write(settings, |take| session.stream(&query, take));
    say_warnings(&store, settings);
    let rows = printed.map_err(with_hint)?;
    say_diagnostics(&store, &options.path, settings)?;
    if rows == 0 {
        for table in session.tables_without_rows(&query)? {
            settings.terminal.note(&settings.text(&messages::sql_no_rows(table, &options.path)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Says where the names are listed that a query got wrong.
fn with_hint(error: CliError) -> CliError {
    match error {
        CliError::Engine(error @ EngineError::NoTable { .. }) => UsageError::NoTable(error).into(),
        CliError::Engine(error @ EngineError::NoColumn { .. }) => {
            let EngineError::NoColumn { tables, .. } = &error else { return CliError::Engine(error) };
            let known = tables.iter().find(|table| schema::by_name(table).is_some());
            let table = known.map_or("TABLE", |table| table).to_owned();
            UsageError::NoColumn { error, table }.into()
        }
        CliError::Engine(error @ EngineError::Memory { .. }) => UsageError::Memory(error).into(),
        CliError::Engine(error @ EngineError::Time { .. }) => UsageError::Time(error).into(),
        other => other,
    }
}

/// The answer to `\tables`, `\d TABLE` and `\functions`, which need no profile.
fn listing(query: &str, language: Language) -> Result<Option<String>, CliError> {
    let Some(command) = query.strip_prefix('\\') else { return Ok(None) };
    let mut words = command.split_whitespace();
    match (words.next(), words.next()) {
        (Some("tables" | "dt" | "d"), None) => Ok(Some(tables(language))),
        (Some("d" | "tables"), Some(name)) => match schema::by_name(&name.to_ascii_lowercase()) {
            Some(spec) => Ok(Some(columns(spec, language))),
            None => Err(UsageError::NoTableToList(name.to_owned()).into()),
        },
        (Some("functions" | "df"), None) => Ok(Some(functions(language))),
        _ => Err(UsageError::NoCommand(query.to_owned()).into()),
    }
}

fn tables(language: Language) -> String {
    let headers = [messages::head_table(), messages::head_one_row()].map(|header| header.text(language));
    let headers = headers.each_ref().map(String::as_str);
    let mut text = String::new();
    for (family, title) in messages::table_families() {
        text.push_str(&title.text(language));
        text.push('\n');
        let of_family = schema::all().iter().filter(|t| t.family == family);
        let rows = of_family.map(|t| vec![t.name.to_owned(), row_of(t, language)]);
        text.push_str(&terminal::columns(&headers, &[], rows));
        text.push('\n');
    }
    for hint in [messages::sql_list_columns(), messages::sql_list_functions()] {
        text.push_str(&format!("{}\n", hint.text(language)));
    }
    text
}

fn functions(language: Language) -> String {
    let call = |function: &SqlFunction| format!("{}({})", function.name, function.arguments.join(", "));
    let about = |function: &SqlFunction| translate(function.about, language).into_owned();
    let rows = FUNCTIONS.iter().map(|function| vec![call(function), about(function)]);
    let headers = [messages::head_function(), messages::head_result()].map(|header| header.text(language));
    terminal::columns(&headers.each_ref().map(String::as_str), &[], rows)
}

/// `One row per kernel …` without its first words, which are the heading.
fn row_of(table: &TableSpec, language: Language) -> String {
    let doc = translate(table.doc, language);
    doc.strip_prefix(first_words(language)).map(str::trim_start).unwrap_or(&doc).to_owned()
}

/// How the doc line of every table begins.
fn first_words(language: Language) -> &'static str {
    language.choose("One row per ", "每行对应")
}

fn columns(spec: &TableSpec, language: Language) -> String {
    let about_rank = messages::sql_rank_column().text(language);
    let mut rows = vec![vec!["rank".to_owned(), "Int64".to_owned(), String::new(), about_rank]];
    rows.extend(spec.columns.iter().map(|column| {
        let ty = match column.ty.scanned() {
            DataType::Utf8View => "Text".to_owned(),
            other => other.to_string(),
        };
        vec![column.name.to_string(), ty, column.unit.to_owned(), translate(column.doc, language).into_owned()]
    }));
    let about_window = messages::sql_window_column().text(language);
    rows.push(vec![WINDOW.to_owned(), "Int64".to_owned(), String::new(), about_window]);
    let headers = [messages::head_column(), messages::head_type(), messages::head_unit(), messages::head_meaning()];
    let headers = headers.map(|header| header.text(language));
    let table = terminal::columns(&headers.each_ref().map(String::as_str), &[], rows);
    let title = messages::labelled(spec.name, &translate(spec.doc, language)).text(language);
    format!("{title}\n{table}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_doc_line_of_every_table_begins_with_the_words_of_the_heading() {
        for language in Language::ALL {
            for table in schema::all() {
                let doc = translate(table.doc, language);
                assert!(doc.starts_with(first_words(language)), "{}: {doc}", table.name);
            }
        }
    }
}
