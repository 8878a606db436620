//! Which step work belongs to.
//!
//! - Work of the device (`kernel`, `task`, `comm_op`) belongs to the step in whose marker the host launched it, since
//!   it often runs after the marker has ended; where the launch is not known, to the step in whose marker it starts.
//! - What the host did belongs to the step in whose marker it starts.
//! - A marker includes both its ends; where two meet, the later step counts. Outside all markers, work belongs to no
//!   step.
//! - Where nothing marks steps, work belongs to the step of [`steps`] in which it starts. Only there the numbers of
//!   `kernel_details.csv` count: databases and Kineto traces have none.
//!
//! The columns `step` of `kernel`, `task` and `comm_op` have the answer for SQL.

use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{comm_op, kernel, step, task};
use npuscope_tables::{ConnectionId, Ns, RankTables, Selection, TableId, Window};

use crate::launch::Launches;
use crate::link::set_values;
use crate::step::{Clock, steps};

/// What has to be read to know the steps of what `wanted` asks for.
pub const fn needs(wanted: Selection) -> Selection {
    let mut needs = Selection::of(&[TableId::Step]);
    if wanted.has(TableId::Kernel) {
        needs = needs.and(Selection::of(&[TableId::Task, TableId::CommOp]));
    }
    if wanted.has(TableId::Kernel) || wanted.has(TableId::Task) || wanted.has(TableId::CommOp) {
        needs = needs.and_host_ops(&[Kind::Cann]);
    }
    needs
}

/// The steps of a rank, in order of time; of a step that several windows recorded, each part.
#[derive(Debug)]
pub struct Steps {
    steps: Vec<step::Row>,
    /// The window of each.
    windows: Vec<Window>,
}

impl Steps {
    /// As the host marked them.
    pub fn marked(tables: &RankTables) -> Steps {
        let mut marked: Vec<(Window, step::Row)> = tables.rows_of_windows().collect();
        marked.sort_by_key(|(_, step)| (step.start, step.end));
        let (windows, steps) = marked.into_iter().unzip();
        Steps { steps, windows }
    }

    /// As the host marked them; where nothing marks steps, as the device ran them.
    pub fn of(tables: &RankTables) -> Steps {
        let marked = Steps::marked(tables);
        if !marked.is_empty() {
            return marked;
        }
        let in_time = steps(tables).into_iter().filter(|step| step.clock != Clock::File);
        let row =
            |step: crate::step::Step| step::Row { id: step.id, start: Ns(step.span.start), end: Ns(step.span.end) };
        Steps { steps: in_time.map(row).collect(), ..marked }
    }

    pub fn iter(&self) -> impl Iterator<Item = &step::Row> {
        self.steps.iter()
    }

    pub fn as_slice(&self) -> &[step::Row] {
        &self.steps
    }

    /// The window of each step that the host marked.
    pub fn windows(&self) -> &[Window] {
        &self.windows
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The place in the list of the step that the moment is in, both ends included; the later one where two meet, since
    /// it is asked of what begins.
    pub fn place_at(&self, time: Ns) -> Option<usize> {
        let begun = self.steps.partition_point(|step| step.start <= time);
        let place = begun.checked_sub(1)?;
        self.steps.get(place).filter(|step| time <= step.end).map(|_| place)
    }

    /// The number of the step that the moment is in.
    pub fn at(&self, time: Ns) -> Option<i64> {
        self.steps.get(self.place_at(time)?)?.id
    }
}

/// To which step the work of a rank belongs: see the [module](self).
pub struct StepOf {
    steps: Steps,
    launches: Launches,
    is_marked: bool,
}

impl StepOf {
    /// Of what was read of a rank: see [`needs`].
    pub fn of(tables: &RankTables) -> StepOf {
        StepOf { steps: Steps::of(tables), ..StepOf::marked(tables) }
    }

    /// The same by markers alone: without them, work belongs to no step.
    pub fn marked(tables: &RankTables) -> StepOf {
        let is_marked = !tables.is_empty(TableId::Step);
        StepOf { steps: Steps::marked(tables), launches: Launches::of(tables), is_marked }
    }

    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    pub fn launches(&self) -> &Launches {
        &self.launches
    }

    /// The step of what the host does at a time.
    pub fn host(&self, time: Ns) -> Option<i64> {
        self.steps.at(time)
    }

    /// The step of a task or an operation.
    pub fn work(&self, connection: Option<ConnectionId>, start: Ns) -> Option<i64> {
        self.launched(self.launches.call(connection), start)
    }

    /// The step of an operation.
    pub fn operation(&self, op: &comm_op::Row) -> Option<i64> {
        self.work(op.connection_id, op.start)
    }

    /// The step of a row of `kernel`.
    pub fn kernel(&self, view: &kernel::View, row: usize) -> Option<i64> {
        self.launched(self.launches.kernel(view, row), view.start.get(row))
    }

