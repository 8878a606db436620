//! `npuscope convert`.

mod perfetto;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema};
use npuscope_formats::output::{Output, OutputError};
use npuscope_formats::source::{RankSource, WindowSource};
use npuscope_formats::{db, kineto, text};
use npuscope_measures::deliverable;
use npuscope_messages::Message;
use npuscope_store::{LoadedRank, Store};
use npuscope_tables::scan::scan_batch;
use npuscope_tables::schema;
use npuscope_tables::{Rank, RankTables};
use parquet::arrow::ArrowWriter;

use crate::commands::result::parquet_properties;
use crate::commands::{chosen_ranks, say_diagnostics, say_warnings};
use crate::error::CliError;
use crate::messages::{self, output};
use crate::rank_list::RankList;
use crate::settings::Settings;
use crate::time_range::TimeRange;
use crate::usage::UsageError;

/// What to write in which form.
#[derive(Clone, Debug)]
pub struct ConvertOptions {
    pub path: PathBuf,
    pub to: TargetFormat,
    /// Directory, or for Perfetto a file.
    pub output: PathBuf,
    /// Ranks to write; all if there is no list.
    pub ranks: Option<RankList>,
    /// For Perfetto: only what intersects it.
    pub range: Option<TimeRange>,
}

/// Format to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetFormat {
    Text,
    Db,
    Parquet,
    Perfetto,
}

pub fn run(options: &ConvertOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let store = settings.open(&options.path)?;
    let there = store.profile().ranks.iter().map(|source| source.rank).collect();
    let chosen = options.ranks.as_ref().map(|list| chosen_ranks(list, there, settings)).transpose()?;
    let is_wanted = |rank: Rank| chosen.as_ref().is_none_or(|ranks| ranks.contains(&rank));
    let sources: Vec<&RankSource> = store.profile().ranks.iter().filter(|source| is_wanted(source.rank)).collect();
    let job = store.profile().job.as_ref().filter(|job| options.ranks.is_none() && !job.first.files.is_empty());
    let place = match options.to {
        TargetFormat::Perfetto => perfetto::write(options, &sources, &store, settings)?,
        _ => write_each(options, &sources, &store, settings)?,
    };
    let note = |message: &Message| settings.terminal.note(&settings.text(message));
    match (job, options.to) {
        (None, _) => {}
        (Some(job), TargetFormat::Db) => db::write_cluster(&store.load(job)?.tables()?, &Output::new(&place)?)?,
        (Some(job), TargetFormat::Parquet) => convert(options, job, &store, &Output::new(&place)?, settings)?,
        (Some(_), TargetFormat::Text) => note(&output::convert_no_text()),
        (Some(_), TargetFormat::Perfetto) => note(&output::convert_no_timeline()),
    }
    say_warnings(&store, settings);
    say_diagnostics(&store, &options.path, settings)?;
    note(&output::convert_written(sources.len(), &place));
    Ok(ExitCode::SUCCESS)
}

/// Writes what is a directory or file of its own for every rank.
fn write_each(
    options: &ConvertOptions,
    sources: &[&RankSource],
    store: &Store,
    settings: &Settings,
) -> Result<PathBuf, CliError> {
    if options.range.is_some() {
        return Err(UsageError::RangeOfWholeRanks.into());
    }
    let out = Output::new(&options.output)?;
    for source in sources {
        convert(options, source, store, &out, settings)?;
    }
    Ok(options.output.clone())
}

fn convert(
    options: &ConvertOptions,
    source: &RankSource,
    store: &Store,
    out: &Output,
    settings: &Settings,
) -> Result<(), CliError> {
    match options.to {
        TargetFormat::Text | TargetFormat::Db => {
            for window in source.windows() {
                convert_window(options.to, source, window, store, out, settings)?;
            }
        }
        TargetFormat::Parquet => write_parquet(&store.load(source)?, source.rank, out)?,
        // All ranks are one file, which is written elsewhere.
        TargetFormat::Perfetto => {}
    }
    Ok(())
}

