//! Tables as results of commands: printed, or written into a file.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::ipc::writer::StreamWriter;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use npuscope_formats::output::PartFile;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde_json::{Map, Value};

use crate::commands::units::{self, Unit};
use crate::error::CliError;
use crate::messages;
use crate::settings::Settings;
use crate::terminal;
use crate::usage::UsageError;

/// Format of a result.
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

impl ResultFormat {
    pub const fn name(self) -> &'static str {
        match self {
            ResultFormat::Table => "table",
            ResultFormat::Csv => "csv",
            ResultFormat::Json => "json",
            ResultFormat::Parquet => "parquet",
            ResultFormat::Arrow => "arrow",
        }
    }
}

/// Takes the batches of a result, one after the other.
pub type Take<'a> = &'a mut dyn FnMut(RecordBatch) -> Result<(), CliError>;

/// Where a result goes.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// As the ending of `output` says if there is none.
    pub format: Option<ResultFormat>,
    pub output: Option<&'a Path>,
    /// Rows to print as a table.
    pub max_rows: usize,
    /// The view that it is of: its durations, sizes and shares are shown in units that suit them.
    pub view: Option<&'a str>,
}

impl Target<'_> {
    /// Writes the batches that `feed` gives; how many rows they have.
    pub fn write(
        &self,
        settings: &Settings,
        feed: impl FnOnce(Take<'_>) -> Result<SchemaRef, CliError>,
    ) -> Result<usize, CliError> {
        let format = self.format();
        if let Some(path) = self.output {
            if let Some(ending) = self.unknown_ending() {
                settings.terminal.warning(&settings.text(&messages::output::unknown_ending(&ending)));
            }
            return to_file(path, |file| print(format, usize::MAX, self.view, feed, settings, file));
        }
        let is_binary = matches!(format, ResultFormat::Parquet | ResultFormat::Arrow);
        if is_binary && io::stdout().is_terminal() {
            return Err(UsageError::BinaryToTerminal(format.name()).into());
        }
        let mut out = BufWriter::new(io::stdout());
        let rows = print(format, self.max_rows, self.view, feed, settings, &mut out)?;
        out.flush()?;
        Ok(rows)
    }

    /// The ending of the output file if it stands for no format and none was asked for; text has the usual ones.
    fn unknown_ending(&self) -> Option<String> {
        let ending = self.output.filter(|_| self.format.is_none())?.extension()?.to_string_lossy().into_owned();
        let is_text = matches!(ending.as_str(), "txt" | "log" | "out");
        (self.format() == ResultFormat::Table && !is_text).then_some(ending)
    }

    /// The format that was asked for, or that the ending of the output file stands for.
    fn format(&self) -> ResultFormat {
        let ending = self.output.and_then(|path| path.extension()?.to_str());
        self.format.unwrap_or(match ending {
            Some("csv") => ResultFormat::Csv,
            Some("json") => ResultFormat::Json,
            Some("parquet") => ResultFormat::Parquet,
            Some("arrow" | "arrows") => ResultFormat::Arrow,
            _ => ResultFormat::Table,
        })
    }
}

/// Writes a file that appears only when it is complete.
fn to_file<T>(path: &Path, write: impl FnOnce(&mut PartFile) -> Result<T, CliError>) -> Result<T, CliError> {
    let mut file = PartFile::create(path)?;
    let result = write(&mut file)?;
    file.finish()?;
    Ok(result)
}

