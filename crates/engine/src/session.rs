//! A profile, opened.

use std::collections::BTreeSet;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::DataFusionError;
use datafusion::execution::context::SQLOptions;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::StreamExt;
use npuscope_formats::source::RankSource;
use npuscope_messages::verbatim;
use npuscope_store::{OpenOptions, Store, StoreError};
use npuscope_tables::schema;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::mpsc::{Sender, channel};
use tokio::sync::{Semaphore, oneshot};

use crate::depth;
use crate::error::EngineError;
use crate::functions::FUNCTIONS;
use crate::guard::guarded;
use crate::provider::RankTable;
use crate::query::{GaveUp, Message, Query, Running, wait};

/// Stack of a thread that plans and runs queries: [`depth::MAX_DEPTH`] levels need less than half of it in a build
/// without optimisation. Only what is used of it takes memory.
pub const STACK: usize = 64 << 20;

/// Batches that wait to be taken.
const BATCHES_AHEAD: usize = 2;

/// What queries may use.
#[derive(Clone, Debug, Default)]
pub struct QueryOptions {
    /// What the queries of a session may take of memory before they spill.
    pub memory_limit: Option<usize>,
    /// Where they spill to; the system's temporary directory if none is given.
    pub spill: Option<PathBuf>,
    /// What they may take of disk there.
    pub spill_limit: Option<u64>,
    /// How long a query may take, with the time that it waits for others.
    pub time_limit: Option<Duration>,
    /// Rows that [`Session::stream`] gives; the query ends there.
    pub row_limit: Option<usize>,
    /// Queries that run at a time; others wait.
    pub concurrent: Option<usize>,
}

/// A profile with its tables registered.
pub struct Session {
    store: Arc<Store>,
    context: SessionContext,
    /// Where queries run; taken when the session ends.
    runtime: Option<Runtime>,
    handle: Handle,
    options: QueryOptions,
    turns: Arc<Semaphore>,
    running: Arc<AtomicUsize>,
}

impl Session {
    /// Makes the tables of a profile ready to be queried. Reads none of them yet.
    pub fn new(store: Arc<Store>, options: &QueryOptions) -> Result<Session, EngineError> {
        let internal = |error: &dyn std::fmt::Display| EngineError::Internal(verbatim(error.to_string()));
        let threads = store.options().threads.max(1);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .thread_stack_size(STACK)
            .thread_name("query")
            .build()
            .map_err(|e| internal(&e))?;
        let context = context(options, threads, store.profile().ranks.len()).map_err(|e| internal(&e))?;
        let sources: Vec<Arc<RankSource>> = store.profile().sources().cloned().map(Arc::new).collect();
        for spec in schema::all() {
            let table = RankTable::new(spec, sources.clone(), store.clone(), options.memory_limit.is_none());
            context.register_table(spec.name, Arc::new(table)).map_err(|e| internal(&e))?;
        }
        FUNCTIONS.iter().for_each(|function| context.register_udf(function.scalar()));
        let (handle, runtime) = (runtime.handle().clone(), Some(runtime));
        let turns = options.concurrent.unwrap_or(Semaphore::MAX_PERMITS).clamp(1, Semaphore::MAX_PERMITS);
        let (turns, running) = (Arc::new(Semaphore::new(turns)), Arc::default());
        Ok(Session { store, context, runtime, handle, options: options.clone(), turns, running })
    }

    /// Opens the profile at `path` to query it without limits.
    pub fn open(path: &Path, options: OpenOptions) -> Result<Session, EngineError> {
        Session::new(Arc::new(Store::open(path, options)?), &QueryOptions::default())
    }

    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Runs a query to its end.
    pub fn sql(&self, sql: &str) -> Result<(SchemaRef, Vec<RecordBatch>), EngineError> {
        let mut batches = Vec::new();
        let schema = self.stream(sql, |batch| {
            batches.push(batch);
            Ok::<(), EngineError>(())
        })?;
        Ok((schema, batches))
    }

    /// Runs a query and gives each batch to `take` as it comes; an error of `take` ends the query.
    pub fn stream<E: From<EngineError>>(
        &self,
        sql: &str,
        mut take: impl FnMut(RecordBatch) -> Result<(), E>,
    ) -> Result<SchemaRef, E> {
        let mut query = self.start(sql)?;
        let schema = query.wait_schema()?;
        let mut left = self.options.row_limit.unwrap_or(usize::MAX);
        while left > 0
            && let Some(batch) = query.wait_next()?
        {
            let wanted = batch.num_rows().min(left);
            left -= wanted;
            take(batch.slice(0, wanted))?;
        }
        Ok(schema)
    }

