//! `TASK`, `COMPUTE_TASK_INFO`, `TASK_PMU_INFO`, `MEMCPY_INFO`.

use std::io;

use arrow::array::{Array, AsArray};
use arrow::datatypes::Float64Type;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_measures::communication::is_communication;
use npuscope_sqlite::SqlCell;
use npuscope_tables::column::CellView;
use npuscope_tables::table::{kernel, task};
use npuscope_tables::{RankTables, Str, TableId, TableView, TaskId};
use serde_json::{Map, Value};

use super::Profiler;
use crate::db::layouts::{self, MemcpyRow, PmuRow, TaskRow};
use crate::db::pmu;

impl Profiler {
    /// `TASK`, `COMPUTE_TASK_INFO`, `TASK_PMU_INFO`, `MEMCPY_INFO`.
    pub(super) fn tasks(&mut self, tables: &RankTables) -> io::Result<()> {
        let (tasks_of_kernels, extra_tasks) = self.kernels(tables);
        let mut core_of_task: HashMap<TaskId, Option<Str>, FixedState> = HashMap::default();
        let cores = tables.views::<kernel::Row>().flat_map(|(view, rows)| (0..rows).map(move |row| view.core.get(row)));
        core_of_task.extend(tasks_of_kernels.iter().zip(cores).filter_map(|(&task, core)| Some((task?, core))));
        let (device, process, lanes) = (self.device(), self.facts.process, &self.lanes);
        let rows = tables.rows::<task::Row>().map(|mut row| {
            let ids = lanes.get(&row.lane);
            row.device = row.device.or(ids.map(|l| l.device)).or(Some(device));
            TaskRow { end: row.start.plus(row.duration.ns()), pid: process.or(ids.map(|l| l.process)), task: row }
        });
        // A trace gives tasks the device's types; databases have the host's.
        let special: &[&str] = if self.database.carried("TASK").is_some() { &[] } else { &["taskType"] };
        let mut type_ids: HashMap<(Str, Option<Option<Str>>), i64, FixedState> = HashMap::default();
        let rows = rows.chain(extra_tasks);
        self.database.table_with(tables, &layouts::TASK, rows, special, |_, row, context| {
            let core = core_of_task.get(&row.task.task).copied();
            let id = type_ids.entry((row.task.name, core)).or_insert_with(|| {
                let core = core.map(|core| tables.opt_text(core.or(row.task.task_type)).unwrap_or_default());
                context.words.string(host_task_type(tables.text(row.task.name), core))
            });
            Some(SqlCell::Int(*id))
        })?;
        let block_num = self.database.carried("COMPUTE_TASK_INFO").is_none_or(|c| c.iter().any(|c| c == "blockNum"));
        let layout = if block_num { &layouts::COMPUTE_TASK_INFO } else { &layouts::COMPUTE_TASK_INFO_1_0 };
        let kernels = tables.rows::<kernel::Row>().zip(&tasks_of_kernels);
        let kernels = kernels.filter_map(|(row, task)| Some(kernel::Row { task: Some((*task)?), ..row }));
        self.database.table(tables, layout, kernels)?;
        self.metrics(tables, &tasks_of_kernels)?;
        let copies = tables.views::<task::Row>().flat_map(|(view, rows)| {
            (0..rows).map(move |row| MemcpyRow {
                task: view.task.get(row),
                bytes: view.bytes.get(row),
                operation: view.operation.get(row),
            })
        });
        let copies = copies.filter(|row| row.bytes.is_some() || row.operation.is_some());
        self.database.table(tables, &layouts::MEMCPY_INFO, copies)
    }

    /// The task of each kernel, `None` for communication; for kernels that no trace shows, tasks are added.
    fn kernels(&mut self, tables: &RankTables) -> (Vec<Option<TaskId>>, Vec<TaskRow>) {
        let numbers = tables.views::<task::Row>().flat_map(|(view, rows)| (0..rows).map(move |row| view.task.get(row)));
        self.next_task = numbers.max().map_or(self.next_task, |last| self.next_task.max(last.plus(1)));
        let mut extra = Vec::new();
        let mut tasks = Vec::with_capacity(tables.len(TableId::Kernel));
        for (view, rows) in tables.views::<kernel::Row>() {
            for number in 0..rows {
                let known = view.task.get(number);
                let core = kernel::Row { core: view.core.get(number), ..kernel::Row::default() };
                if is_communication(tables, &core) {
                    tasks.push(None);
                } else if known.is_some() {
                    tasks.push(known);
                } else {
                    tasks.push(Some(self.next_task));
                    let row = view.row(number);
                    let task = task::Row {
                        task: self.next_task,
                        start: row.start,
                        duration: row.duration,
                        name: row.name,
                        task_type: row.core,
                        device: row.device.or(Some(self.device())),
                        stream: row.stream,
                        task_id: row.task_id,
                        model_id: row.model_id,
                        ..task::Row::default()
                    };
                    extra.push(TaskRow { end: row.start.plus(row.duration.ns()), pid: self.facts.process, task });
                    self.next_task = self.next_task.plus(1);
                }
            }
        }
        (tasks, extra)
    }

    /// The metrics of kernels as rows of `TASK_PMU_INFO`, metric by metric as the peers write them.
    fn metrics(&mut self, tables: &RankTables, tasks: &[Option<TaskId>]) -> io::Result<()> {
        let words = &mut self.database.words;
        let row = |task: TaskId, value: f64| PmuRow { task, name: Str::default(), value: Some(value) };
        let ids: Vec<i64> = pmu::NAMES.iter().map(|name| words.string(name)).collect();
        let columns = pmu::NAMES.iter().zip(&ids).flat_map(|(name, &id)| {
            let values = real_column(tables, TableId::Kernel, name).zip(tasks);
            values.filter_map(move |(value, task)| Some((row((*task)?, value?), id)))
        });
        let mut others = Vec::new();
        let texts = tables.views::<kernel::Row>().flat_map(|(view, n)| (0..n).map(move |row| view.metrics.get(row)));
        for (text, task) in texts.zip(tasks) {
            let Some((text, task)) = tables.opt_text(text).zip(*task) else { continue };
            for (name, value) in serde_json::from_str::<Map<String, Value>>(text).unwrap_or_default() {
                others.extend(value.as_f64().map(|value| (row(task, value), words.string(&name))));
            }
        }
        let rows = columns.chain(others);
        self.database
            .table_with(tables, &layouts::TASK_PMU_INFO, rows, &["name"], |_, (_, name), _| Some(SqlCell::Int(*name)))
    }
}

/// The values of a column of numbers, batch after batch.
fn real_column(tables: &RankTables, table: TableId, name: &str) -> impl Iterator<Item = Option<f64>> {
    tables.batches(table).iter().flat_map(move |batch| {
        let column = batch.column_by_name(name).and_then(|column| column.as_primitive_opt::<Float64Type>());
        (0..batch.num_rows()).map(move |row| {
            let column = column.filter(|column| column.is_valid(row))?;
            column.values().get(row).copied()
        })
    })
}

/// The type a task had for the host, which databases name: that of its core for a kernel, else what it is called.
fn host_task_type<'a>(name: &'a str, core: Option<&'a str>) -> &'a str {
    match core {
        Some("AI_CORE") => "KERNEL_AICORE",
        Some("AI_VECTOR_CORE") => "KERNEL_AIVEC",
        Some("MIX_AIC") => "KERNEL_MIX_AIC",
        Some("MIX_AIV") => "KERNEL_MIX_AIV",
        Some("AI_CPU") => "KERNEL_AICPU",
        Some(other) => other,
        None => name,
    }
}
