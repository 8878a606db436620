//! A table of the profile as DataFusion sees it: one file group, and so one partition, per rank.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::ScalarValue;
use datafusion::datasource::TableType;
use datafusion::error::Result;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_datasource::file_groups::FileGroup;
use datafusion_datasource::file_scan_config::FileScanConfigBuilder;
use datafusion_datasource::source::DataSourceExec;
use datafusion_datasource::{PartitionedFile, TableSchema};
use npuscope_formats::source::RankSource;
use npuscope_store::Store;
use npuscope_tables::schema::TableSpec;

use crate::filters::{Range, admits, narrows, range_of};
use crate::source::{RankOfPartition, RankTableSource};

/// The column that holds the rank.
pub const RANK: &str = "rank";

/// One table over all ranks.
pub struct RankTable {
    spec: &'static TableSpec,
    sources: Vec<Arc<RankSource>>,
    store: Arc<Store>,
    schema: TableSchema,
    shares_memory: bool,
}

impl std::fmt::Debug for RankTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RankTable").field("table", &self.spec.name).field("ranks", &self.sources.len()).finish()
    }
}

impl RankTable {
    /// `shares_memory` gives queries the mapped files themselves: right unless their memory is counted.
    pub fn new(
        spec: &'static TableSpec,
        sources: Vec<Arc<RankSource>>,
        store: Arc<Store>,
        shares_memory: bool,
    ) -> RankTable {
        let rank = Arc::new(Field::new(RANK, DataType::Int64, false).with_metadata(
            [("doc".to_owned(), "Rank the row belongs to; -1 for the job as a whole.".to_owned())].into(),
        ));
        let schema = TableSchema::builder(spec.schema.clone()).with_table_partition_cols(vec![rank]).build();
        RankTable { spec, sources, store, schema, shares_memory }
    }

    /// The file groups of the ranks that `filters` leave.
    fn file_groups(&self, filters: &[Expr]) -> Vec<FileGroup> {
        let admitted = |rank| filters.iter().all(|filter| admits(RANK, rank, filter));
        let wanted = self.sources.iter().filter(|source| admitted(source.rank.0));
        wanted
            .map(|source| {
                let path = source.first.directory.to_string_lossy().into_owned();
                let mut file = PartitionedFile::new(path, source.bytes().max(1));
                file.partition_values = vec![ScalarValue::Int64(Some(source.rank.0))];
                file.extensions.insert(RankOfPartition(source.clone()));
                FileGroup::new(vec![file])
            })
            .collect()
    }
}

#[async_trait]
impl TableProvider for RankTable {
    fn schema(&self) -> SchemaRef {
        self.schema.table_schema().clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let time = self.spec.time.map_or(Range::ALL, |column| range_of(column, filters));
        let (store, schema) = (self.store.clone(), self.schema.clone());
        let source = RankTableSource::new(self.spec, store, schema, time, self.shares_memory);
        let config = FileScanConfigBuilder::new(ObjectStoreUrl::local_filesystem(), Arc::new(source))
            .with_file_groups(self.file_groups(filters))
            .with_projection_indices(projection.cloned())?
            .with_limit(limit)
            .build();
        Ok(DataSourceExec::from_data_source(config))
    }

    /// Filters on rank and time choose what is read; rows are still checked one by one afterwards.
    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let is_used = |filter: &Expr| {
            self.sources.iter().any(|source| !admits(RANK, source.rank.0, filter))
                || self.spec.time.is_some_and(|time| narrows(time, filter))
        };
        Ok(filters
            .iter()
            .map(|filter| match is_used(filter) {
                true => TableProviderFilterPushDown::Inexact,
                false => TableProviderFilterPushDown::Unsupported,
            })
            .collect())
    }
}
