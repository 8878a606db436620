//! The ranks of a profile, each read, used and let go.

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use npuscope_formats::discover::{Profile, RankSource, discover};
use npuscope_tables::cache::Cache;
use npuscope_tables::{RankTables, Selection};

use crate::error::EngineError;
use crate::loader::Loader;
use crate::session::SessionOptions;

/// A profile whose ranks are gone through one by one, without SQL: what many ranks take of memory is what
/// is kept of each.
pub struct Ranks {
    profile: Profile,
    loader: Loader,
    threads: usize,
    stop: Arc<AtomicBool>,
    options: SessionOptions,
}

impl Ranks {
    /// Finds the ranks at `path`. Reads none of them yet.
    pub fn open(path: &Path, options: &SessionOptions) -> Result<Ranks, EngineError> {
        let profile = discover(path)?;
        let threads = options.threads.max(1);
        let per_rank = (threads / profile.ranks.len().max(1)).max(1);
        let cache = Cache::new(&options.cache);
        let loader =
            Loader::new(cache, options.max_cache_bytes, threads / per_rank, per_rank, options.progress.clone());
        let (stop, options) = (options.stop.clone(), options.clone());
        Ok(Ranks { profile, loader, threads: threads / per_rank, stop, options })
    }

    /// The ranks of another profile, opened alike.
    pub fn open_another(&self, path: &Path) -> Result<Ranks, EngineError> {
        Ranks::open(path, &self.options)
    }

    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// What `use_it` makes of the chosen tables of each of `sources`, in their order, on all threads.
    pub fn each<T: Send>(
        &self,
        sources: &[&RankSource],
        selection: Selection,
        use_it: impl Fn(&RankSource, RankTables) -> T + Sync,
    ) -> Result<Vec<T>, EngineError> {
        let next = AtomicUsize::new(0);
        let made: Mutex<Vec<Option<T>>> = Mutex::new(sources.iter().map(|_| None).collect());
        let work = || {
            while !self.stop.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(source) = sources.get(index) else { break };
                let result = use_it(source, self.loader.load_some(source, selection));
                if let Some(slot) = made.lock().unwrap_or_else(PoisonError::into_inner).get_mut(index) {
                    *slot = Some(result);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.min(sources.len()) {
                scope.spawn(work);
            }
            work();
        });
        let made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        made.into_iter().collect::<Option<Vec<T>>>().ok_or(EngineError::Stopped)
    }

    /// What went wrong without costing an answer, since this was last asked.
    pub fn take_warnings(&self) -> Vec<String> {
        self.loader.take_warnings()
    }

    /// Fails if somebody wants the work to end.
    pub fn check_stop(&self) -> Result<(), EngineError> {
        if self.stop.load(Ordering::Relaxed) { Err(EngineError::Stopped) } else { Ok(()) }
    }
}
