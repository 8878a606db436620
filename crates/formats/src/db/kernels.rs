//! The kernels of a database, until the tasks that they are have been read.

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use npuscope_tables::Memo;
use npuscope_tables::table::kernel;
use npuscope_tables::{Interner, Str, TaskId};
use serde_json::{Map, Value};

use super::layouts::PmuRow;
use super::pmu;

/// Kernels by task: their names and, where kernels are wanted, their rows.
#[derive(Default)]
pub struct Kernels {
    index: HashMap<TaskId, (Str, usize), FixedState>,
    rows: Vec<kernel::Row>,
    /// Metric name → its number among those with a column.
    metrics: Memo<Option<usize>>,
    /// Metrics without a column, by row.
    others: HashMap<usize, Map<String, Value>, FixedState>,
    /// The task whose metric came last, and its row: metrics of a task stand together.
    last: Option<(TaskId, usize)>,
}

impl Kernels {
    pub fn insert_name(&mut self, task: TaskId, name: Str) {
        self.index.insert(task, (name, usize::MAX));
    }

    pub fn insert(&mut self, row: kernel::Row) {
        self.index.insert(row.task.unwrap_or(TaskId(-1)), (row.name, self.rows.len()));
        self.rows.push(row);
    }

    /// Adds a metric to its kernel; whether there is one.
    pub fn add_metric(&mut self, metric: &PmuRow, strings: &Interner) -> bool {
        let row = match self.last {
            Some((task, row)) if task == metric.task => row,
            _ => {
                let Some(&(_, row)) = self.index.get(&metric.task) else { return false };
                self.last = Some((metric.task, row));
                row
            }
        };
        let Some(kernel) = self.rows.get_mut(row) else { return false };
        match self.metrics.get(metric.name, || pmu::number(strings.get(metric.name))) {
            Some(number) => pmu::set(kernel, number, metric.value),
            None => {
                let name = strings.get(metric.name).to_owned();
                self.others.entry(row).or_default().insert(name, metric.value.into());
            }
        }
        true
    }

    /// To be called when all metrics are there: those without a column become one text.
    pub fn finish_metrics(&mut self, strings: &mut Interner) {
        for (row, metrics) in std::mem::take(&mut self.others) {
            if let Some(kernel) = self.rows.get_mut(row) {
                kernel.metrics = Some(strings.intern(&Value::Object(metrics).to_string()));
            }
        }
    }

    /// The kernel that a task is, once: its name and, where kernels are wanted, its row.
    pub fn take(&mut self, task: TaskId) -> Option<(Str, Option<&mut kernel::Row>)> {
        let (name, row) = self.index.remove(&task)?;
        Some((name, self.rows.get_mut(row)))
    }

    /// The tasks that are kernels.
    pub fn tasks(&self) -> HashSet<TaskId, FixedState> {
        self.index.keys().copied().collect()
    }

    /// How many kernels no task was.
    pub fn left(&self) -> usize {
        self.index.len()
    }
}
