//! Gets the tables of a rank: from the cache, or from the files and then into the cache.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use arrow::array::RecordBatch;
use npuscope_formats::source::RankSource;
use npuscope_tables::{RankTables, Selection, Strings, TableId};

use crate::cache::{Cache, CacheError, CachedRank, CachedTable};
use crate::fingerprint::fingerprint;
use crate::read::{ReadOptions, read_rank};

/// Told what loading a rank is doing.
pub trait Progress: Send + Sync {
    /// A rank whose files have that many bytes is about to be read.
    fn start(&self, rank: i64, bytes: u64);
    /// That many more bytes of it have been read.
    fn advance(&self, rank: i64, bytes: u64);
    /// The rank is done.
    fn finish(&self, rank: i64);
}

/// Nobody listens.
pub struct Silent;

impl Progress for Silent {
    fn start(&self, _: i64, _: u64) {}
    fn advance(&self, _: i64, _: u64) {}
    fn finish(&self, _: i64) {}
}

/// What comes with any tables of a rank. Of files it tells what the tables that are read tell; to ask readers for it
/// is to ask for everything.
const ALWAYS: Selection = Selection::of(&[TableId::Rank, TableId::Diagnostic]);

/// Loads ranks, each once.
pub struct Loader {
    cache: Cache,
    max_cache_bytes: u64,
    threads: usize,
    /// Ranks that may still be read at the same time.
    free: Mutex<usize>,
    freed: Condvar,
    progress: Arc<dyn Progress>,
    has_stored: AtomicBool,
    loaded: Mutex<HashMap<String, Arc<Mutex<Option<LoadedRank>>>>>,
    warnings: Mutex<Vec<String>>,
}

/// A rank being read; others may follow when it is done.
struct Turn<'a>(&'a Loader);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *lock(&self.0.free) += 1;
        self.0.freed.notify_one();
    }
}

impl Loader {
    /// Reads up to `ranks` ranks at a time, each on `threads` threads.
    pub fn new(
        cache: Cache,
        max_cache_bytes: u64,
        ranks: usize,
        threads: usize,
        progress: Arc<dyn Progress>,
    ) -> Loader {
        Loader {
            cache,
            max_cache_bytes,
            threads,
            free: Mutex::new(ranks.max(1)),
            freed: Condvar::new(),
            progress,
            has_stored: AtomicBool::new(false),
            loaded: Mutex::default(),
            warnings: Mutex::default(),
        }
    }

    /// The tables of a rank. Two that ask for one rank at the same time share the work.
    pub fn load(&self, source: &RankSource) -> Result<LoadedRank, CacheError> {
        let key = fingerprint(source);
        let slot = lock(&self.loaded).entry(key.clone()).or_default().clone();
        let mut slot = lock(&slot);
        if let Some(rank) = &*slot {
            return Ok(rank.clone());
        }
        let rank = match self.cached(&key) {
            Some(rank) => rank,
            None => self.read(source, &key)?,
        };
        *slot = Some(rank.clone());
        Ok(rank)
    }

    /// Some tables of a rank, and [`ALWAYS`] what is known of it: from the cache if the rank is in it, else from the
    /// files that have them, and then not into the cache, which has ranks whole.
    pub fn load_some(&self, source: &RankSource, selection: Selection) -> RankTables {
        let cached = self.cached_some(source, selection);
        if let Some(tables) = cached {
            return tables;
        }
        self.progress.start(source.rank, source.bytes());
        let advance = |bytes| self.progress.advance(source.rank, bytes);
        let tables = read_rank(source, ReadOptions { threads: self.threads, selection, progress: &advance });
        self.progress.finish(source.rank);
        tables
    }

    fn cached_some(&self, source: &RankSource, selection: Selection) -> Option<RankTables> {
        // To find the key of a rank takes longer than to read some of its tables.
        if self.cache.is_empty() {
            return None;
        }
        self.cache.open(&fingerprint(source)).and_then(|rank| {
            // Arrow's reader panics on some headers that cannot be right.
            catch_unwind(AssertUnwindSafe(|| rank.some_tables(selection.and(ALWAYS)).ok())).ok().flatten()
        })
    }

    /// What `use_it` makes of a rank. A rank that another process has removed from the cache is loaded again.
    pub fn with<T>(
        &self,
        source: &RankSource,
        use_it: impl Fn(&LoadedRank) -> Result<T, CacheError>,
    ) -> Result<T, CacheError> {
        use_it(&self.load(source)?).or_else(|_| {
            lock(&self.loaded).remove(&fingerprint(source));
            use_it(&self.load(source)?)
        })
    }

    /// A rank of the cache, every segment of which can be read. A damaged one is removed, to be written anew.
    fn cached(&self, key: &str) -> Option<LoadedRank> {
        let cached = self.cache.open(key)?;
        // Arrow's reader panics on some headers that cannot be right.
        let read = catch_unwind(AssertUnwindSafe(|| cached.tables().and_then(|_| LoadedRank::cached(cached))));
        let what = match read {
            Ok(Ok(rank)) => return Some(rank),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the cache is damaged".to_owned(),
        };
        self.warn(format!("{what}; it is made anew"));
        let _ = std::fs::remove_dir_all(self.cache.root().join(key));
        None
    }

