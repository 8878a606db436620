//! The profile that is shown: its ranks, each opened when somebody looks at it, and answers that are kept.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use arrow::buffer::Buffer;
use hashbrown::HashMap;
use npuscope_analysis::diagnose::diagnose;
use npuscope_analysis::health::health;
use npuscope_analysis::meetings::{self, RankOperations};
use npuscope_analysis::overview::overview;
use npuscope_engine::{EngineError, QueryOptions, Session};
use npuscope_formats::source::RankSource;
use npuscope_store::cache::{Cache, CachedRank};
use npuscope_store::discover::Profile;
use npuscope_store::fingerprint::fingerprint_all;
use npuscope_store::{OpenOptions, Store};
use npuscope_tables::table::{step, window};
use npuscope_tables::{Rank, RankBuilder, RankTables};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use xxhash_rust::xxh3::xxh3_128;

use crate::answers::{self, FirstRank};
use crate::progress::{Progress, Watch};
use crate::timeline::Timeline;
use crate::timeline::index::{self, Index};
use npuscope_views::Source;

/// Timelines that are open at a time: those of other ranks are opened again when they are wanted. They are mapped files,
/// so what one takes of memory is what was looked at of it.
const OPEN_TIMELINES: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// What the index of a timeline is called in the cache.
const INDEX: &str = "timeline.index";

/// Bytes of answers that are kept in memory where they are not kept on disk.
const MAX_IN_MEMORY: usize = 256 << 20;

/// Raised whenever an answer that is kept would come out differently.
const ANSWERS_VERSION: u32 = 9;

/// What queries of users may take unless whoever opens the profile says otherwise: memory, disk and time, and how many
/// run at a time.
fn query_limits() -> QueryOptions {
    QueryOptions {
        memory_limit: Some(1 << 30),
        spill: None,
        spill_limit: Some(8 << 30),
        time_limit: Some(Duration::from_secs(300)),
        row_limit: None,
        concurrent: Some(4),
    }
}

const NS_PER_SECOND: i64 = 1_000_000_000;

/// A profile that is open.
pub struct ServedProfile {
    store: Arc<Store>,
    session: Session,
    /// Where queries of users run, within limits.
    queries: Arc<Session>,
    /// The last used is last.
    timelines: Mutex<Vec<(Rank, Arc<Timeline>)>>,
    /// One at a time is opened: a second who wants it waits for the first.
    opening: Mutex<()>,
    origin: OnceLock<i64>,
    /// Where answers about the profile are kept.
    answers: Option<CachedRank>,
    /// Answers that could not be kept there, or may not.
    in_memory: Mutex<HashMap<String, Buffer>>,
    /// Questions that somebody is making the answer of: a second who asks waits for the first.
    making: Mutex<HashMap<String, Arc<Mutex<()>>>>,
    /// What answers and tiles are known by: another profile, or another program, has another.
    key: String,
    /// What caches may take when the profile is closed.
    cache: (Cache, u64),
    progress: broadcast::Sender<Progress>,
}

impl ServedProfile {
    pub fn open(path: &Path, mut options: OpenOptions) -> Result<ServedProfile, EngineError> {
        let (watch, progress) = Watch::new(options.progress);
        options.progress = Arc::new(watch);
        let cache = options.cache.clone();
        let max_cache_bytes = options.max_cache_bytes;
        let store = Arc::new(Store::open(path, options)?);
        let program = format!("{}-{ANSWERS_VERSION}-{}", env!("CARGO_PKG_VERSION"), index::VERSION);
        let key = format!("profile-{program}-{}", fingerprint_all(store.profile().sources()));
        // Answers are kept as those of a rank without tables are.
        let answers = cache.open(&key).or_else(|| cache.store(&key, &RankBuilder::default().finish()).ok());
        let cache = (cache, max_cache_bytes);
        let session = Session::new(store.clone(), &QueryOptions::default())?;
        let queries = Arc::new(Session::new(store.clone(), &query_limits())?);
        Ok(ServedProfile {
            store,
            session,
            queries,
            timelines: Mutex::default(),
            opening: Mutex::default(),
            origin: OnceLock::new(),
            answers,
            in_memory: Mutex::default(),
            making: Mutex::default(),
            key,
            cache,
            progress,
        })
    }

    /// Lets the queries of users take this much memory, and this long; nothing is without a limit.
    pub fn with_query_limits(
        mut self,
        memory: Option<usize>,
        time: Option<Duration>,
    ) -> Result<ServedProfile, EngineError> {
        let limits = QueryOptions { memory_limit: memory, time_limit: time, ..query_limits() };
        self.queries = Arc::new(Session::new(self.store.clone(), &limits)?);
        Ok(self)
    }

