//! One rank of the cache, read.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use serde::{Deserialize, Serialize};

use super::directory::{ATTACHED, COLUMNS, MANIFEST, write_file};
use super::mapped::{FileId, Verified, VerifiedFiles};
use super::sealed::{Sealing, checksum, payload, unseal};
use super::{CacheError, LAYOUT_VERSION, Notes};
use crate::error_messages as messages;
use npuscope_formats::regular_file;
use npuscope_messages::{Message, io_error, verbatim};
use npuscope_tables::{RankTables, Selection, Strings, TableId, schema};

pub const STRINGS: &str = "strings.arrow";

/// Where a batch lies in its table file, and what it covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    pub offset: u64,
    pub bytes: u64,
    pub rows: u64,
    /// Least and greatest value of the table's time column.
    pub time: Option<(i64, i64)>,
    /// XXH3 of the segment's bytes.
    pub checksum: u64,
}

impl Segment {
    /// Its bytes in the file; `None` if they are not all there.
    fn slice(&self, file: &Buffer) -> Option<Buffer> {
        let (offset, bytes) = (usize::try_from(self.offset).ok()?, usize::try_from(self.bytes).ok()?);
        (offset.checked_add(bytes)? <= file.len()).then(|| file.slice_with_length(offset, bytes))
    }

