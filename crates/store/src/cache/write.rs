//! Writes the tables of a rank into a directory.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch, StringArray};
use arrow::compute::{max, min};
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use arrow_ipc::MetadataVersion;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use xxhash_rust::xxh3::Xxh3;

use super::directory::{MANIFEST, mark, sync_directory};
use super::rank::{Manifest, STRINGS, Segment, file_name};
use super::sealed::seal;
use super::{CacheError, LAYOUT_VERSION};
use npuscope_tables::RankTables;
use npuscope_tables::schema::{self, TableSpec};

const ALIGNMENT: u64 = 64;

/// Writes a rank into a new directory and brings it to disk: what is renamed into place is whole after a power failure, too.
pub fn write_rank(directory: &Path, key: &str, tables: &RankTables) -> Result<(), CacheError> {
    mark(directory).map_err(CacheError::io(directory))?;
    let mut written = Vec::new();
    let mut write = |name: &str, batches: &[RecordBatch], spec| {
        let path = directory.join(name);
        let (segments, file) = write_segments(&path, batches, spec)?;
        written.push((path, file));
        Ok::<_, CacheError>(segments)
    };
    let strings = write(STRINGS, &[strings_batch(tables.strings().array())], None)?;
    let mut manifest = Manifest { layout: LAYOUT_VERSION, strings, ..Manifest::default() };
    for spec in schema::all() {
        let batches = tables.batches(spec.id);
        if !batches.is_empty() {
            manifest.tables.insert(spec.name.to_owned(), write(&file_name(spec.name), batches, Some(spec))?);
        }
    }
    let path = directory.join(MANIFEST);
    let write = || {
        let mut file = File::create_new(&path)?;
        file.write_all(&seal(&serde_json::to_vec(&manifest)?, key))?;
        Ok(file)
    };
    let file = write().map_err(CacheError::io(&path))?;
    written.push((path, file));
    sync(&written)?;
    sync_directory(directory).map_err(CacheError::io(directory))
}

/// Brings files to disk all at once: file systems do that in one go, six times as fast as one after the other.
fn sync(files: &[(PathBuf, File)]) -> Result<(), CacheError> {
    let sync = |(path, file): &(PathBuf, File)| file.sync_all().map_err(CacheError::io(path));
    std::thread::scope(|scope| {
        let start = |file| (file, std::thread::Builder::new().spawn_scoped(scope, move || sync(file)));
        let syncing: Vec<_> = files.iter().map(start).collect();
        // Where there is no thread to be had, it takes longer.
        syncing.into_iter().try_for_each(|(file, thread)| match thread.map(|thread| thread.join()) {
            Ok(Ok(synced)) => synced,
            _ => sync(file),
        })
    })
}

fn strings_batch(strings: &StringArray) -> RecordBatch {
    let schema = Arc::new(Schema::new(vec![Field::new("text", DataType::Utf8, false)]));
    RecordBatch::try_new(schema.clone(), vec![Arc::new(strings.clone())])
        .unwrap_or_else(|_| RecordBatch::new_empty(schema))
}

fn write_segments(
    path: &Path,
    batches: &[RecordBatch],
    spec: Option<&TableSpec>,
) -> Result<(Vec<Segment>, File), CacheError> {
    let file = File::create_new(path).map_err(CacheError::io(path))?;
    let mut out = Hashed { inner: BufWriter::with_capacity(1 << 20, file), bytes: 0, hash: Xxh3::new() };
    let mut segments = Vec::new();
    for batch in batches {
        let offset = out.bytes;
        out.hash.reset();
        let options = IpcWriteOptions::try_new(ALIGNMENT as usize, false, MetadataVersion::V5);
        let options = options.map_err(CacheError::arrow(path))?;
        let mut writer =
            StreamWriter::try_new_with_options(&mut out, &batch.schema(), options).map_err(CacheError::arrow(path))?;
        writer.write(batch).and_then(|()| writer.finish()).map_err(CacheError::arrow(path))?;
        drop(writer);
        let padding = out.bytes.next_multiple_of(ALIGNMENT) - out.bytes;
        out.write_all([0; ALIGNMENT as usize].split_at(padding as usize).0).map_err(CacheError::io(path))?;
        let time = spec.and_then(|spec| time_range(batch, spec.time?));
        let (rows, checksum) = (batch.num_rows() as u64, out.hash.digest());
        segments.push(Segment { offset, bytes: out.bytes - offset, rows, time, checksum });
    }
    let file = out.inner.into_inner().map_err(io::IntoInnerError::into_error).map_err(CacheError::io(path))?;
    Ok((segments, file))
}

fn time_range(batch: &RecordBatch, column: &str) -> Option<(i64, i64)> {
    let column = batch.column_by_name(column)?.as_primitive_opt::<Int64Type>()?;
    min(column).zip(max(column))
}

/// Counts and hashes what is written.
struct Hashed<W> {
    inner: W,
    bytes: u64,
    hash: Xxh3,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(buffer)?;
        self.bytes += written as u64;
        self.hash.update(buffer.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