    /// Reads a rank from its files. A cache that cannot be written costs time, not the answer.
    fn read(&self, source: &RankSource, key: &str) -> Result<LoadedRank, CacheError> {
        let turn = self.wait_for_turn();
        self.progress.start(source.rank, source.bytes());
        let advance = |bytes| self.progress.advance(source.rank, bytes);
        let options = ReadOptions { threads: self.threads, selection: Selection::ALL, progress: &advance };
        let tables = read_rank(source, options);
        let stored = self.cache.store(key, &tables);
        self.progress.finish(source.rank);
        drop(turn);
        match stored {
            Ok(cached) => {
                self.has_stored.store(true, Ordering::Relaxed);
                drop(tables);
                give_back();
                LoadedRank::cached(cached)
            }
            Err(error) => {
                self.warn(format!("{error}; rank {} will be read again next time", source.rank));
                Ok(LoadedRank::in_memory(tables))
            }
        }
    }

    /// Waits until there is a thread for one more rank: reading takes memory that is a share of the files.
    fn wait_for_turn(&self) -> Turn<'_> {
        let mut free = lock(&self.free);
        while *free == 0 {
            free = self.freed.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        Turn(self)
    }

    /// The ranks that were loaded so far.
    pub fn loaded(&self) -> Vec<LoadedRank> {
        let slots: Vec<_> = lock(&self.loaded).values().cloned().collect();
        slots.iter().filter_map(|slot| lock(slot).clone()).collect()
    }

    fn warn(&self, warning: String) {
        let mut warnings = lock(&self.warnings);
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// What went wrong without costing an answer, since this was last asked.
    pub fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.warnings))
    }
}

/// The cache is brought to its size at the end: before that, a rank it removes may still be wanted.
impl Drop for Loader {
    fn drop(&mut self) {
        if self.has_stored.load(Ordering::Relaxed) {
            let _ = self.cache.trim(self.max_cache_bytes);
        }
    }
}

/// Gives memory back that reading took, which is a share of the files: the allocator would keep it for the next rank.
fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it only tells the allocator what to do with memory that nobody uses.
    let _ = unsafe { libc::malloc_trim(0) };
}

/// A panic elsewhere while the lock was held leaves nothing half done: values are replaced whole.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The tables of one rank, wherever they are.
#[derive(Clone)]
pub struct LoadedRank {
    strings: Strings,
    tables: Arc<Tables>,
}

enum Tables {
    Cached(CachedRank),
    Memory(RankTables),
}

impl LoadedRank {
    fn cached(rank: CachedRank) -> Result<LoadedRank, CacheError> {
        Ok(LoadedRank { strings: rank.strings()?, tables: Arc::new(Tables::Cached(rank)) })
    }

    fn in_memory(tables: RankTables) -> LoadedRank {
        LoadedRank { strings: tables.strings().clone(), tables: Arc::new(Tables::Memory(tables)) }
    }

    pub fn strings(&self) -> &Strings {
        &self.strings
    }

    /// Number of rows of a table.
    pub fn rows(&self, table: TableId) -> u64 {
        match &*self.tables {
            Tables::Cached(rank) => rank.rows(table),
            Tables::Memory(tables) => tables.len(table) as u64,
        }
    }

    /// The rank in the cache, where it is there.
    pub fn in_cache(&self) -> Option<&CachedRank> {
        match &*self.tables {
            Tables::Cached(rank) => Some(rank),
            Tables::Memory(_) => None,
        }
    }

    /// All tables, mapped or in memory.
    pub fn tables(&self) -> Result<RankTables, CacheError> {
        match &*self.tables {
            Tables::Cached(rank) => rank.tables(),
            Tables::Memory(tables) => Ok(tables.clone()),
        }
    }

    /// One table, segment by segment.
    pub fn segments(&self, table: TableId) -> Result<Segments, CacheError> {
        Ok(match &*self.tables {
            Tables::Cached(rank) => rank.table(table)?.map_or(Segments::Memory(Vec::new()), Segments::Cached),
            Tables::Memory(tables) => Segments::Memory(tables.batches(table).to_vec()),
        })
    }
}

/// The segments of a table.
pub enum Segments {
    Cached(CachedTable),
    Memory(Vec<RecordBatch>),
}

impl Segments {
    pub fn len(&self) -> usize {
        match self {
            Segments::Cached(table) => table.segments().len(),
            Segments::Memory(batches) => batches.len(),
        }
    }

    /// The time a segment covers, where that is known.
    pub fn time(&self, index: usize) -> Option<(i64, i64)> {
        match self {
            Segments::Cached(table) => table.segments().get(index)?.time,
            Segments::Memory(_) => None,
        }
    }

    pub fn read(&self, index: usize) -> Result<Option<RecordBatch>, CacheError> {
        match self {
            Segments::Cached(table) => table.read(index).map(Some),
            Segments::Memory(batches) => Ok(batches.get(index).cloned()),
        }
    }
}
