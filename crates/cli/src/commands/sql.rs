//! `npuscope sql`.

use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, SchemaRef};
use arrow::ipc::writer::StreamWriter;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use npuscope_engine::{EngineError, FUNCTIONS, QueryOptions, Session, SqlFunction};
use npuscope_formats::output::PartFile;
use npuscope_tables::schema::{self, Family, TableSpec};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::commands::{check_strict, say_problems, say_warnings};
use crate::error::CliError;
use crate::settings::Settings;
use crate::terminal;
use crate::usage::UsageError;

/// A query, and where its result goes.
#[derive(Clone, Debug)]
pub struct SqlOptions {
    pub path: PathBuf,
    /// `-` reads it from stdin.
    pub query: String,
    /// Form of the result; as the ending of `output` says if there is none.
    pub format: Option<ResultFormat>,
    pub output: Option<PathBuf>,
    /// Rows to print as a table.
    pub max_rows: usize,
    /// Bytes the query may use before it spills to disk.
    pub memory_limit: Option<usize>,
    pub spill_dir: Option<PathBuf>,
    /// Fail if anything could not be read.
    pub strict: bool,
}

/// Form of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultFormat {
    Table,
    Csv,
    /// An array of objects.
    Json,
    Parquet,
    /// Arrow IPC stream.
    Arrow,
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
    if let Some(listing) = listing(query.trim())? {
        io::stdout().write_all(listing.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let store = Arc::new(settings.open(&options.path)?);
    let limits = QueryOptions { memory_limit: options.memory_limit, spill: options.spill_dir.clone() };
    let session = Session::new(store.clone(), &limits)?;
    if options.strict {
        check_strict(&store)?;
    }
    let form = form(options);
    let printed = match &options.output {
        Some(path) => to_file(path, |file| print(form, usize::MAX, &session, &query, settings, file)),
        None => {
            let is_binary = matches!(form, ResultFormat::Parquet | ResultFormat::Arrow);
            if is_binary && io::stdout().is_terminal() {
                return Err(UsageError::BinaryToTerminal.into());
            }
            let mut out = BufWriter::new(io::stdout());
            let printed = print(form, options.max_rows, &session, &query, settings, &mut out);
            printed.and_then(|rows| out.flush().map(|()| rows).map_err(CliError::from))
        }
    };
    say_warnings(&store, settings);
    let rows = printed.map_err(with_hint)?;
    say_problems(&store, &options.path, settings)?;
    if rows == 0 {
        for table in session.tables_without_rows(&query)? {
            let path = options.path.display();
            settings
                .terminal
                .note(&format!("{table} has no rows in this profile; npuscope doctor {path} says what is missing"));
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
        other => other,
    }
}

/// The form that was asked for, or that the ending of the output file stands for.
fn form(options: &SqlOptions) -> ResultFormat {
    let ending = options.output.as_ref().and_then(|path| path.extension()?.to_str());
    options.format.unwrap_or(match ending {
        Some("csv") => ResultFormat::Csv,
        Some("json") => ResultFormat::Json,
        Some("parquet") => ResultFormat::Parquet,
        Some("arrow" | "arrows") => ResultFormat::Arrow,
        _ => ResultFormat::Table,
    })
}

/// Writes a file that appears only when it is complete.
fn to_file<T>(path: &Path, write: impl FnOnce(&mut PartFile) -> Result<T, CliError>) -> Result<T, CliError> {
    let mut file = PartFile::create(path)?;
    let result = write(&mut file)?;
    file.finish()?;
    Ok(result)
}

/// Prints the answer to a query, of a table at most `max_rows`; how many rows it has.
fn print(
    form: ResultFormat,
    max_rows: usize,
    session: &Session,
    query: &str,
    settings: &Settings,
    out: &mut (impl Write + Send),
) -> Result<usize, CliError> {
    let mut total = 0;
    match form {
        ResultFormat::Table => {
            let mut batches = Vec::new();
            let schema = session.stream(query, |batch| {
                let shown = batch.num_rows().min(max_rows.saturating_sub(total));
                total += batch.num_rows();
                if shown > 0 {
                    batches.push(batch.slice(0, shown));
                }
                Ok::<(), CliError>(())
            })?;
            out.write_all(table(&schema, &batches)?.as_bytes())?;
            if total > max_rows {
                let message = format!(
                    "{} of {} rows shown; --max-rows N shows more, --format csv all",
                    terminal::grouped(max_rows as u64),
                    terminal::grouped(total as u64)
                );
                settings.terminal.note(&message);
            }
        }
        ResultFormat::Csv => {
            let mut header = true;
            let schema = session.stream(query, |batch| {
                // Arrow makes text of an error of the output, which hides a pipe that was closed.
                let mut rows = Vec::new();
                arrow::csv::WriterBuilder::new().with_header(header).build(&mut rows).write(&batch)?;
                out.write_all(&rows)?;
                header = false;
                total += batch.num_rows();
                Ok::<(), CliError>(())
            })?;
            if header {
                let names: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
                writeln!(out, "{}", names.join(","))?;
            }
        }
        ResultFormat::Json => {
            let mut writer = arrow::json::ArrayWriter::new(&mut *out);
            session.stream(query, |batch| {
                total += batch.num_rows();
                Ok::<(), CliError>(writer.write(&batch)?)
            })?;
            writer.finish()?;
            writeln!(out)?;
        }
        ResultFormat::Arrow => {
            let out = &mut *out;
            let writer = move |schema: &SchemaRef| Ok(StreamWriter::try_new(out, schema)?);
            stream_to(session, query, &mut total, writer, |w, b| Ok(w.write(b)?))?.finish()?;
        }
        ResultFormat::Parquet => {
            let out = &mut *out;
            let writer =
                move |schema: &SchemaRef| Ok(ArrowWriter::try_new(out, schema.clone(), Some(parquet_properties()))?);
            stream_to(session, query, &mut total, writer, |w, b| Ok(w.write(b)?))?.close()?;
        }
    }
    Ok(total)
}

/// Gives the batches of a query to a writer that wants to know their schema first.
fn stream_to<W>(
    session: &Session,
    query: &str,
    rows: &mut usize,
    make: impl FnOnce(&SchemaRef) -> Result<W, CliError>,
    write: impl Fn(&mut W, &RecordBatch) -> Result<(), CliError>,
) -> Result<W, CliError> {
    let (mut make, mut writer) = (Some(make), None);
    let schema = session.stream(query, |batch| {
        *rows += batch.num_rows();
        if let Some(make) = make.take() {
            writer = Some(make(&batch.schema())?);
        }
        writer.as_mut().map_or(Ok(()), |writer| write(writer, &batch))
    })?;
    match (make, writer) {
        (Some(make), _) => make(&schema),
        (None, Some(writer)) => Ok(writer),
        (None, None) => Err(CliError::Internal("the result has no writer".to_owned())),
    }
}

/// How parquet files are written: small, since they are what leaves the machine.
pub fn parquet_properties() -> WriterProperties {
    let compression = ZstdLevel::try_new(3).map_or(Compression::SNAPPY, Compression::ZSTD);
    WriterProperties::builder().set_compression(compression).build()
}

/// The result as a table of text.
fn table(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<String, CliError> {
    let headers: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
    let is_number = |ty: &DataType| ty.is_numeric();
    let right: Vec<usize> =
        schema.fields().iter().enumerate().filter(|(_, f)| is_number(f.data_type())).map(|(i, _)| i).collect();
    let options = FormatOptions::default().with_null("");
    let is_plan = headers == ["plan_type", "plan"];
    let mut plans = String::new();
    let mut rows = Vec::new();
    for batch in batches {
        let cells: Vec<ArrayFormatter<'_>> =
            batch.columns().iter().map(|c| ArrayFormatter::try_new(c, &options)).collect::<Result<_, _>>()?;
        for row in 0..batch.num_rows() {
            if is_plan {
                // The answer to EXPLAIN is a tree of lines, which one line would not hold.
                plans.extend(cells.iter().map(|cell| format!("{}\n", cell.value(row).to_string().trim_end())));
            } else {
                rows.push(cells.iter().map(|cell| one_line(&cell.value(row).to_string())).collect());
            }
        }
    }
    Ok(if is_plan { plans } else { terminal::columns(&headers, &right, rows) })
}

/// Text of several lines on one, and not wider than can be read.
fn one_line(text: &str) -> String {
    const WIDEST: usize = 80;
    let line = text.replace("\r\n", " ").replace(['\r', '\n', '\t'], " ");
    if line.chars().count() <= WIDEST {
        return line;
    }
    let cut: String = line.chars().take(WIDEST - 1).collect();
    format!("{cut}…")
}

/// The answer to `\tables`, `\d TABLE` and `\functions`, which need no profile.
fn listing(query: &str) -> Result<Option<String>, CliError> {
    let Some(command) = query.strip_prefix('\\') else { return Ok(None) };
    let mut words = command.split_whitespace();
    match (words.next(), words.next()) {
        (Some("tables" | "dt" | "d"), None) => Ok(Some(tables())),
        (Some("d" | "tables"), Some(name)) => match schema::by_name(&name.to_ascii_lowercase()) {
            Some(spec) => Ok(Some(columns(spec))),
            None => Err(UsageError::NoTableToList(name.to_owned()).into()),
        },
        (Some("functions" | "df"), None) => Ok(Some(functions())),
        _ => Err(UsageError::NoCommand(query.to_owned()).into()),
    }
}

fn tables() -> String {
    let mut text = String::new();
    for (family, title) in [
        (Family::Fact, "what happened"),
        (Family::Measured, "what follows from that: the definitions are in `npuscope glossary`"),
        (Family::Reported, "what the source's own summaries say, in their units"),
        (Family::About, "about the profile itself"),
    ] {
        text.push_str(title);
        text.push('\n');
        let of_family = schema::all().iter().filter(|t| t.family == family);
        text.push_str(&terminal::columns(
            &["table", "one row"],
            &[],
            of_family.map(|t| vec![t.name.to_owned(), row_of(t)]),
        ));
        text.push('\n');
    }
    text.push_str("\\d TABLE lists the columns of a table; every table also has the column rank.\n");
    text.push_str("\\functions lists what can be called beside the functions of SQL.\n");
    text
}

fn functions() -> String {
    let call = |function: &SqlFunction| format!("{}({})", function.name, function.arguments.join(", "));
    let rows = FUNCTIONS.iter().map(|function| vec![call(function), function.about.to_owned()]);
    terminal::columns(&["function", "gives"], &[], rows)
}

/// `One row per kernel …` without its first words.
fn row_of(table: &TableSpec) -> String {
    table.doc.trim_start_matches("One row per ").to_owned()
}

fn columns(spec: &TableSpec) -> String {
    let mut rows =
        vec![vec!["rank".to_owned(), "Int64".to_owned(), String::new(), "Rank the row belongs to.".to_owned()]];
    rows.extend(spec.columns.iter().map(|column| {
        let ty = match column.ty.scanned() {
            DataType::Utf8View => "Text".to_owned(),
            other => other.to_string(),
        };
        vec![column.name.to_string(), ty, column.unit.to_owned(), column.doc.to_owned()]
    }));
    format!("{}: {}\n{}", spec.name, spec.doc, terminal::columns(&["column", "type", "unit", "meaning"], &[], rows))
}
