//! What devices did: tasks, kernels and pieces of communications.

use hashbrown::{HashMap, HashSet};
use npuscope_measures::intervals::Interval;
use npuscope_tables::table::kernel;
use npuscope_tables::{Memo, RankBuilder, Str, TableId, TaskId};

use super::DbReader;
use super::communication::{CommLanes, group_of};
use crate::db::flows::Flows;
use crate::db::kernels::Kernels;
use crate::db::layout::Only;
use crate::db::layouts::{self, KernelName};
use crate::db::lists::ListsById;
use crate::lanes::Lanes;

impl DbReader<'_> {
    pub(super) fn tasks(&mut self, rank: &mut RankBuilder, comm: CommLanes, flows: &mut Flows) {
        let mut kernels = self.kernels(rank);
        let mut copies: HashMap<TaskId, (Option<i64>, Option<Str>)> = HashMap::new();
        let wants_tasks = self.selection.has(TableId::Task);
        self.table(wants_tasks, &layouts::MEMCPY_INFO, &mut rank.strings, |row: &mut layouts::MemcpyRow, _| {
            copies.insert(row.task, (row.bytes, row.operation));
        });
        let CommLanes { mut pieces, names, of_plane, .. } = comm;
        let mut pieces_of_tasks = ListsById::default();
        for (index, piece) in pieces.iter().enumerate() {
            pieces_of_tasks.push(piece.piece.task.unwrap_or(TaskId(-1)), index);
        }
        let mut has_task = vec![false; pieces.len()];
        let mut lanes = std::mem::replace(&mut self.lanes, Lanes::new(0));
        let RankBuilder { strings, task: tasks, kernel: kernel_rows, .. } = rank;
        let mut computing = Vec::new();
        let needs_all = self.needed.all_tasks;
        let tasks_of_kernels = if needs_all { HashSet::default() } else { kernels.tasks() };
        let is_part = |task: Option<i64>| {
            let task = task.map(TaskId);
            task.is_none_or(|task| tasks_of_kernels.contains(&task) || pieces_of_tasks.has(task))
        };
        let only = (!needs_all).then_some(Only { column: "globalTaskId", keeps: &is_part });
        self.rows(self.needed.tasks, &layouts::TASK, strings, only, |row: &mut layouts::TaskRow, _| {
            let task = &mut row.task;
            let stream = task.stream.unwrap_or_default();
            task.lane = lanes.stream(task.device.unwrap_or_default(), stream);
            task.name = task.task_type.unwrap_or_default();
            if let Some((bytes, operation)) = copies.remove(&task.task) {
                (task.bytes, task.operation) = (bytes, operation);
            }
            for index in pieces_of_tasks.get(task.task) {
                if let Some((piece, has_task)) = pieces.get_mut(index).zip(has_task.get_mut(index)) {
                    let piece = &mut piece.piece;
                    *has_task = true;
                    (piece.start, piece.duration) = (task.start, task.duration);
                    (piece.stream, piece.task_id) = (task.stream, task.task_id);
                    (piece.context_id, piece.model_id) = (task.subtask_id, task.model_id);
                }
            }
            if let Some((name, kernel)) = kernels.take(task.task) {
                task.name = name;
                computing.push(Interval::new(task.start.0, task.start.plus(task.duration.ns()).0));
                if let Some(kernel) = kernel {
                    (kernel.start, kernel.duration, kernel.device) = (task.start, task.duration, task.device);
                    (kernel.stream, kernel.task_id, kernel.model_id) = (task.stream, task.task_id, task.model_id);
                    kernel.context_id = task.subtask_id.filter(|&id| id != 4_294_967_295);
                    kernel_rows.push(kernel);
                }
            }
            flows.task(task);
            if wants_tasks {
                tasks.push(task);
            }
        });
        self.lanes = lanes;
        self.computing = computing;
        self.orphans.push(("COMPUTE_TASK_INFO", "TASK", kernels.left()));
        self.orphans.push(("MEMCPY_INFO", "TASK", copies.len()));
        let lost = has_task.iter().filter(|has_task| !**has_task).count();
        self.orphans.push(("COMMUNICATION_TASK_INFO", "TASK", lost));
        let mut groups = Memo::default();
        for (mut row, _) in pieces.into_iter().zip(has_task).filter(|(_, has_task)| *has_task) {
            let name = row.piece.group_name.unwrap_or_default();
            let (group, _) = groups.get(name, || group_of(name, &mut rank.strings));
            let name_of_op = row.piece.op.and_then(|op| names.get(&op)).copied();
            row.piece.op_name = row.op_name.filter(|name| name_of_op != Some(*name));
            row.piece.lane = of_plane.get(&(row.piece.group_name, row.piece.plane)).copied();
            row.piece.bandwidth = row.bandwidth.map(|bytes_per_second| bytes_per_second / 1e9);
            row.piece.group_name = group;
            rank.comm_task.push(row.piece);
        }
    }

    /// Kernels by task, metrics included.
    pub(super) fn kernels(&mut self, rank: &mut RankBuilder) -> Kernels {
        let mut kernels = Kernels::default();
        if !self.selection.has(TableId::Kernel) {
            self.table(self.needed.kernels, &layouts::KERNEL_NAMES, &mut rank.strings, |row: &mut KernelName, _| {
                kernels.insert_name(row.task.unwrap_or(TaskId(-1)), row.name);
            });
            self.known.push(layouts::TASK_PMU_INFO.table);
            return kernels;
        }
        let has_block_num = self.has_column("COMPUTE_TASK_INFO", "blockNum");
        let layout = if has_block_num { &layouts::COMPUTE_TASK_INFO } else { &layouts::COMPUTE_TASK_INFO_1_0 };
        self.table(true, layout, &mut rank.strings, |row: &mut kernel::Row, _| kernels.insert(*row));
        let mut orphans = 0;
        self.table(
            self.needed.metrics,
            &layouts::TASK_PMU_INFO,
            &mut rank.strings,
            |row: &mut layouts::PmuRow, context| {
                orphans += usize::from(!kernels.add_metric(row, context.strings));
            },
        );
        self.orphans.push(("TASK_PMU_INFO", "COMPUTE_TASK_INFO", orphans));
        kernels.finish_metrics(&mut rank.strings);
        kernels
    }
}
