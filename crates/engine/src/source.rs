//! The scan: how DataFusion reads a partition, that is, a rank.
//!
//! A `FileSource` under `DataSourceExec` and not a leaf of our own: distributed engines split only
//! leaves they know, and read any other leaf whole in every task.

use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, RecordBatchOptions, UInt64Array};
use arrow::compute::take;
use arrow::error::ArrowError;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::object_store::ObjectStore;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricBuilder};
use datafusion::physical_plan::{DisplayFormatType, apply_expression_roots};
use datafusion_datasource::file::FileSource;
use datafusion_datasource::file_scan_config::FileScanConfig;
use datafusion_datasource::file_stream::{FileOpenFuture, FileOpener};
use datafusion_datasource::projection::{ProjectionOpener, SplitProjection};
use datafusion_datasource::{PartitionedFile, TableSchema};
use futures::{FutureExt, StreamExt, stream};
use npuscope_formats::source::RankSource;
use npuscope_store::Store;
use npuscope_tables::scan::scan_batch;
use npuscope_tables::schema::TableSpec;

use crate::filters::Range;

/// Reads one table of ranks.
#[derive(Clone)]
pub struct RankTableSource {
    pub spec: &'static TableSpec,
    pub store: Arc<Store>,
    /// Rows outside of this time may be left out.
    pub time: Range,
    /// Whether batches share the mapped files, which makes each of them seem as large as its file.
    pub shares_memory: bool,
    table_schema: TableSchema,
    projection: SplitProjection,
    batch_size: usize,
    metrics: ExecutionPlanMetricsSet,
}

impl RankTableSource {
    pub fn new(
        spec: &'static TableSpec,
        store: Arc<Store>,
        table_schema: TableSchema,
        time: Range,
        shares_memory: bool,
    ) -> Self {
        let projection = SplitProjection::unprojected(&table_schema);
        RankTableSource {
            spec,
            store,
            time,
            shares_memory,
            table_schema,
            projection,
            batch_size: 8192,
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }
}

impl FileSource for RankTableSource {
    fn create_file_opener(
        &self,
        _: Arc<dyn ObjectStore>,
        _: &FileScanConfig,
        partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        let opener = RankOpener {
            spec: self.spec,
            store: self.store.clone(),
            time: self.time,
            shares_memory: self.shares_memory,
            columns: self.projection.file_indices.clone(),
            batch_size: self.batch_size,
            metrics: self.metrics.clone(),
            partition,
        };
        ProjectionOpener::try_new(self.projection.clone(), Arc::new(opener), self.table_schema.file_schema())
    }

    fn table_schema(&self) -> &TableSchema {
        &self.table_schema
    }

    fn with_batch_size(&self, batch_size: usize) -> Arc<dyn FileSource> {
        Arc::new(RankTableSource { batch_size, ..self.clone() })
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        Some(&self.projection.source)
    }

    fn try_pushdown_projection(&self, projection: &ProjectionExprs) -> Result<Option<Arc<dyn FileSource>>> {
        let merged = self.projection.source.try_merge(projection)?;
        let projection = SplitProjection::new(self.table_schema.file_schema(), &merged);
        Ok(Some(Arc::new(RankTableSource { projection, ..self.clone() })))
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        &self.metrics
    }

    fn file_type(&self) -> &'static str {
        "npuscope"
    }

    fn fmt_extra(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ", table={}", self.spec.name)?;
        if self.time != Range::ALL {
            write!(f, ", time={}..={}", self.time.first, self.time.last)?;
        }
        Ok(())
    }

    /// A rank is one partition, whole.
    fn supports_repartitioning(&self) -> bool {
        false
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        apply_expression_roots(self.projection.source.iter(), f)
    }
}

struct RankOpener {
    spec: &'static TableSpec,
    store: Arc<Store>,
    time: Range,
    shares_memory: bool,
    columns: Vec<usize>,
    batch_size: usize,
    metrics: ExecutionPlanMetricsSet,
    partition: usize,
}

/// The rank a partition stands for, carried beside its path.
#[derive(Clone, Debug)]
pub struct RankOfPartition(pub Arc<RankSource>);

impl FileOpener for RankOpener {
    fn open(&self, file: PartitionedFile) -> Result<FileOpenFuture> {
        let rank = file.extensions.get::<RankOfPartition>().cloned();
        let path = file.object_meta.location.to_string();
        let source = rank.ok_or_else(|| DataFusionError::Internal(format!("no rank is known at {path}")))?;
        let (store, spec, time) = (self.store.clone(), self.spec, self.time);
        let (columns, batch_size, shares_memory) = (self.columns.clone(), self.batch_size, self.shares_memory);
        let read = MetricBuilder::new(&self.metrics).counter("segments_read", self.partition);
        let pruned = MetricBuilder::new(&self.metrics).counter("segments_pruned", self.partition);
        let columns_read = MetricBuilder::new(&self.metrics).counter("columns_read", self.partition);
        Ok(async move {
            let load = move || {
                store.loader().with(&source.0, |rank| {
                    let segments = rank.segments(spec.id)?;
                    let is_wanted =
                        |&index: &usize| segments.time(index).is_none_or(|(first, last)| time.overlaps(first, last));
                    let wanted: Vec<usize> = (0..segments.len()).filter(is_wanted).collect();
                    // While no row has left, a damaged rank can still be read from its files.
                    segments.verify(&wanted)?;
                    Ok((rank.clone(), segments, wanted))
                })
            };
            let loaded = tokio::task::spawn_blocking(load).await.map_err(external)?;
            let (rank, segments, wanted) = loaded.map_err(external)?;
            pruned.add(segments.len() - wanted.len());
            let batches = stream::iter(wanted).flat_map(move |index| {
                read.add(1);
                columns_read.add(columns.len());
                let batch = segments.read(index).map_err(external).and_then(|batch| match batch {
                    Some(batch) => Ok(Some(scan_batch(&batch, spec, &columns, rank.strings())?)),
                    None => Ok(None),
                });
                stream::iter(match batch {
                    Ok(Some(batch)) => {
                        let starts = (0..batch.num_rows()).step_by(batch_size.max(1));
                        let slice = |start: usize| batch.slice(start, batch_size.min(batch.num_rows() - start));
                        starts.map(slice).map(|b| if shares_memory { Ok(b) } else { owned(&b) }).collect()
                    }
                    Ok(None) => Vec::new(),
                    Err(error) => vec![Err(error)],
                })
            });
            Ok(batches.boxed())
        }
        .boxed())
    }
}

/// A batch with memory of its own, so that what a query is charged for it is what it takes.
fn owned(batch: &RecordBatch) -> Result<RecordBatch> {
    let all = UInt64Array::from_iter_values(0..batch.num_rows() as u64);
    let columns = batch.columns().iter().map(|column| match column.as_string_view_opt() {
        Some(text) => Ok(Arc::new(text.gc()) as ArrayRef),
        None => take(column, &all, None),
    });
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let columns = columns.collect::<std::result::Result<_, ArrowError>>()?;
    Ok(RecordBatch::try_new_with_options(batch.schema(), columns, &options)?)
}

fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