    fn end(&self) -> u64 {
        self.offset.saturating_add(self.bytes)
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Manifest {
    pub layout: u32,
    pub strings: Vec<Segment>,
    pub tables: BTreeMap<String, Vec<Segment>>,
}

pub fn file_name(table: &str) -> String {
    format!("{table}.{COLUMNS}")
}

/// One rank of the cache. Cheap to open: nothing but the manifest is read before it is asked for.
#[derive(Clone, Debug)]
pub struct CachedRank(Arc<Opened>);

#[derive(Debug)]
struct Opened {
    directory: PathBuf,
    key: String,
    id: FileId,
    manifest: Manifest,
    verified: VerifiedFiles,
    notes: Arc<Notes>,
}

impl CachedRank {
    pub(super) fn open(directory: &Path, key: &str, notes: &Arc<Notes>) -> Result<CachedRank, CacheError> {
        let path = directory.join(MANIFEST);
        let damaged = |what: Message| CacheError::damaged(&path, what);
        let file = regular_file::open(&path).map_err(CacheError::io(&path))?;
        let id = FileId::new(&file.metadata().map_err(CacheError::io(&path))?);
        let mut sealed = Vec::new();
        io::copy(&mut &file, &mut sealed).map_err(CacheError::io(&path))?;
        let text = unseal(&sealed, key).ok_or_else(|| damaged(messages::wrong_checksum()))?;
        let manifest: Manifest = serde_json::from_slice(text).map_err(|error| damaged(verbatim(error.to_string())))?;
        if manifest.layout != LAYOUT_VERSION {
            return Err(damaged(messages::other_version()));
        }
        let tables = manifest.tables.iter().map(|(table, segments)| (file_name(table), segments));
        for (name, segments) in tables.chain([(STRINGS.to_owned(), &manifest.strings)]) {
            let file = directory.join(name);
            let bytes = match fs::metadata(&file) {
                Ok(metadata) => metadata.len(),
                // Without a manifest it is another process that removes the entry.
                Err(error) if path.exists() => return Err(CacheError::damaged(&file, io_error(&error))),
                Err(error) => return Err(CacheError::io(&file)(error)),
            };
            if bytes != segments.last().map_or(0, Segment::end) {
                return Err(CacheError::damaged(&file, messages::wrong_length()));
            }
        }
        let (directory, key, notes) = (directory.to_owned(), key.to_owned(), notes.clone());
        Ok(CachedRank(Arc::new(Opened { directory, key, id, manifest, verified: VerifiedFiles::default(), notes })))
    }

    /// Whether the entry is still the one that was opened.
    pub(super) fn is_current(&self) -> bool {
        fs::metadata(self.0.directory.join(MANIFEST)).is_ok_and(|manifest| FileId::new(&manifest) == self.0.id)
    }

    /// The key it is cached under.
    pub fn key(&self) -> &str {
        &self.0.key
    }

    pub fn segments(&self, table: TableId) -> &[Segment] {
        let name = schema::spec(table).name;
        self.0.manifest.tables.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Number of rows of a table.
    pub fn rows(&self, table: TableId) -> u64 {
        self.segments(table).iter().map(|s| s.rows).sum()
    }

    pub fn strings(&self) -> Result<Strings, CacheError> {
        let file = self.file(STRINGS, &self.0.manifest.strings)?;
        let column = file.read(0)?.column_by_name("text").and_then(|c| c.as_string_opt::<i32>()).cloned();
        column.map(Strings::new).ok_or_else(|| CacheError::damaged(&file.path, messages::no_strings()))
    }

    /// The file of a table, mapped; `None` for a table without rows.
    pub fn table(&self, table: TableId) -> Result<Option<CachedTable>, CacheError> {
        let segments = self.segments(table);
        if segments.is_empty() {
            return Ok(None);
        }
        self.file(&file_name(schema::spec(table).name), segments).map(Some)
    }

    fn file(&self, name: &str, segments: &[Segment]) -> Result<CachedTable, CacheError> {
        let (buffer, verified) = self.0.verified.map(&self.0.directory, name, segments.len())?;
        Ok(CachedTable { path: self.0.directory.join(name), buffer, verified, segments: segments.to_vec() })
    }

    /// All tables of the rank, mapped and verified.
    pub fn tables(&self) -> Result<RankTables, CacheError> {
        self.some_tables(Selection::ALL)
    }

    /// Some tables of the rank, mapped and verified.
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

    /// Verifies every segment.
    pub fn verify(&self) -> Result<(), CacheError> {
        self.strings()?;
        TableId::ALL.iter().try_for_each(|&table| {
            self.table(table)?.map_or(Ok(()), |file| (0..file.segments.len()).try_for_each(|index| file.verify(index)))
        })
    }

    /// What was [attached](CachedRank::attach) to the rank under a name, mapped; `None` if there is nothing. A damaged
    /// file is removed, and a warning says so.
    pub fn attached(&self, name: &str) -> Option<Buffer> {
        let file = attached_name(name);
        let (buffer, verified) = self.0.verified.map(&self.0.directory, &file, 1).ok()?;
        let bytes = payload(&buffer).map(<[u8]>::len);
        if !verified.check(0, || unseal(&buffer, &self.identity(name)).is_some()) {
            let path = self.0.directory.join(file);
            let _ = fs::remove_file(&path);
            self.0.notes.warn_damage(&CacheError::damaged(&path, messages::wrong_checksum()));
            return None;
        }
        Some(buffer.slice_with_length(0, bytes?))
    }

    /// Keeps something else that was made of the rank's tables, under a name of its own.
    ///
    /// It is not synced to disk, which would take longer than to make most of it: after a power failure its checksum
    /// shows whether it is whole.
    pub fn attach(&self, name: &str, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), CacheError> {
        let target = self.0.directory.join(attached_name(name));
        let written = write_file(&self.0.directory, &target, |file| {
            let mut out = Sealing::new(BufWriter::new(file));
            write(&mut out)?;
            out.finish(&self.identity(name))?.flush()
        });
        self.0.notes.note_write();
        written.map_err(CacheError::io(&target))
    }

    fn identity(&self, name: &str) -> String {
        format!("{}/{name}", self.0.key)
    }
}

fn attached_name(name: &str) -> String {
    format!("{name}.{ATTACHED}")
}

/// A mapped table file.
pub struct CachedTable {
    path: PathBuf,
    buffer: Buffer,
    verified: Arc<Verified>,
    segments: Vec<Segment>,
}

impl CachedTable {
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Computes the checksum of segment number `index`, the first time in a process.
    pub fn verify(&self, index: usize) -> Result<(), CacheError> {
        self.verified_bytes(index).map(|_| ())
    }

    /// The batch of segment number `index`, without copying. Arrow sees its bytes only after they are verified: its
    /// reader panics on some damaged headers.
    pub fn read(&self, index: usize) -> Result<RecordBatch, CacheError> {
        let mut bytes = self.verified_bytes(index)?;
        let batch = StreamDecoder::new().decode(&mut bytes).map_err(CacheError::arrow(&self.path))?;
        batch.ok_or_else(|| CacheError::damaged(&self.path, messages::cut_segment()))
    }

    #[cfg(test)]
    pub fn is_verified(&self, index: usize) -> bool {
        self.verified.is_done(index)
    }

    fn verified_bytes(&self, index: usize) -> Result<Buffer, CacheError> {
        let damaged = |what: Message| CacheError::damaged(&self.path, what);
        let segment = self.segments.get(index).ok_or_else(|| damaged(messages::no_such_segment()))?;
        let bytes = segment.slice(&self.buffer).ok_or_else(|| damaged(messages::segment_outside()))?;
        let is_right = self.verified.check(index, || checksum(&bytes) == segment.checksum);
        if is_right { Ok(bytes) } else { Err(damaged(messages::wrong_checksum())) }
    }
}
