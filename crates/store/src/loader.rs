//! Gets the tables of a rank: from the cache, or from the files and then into the cache.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};

use arrow::array::RecordBatch;
use npuscope_formats::source::RankSource;
use npuscope_messages::Message;
use npuscope_tables::table::diagnostic;
use npuscope_tables::{Rank, RankTables, Selection, Strings, TableId};

use crate::cache::{Cache, CacheError, CachedRank, CachedTable};
use crate::fingerprint::{fingerprint, fingerprint_all};
use crate::messages;
use crate::read::{ReadOptions, read_rank};

/// Progress of loading a rank.
pub trait Progress: Send + Sync {
    /// A rank whose files have that many bytes is about to be read.
    fn start(&self, rank: Rank, bytes: u64);
    /// That many more bytes of it have been read.
    fn advance(&self, rank: Rank, bytes: u64);
    /// The rank is done.
    fn finish(&self, rank: Rank);
}

/// Nobody listens.
pub struct Silent;

impl Progress for Silent {
    fn start(&self, _: Rank, _: u64) {}
    fn advance(&self, _: Rank, _: u64) {}
    fn finish(&self, _: Rank) {}
}

/// What comes with any tables of a rank. Of files it has what the tables that are read have; to ask readers for it
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
    loaded: Mutex<HashMap<String, Arc<Mutex<Option<LoadedRank>>>>>,
    warnings: Mutex<Vec<Message>>,
    /// Diagnostics of reading some tables, by rank.
    met: Mutex<HashMap<String, Met>>,
}

/// How many diagnostics reading gave: of severity warning or error, and of severity info.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Met {
    pub losses: u64,
    pub infos: u64,
}

