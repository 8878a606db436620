//! The column cache: the tables of a rank on disk, ready to be mapped.
//!
//! A rank is a directory named by its key. It holds `strings.arrow`, one file per table that has rows,
//! and `manifest.json`. A table file is a row of *segments*, each an Arrow IPC stream of one batch,
//! uncompressed and 64-byte aligned, so that reading is mapping. Segments carry their own schema: a
//! column without a value takes no space. The manifest holds each segment's place, rows and time
//! range, by which a scan skips what it does not need.
//!
//! A directory is written under a temporary name and renamed when complete: a reader sees a whole
//! cache or none. The files are never changed afterwards, which is what makes mapping them sound.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use arrow::array::{AsArray, RecordBatch, StringArray};
use arrow::buffer::Buffer;
use arrow::compute::{max, min};
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use arrow::error::ArrowError;
use arrow_ipc::MetadataVersion;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use memmap2::Mmap;
use npuscope_tables::schema::{self, TableSpec};
use npuscope_tables::{RankTables, Selection, Strings, TableId};
use serde::{Deserialize, Serialize};

/// Raised whenever a table, a column or the layout of the cache changes meaning.
pub const LAYOUT_VERSION: u32 = 1;

const ALIGNMENT: u64 = 64;
const MANIFEST: &str = "manifest.json";
const STRINGS: &str = "strings.arrow";
const TEMPORARY: &str = ".writing-";

#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    #[error("cannot use the cache at {path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("the cache at {path} is damaged: {what}")]
    Damaged { path: PathBuf, what: String },
}

impl CacheError {
    fn io(path: &Path) -> impl Fn(io::Error) -> CacheError + '_ {
        move |source| CacheError::Io { path: path.to_owned(), source }
    }

    fn damaged(path: &Path) -> impl Fn(ArrowError) -> CacheError + '_ {
        move |error| CacheError::Damaged { path: path.to_owned(), what: error.to_string() }
    }
}

/// A directory of cached ranks.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    pub fn new(root: impl Into<PathBuf>) -> Cache {
        Cache { root: root.into() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        fs::read_dir(&self.root).map_or(true, |mut entries| entries.next().is_none())
    }

    /// The cached rank of that key, if it is there and whole.
    pub fn open(&self, key: &str) -> Option<CachedRank> {
        let rank = CachedRank::open(&self.root.join(key)).ok()?;
        // The age of the manifest is the time of last use, by which `trim` chooses.
        if let Ok(manifest) = File::options().append(true).open(rank.directory.join(MANIFEST)) {
            let _ = manifest.set_modified(SystemTime::now());
        }
        Some(rank)
    }

    /// Writes the tables of a rank under `key`. Where another process was faster, its copy is used.
    pub fn store(&self, key: &str, tables: &RankTables) -> Result<CachedRank, CacheError> {
        let temporary = temporary(&self.root);
        let target = self.root.join(key);
        fs::create_dir_all(&temporary).map_err(CacheError::io(&temporary))?;
        let written = write_rank(&temporary, tables).and_then(|()| {
            if fs::rename(&temporary, &target).is_err() && CachedRank::open(&target).is_err() {
                // Something broken stands in the way.
                let _ = fs::remove_dir_all(&target);
                fs::rename(&temporary, &target).map_err(CacheError::io(&target))?;
            }
            CachedRank::open(&target)
        });
        let _ = fs::remove_dir_all(&temporary);
        written
    }

    /// Removes the ranks that were not used for longest until at most `max_bytes` remain,
    /// and what interrupted writers left behind more than a day ago.
    pub fn trim(&self, max_bytes: u64) -> Result<(), CacheError> {
        let entries = match fs::read_dir(&self.root) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => other.map_err(CacheError::io(&self.root))?,
        };
        let mut ranks = Vec::new();
        for path in entries.filter_map(Result::ok).map(|e| e.path()) {
            let is_temporary = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(TEMPORARY));
            let marker = if is_temporary { path.clone() } else { path.join(MANIFEST) };
            let Ok(used) = fs::metadata(marker).and_then(|m| m.modified()) else { continue };
            if !is_temporary {
                ranks.push((used, directory_bytes(&path), path));
            } else if used.elapsed().is_ok_and(|age| age > Duration::from_secs(24 * 3600)) {
                let _ = fs::remove_dir_all(&path);
            }
        }
        ranks.sort();
        let mut total: u64 = ranks.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, path) in ranks {
            if total <= max_bytes {
                break;
            }
            fs::remove_dir_all(&path).map_err(CacheError::io(&path))?;
            total -= bytes;
        }
        Ok(())
    }
}