    /// Starts a query. It stops when what is returned is dropped.
    pub fn start(&self, sql: &str) -> Result<Query, EngineError> {
        depth::check(sql)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (sender, messages) = channel(BATCHES_AHEAD);
        let (context, turns, running) = (self.context.clone(), self.turns.clone(), self.running.clone());
        let (sql, memory_limit) = (sql.to_owned(), self.options.memory_limit);
        let stopped = stop.clone();
        let run = async move {
            let Ok(_turn) = turns.acquire_owned().await else { return };
            let _running = Running::new(&running);
            let last = match run(&context, &sql, &stopped, &sender).await {
                Ok(()) => Message::End,
                Err(error) => Message::Failed(EngineError::of_query(&error, memory_limit)),
            };
            // Who has seen the end may close the profile: nothing here must keep it open.
            drop(context);
            let _ = sender.send(last).await;
        };
        let task = self.handle.spawn(run).abort_handle();
        let limit = self.options.time_limit.map(|limit| (Instant::now() + limit, limit));
        let program_stops = self.store.options().stop.clone();
        Ok(Query { messages, task, stop, program_stops, limit, schema: None })
    }

    /// Queries that are running, with those that were stopped and have not noticed yet.
    pub fn running(&self) -> usize {
        self.running.load(Ordering::Relaxed)
    }

    /// The tables that a query reads and that have no rows in any rank that was loaded.
    pub fn tables_without_rows(&self, sql: &str) -> Result<Vec<&'static str>, EngineError> {
        let tables = self.on_large_stack(sql, async |context, sql| {
            let plan = context.sql_with_options(&sql, read_only()).await?.into_unoptimized_plan();
            let mut tables = BTreeSet::new();
            plan.apply_with_subqueries(|node| {
                if let LogicalPlan::TableScan(scan) = node {
                    tables.extend(schema::by_name(scan.table_name.table()).map(|spec| (spec.name, spec.id)));
                }
                Ok(TreeNodeRecursion::Continue)
            })?;
            Ok(tables)
        })?;
        let loaded = self.store.loaded();
        let is_empty = |id| loaded.iter().all(|rank| rank.rows(id) == 0);
        Ok(tables.into_iter().filter(|&(_, id)| is_empty(id)).map(|(name, _)| name).collect())
    }

    /// The plan of a query.
    pub fn plan(&self, sql: &str) -> Result<Arc<dyn ExecutionPlan>, EngineError> {
        self.on_large_stack(sql, async |context, sql| {
            context.sql_with_options(&sql, read_only()).await?.create_physical_plan().await
        })
    }

    /// Does something with a query where its depth does no harm.
    fn on_large_stack<T: Send + 'static, F: Future<Output = Result<T, DataFusionError>> + Send + 'static>(
        &self,
        sql: &str,
        work: impl FnOnce(SessionContext, String) -> F,
    ) -> Result<T, EngineError> {
        depth::check(sql)?;
        let (sender, done) = oneshot::channel();
        let work = work(self.context.clone(), sql.to_owned());
        let memory_limit = self.options.memory_limit;
        self.handle.spawn(async move {
            let done = work.await.map_err(|error| EngineError::of_query(&error, memory_limit));
            drop(sender.send(done));
        });
        match wait(done, None, &self.store.options().stop) {
            Ok(Ok(done)) => done,
            Ok(Err(_)) => Err(EngineError::Ended),
            Err(GaveUp::Time | GaveUp::Stopped) => Err(StoreError::Stopped.into()),
        }
    }
}

/// Runs a query and sends what it gives.
async fn run(
    context: &SessionContext,
    sql: &str,
    stop: &Arc<AtomicBool>,
    sender: &Sender<Message>,
) -> Result<(), DataFusionError> {
    let frame = context.sql_with_options(sql, read_only()).await?;
    let schema: SchemaRef = Arc::new(frame.schema().as_arrow().clone());
    let tasks = Arc::new(frame.task_ctx());
    let plan = guarded(frame.create_physical_plan().await?, stop)?;
    let mut batches = execute_stream(plan, tasks)?;
    let mut message = Message::Schema(schema);
    while sender.send(message).await.is_ok() {
        match batches.next().await {
            Some(batch) => message = Message::Batch(batch?),
            None => break,
        }
    }
    Ok(())
}

/// A query reads; it changes neither tables nor settings nor files.
fn read_only() -> SQLOptions {
    SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false)
}

/// Does not wait for what still runs: a session may end where nobody may wait.
impl Drop for Session {
    fn drop(&mut self) {
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

fn context(options: &QueryOptions, threads: usize, ranks: usize) -> Result<SessionContext, DataFusionError> {
    let mut config = SessionConfig::new()
        .with_target_partitions(threads)
        .with_information_schema(true)
        // Names are as the tables spell them; a user's capitals do not matter.
        .set_bool("datafusion.sql_parser.enable_ident_normalization", true);
    let mut disk = DiskManagerBuilder::default();
    if let Some(directory) = &options.spill {
        disk = disk.with_mode(DiskManagerMode::Directories(vec![directory.clone()]));
    }
    if let Some(bytes) = options.spill_limit {
        disk = disk.with_max_temp_directory_size(bytes);
    }
    let mut runtime = RuntimeEnvBuilder::new().with_disk_manager_builder(disk);
    if let Some(bytes) = options.memory_limit {
        // Every rank that sorts sets some memory aside for merging what it spilled; together they must fit.
        let aside = bytes / ranks.max(threads) / 4;
        config = config.with_sort_spill_reservation_bytes(aside.min(10 << 20));
        runtime = runtime.with_memory_pool(Arc::new(FairSpillPool::new(bytes)));
    }
    Ok(SessionContext::new_with_config_rt(config, runtime.build_arc()?))
}
