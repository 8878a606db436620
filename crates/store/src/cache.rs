//! The cache of ranks that were read: columns ready to be mapped, and small extracts.
//!
//! The columns of a rank are a directory named by its key. It holds `strings.arrow`, one file per table that has rows,
//! and `manifest`. A table file is a row of *segments*, each an Arrow IPC stream of one batch, uncompressed and 64-byte
//! aligned, so that reading is mapping. Segments carry their own schema: a column without a value takes no space. The
//! manifest holds each segment's place, rows, time range and checksum; a scan skips what it does not need by them.
//! What else was made of a rank's tables is [attached](CachedRank::attach) as a file; [extracts](Cache::extract) have
//! directories of their own.
//!
//! What the cache promises:
//!
//! - Nothing is read before it is verified, once in a process: segments by checksums in the manifest, all other files by
//!   the seal at their end (`sealed.rs`). What is damaged is an error or absent, never an answer.
//! - A directory is written under a random temporary name, synced to disk and renamed when complete: a reader sees a whole
//!   entry or none. Files are never changed afterwards, which is what makes mapping them sound. Of two processes that store
//!   one key, one wins and both use its entry.
//! - Nothing is removed but what we wrote: see `directory.rs`.

mod directory;
mod error;
mod extract;
mod mapped;
mod rank;
mod sealed;
mod trim;
mod write;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use npuscope_messages::Message;
use npuscope_tables::RankTables;

use self::directory::{is_entry, prepare_root, remove_entry, remove_ours, sync_directory, temporary_directory, touch};
use self::write::write_rank;
use crate::messages;

pub use error::CacheError;
pub use extract::MappedExtract;
pub use mapped::FileId;
pub use rank::{CachedRank, CachedTable, Segment};

/// Raised whenever a table, a column or the layout of the cache changes meaning.
pub const LAYOUT_VERSION: u32 = 3;

/// A directory of cached ranks, or no cache at all. Clones share what was opened and verified.
#[derive(Clone, Debug)]
pub struct Cache(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    root: Option<PathBuf>,
    /// Whether the root was there and tagged.
    is_prepared: AtomicBool,
    /// Ranks that were opened, by key: what was verified of them need not be verified again.
    opened: Mutex<HashMap<String, CachedRank>>,
    notes: Arc<Notes>,
}

/// What happened to a cache while it was used.
#[derive(Debug, Default)]
struct Notes {
    warnings: Mutex<Vec<Message>>,
    is_written: AtomicBool,
}

impl Notes {
    fn warn_damage(&self, error: &CacheError) {
        let warning = messages::cache_rebuilt(error.message());
        let mut warnings = lock(&self.warnings);
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    fn note_write(&self) {
        self.is_written.store(true, Ordering::Relaxed);
    }
}

impl Cache {
    /// The cache in a directory, which is created when something is stored.
    pub fn new(root: impl Into<PathBuf>) -> Cache {
        Cache::at(Some(root.into()))
    }

    /// No cache: nothing is found, nothing is stored.
    pub fn off() -> Cache {
        Cache::at(None)
    }

    fn at(root: Option<PathBuf>) -> Cache {
        Cache(Arc::new(Shared {
            root,
            is_prepared: AtomicBool::new(false),
            opened: Mutex::default(),
            notes: Arc::default(),
        }))
    }

    /// Where it is; `None` if it is off.
    pub fn root(&self) -> Option<&Path> {
        self.0.root.as_deref()
    }

    /// The root, created if need be.
    fn prepared_root(&self) -> Result<&Path, CacheError> {
        let root = self.root().ok_or(CacheError::Off)?;
        if !self.0.is_prepared.load(Ordering::Relaxed) || !root.is_dir() {
            prepare_root(root)?;
            self.0.is_prepared.store(true, Ordering::Relaxed);
        }
        Ok(root)
    }

    fn notes(&self) -> &Notes {
        &self.0.notes
    }

    /// The cached rank of that key, if it is there and whole. A damaged one is removed, and a warning says so; damage to
    /// columns shows when they are read, see [`Cache::discard`].
    pub fn open(&self, key: &str) -> Option<CachedRank> {
        let directory = self.root()?.join(key);
        let known = lock(&self.0.opened).get(key).cloned().filter(CachedRank::is_current);
        let opened = match known {
            Some(known) => Ok(known),
            None => CachedRank::open(&directory, key, &self.0.notes),
        };
        match opened {
            Ok(rank) => {
                // A cache that cannot be written is read all the same.
                let _ = touch(&directory);
                lock(&self.0.opened).insert(key.to_owned(), rank.clone());
                Some(rank)
            }
            Err(error) => {
                self.discard(key, &error);
                None
            }
        }
    }

    /// Removes the rank of that key if that error says that it is damaged, and warns.
    pub fn discard(&self, key: &str, error: &CacheError) {
        lock(&self.0.opened).remove(key);
        if let (true, Some(root)) = (error.is_damage(), self.root()) {
            self.notes().warn_damage(error);
            // What cannot be removed is damaged the next time, too, and costs no more than time.
            let _ = remove_entry(&root.join(key));
        }
    }

    /// Writes the tables of a rank under `key`. Where another process was faster, its copy is used.
    pub fn store(&self, key: &str, tables: &RankTables) -> Result<CachedRank, CacheError> {
        let root = self.prepared_root()?;
        let temporary = temporary_directory(root).map_err(CacheError::io(root))?;
        self.notes().note_write();
        let stored = write_rank(&temporary, key, tables).and_then(|()| self.put(&temporary, key));
        if stored.is_err() {
            let _ = remove_ours(&temporary);
        }
        let rank = stored?;
        lock(&self.0.opened).insert(key.to_owned(), rank.clone());
        Ok(rank)
    }

    /// Renames a complete rank into its place, unless there is another that is whole.
    fn put(&self, temporary: &Path, key: &str) -> Result<CachedRank, CacheError> {
        /// Other processes may put and remove the same key meanwhile.
        const TRIES: usize = 8;
        let root = self.root().ok_or(CacheError::Off)?;
        let target = root.join(key);
        let open = || CachedRank::open(&target, key, &self.0.notes);
        for _ in 0..TRIES {
            let Err(error) = fs::rename(temporary, &target) else {
                // The entry is used even if its name may not survive a power failure.
                let _ = sync_directory(root);
                return open();
            };
            if !is_entry(&target) && target.exists() {
                return Err(CacheError::io(&target)(error));
            }
            if let Ok(other) = open().and_then(|other| other.verify().map(|()| other)) {
                let _ = remove_ours(temporary);
                return Ok(other);
            }
            remove_entry(&target).map_err(CacheError::io(&target))?;
        }
        Err(CacheError::Contended { path: target })
    }

    /// Whether something was stored since this was last asked, so that it may have to be trimmed.
    pub fn take_written(&self) -> bool {
        self.notes().is_written.swap(false, Ordering::Relaxed)
    }

    /// Warnings about damaged entries since this was last asked.
    pub fn take_warnings(&self) -> Vec<Message> {
        std::mem::take(&mut lock(&self.notes().warnings))
    }
}

/// A panic elsewhere while the lock was held leaves nothing half done: values are replaced whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