/// Writes a window as the profiler would have: a directory of its own, with the numbers of steps that the source has.
fn convert_window(
    to: TargetFormat,
    source: &RankSource,
    window: &WindowSource,
    store: &Store,
    out: &Output,
    settings: &Settings,
) -> Result<(), CliError> {
    let alone = RankSource::new(source.rank, window.clone());
    let loaded = store.load(if source.later.is_empty() { source } else { &alone })?;
    let tables = fitted(source.rank, window, loaded.tables()?, settings)?;
    let out = match source.later.is_empty() {
        true => out.clone(),
        // Folders distinguish windows, and name stages.
        false => {
            let folder = window.directory.parent().and_then(|folder| folder.strip_prefix(&store.profile().root).ok());
            out.directory(&folder.map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default())?
        }
    };
    let directory = window_directory(source.rank, window, &out)?;
    match to {
        TargetFormat::Db => db::write_rank(tables, source.rank, &directory)?,
        _ => text::write_rank(tables, source.rank, &directory)?,
    }
    Ok(())
}

/// The tables as the files of an NPU have them. Those have no place for all of a trace of PyTorch's own profiler: what
/// is left out is reported.
fn fitted(rank: Rank, source: &WindowSource, tables: RankTables, settings: &Settings) -> Result<RankTables, CliError> {
    if source.is_raw() {
        return Ok(deliverable::without_summaries(tables));
    }
    if source.framework.fits_npu_files() {
        return Ok(tables);
    }
    let (tables, left) = kineto::to_torch_npu(&tables);
    if let Some(left) = left.message() {
        settings.terminal.note(&settings.text(&messages::convert_left_in_trace(rank, left)));
    }
    Ok(tables)
}

/// A new directory for a window of the rank, named so that the peers take it for one.
fn window_directory(rank: Rank, source: &WindowSource, out: &Output) -> Result<Output, CliError> {
    let name = source.directory_name();
    let is_known = name.ends_with("_ascend_pt") || name.ends_with("_ascend_ms");
    let suffix = if source.framework == npuscope_tables::Framework::MindSpore { "ms" } else { "pt" };
    let name = if is_known { name } else { format!("rank{rank}_ascend_{suffix}") };
    let path = out.path().join(&name);
    if path.exists() {
        return Err(OutputError::Exists { path }.into());
    }
    Ok(out.directory(&name)?)
}

/// One file per table that has rows, `TABLE/rank_N.parquet`, with the column `rank` as a query has it.
fn write_parquet(loaded: &LoadedRank, rank: Rank, out: &Output) -> Result<(), CliError> {
    let tables = loaded.tables()?;
    for spec in schema::all().iter().filter(|spec| !tables.is_empty(spec.id)) {
        let directory = out.directory(spec.name)?;
        let projection: Vec<usize> = (0..spec.schema.fields().len()).collect();
        let mut fields = vec![Field::new("rank", DataType::Int64, false)];
        fields.extend(spec.schema.fields().iter().map(|f| f.as_ref().clone()));
        let schema = Arc::new(Schema::new(fields));
        let name = format!("rank_{rank}.parquet");
        let path = directory.path().join(&name);
        if path.exists() {
            return Err(OutputError::Exists { path }.into());
        }
        directory.file(&name, |file| {
            let failed = |error: &dyn std::fmt::Display| std::io::Error::other(error.to_string());
            let mut writer =
                ArrowWriter::try_new(file, schema.clone(), Some(parquet_properties())).map_err(|e| failed(&e))?;
            for batch in tables.batches(spec.id) {
                let batch = scan_batch(batch, spec, &projection, tables.strings()).map_err(|e| failed(&e))?;
                let ranks: ArrayRef = Arc::new(Int64Array::from(vec![rank.0; batch.num_rows()]));
                let columns = std::iter::once(ranks).chain(batch.columns().iter().cloned()).collect();
                let batch = RecordBatch::try_new(schema.clone(), columns).map_err(|e| failed(&e))?;
                writer.write(&batch).map_err(|e| failed(&e))?;
            }
            writer.close().map_err(|e| failed(&e)).map(drop)
        })?;
    }
    Ok(())
}
