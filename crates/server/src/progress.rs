//! How far ranks are read, for all who watch.

use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashMap;
use npuscope_store::Progress as StoreProgress;
use npuscope_tables::Rank;
use serde::Serialize;
use tokio::sync::broadcast;

/// Messages that one who is slow may be behind.
const BEHIND: usize = 256;

/// How far a rank is read, in bytes of its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Progress {
    #[cfg_attr(test, ts(as = "i64"))]
    pub rank: Rank,
    pub done: u64,
    pub total: u64,
}

/// Passes on progress.
pub struct Watch {
    then: Arc<dyn StoreProgress>,
    reading: Mutex<HashMap<Rank, Progress>>,
    watchers: broadcast::Sender<Progress>,
}

impl Watch {
    /// Also calls `then`.
    pub fn new(then: Arc<dyn StoreProgress>) -> (Watch, broadcast::Sender<Progress>) {
        let (watchers, _) = broadcast::channel(BEHIND);
        (Watch { then, reading: Mutex::default(), watchers: watchers.clone() }, watchers)
    }

    fn report(&self, rank: Rank, change: impl FnOnce(&mut Progress)) {
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let progress = reading.entry(rank).or_insert(Progress { rank, done: 0, total: 0 });
        change(progress);
        // It does not matter whether anybody watches.
        let _ = self.watchers.send(*progress);
    }
}

impl StoreProgress for Watch {
    fn start(&self, rank: Rank, bytes: u64) {
        self.report(rank, |progress| *progress = Progress { rank, done: 0, total: bytes });
        self.then.start(rank, bytes);
    }

    fn advance(&self, rank: Rank, bytes: u64) {
        self.report(rank, |progress| progress.done = (progress.done + bytes).min(progress.total));
        self.then.advance(rank, bytes);
    }

    fn finish(&self, rank: Rank) {
        self.report(rank, |progress| progress.done = progress.total);
        self.then.finish(rank);
    }
}