/// A name below a directory that nobody else uses.
fn temporary(directory: &Path) -> PathBuf {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    directory.join(format!("{TEMPORARY}{}-{number}", std::process::id()))
}

fn directory_bytes(path: &Path) -> u64 {
    let files = fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
    files.filter_map(|file| file.metadata().ok()).map(|m| m.len()).sum()
}

/// Where a batch lies in its table file, and what it covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    pub offset: u64,
    pub bytes: u64,
    pub rows: u64,
    /// Least and greatest value of the table's time column.
    pub time: Option<(i64, i64)>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Manifest {
    layout: u32,
    tables: BTreeMap<String, Vec<Segment>>,
}

/// One rank of the cache. Cheap to open: nothing but the manifest is read before it is asked for.
#[derive(Clone, Debug)]
pub struct CachedRank {
    directory: PathBuf,
    manifest: Arc<Manifest>,
}

impl CachedRank {
    fn open(directory: &Path) -> Result<CachedRank, CacheError> {
        let path = directory.join(MANIFEST);
        let text = fs::read(&path).map_err(CacheError::io(&path))?;
        let damaged = |what: &str| CacheError::Damaged { path: path.clone(), what: what.to_owned() };
        let manifest: Manifest = serde_json::from_slice(&text).map_err(|e| damaged(&e.to_string()))?;
        if manifest.layout != LAYOUT_VERSION {
            return Err(damaged("it was written by another version"));
        }
        for (table, segments) in &manifest.tables {
            let expected = segments.last().map_or(0, |s| s.offset + s.bytes);
            let file = directory.join(file_name(table));
            if fs::metadata(&file).map_err(CacheError::io(&file))?.len() != expected {
                return Err(damaged("a file does not have its size"));
            }
        }
        Ok(CachedRank { directory: directory.to_owned(), manifest: Arc::new(manifest) })
    }

