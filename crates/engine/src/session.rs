//! A profile, opened.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::context::SQLOptions;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::StreamExt;
use npuscope_formats::source::RankSource;
use npuscope_store::{OpenOptions, Store};
use npuscope_tables::schema;
use tokio::runtime::{Handle, Runtime};

use crate::error::EngineError;
use crate::functions::FUNCTIONS;
use crate::provider::RankTable;

/// What queries may use.
#[derive(Clone, Debug, Default)]
pub struct QueryOptions {
    /// What a query may take of memory before it spills.
    pub memory_limit: Option<usize>,
    /// Where it spills to; the system's temporary directory if none is given.
    pub spill: Option<PathBuf>,
}

/// A profile with its tables registered.
pub struct Session {
    store: Arc<Store>,
    context: SessionContext,
    /// Where queries run; taken when the session ends.
    runtime: Option<Runtime>,
    handle: Handle,
    memory_limit: Option<usize>,
}

impl Session {
    /// Makes the tables of a profile ready to be queried. Reads none of them yet.
    pub fn new(store: Arc<Store>, options: &QueryOptions) -> Result<Session, EngineError> {
        let internal = |error: &dyn std::fmt::Display| EngineError::Internal(error.to_string());
        let threads = store.options().threads.max(1);
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(threads).build().map_err(|e| internal(&e))?;
        let context = context(options, threads, store.profile().ranks.len()).map_err(|e| internal(&e))?;
        let sources: Vec<Arc<RankSource>> = store.profile().sources().cloned().map(Arc::new).collect();
        for spec in schema::all() {
            let table = RankTable::new(spec, sources.clone(), store.clone(), options.memory_limit.is_none());
            context.register_table(spec.name, Arc::new(table)).map_err(|e| internal(&e))?;
        }
        FUNCTIONS.iter().for_each(|function| context.register_udf(function.scalar()));
        let (handle, runtime) = (runtime.handle().clone(), Some(runtime));
        Ok(Session { store, context, runtime, handle, memory_limit: options.memory_limit })
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
        let run = async {
            let frame = self.context.sql_with_options(sql, read_only()).await.map_err(|e| self.error(e))?;
            let schema: SchemaRef = Arc::new(frame.schema().as_arrow().clone());
            let mut stream: SendableRecordBatchStream = frame.execute_stream().await.map_err(|e| self.error(e))?;
            while let Some(batch) = stream.next().await {
                take(batch.map_err(|e| self.error(e))?)?;
            }
            Ok(schema)
        };
        self.handle.block_on(run)
    }

    /// The tables that a query reads and that have no rows in any rank that was loaded.
    pub fn tables_without_rows(&self, sql: &str) -> Result<Vec<&'static str>, EngineError> {
        let plan = async { Ok(self.context.sql_with_options(sql, read_only()).await?.into_unoptimized_plan()) };
        let plan = self.handle.block_on(plan).map_err(|e| self.error(e))?;
        let mut tables = BTreeSet::new();
        let visited = plan.apply_with_subqueries(|node| {
            if let LogicalPlan::TableScan(scan) = node {
                tables.extend(schema::by_name(scan.table_name.table()).map(|spec| (spec.name, spec.id)));
            }
            Ok(TreeNodeRecursion::Continue)
        });
        visited.map_err(|e| self.error(e))?;
        let loaded = self.store.loaded();
        let is_empty = |id| loaded.iter().all(|rank| rank.rows(id) == 0);
        Ok(tables.into_iter().filter(|&(_, id)| is_empty(id)).map(|(name, _)| name).collect())
    }

    /// The plan of a query.
    pub fn plan(&self, sql: &str) -> Result<Arc<dyn ExecutionPlan>, EngineError> {
        let plan = async { self.context.sql_with_options(sql, read_only()).await?.create_physical_plan().await };
        self.handle.block_on(plan).map_err(|e| self.error(e))
    }

    fn error(&self, error: DataFusionError) -> EngineError {
        EngineError::of_query(&error, self.memory_limit)
    }
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
    let mut runtime = RuntimeEnvBuilder::new().with_disk_manager_builder(disk);
    if let Some(bytes) = options.memory_limit {
        // Every rank that sorts sets some memory aside for merging what it spilled; together they must fit.
        let aside = bytes / ranks.max(threads) / 4;
        config = config.with_sort_spill_reservation_bytes(aside.min(10 << 20));
        runtime = runtime.with_memory_pool(Arc::new(FairSpillPool::new(bytes)));
    }
    Ok(SessionContext::new_with_config_rt(config, runtime.build_arc()?))
}