    fn launched(&self, launch: Option<Ns>, start: Ns) -> Option<i64> {
        self.steps.at(launch.filter(|_| self.is_marked).unwrap_or(start))
    }
}

/// Fills the columns `step` of what the device did.
pub fn fill_steps(tables: &mut RankTables, step_of: &StepOf) {
    let mut kernels = Vec::with_capacity(tables.len(TableId::Kernel));
    for (view, rows) in tables.views::<kernel::Row>() {
        kernels.extend((0..rows).map(|row| step_of.kernel(&view, row)));
    }
    let mut tasks = Vec::with_capacity(tables.len(TableId::Task));
    for (view, rows) in tables.views::<task::Row>() {
        tasks.extend((0..rows).map(|row| step_of.work(view.connection_id.get(row), view.start.get(row))));
    }
    let mut operations = Vec::with_capacity(tables.len(TableId::CommOp));
    for (view, rows) in tables.views::<comm_op::Row>() {
        operations.extend((0..rows).map(|row| step_of.work(view.connection_id.get(row), view.start.get(row))));
    }
    set_values(tables, TableId::Kernel, "step", &kernels);
    set_values(tables, TableId::Task, "step", &tasks);
    set_values(tables, TableId::CommOp, "step", &operations);
}

#[cfg(test)]
mod tests {
    use npuscope_tables::table::host_op;
    use npuscope_tables::{RankBuilder, Span, TaskId};

    use super::*;

    #[test]
    fn a_moment_is_in_the_step_around_it() {
        let step = |id, start, end| step::Row { id: Some(id), start: Ns(start), end: Ns(end) };
        let steps = Steps { steps: vec![step(1, 10, 20), step(2, 20, 30), step(3, 40, 50)], windows: Vec::new() };
        let found: Vec<Option<i64>> = [9, 10, 19, 20, 30, 35, 50, 51].map(|time| steps.at(Ns(time))).to_vec();
        assert_eq!(found, [None, Some(1), Some(1), Some(2), Some(2), None, Some(3), None]);
    }

    /// Two steps, 0 to 100 and 100 to 200, unless they are not marked. Work starts at 150: two kernels and an operation
    /// that a call at 50 launched, and a kernel whose launch is not known. `kernel_details.csv` has other numbers.
    fn rank(is_marked: bool) -> RankTables {
        let mut rank = RankBuilder::default();
        let markers = [(1, 0, 100), (2, 100, 200)].into_iter().filter(|_| is_marked);
        for (id, start, end) in markers {
            rank.step.push(step::Row { id: Some(id), start: Ns(start), end: Ns(end) });
        }
        let kind = rank.strings.intern(Kind::Cann.name());
        let [kernel_name, op_name] = ["MatMul", "hcom_allReduce__1_0_1"].map(|name| rank.strings.intern(name));
        let (start, duration, launch) = (Ns(150), Span::from_ns(10), Some(ConnectionId(7)));
        let call = |start| host_op::Row { kind, start, connection_id: launch, ..host_op::Row::default() };
        [Ns(60), Ns(50)].map(call).into_iter().for_each(|call| rank.host_op.push(call));
        let task = task::Row { task: TaskId(3), start, duration, connection_id: launch, ..task::Row::default() };
        rank.task.push(task);
        let op = comm_op::Row { start, duration, name: op_name, connection_id: launch, ..comm_op::Row::default() };
        rank.comm_op.push(op);
        for (task, name) in [(Some(TaskId(3)), kernel_name), (None, op_name), (Some(TaskId(4)), kernel_name)] {
            let reported_step = Some(9);
            rank.kernel.push(kernel::Row { task, start, duration, name, reported_step, ..kernel::Row::default() });
        }
        let mut tables = rank.finish();
        let step_of = StepOf::of(&tables);
        fill_steps(&mut tables, &step_of);
        tables
    }

    fn kernels(tables: &RankTables) -> Vec<Option<i64>> {
        tables.rows::<kernel::Row>().map(|kernel| kernel.step).collect()
    }

    #[test]
    fn work_belongs_to_the_step_that_launched_it() {
        let tables = rank(true);
        assert_eq!(kernels(&tables), [Some(1), Some(1), Some(2)]);
        assert_eq!(tables.rows::<task::Row>().map(|task| task.step).collect::<Vec<_>>(), [Some(1)]);
        assert_eq!(tables.rows::<comm_op::Row>().map(|op| op.step).collect::<Vec<_>>(), [Some(1)]);
        assert!(tables.rows::<kernel::Row>().all(|kernel| kernel.reported_step == Some(9)));
    }

    #[test]
    fn without_markers_the_numbers_of_kernels_count() {
        let tables = rank(false);
        assert_eq!(kernels(&tables), [Some(9); 3]);
        assert_eq!(tables.rows::<comm_op::Row>().map(|op| op.step).collect::<Vec<_>>(), [Some(9)]);
    }
}