    pub fn segments(&self, table: TableId) -> &[Segment] {
        let name = schema::spec(table).name;
        self.manifest.tables.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Number of rows of a table.
    pub fn rows(&self, table: TableId) -> u64 {
        self.segments(table).iter().map(|s| s.rows).sum()
    }

    pub fn strings(&self) -> Result<Strings, CacheError> {
        let path = self.directory.join(STRINGS);
        let batch = decode(map(&path)?, &path)?;
        let column = batch.column_by_name("text").and_then(|c| c.as_string_opt::<i32>()).cloned();
        let column = column.ok_or_else(|| CacheError::Damaged { path, what: "it holds no strings".into() })?;
        Ok(Strings::new(column))
    }

    /// What was [attached](CachedRank::attach) to the rank under a name, mapped.
    pub fn attached(&self, name: &str) -> Option<Buffer> {
        map(&self.directory.join(name)).ok()
    }

    /// Keeps something else that was made of the rank's tables, under a name of its own.
    pub fn attach(&self, name: &str, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), CacheError> {
        let target = self.directory.join(name);
        let temporary = temporary(&self.directory);
        let written = File::create(&temporary).and_then(|file| {
            let mut out = BufWriter::new(file);
            write(&mut out)?;
            out.flush()?;
            fs::rename(&temporary, &target)
        });
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written.map_err(CacheError::io(&target))
    }

    /// The file of a table, mapped; `None` for a table without rows.
    pub fn table(&self, table: TableId) -> Result<Option<CachedTable>, CacheError> {
        let segments = self.segments(table);
        if segments.is_empty() {
            return Ok(None);
        }
        let path = self.directory.join(file_name(schema::spec(table).name));
        Ok(Some(CachedTable { buffer: map(&path)?, path, segments: segments.to_vec() }))
    }

    /// All tables of the rank, mapped.
    pub fn tables(&self) -> Result<RankTables, CacheError> {
        self.some_tables(Selection::ALL)
    }

    /// Some tables of the rank, mapped.
    pub fn some_tables(&self, selection: Selection) -> Result<RankTables, CacheError> {
        let mut batches = Vec::new();
        for &table in TableId::ALL {
            let is_given = selection.has(table) || Selection::ALWAYS.contains(&table);
            let table = if is_given { self.table(table)? } else { None };
            batches.push(match &table {
                Some(table) => (0..table.segments.len()).map(|i| table.read(i)).collect::<Result<_, _>>()?,
                None => Vec::new(),
            });
        }
        Ok(RankTables::new(self.strings()?, batches))
    }
}

/// A mapped table file.
pub struct CachedTable {
    path: PathBuf,
    buffer: Buffer,
    segments: Vec<Segment>,
}

impl CachedTable {
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The batch of segment number `index`, without copying.
    pub fn read(&self, index: usize) -> Result<RecordBatch, CacheError> {
        let damaged = |what: &str| CacheError::Damaged { path: self.path.clone(), what: what.to_owned() };
        let segment = self.segments.get(index).ok_or_else(|| damaged("there is no such segment"))?;
        let (Ok(offset), Ok(bytes)) = (usize::try_from(segment.offset), usize::try_from(segment.bytes)) else {
            return Err(damaged("it is larger than this machine can map"));
        };
        if offset.checked_add(bytes).is_none_or(|end| end > self.buffer.len()) {
            return Err(damaged("a segment lies outside the file"));
        }
        decode(self.buffer.slice_with_length(offset, bytes), &self.path)
    }
}

fn file_name(table: &str) -> String {
    format!("{table}.arrow")
}

fn map(path: &Path) -> Result<Buffer, CacheError> {
    let file = File::open(path).map_err(CacheError::io(path))?;
    // SAFETY: cache files are written under another name, renamed when complete and never changed, so
    // the mapping does not change under us. Removing the file (`trim`) leaves mapped pages in place.
    let map = unsafe { Mmap::map(&file) }.map_err(CacheError::io(path))?;
    let map = Arc::new(map);
    let start = std::ptr::NonNull::from(map.as_ref().as_ref()).cast::<u8>();
    // SAFETY: the pointer and length are those of the mapping, which the buffer keeps alive.
    Ok(unsafe { Buffer::from_custom_allocation(start, map.len(), map) })
}

fn decode(mut buffer: Buffer, path: &Path) -> Result<RecordBatch, CacheError> {
    let mut decoder = StreamDecoder::new();
    let batch = decoder.decode(&mut buffer).map_err(CacheError::damaged(path))?;
    batch.ok_or_else(|| CacheError::Damaged { path: path.to_owned(), what: "a segment is cut".into() })
}

fn write_rank(directory: &Path, tables: &RankTables) -> Result<(), CacheError> {
    let path = directory.join(STRINGS);
    write_segments(&path, &[strings_batch(tables.strings().array())], None)?;
    let mut manifest = Manifest { layout: LAYOUT_VERSION, ..Manifest::default() };
    for spec in schema::all() {
        let batches = tables.batches(spec.id);
        if !batches.is_empty() {
            let segments = write_segments(&directory.join(file_name(spec.name)), batches, Some(spec))?;
            manifest.tables.insert(spec.name.to_owned(), segments);
        }
    }
    let path = directory.join(MANIFEST);
    let text = serde_json::to_vec(&manifest).map_err(|e| CacheError::Io { path: path.clone(), source: e.into() })?;
    fs::write(&path, text).map_err(CacheError::io(&path))
}

fn strings_batch(strings: &StringArray) -> RecordBatch {
    let schema = Arc::new(Schema::new(vec![Field::new("text", DataType::Utf8, false)]));
    RecordBatch::try_new(schema.clone(), vec![Arc::new(strings.clone())])
        .unwrap_or_else(|_| RecordBatch::new_empty(schema))
}

fn write_segments(path: &Path, batches: &[RecordBatch], spec: Option<&TableSpec>) -> Result<Vec<Segment>, CacheError> {
    let file = File::create(path).map_err(CacheError::io(path))?;
    let mut out = Counted { inner: BufWriter::with_capacity(1 << 20, file), bytes: 0 };
    let mut segments = Vec::new();
    for batch in batches {
        let offset = out.bytes;
        let options = IpcWriteOptions::try_new(ALIGNMENT as usize, false, MetadataVersion::V5);
        let options = options.map_err(CacheError::damaged(path))?;
        let mut writer = StreamWriter::try_new_with_options(&mut out, &batch.schema(), options)
            .map_err(CacheError::damaged(path))?;
        writer.write(batch).and_then(|()| writer.finish()).map_err(CacheError::damaged(path))?;
        drop(writer);
        let padding = out.bytes.next_multiple_of(ALIGNMENT) - out.bytes;
        out.write_all([0; ALIGNMENT as usize].split_at(padding as usize).0).map_err(CacheError::io(path))?;
        let time = spec.and_then(|spec| time_range(batch, spec.time?));
        segments.push(Segment { offset, bytes: out.bytes - offset, rows: batch.num_rows() as u64, time });
    }
    out.flush().map_err(CacheError::io(path))?;
    Ok(segments)
}

fn time_range(batch: &RecordBatch, column: &str) -> Option<(i64, i64)> {
    let column = batch.column_by_name(column)?.as_primitive_opt::<Int64Type>()?;
    min(column).zip(max(column))
}

struct Counted<W> {
    inner: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(buffer)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use npuscope_tables::table::{host_op, step};
    use npuscope_tables::{BATCH_ROWS, Ns, RankBuilder, Span};