/// Prints a result, of a table at most `max_rows`; how many rows it has.
fn print(
    format: ResultFormat,
    max_rows: usize,
    view: Option<&str>,
    feed: impl FnOnce(Take<'_>) -> Result<SchemaRef, CliError>,
    settings: &Settings,
    out: &mut (impl Write + Send),
) -> Result<usize, CliError> {
    let mut total = 0;
    match format {
        ResultFormat::Table => {
            let mut batches = Vec::new();
            let schema = feed(&mut |batch| {
                let shown = batch.num_rows().min(max_rows.saturating_sub(total));
                total += batch.num_rows();
                if shown > 0 {
                    batches.push(batch.slice(0, shown));
                }
                Ok(())
            })?;
            out.write_all(table(&schema, &batches, view)?.as_bytes())?;
            if total > max_rows {
                let (shown, all) = (terminal::grouped(max_rows as u64), terminal::grouped(total as u64));
                settings.terminal.note(&settings.text(&messages::output::rows_shown(shown, all)));
            }
        }
        ResultFormat::Csv => {
            let mut header = true;
            let schema = feed(&mut |batch| {
                // Arrow makes text of an error of the output, which hides a pipe that was closed.
                let mut rows = Vec::new();
                let flat = with_lists_as_text(&batch)?;
                arrow::csv::WriterBuilder::new().with_header(header).build(&mut rows).write(&flat)?;
                out.write_all(&rows)?;
                header = false;
                total += batch.num_rows();
                Ok(())
            })?;
            if header {
                let names: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
                writeln!(out, "{}", names.join(","))?;
            }
        }
        ResultFormat::Json => {
            let mut writer = arrow::json::ArrayWriter::new(&mut *out);
            feed(&mut |batch| {
                total += batch.num_rows();
                Ok(writer.write(&batch)?)
            })?;
            writer.finish()?;
            writeln!(out)?;
        }
        ResultFormat::Arrow => {
            let out = &mut *out;
            let writer = move |schema: &SchemaRef| Ok(StreamWriter::try_new(out, schema)?);
            stream_to(feed, &mut total, writer, |w, b| Ok(w.write(b)?))?.finish()?;
        }
        ResultFormat::Parquet => {
            let out = &mut *out;
            let writer =
                move |schema: &SchemaRef| Ok(ArrowWriter::try_new(out, schema.clone(), Some(parquet_properties()))?);
            stream_to(feed, &mut total, writer, |w, b| Ok(w.write(b)?))?.close()?;
        }
    }
    Ok(total)
}

/// The batch with lists and structs as JSON text, because a cell of csv holds one value.
fn with_lists_as_text(batch: &RecordBatch) -> Result<RecordBatch, CliError> {
    let schema = batch.schema();
    if !schema.fields().iter().any(|field| field.data_type().is_nested()) {
        return Ok(batch.clone());
    }
    let mut fields = Vec::new();
    let mut columns = Vec::new();
    for (index, field) in schema.fields().iter().enumerate() {
        let column = batch.column(index).clone();
        let is_nested = field.data_type().is_nested();
        fields.push(if is_nested { Field::new(field.name(), DataType::Utf8, true) } else { field.as_ref().clone() });
        columns.push(if is_nested { json_texts(&batch.project(&[index])?)? } else { column });
    }
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
}

/// The values of the only column as JSON, a text per row.
fn json_texts(column: &RecordBatch) -> Result<ArrayRef, CliError> {
    let mut lines = Vec::new();
    let mut writer = arrow::json::LineDelimitedWriter::new(&mut lines);
    writer.write(column)?;
    writer.finish()?;
    let text = |row: serde_json::Result<Map<String, Value>>| -> Result<Option<String>, CliError> {
        // A null is left out of its object.
        Ok(row?.into_iter().next().map(|(_, value)| value.to_string()))
    };
    let rows = serde_json::Deserializer::from_slice(&lines).into_iter::<Map<String, Value>>().map(text);
    Ok(Arc::new(StringArray::from(rows.collect::<Result<Vec<_>, _>>()?)))
}

/// Gives batches to a writer that wants to know their schema first.
fn stream_to<W>(
    feed: impl FnOnce(Take<'_>) -> Result<SchemaRef, CliError>,
    rows: &mut usize,
    make: impl FnOnce(&SchemaRef) -> Result<W, CliError>,
    write: impl Fn(&mut W, &RecordBatch) -> Result<(), CliError>,
) -> Result<W, CliError> {
    let (mut make, mut writer) = (Some(make), None);
    let schema = feed(&mut |batch| {
        *rows += batch.num_rows();
        if let Some(make) = make.take() {
            writer = Some(make(&batch.schema())?);
        }
        writer.as_mut().map_or(Ok(()), |writer| write(writer, &batch))
    })?;
    match (make, writer) {
        (Some(make), _) => make(&schema),
        (None, Some(writer)) => Ok(writer),
        (None, None) => Err(CliError::Internal(Box::new(messages::errors::no_writer()))),
    }
}

/// How parquet files are written: small, since they are what leaves the machine.
pub fn parquet_properties() -> WriterProperties {
    let compression = ZstdLevel::try_new(3).map_or(Compression::SNAPPY, Compression::ZSTD);
    WriterProperties::builder().set_compression(compression).build()
}

/// The result as a table of text.
fn table(schema: &SchemaRef, batches: &[RecordBatch], view: Option<&str>) -> Result<String, CliError> {
    let headers: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
    let is_number = |ty: &DataType| ty.is_numeric();
    let right: Vec<usize> =
        schema.fields().iter().enumerate().filter(|(_, f)| is_number(f.data_type())).map(|(i, _)| i).collect();
    let options = FormatOptions::default().with_null("");
    let unit_of = |field: &Field| {
        let (view, ty) = (view?, field.data_type());
        let real = || ty.is_floating().then_some(Unit::Real);
        if is_number(ty) { units::unit_of(view, field.name()).or_else(real) } else { None }
    };
    let units: Vec<Option<Unit>> = schema.fields().iter().map(|field| unit_of(field)).collect();
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
                let shown = |(cell, unit): (&ArrayFormatter<'_>, &Option<Unit>)| {
                    let text = cell.value(row).to_string();
                    match (unit, text.parse::<f64>()) {
                        (Some(unit), Ok(number)) => unit.shown(number),
                        _ => one_line(&text),
                    }
                };
                rows.push(cells.iter().zip(&units).map(shown).collect());
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