impl Met {
    fn of(tables: &RankTables) -> Met {
        let mut met = Met::default();
        for row in tables.rows::<diagnostic::Row>() {
            *(if row.is_loss(tables) { &mut met.losses } else { &mut met.infos }) += 1;
        }
        met
    }
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
            loaded: Mutex::default(),
            warnings: Mutex::default(),
            met: Mutex::default(),
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
        let rank = match self.cached(source, &key) {
            Some(rank) => rank,
            None => self.read(source, &key),
        };
        *slot = Some(rank.clone());
        Ok(rank)
    }

    /// Some tables of a rank, and [`ALWAYS`] what is known of it: from the cache if the rank is in it, else from the
    /// files that have them, and then not into the cache, which has ranks whole.
    pub fn load_some(&self, source: &RankSource, selection: Selection) -> RankTables {
        let key = fingerprint(source);
        let known = self.in_memory(&key).or_else(|| self.cached_some(&key, selection));
        let tables = known.unwrap_or_else(|| self.read_some(source, selection));
        self.add_met(key, Met::of(&tables));
        tables
    }

    /// Notes the diagnostics of a rank from which a kept extract was made: the extract lacks the same data.
    pub fn note_met(&self, source: &RankSource, met: Met) {
        if met != Met::default() {
            self.add_met(fingerprint(source), met);
        }
    }

    /// Tables of one rank may be read in several turns; each turn finds the diagnostics of its own files.
    fn add_met(&self, key: String, met: Met) {
        let mut known = lock(&self.met);
        let known = known.entry(key).or_default();
        known.losses = known.losses.max(met.losses);
        known.infos = known.infos.max(met.infos);
    }

    /// All tables of a rank that was read whole and is not in the cache.
    fn in_memory(&self, key: &str) -> Option<RankTables> {
        let slot = lock(&self.loaded).get(key)?.clone();
        let rank = lock(&slot).clone()?;
        match &*rank.tables {
            Tables::Memory(tables) => Some(tables.clone()),
            Tables::Cached(_) => None,
        }
    }

    fn read_some(&self, source: &RankSource, selection: Selection) -> RankTables {
        self.progress.start(source.rank, source.bytes());
        let advance = |bytes| self.progress.advance(source.rank, bytes);
        let tables = read_rank(source, ReadOptions { threads: self.threads, selection, progress: &advance });
        self.progress.finish(source.rank);
        tables
    }

    /// What is kept of a rank, or of several together, under a name; if there is nothing, or `decode` cannot use it,
    /// what `make` makes, which is then kept. A cache that cannot be written costs time, not the answer.
    pub fn kept<T, E>(
        &self,
        sources: &[&RankSource],
        name: &str,
        decode: impl Fn(&[u8]) -> Option<T>,
        encode: impl Fn(&T) -> Option<Vec<u8>>,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if self.cache.root().is_none() {
            return make();
        }
        // Before the files are read: if they change meanwhile, nobody asks for this key again.
        let key = match sources {
            [source] => fingerprint(source),
            sources => fingerprint_all(sources.iter().copied()),
        };
        if let Some(bytes) = self.cache.extract(&key, name) {
            match decode(&bytes) {
                Some(kept) => return Ok(kept),
                None => self.cache.discard_extract(&key, name),
            }
        }
        let made = make()?;
        if let Some(bytes) = encode(&made)
            && let Err(error) = self.cache.store_extract(&key, name, &bytes)
        {
            self.warn(messages::extract_not_cached(error.message()));
        }
        Ok(made)
    }

    fn cached_some(&self, key: &str, selection: Selection) -> Option<RankTables> {
        self.cache.root()?;
        let read = self.cache.open(key)?.some_tables(selection.and(ALWAYS));
        read.inspect_err(|error| self.cache.discard(key, error)).ok()
    }

    /// What `use_it` makes of a rank. A rank that is damaged, or that another process has removed from the cache, is
    /// loaded again; if the cache fails once more, its files are read and the cache is left alone.
    pub fn with<T>(
        &self,
        source: &RankSource,
        use_it: impl Fn(&LoadedRank) -> Result<T, CacheError>,
    ) -> Result<T, CacheError> {
        let key = fingerprint(source);
        for _ in 0..2 {
            match use_it(&self.load(source)?) {
                Ok(made) => return Ok(made),
                Err(error) => self.cache.discard(&key, &error),
            }
            lock(&self.loaded).remove(&key);
        }
        let rank = LoadedRank::in_memory(self.read_files(source));
        let made = use_it(&rank);
        lock(&self.loaded).insert(key, Arc::new(Mutex::new(Some(rank))));
        made
    }

    /// A rank of the cache. What its tables hold is verified when they are used.
    fn cached(&self, source: &RankSource, key: &str) -> Option<LoadedRank> {
        let rank = LoadedRank::cached(&self.cache, self.cache.open(key)?, source, self.threads);
        rank.inspect_err(|error| self.cache.discard(key, error)).ok()
    }

    /// Reads a rank from its files. A cache that cannot be written costs time, not the answer.
    fn read(&self, source: &RankSource, key: &str) -> LoadedRank {
        let turn = self.wait_for_turn();
        let tables = self.read_files(source);
        let stored = self.cache.store(key, &tables);
        drop(turn);
        let stored = stored.and_then(|rank| LoadedRank::cached(&self.cache, rank, source, self.threads));
        match stored {
            Ok(rank) => {
                drop(tables);
                give_back();
                rank
            }
            Err(error) => {
                if !matches!(error, CacheError::Off) {
                    self.warn(messages::rank_not_cached(error.message(), source.rank));
                }
                LoadedRank::in_memory(tables)
            }
        }
    }

    fn read_files(&self, source: &RankSource) -> RankTables {
        self.progress.start(source.rank, source.bytes());
        let advance = |bytes| self.progress.advance(source.rank, bytes);
        let options = ReadOptions { threads: self.threads, selection: Selection::ALL, progress: &advance };
        let tables = read_rank(source, options);
        self.progress.finish(source.rank);
        tables
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

    /// What reading the ranks that were asked for met.
    pub fn met(&self) -> Result<Met, CacheError> {
        let mut met = lock(&self.met).clone();
        let slots: Vec<_> = lock(&self.loaded).iter().map(|(key, slot)| (key.clone(), slot.clone())).collect();
        for (key, slot) in slots {
            let Some(rank) = lock(&slot).clone() else { continue };
            if rank.rows(TableId::Diagnostic) > 0 {
                met.insert(key, Met::of(&rank.tables()?));
            }
        }
        let sum = |of: fn(&Met) -> u64| met.values().map(of).sum();
        Ok(Met { losses: sum(|met| met.losses), infos: sum(|met| met.infos) })
    }

    fn warn(&self, warning: Message) {
        let mut warnings = lock(&self.warnings);
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// What went wrong without costing an answer, since this was last asked.
    pub fn take_warnings(&self) -> Vec<Message> {
        let mut warnings = std::mem::take(&mut *lock(&self.warnings));
        warnings.extend(self.cache.take_warnings());
        warnings
    }
}

/// The cache is brought to its size at the end: before that, a rank it removes may still be wanted.
impl Drop for Loader {
    fn drop(&mut self) {
        if self.cache.take_written() {
            let _ = self.cache.trim(self.max_cache_bytes);
        }
    }
}

/// Gives memory back that reading took, which is a share of the files: the allocator would keep it for the next rank.
fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it only advises the allocator what to do with memory that nobody uses.
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
    Cached(InCache),
    Memory(RankTables),
}