    fn sample(rows: i64) -> RankTables {
        let mut rank = RankBuilder::default();
        rank.step.push(step::Row { id: Some(7), start: Ns(0), end: Ns(10) });
        for i in 0..rows {
            let name = rank.strings.intern(&format!("op{}", i % 100));
            let shapes = (i % 3 == 0).then(|| rank.strings.intern("2,3"));
            let duration = Span::parse_us(format!("{}.12345", i % 50).as_bytes()).unwrap();
            rank.host_op.push(host_op::Row { start: Ns(i * 10), duration, name, shapes, ..Default::default() });
        }
        rank.finish()
    }

    #[test]
    fn strings_survive_the_cache() {
        let directory = tempfile::tempdir().unwrap();
        let tables = sample(BATCH_ROWS as i64 + 500);
        let cached = Cache::new(directory.path()).store("k", &tables).unwrap().tables().unwrap();
        let rows: Vec<_> = tables.rows::<host_op::Row>().collect();
        assert_eq!(cached.rows::<host_op::Row>().collect::<Vec<_>>(), rows);
        let names = |t: &RankTables| t.rows::<host_op::Row>().map(|r| t.text(r.name).to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&cached), names(&tables));
    }

    #[test]
    fn segments_tell_the_time_they_cover() {
        let directory = tempfile::tempdir().unwrap();
        let cached = Cache::new(directory.path()).store("k", &sample(BATCH_ROWS as i64 + 2)).unwrap();
        let times: Vec<_> = cached.segments(TableId::HostOp).iter().map(|s| s.time.unwrap()).collect();
        let last = BATCH_ROWS as i64 * 10;
        assert_eq!(times, [(0, last - 10), (last, last + 10)]);
    }

    #[test]
    fn a_cut_cache_is_not_opened_and_is_written_anew() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path());
        cache.store("k", &sample(10)).unwrap();
        let file = directory.path().join("k/host_op.arrow");
        let bytes = fs::read(&file).unwrap();
        fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
        assert!(cache.open("k").is_none());
        cache.store("k", &sample(10)).unwrap();
        assert_eq!(cache.open("k").unwrap().rows(TableId::HostOp), 10);
    }

    #[test]
    fn trim_removes_the_least_recently_used_rank_first() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path());
        for key in ["a", "b"] {
            cache.store(key, &sample(10)).unwrap();
        }
        let old = SystemTime::now() - Duration::from_secs(3600);
        File::options().append(true).open(directory.path().join("b/manifest.json")).unwrap().set_modified(old).unwrap();
        cache.trim(directory_bytes(&directory.path().join("a"))).unwrap();
        assert!(cache.open("a").is_some() && cache.open("b").is_none());
    }

    #[test]
    fn nothing_temporary_remains_after_a_write() {
        let directory = tempfile::tempdir().unwrap();
        Cache::new(directory.path()).store("k", &sample(10)).unwrap();
        let names: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["k"]);
    }
}
