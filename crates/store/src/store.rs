//! An opened profile.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use npuscope_formats::source::RankSource;
use npuscope_messages::Message;
use npuscope_tables::{RankTables, Selection};

use crate::cache::{Cache, CacheError};
use crate::discover::{Choice, DiscoverError, Profile, discover_chosen};
use crate::error_messages as messages;
use crate::loader::{LoadedRank, Loader, Progress, Silent};

/// How a profile is opened.
#[derive(Clone)]
pub struct OpenOptions {
    /// What was read before. Stores that share it verify it once.
    pub cache: Cache,
    /// What caches may take on disk when the profile is closed.
    pub max_cache_bytes: u64,
    /// Threads for reading and querying.
    pub threads: usize,
    pub progress: Arc<dyn Progress>,
    /// Set to end work over many ranks early.
    pub stop: Arc<AtomicBool>,
    /// The job and the windows to open.
    pub choice: Choice,
}

impl OpenOptions {
    /// Usual options, with a cache in that directory.
    pub fn new(cache: impl Into<PathBuf>) -> OpenOptions {
        OpenOptions::with_cache(Cache::new(cache))
    }

    /// Usual options, without a cache: ranks that are read whole stay in memory.
    pub fn without_cache() -> OpenOptions {
        OpenOptions::with_cache(Cache::off())
    }

    fn with_cache(cache: Cache) -> OpenOptions {
        OpenOptions {
            cache,
            max_cache_bytes: 20 << 30,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            progress: Arc::new(Silent),
            stop: Arc::default(),
            choice: Choice::default(),
        }
    }
}

/// Why a profile could not be opened, or work over its ranks not be done.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    Discover(#[from] DiscoverError),
    Cache(#[from] CacheError),
    Stopped,
}

impl StoreError {
    pub fn message(&self) -> Message {
        match self {
            StoreError::Discover(error) => error.message(),
            StoreError::Cache(error) => error.message(),
            StoreError::Stopped => messages::stopped(),
        }
    }
}

npuscope_messages::display_message!(StoreError);

/// A profile: its ranks and their tables. One is opened per profile and process, so that each rank is read once.
pub struct Store {
    profile: Profile,
    loader: Loader,
    /// Ranks that are worked on at the same time.
    parallel: usize,
    options: OpenOptions,
}

impl Store {
    /// Finds the ranks at `path`. Reads none of them yet.
    pub fn open(path: &Path, options: OpenOptions) -> Result<Store, StoreError> {
        let profile = discover_chosen(path, &options.choice)?;
        // Reading a rank is itself spread over threads only when ranks are few.
        let threads = options.threads.max(1);
        let per_rank = (threads / profile.ranks.len().max(1)).max(1);
        let parallel = threads / per_rank;
        let cache = options.cache.clone();
        let loader = Loader::new(cache, options.max_cache_bytes, parallel, per_rank, options.progress.clone());
        Ok(Store { profile, loader, parallel, options })
    }

    /// Another profile, opened alike, with all its windows.
    pub fn open_another(&self, path: &Path) -> Result<Store, StoreError> {
        Store::open(path, OpenOptions { choice: Choice::default(), ..self.options.clone() })
    }

    /// The same profile with another choice of windows, or another job of it.
    pub fn open_chosen(&self, choice: Choice) -> Result<Store, StoreError> {
        Store::open(&self.profile.root, OpenOptions { choice, ..self.options.clone() })
    }

    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    pub fn options(&self) -> &OpenOptions {
        &self.options
    }

    /// Where columns and extracts are kept.
    pub fn cache(&self) -> &Cache {
        &self.options.cache
    }

    pub fn loader(&self) -> &Loader {
        &self.loader
    }

    /// All tables of one rank.
    pub fn load(&self, rank: &RankSource) -> Result<LoadedRank, StoreError> {
        Ok(self.loader.load(rank)?)
    }

    /// All tables of every rank and of the job, loaded on all threads, in order.
    pub fn load_all(&self) -> Result<Vec<LoadedRank>, StoreError> {
        let sources: Vec<&RankSource> = self.profile.sources().collect();
        self.parallel(&sources, |source| self.loader.load(source))?.into_iter().map(|rank| Ok(rank?)).collect()
    }

    /// The ranks that were loaded so far.
    pub fn loaded(&self) -> Vec<LoadedRank> {
        self.loader.loaded()
    }

    /// What `use_it` makes of the chosen tables of each of `sources`, in their order, on all threads. What many ranks
    /// take of memory is what is kept of each.
    pub fn each<T: Send>(
        &self,
        sources: &[&RankSource],
        selection: Selection,
        use_it: impl Fn(&RankSource, RankTables) -> T + Sync,
    ) -> Result<Vec<T>, StoreError> {
        self.parallel(sources, |source| use_it(source, self.loader.load_some(source, selection)))
    }

    /// What `work` makes of each of `sources`, in their order, on all threads; ends early where that is wanted.
    pub fn parallel<T: Send>(
        &self,
        sources: &[&RankSource],
        work: impl Fn(&RankSource) -> T + Sync,
    ) -> Result<Vec<T>, StoreError> {
        let next = AtomicUsize::new(0);
        let made: Mutex<Vec<Option<T>>> = Mutex::new(sources.iter().map(|_| None).collect());
        let take_turns = || {
            while !self.options.stop.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(source) = sources.get(index) else { break };
                let result = work(source);
                if let Some(slot) = made.lock().unwrap_or_else(PoisonError::into_inner).get_mut(index) {
                    *slot = Some(result);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.parallel.min(sources.len()) {
                scope.spawn(take_turns);
            }
            take_turns();
        });
        let made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        made.into_iter().collect::<Option<Vec<T>>>().ok_or(StoreError::Stopped)
    }

    /// What went wrong without costing an answer, since this was last asked.
    pub fn take_warnings(&self) -> Vec<Message> {
        self.loader.take_warnings()
    }

    /// Fails if the work is to end early.
    pub fn check_stop(&self) -> Result<(), StoreError> {
        if self.options.stop.load(Ordering::Relaxed) { Err(StoreError::Stopped) } else { Ok(()) }
    }
}