    /// Where queries of users run, within limits.
    pub fn queries(&self) -> &Arc<Session> {
        &self.queries
    }

    /// What was found on disk.
    pub fn profile(&self) -> &Profile {
        self.store.profile()
    }

    pub fn ranks(&self) -> impl Iterator<Item = Rank> {
        self.store.profile().ranks.iter().map(|source| source.rank)
    }

    /// The communication operations of a rank; none if there is no such rank.
    pub fn operations(&self, rank: Rank) -> Result<RankOperations, EngineError> {
        let ranks: Vec<&RankSource> = self.store.profile().ranks.iter().filter(|source| source.rank == rank).collect();
        Ok(meetings::operations(&self.store, &ranks)?.into_iter().next().unwrap_or_default())
    }

    /// How long an operation of a rank moved data and waited, in ns, where the profile says so.
    pub fn reported_times(
        &self,
        rank: Rank,
        name: &str,
        start: i64,
    ) -> Result<(Option<i64>, Option<i64>), EngineError> {
        match self.store.profile().ranks.iter().find(|source| source.rank == rank) {
            Some(source) => Ok(meetings::reported_times(&self.store, source, name, start)?),
            None => Ok((None, None)),
        }
    }

    /// What views read from.
    pub fn source(&self) -> Result<Source<'_>, EngineError> {
        Ok(Source { session: &self.session, store: &self.store, origin: self.origin()? })
    }

    /// Receives from now on how far ranks are read.
    pub fn watch_progress(&self) -> broadcast::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// The timeline of a rank; `None` if there is no such rank.
    pub fn timeline(&self, rank: Rank) -> Result<Option<Arc<Timeline>>, EngineError> {
        if let Some(known) = self.opened(rank) {
            return Ok(Some(known));
        }
        let Some(source) = self.store.profile().ranks.iter().find(|source| source.rank == rank) else {
            return Ok(None);
        };
        let _turn = lock(&self.opening);
        if let Some(known) = self.opened(rank) {
            return Ok(Some(known));
        }
        let made = Arc::new(self.open_timeline(source)?);
        let mut timelines = lock(&self.timelines);
        if timelines.len() >= OPEN_TIMELINES.get() {
            timelines.remove(0);
        }
        timelines.push((rank, made.clone()));
        Ok(Some(made))
    }

    fn opened(&self, rank: Rank) -> Option<Arc<Timeline>> {
        let mut timelines = lock(&self.timelines);
        let at = timelines.iter().position(|(known, _)| *known == rank)?;
        let found = timelines.remove(at);
        timelines.push(found.clone());
        Some(found.1)
    }

    /// Opens the timeline of a rank, with the index that is kept of it if there is one.
    fn open_timeline(&self, source: &RankSource) -> Result<Timeline, EngineError> {
        let loaded = self.store.load(source)?;
        let tables = loaded.tables()?;
        let kept = loaded.in_cache().and_then(|cached| cached.attached(INDEX)).and_then(|bytes| Index::read(&bytes));
        let index = kept.unwrap_or_else(|| {
            let index = Timeline::index(&tables);
            // An index that cannot be kept is made again next time.
            let _ = loaded.in_cache().map(|cached| cached.attach(INDEX, |out| index.write(out)));
            index
        });
        Ok(Timeline::new(tables, index))
    }

    /// The time that times count from: the second in which the first rank begins.
    pub fn origin(&self) -> Result<i64, EngineError> {
        if let Some(origin) = self.origin.get() {
            return Ok(*origin);
        }
        let found = self.kept_json("origin", || {
            for rank in self.ranks() {
                if let Some(span) = self.timeline(rank)?.and_then(|timeline| timeline.span()) {
                    return Ok(span.start.div_euclid(NS_PER_SECOND) * NS_PER_SECOND);
                }
            }
            Ok::<_, EngineError>(0)
        })?;
        Ok(*self.origin.get_or_init(|| found))
    }

    /// An answer that is kept, made if it is asked for the first time.
    pub fn kept<E>(&self, question: &str, make: impl FnOnce() -> Result<Vec<u8>, E>) -> Result<Buffer, E> {
        let name = format!("{:032x}", xxh3_128(question.as_bytes()));
        let known = || {
            let kept = self.answers.as_ref().and_then(|answers| answers.attached(&name));
            kept.or_else(|| lock(&self.in_memory).get(&name).cloned())
        };
        if let Some(known) = known() {
            return Ok(known);
        }
        let turn = lock(&self.making).entry(name.clone()).or_default().clone();
        let _turn = lock(&turn);
        if let Some(known) = known() {
            return Ok(known);
        }
        let made = make().inspect_err(|_| drop(lock(&self.making).remove(&name)))?;
        let kept = self.answers.as_ref().map(|answers| answers.attach(&name, |out| out.write_all(&made)));
        let made = Buffer::from(made);
        if !matches!(kept, Some(Ok(()))) {
            let mut in_memory = lock(&self.in_memory);
            if in_memory.values().map(Buffer::len).sum::<usize>() + made.len() > MAX_IN_MEMORY {
                in_memory.clear();
            }
            in_memory.insert(name.clone(), made.clone());
        }
        // Only now, so that who asks meanwhile waits for this answer.
        lock(&self.making).remove(&name);
        Ok(made)
    }

    /// [`ServedProfile::kept`] of an answer that is JSON.
    pub fn kept_json<T: Serialize + DeserializeOwned, E>(
        &self,
        question: &str,
        make: impl Fn() -> Result<T, E>,
    ) -> Result<T, E> {
        let bytes = self.kept(question, || Ok(json!(make()?).to_string().into_bytes()))?;
        serde_json::from_slice(&bytes).or_else(|_| make())
    }

    /// Who is slow and why, with times from the origin.
    pub fn diagnosis(&self) -> Result<Value, EngineError> {
        let origin = self.origin()?;
        self.kept_json("diagnosis", || {
            let mut diagnosis = diagnose(&self.store, None)?;
            if diagnosis.steps == 0 {
                diagnosis = diagnosis.without_device(&overview(&self.store, None)?);
            }
            for place in diagnosis.findings.iter_mut().flat_map(|finding| &mut finding.evidence) {
                place.start_ns -= origin;
                place.end_ns -= origin;
            }
            Ok(json!(diagnosis))
        })
    }

    /// What was collected and what was not.
    pub fn health(&self) -> Result<Value, EngineError> {
        self.kept_json("health", || Ok(json!(health(&self.store)?)))
    }

    /// What the profile is: its name, its ranks, and of the first rank the steps and the time it covers.
    pub fn describe(&self) -> Result<answers::Profile, EngineError> {
        let origin = self.origin()?;
        let profile = self.store.profile();
        let name = profile.root.file_name().map(|name| name.to_string_lossy().into_owned());
        let ranks = profile.ranks.iter();
        let ranks = ranks.map(|source| answers::Rank {
            rank: source.rank,
            name: source.directory_name(),
            bytes: source.bytes(),
        });
        let first = self.kept_json("first rank", || {
            let first = self.ranks().next().map(|rank| self.timeline(rank)).transpose()?.flatten();
            let span = first.as_ref().and_then(|timeline| timeline.span());
            let steps =
                first.iter().flat_map(|timeline| timeline.tables().rows::<step::Row>().filter_map(|step| step.id));
            let mut steps: Vec<i64> = steps.collect();
            steps.sort_unstable();
            steps.dedup();
            let span = span.map(|span| [span.start - origin, span.end - origin]);
            let windows = first.as_ref().map(|timeline| windows(timeline.tables(), origin)).unwrap_or_default();
            Ok::<_, EngineError>(FirstRank { steps, span, windows })
        })?;
        Ok(answers::Profile {
            name,
            key: self.key.clone(),
            origin: origin.to_string(),
            ranks: ranks.collect(),
            steps: first.steps,
            span: first.span,
            windows: first.windows,
            report: false,
        })
    }
}

/// The windows of a rank, with times from the origin.
fn windows(tables: &RankTables, origin: i64) -> Vec<answers::Window> {
    let rows = tables.rows_of_windows::<window::Row>().map(|(number, row)| answers::Window {
        window: number,
        stage: tables.opt_text(row.stage).map(str::to_owned),
        span: row.start.zip(row.end).map(|(start, end)| [start.0 - origin, end.0 - origin]),
        steps: row.first_step.zip(row.last_step).map(|(first, last)| [first, last]),
    });
    rows.collect()
}

/// Answers that were kept count among what caches may take.
impl Drop for ServedProfile {
    fn drop(&mut self) {
        let (cache, most) = &self.cache;
        if cache.take_written() {
            let _ = cache.trim(*most);
        }
    }
}

/// A panic elsewhere while the lock was held leaves nothing half done: values are replaced whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