/// A rank in the cache, and what it takes to do without the cache should it be damaged.
struct InCache {
    cache: Cache,
    rank: CachedRank,
    source: RankSource,
    threads: usize,
    read_again: OnceLock<RankTables>,
}

impl InCache {
    /// All tables, from the cache if it has them whole, else from the files.
    fn tables(&self) -> RankTables {
        if let Some(tables) = self.read_again.get() {
            return tables.clone();
        }
        self.rank.tables().unwrap_or_else(|error| {
            self.cache.discard(self.rank.key(), &error);
            let read = || {
                let (threads, selection) = (self.threads, Selection::ALL);
                read_rank(&self.source, ReadOptions { threads, selection, progress: &|_| () })
            };
            self.read_again.get_or_init(read).clone()
        })
    }
}

impl LoadedRank {
    fn cached(cache: &Cache, rank: CachedRank, source: &RankSource, threads: usize) -> Result<LoadedRank, CacheError> {
        let strings = rank.strings()?;
        let (cache, source, read_again) = (cache.clone(), source.clone(), OnceLock::new());
        Ok(LoadedRank {
            strings,
            tables: Arc::new(Tables::Cached(InCache { cache, rank, source, threads, read_again })),
        })
    }

    fn in_memory(tables: RankTables) -> LoadedRank {
        LoadedRank { strings: tables.strings().clone(), tables: Arc::new(Tables::Memory(tables)) }
    }

    /// The strings of the [segments](LoadedRank::segments).
    pub fn strings(&self) -> &Strings {
        &self.strings
    }

    /// Number of rows of a table.
    pub fn rows(&self, table: TableId) -> u64 {
        match &*self.tables {
            Tables::Cached(cached) => cached.rank.rows(table),
            Tables::Memory(tables) => tables.len(table) as u64,
        }
    }

    /// The rank in the cache, where it is there.
    pub fn in_cache(&self) -> Option<&CachedRank> {
        match &*self.tables {
            Tables::Cached(cached) => Some(&cached.rank),
            Tables::Memory(_) => None,
        }
    }

    /// All tables, mapped or in memory, with strings of their own: tables that are damaged in the cache are read from
    /// the files.
    pub fn tables(&self) -> Result<RankTables, CacheError> {
        Ok(match &*self.tables {
            Tables::Cached(cached) => cached.tables(),
            Tables::Memory(tables) => tables.clone(),
        })
    }

    /// One table, segment by segment.
    pub fn segments(&self, table: TableId) -> Result<Segments, CacheError> {
        Ok(match &*self.tables {
            Tables::Cached(cached) => cached.rank.table(table)?.map_or(Segments::Memory(Vec::new()), Segments::Cached),
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

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The time a segment covers, where that is known.
    pub fn time(&self, index: usize) -> Option<(i64, i64)> {
        match self {
            Segments::Cached(table) => table.segments().get(index)?.time,
            Segments::Memory(_) => None,
        }
    }

    /// Verifies segments, so that reading them does not fail later.
    pub fn verify(&self, indices: &[usize]) -> Result<(), CacheError> {
        match self {
            Segments::Cached(table) => indices.iter().try_for_each(|&index| table.verify(index)),
            Segments::Memory(_) => Ok(()),
        }
    }

    pub fn read(&self, index: usize) -> Result<Option<RecordBatch>, CacheError> {
        match self {
            Segments::Cached(table) => table.read(index).map(Some),
            Segments::Memory(batches) => Ok(batches.get(index).cloned()),
        }
    }
}
