//! What is added to a plan so that a query can be stopped, and all that it collects is counted.
//!
//! DataFusion yields where a leaf gives a batch. A join makes a billion rows of two batches without asking a leaf
//! again, so joins yield, too; and a join whose condition holds for no pair gives nothing at all, so the condition
//! itself looks whether anybody still waits. Window functions over whole partitions collect them without asking the
//! memory pool, so what goes into them is counted.

use std::fmt::{self, Display, Formatter};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow::array::RecordBatch;
use arrow::datatypes::{FieldRef, Schema};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::ColumnarValue;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::joins::utils::JoinFilter;
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, NestedLoopJoinExec, NestedLoopJoinExecBuilder, PiecewiseMergeJoinExec,
    SortMergeJoinExec,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::windows::WindowAggExec;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::StreamExt;

/// Makes a plan stop within moments once `stop` is set or its stream is dropped.
pub fn guarded(plan: Arc<dyn ExecutionPlan>, stop: &Arc<AtomicBool>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| {
        if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() {
            let filter = join.filter().map(|filter| stoppable(filter, stop));
            let join = NestedLoopJoinExecBuilder::from(join).with_filter(filter).build()?;
            return Ok(Transformed::yes(yielding(Arc::new(join))));
        }
        if let Some(join) = node.downcast_ref::<HashJoinExec>()
            && let Some(filter) = join.filter()
        {
            let join = join.builder().with_filter(Some(stoppable(filter, stop))).build()?;
            return Ok(Transformed::yes(yielding(Arc::new(join))));
        }
        if node.is::<WindowAggExec>() {
            let inputs = node.children().into_iter().cloned().map(|input| Arc::new(CountedExec { input }) as _);
            let inputs = inputs.collect();
            return Ok(Transformed::yes(
                node.replace_children(inputs, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))?,
            ));
        }
        let multiplies = node.is::<CrossJoinExec>()
            || node.is::<HashJoinExec>()
            || node.is::<PiecewiseMergeJoinExec>()
            || node.is::<SortMergeJoinExec>()
            || node.is::<UnnestExec>();
        Ok(if multiplies { Transformed::yes(yielding(node)) } else { Transformed::no(node) })
    })
    .data()
}

fn yielding(node: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    Arc::new(CooperativeExec::new(node))
}

fn stoppable(filter: &JoinFilter, stop: &Arc<AtomicBool>) -> JoinFilter {
    let condition = Stoppable { condition: filter.expression().clone(), stop: stop.clone() };
    JoinFilter::new(Arc::new(condition), filter.column_indices().to_vec(), filter.schema().clone())
}

/// The condition of a join, which fails once nobody waits for the answer.
#[derive(Debug)]
struct Stoppable {
    condition: Arc<dyn PhysicalExpr>,
    stop: Arc<AtomicBool>,
}

impl PartialEq for Stoppable {
    fn eq(&self, other: &Self) -> bool {
        self.condition.eq(&other.condition)
    }
}

impl Eq for Stoppable {}

impl Hash for Stoppable {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.condition.hash(state);
    }
}

impl Display for Stoppable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.condition.fmt(f)
    }
}

impl PhysicalExpr for Stoppable {
    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(DataFusionError::Execution("the query was stopped".to_owned()));
        }
        self.condition.evaluate(batch)
    }

    fn return_field(&self, input: &Schema) -> Result<FieldRef> {
        self.condition.return_field(input)
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.condition]
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn PhysicalExpr>>) -> Result<Arc<dyn PhysicalExpr>> {
        let condition = children.into_iter().next().unwrap_or_else(|| self.condition.clone());
        Ok(Arc::new(Stoppable { condition, stop: self.stop.clone() }))
    }

    fn fmt_sql(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.condition.fmt_sql(f)
    }
}

/// Charges the query for every batch that goes through, until its end.
#[derive(Debug)]
struct CountedExec {
    input: Arc<dyn ExecutionPlan>,
}

impl DisplayAs for CountedExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl ExecutionPlan for CountedExec {
    fn name(&self) -> &'static str {
        "CountedExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.into_iter().next().unwrap_or_else(|| self.input.clone());
        Ok(Arc::new(CountedExec { input }))
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let reserved = MemoryConsumer::new(format!("window[{partition}]")).register(context.memory_pool());
        let input = self.input.execute(partition, context)?;
        let counted = input.map(move |batch| {
            let batch = batch?;
            reserved.try_grow(batch.get_array_memory_size())?;
            Ok(batch)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.input.schema(), counted)))
    }
}
