//! Which module each operator ran in that launched device work.
//!
//! An operator launched what arrows (`async_npu`) lead to from it. Modules are ranges that user code marked on the
//! host. They nest by time: a range is inside another if it lies within it, and an operator is in the innermost
//! range around it. Modules are called in the forward pass only; those of the backward pass are found from the
//! arrows between operators and their backward operators (`fwdbwd`): backward operators that follow each other and
//! answer operators of one call of a module make a range of their own, shown as `[Backward]` and the module's name.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::{comm_op, flow, kernel, sheet, task};
use npuscope_tables::{Interner, Ns, RankTables, Selection, Str, TableId};

use crate::communication::op_type;

/// What has to be read of a rank.
pub fn selection(compat: bool) -> Selection {
    const ALWAYS: Selection = Selection::of(&[TableId::Flow, TableId::Task, TableId::Kernel, TableId::CommOp])
        .and_host_ops(&[Kind::Op, Kind::Mstx]);
    if compat { ALWAYS.and(Selection::of(&[TableId::Sheet])) } else { ALWAYS }
}

/// How deep msprof-analyze looks into nested modules.
const COMPAT_DEPTH: u32 = 20;

/// Strings of the answer. Those of a rank's tables are looked up once each.
#[derive(Default)]
pub struct Names {
    strings: Interner,
    known: Vec<Option<Str>>,
}

impl Names {
    pub fn intern(&mut self, text: &str) -> Str {
        self.strings.intern(text)
    }

    /// A string of the rank's tables; they must be the same each time.
    pub fn of_table(&mut self, tables: &RankTables, id: Str) -> Str {
        let at = id.0 as usize;
        if at >= self.known.len() {
            self.known.resize(at + 1, None);
        }
        *self.known[at].get_or_insert_with(|| self.strings.intern(tables.text(id)))
    }

    pub fn get(&self, id: Str) -> &str {
        self.strings.get(id)
    }

    pub fn list(&self, ids: &[Str]) -> String {
        let names: Vec<&str> = ids.iter().map(|id| self.get(*id)).collect();
        names.join(", ")
    }
}

/// A kernel or a communication.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    pub name: Str,
    pub start: Ns,
    pub ns: i64,
    kind: WorkKind,
}

impl Work {
    /// Row number in `kernel`; none for communication.
    pub fn kernel(&self) -> Option<usize> {
        if let WorkKind::Kernel(row) = self.kind { Some(row) } else { None }
    }
}

/// In the order in which msprof-analyze lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum WorkKind {
    Kernel(usize),
    Communication,
    /// A task that schedules a communication while it goes on.
    Schedule,
}

/// A call of an operator that launched device work.
#[derive(Clone, Debug)]
pub struct Call {
    pub name: Str,
    pub start: Ns,
    pub end: Ns,
    /// What it launched, by number in [`Calls::all_work`].
    pub work: Range<usize>,
}

/// The operators that launched device work, in order of start.
#[derive(Default)]
pub struct Calls {
    pub calls: Vec<Call>,
    work: Vec<Work>,
    /// Slices of forward operators and of the backward operators that answer them.
    backward: Vec<(Slice, Slice)>,
}

/// Start and end of an operator.
type Slice = (Ns, Ns);

/// Where a slice begins.
type Place = (u32, Ns);

impl Calls {
    /// Reads the operators of a rank. Device work is in order of start. With `compat`, an operator's kernels come
    /// before its communications, as in msprof-analyze, and tasks that schedule communications count as well, though
    /// they run at the same time.
    pub fn read(tables: &RankTables, names: &mut Names, compat: bool) -> Calls {
        let (launches, answers) = arrows(tables);
        let ops = operators(tables);
        // Of several that begin at once, the innermost launches.
        let innermost = |place: Place| {
            let after = ops.partition_point(|op| (op.lane, op.start) <= place);
            after.checked_sub(1).filter(|at| (ops[*at].lane, ops[*at].start) == place)
        };
        let work = join(launches, device_work(tables, names, compat));
        let launched = work.filter_map(|(from, work)| Some((innermost(from)?, work))).collect();
        Calls { backward: backward_pairs(&ops, &answers), ..Calls::of(tables, names, &ops, launched, compat) }
    }

    /// Reads the operators of a trace of a GPU, which has no arrows from operators to the device. All of the trace
    /// has to be there.
    pub fn read_gpu(tables: &RankTables, names: &mut Names) -> Calls {
        let (_, answers) = arrows(tables);
        let backward = backward_pairs(&operators(tables), &answers);
        let (slices, launched) = launched_by_calls(tables, names);
        Calls { backward, ..Calls::of(tables, names, &slices, launched, false) }
    }

    /// Calls with what each of `ops`, by number, launched.
    fn of(
        tables: &RankTables,
        names: &mut Names,
        ops: &[Operator],
        mut launched: Vec<(usize, Work)>,
        compat: bool,
    ) -> Calls {
        let kind = |work: &Work| match work.kind {
            _ if !compat => WorkKind::Kernel(0),
            WorkKind::Kernel(_) => WorkKind::Kernel(0),
            other => other,
        };
        launched.sort_by_key(|(op, work)| (ops[*op].start, *op, kind(work), work.start));
        let mut calls = Calls::default();
        for group in launched.chunk_by(|a, b| a.0 == b.0) {
            let op = &ops[group[0].0];
            let first = calls.work.len();
            calls.work.extend(group.iter().map(|(_, work)| *work));
            let name = names.of_table(tables, op.name);
            calls.calls.push(Call { name, start: op.start, end: op.end, work: first..calls.work.len() });
        }
        calls
    }

    /// What all calls launched.
    pub fn all_work(&self) -> &[Work] {
        &self.work
    }

    /// What a call launched.
    pub fn work(&self, call: &Call) -> &[Work] {
        &self.work[call.work.clone()]
    }

    /// Leaves the calls that do not start in the window out.
    pub fn keep_within(&mut self, (start, end): (Ns, Ns)) {
        self.calls.retain(|call| start <= call.start && call.start <= end);
    }
}

struct Operator {
    lane: u32,
    start: Ns,
    end: Ns,
    name: Str,
}

/// The framework's operators by place, outer ones first.
fn operators(tables: &RankTables) -> Vec<Operator> {
    let mut ops = Vec::new();
    for_each_host_op(tables, Kind::Op, |view, row| {
        let start = view.start.get(row);
        let end = start.plus(view.duration.get(row).ns());
        ops.push(Operator { lane: view.lane.get(row), start, end, name: view.name.get(row) });
    });
    ops.sort_by_key(|op| (op.lane, op.start, Reverse(op.end)));
    ops
}

/// Calls `take` with the rows of a kind, by view and number in it.
pub fn for_each_host_op(tables: &RankTables, kind: Kind, mut take: impl FnMut(&host_op::View, usize)) {
    let mut last = None;
    for (view, rows) in tables.views::<host_op::Row>() {
        for row in 0..rows {
            let id = view.kind.get(row);
            let (_, is_wanted) = match last {
                Some(known @ (last_id, _)) if last_id == id => known,
                _ => (id, tables.text(id) == kind.name()),
            };
            last = Some((id, is_wanted));
            if is_wanted {
                take(&view, row);
            }
        }
    }
}

/// Forward and backward operators that arrows tie. Of several that begin at once, the outermost is meant.
fn backward_pairs(ops: &[Operator], arrows: &[Arrow]) -> Vec<(Slice, Slice)> {
    let outermost = |place: Place| {
        let op = ops.get(ops.partition_point(|op| (op.lane, op.start) < place))?;
        ((op.lane, op.start) == place).then_some((op.start, op.end))
    };
    arrows.iter().filter_map(|&(from, to)| Some((outermost(from)?, outermost(to)?))).collect()
}

/// The slices of the host, and the kernels that they launched, by their numbers. A kernel is launched by the
/// innermost operator around the call that has its connection id, or by the call if there is none.
fn launched_by_calls(tables: &RankTables, names: &mut Names) -> (Vec<Operator>, Vec<(usize, Work)>) {
    let mut slices = Vec::new();
    let mut is_op = Vec::new();
    let mut parents = Vec::new();
    let mut calls: HashMap<i64, usize> = HashMap::new();
    for op in tables.rows::<host_op::Row>() {
        let kind = Kind::from_name(tables.text(op.kind));
        if let (Some(Kind::Cann), Some(connection)) = (kind, op.connection_id) {
            calls.entry(connection).or_insert(slices.len());
        }
        let end = op.start.plus(op.duration.ns());
        slices.push(Operator { lane: op.lane, start: op.start, end, name: op.name });
        is_op.push(kind == Some(Kind::Op));
        parents.push(op.parent);
    }
    let launcher = |call: usize| {
        let mut slice = call;
        while !is_op[slice] {
            match parents[slice] {
                Some(parent) => slice = parent as usize,
                None => return call,
            }
        }
        slice
    };
    let kernels = kernels_by_task(tables, names);
    let mut launched = Vec::new();
    for (view, rows) in tables.views::<task::Row>() {
        for row in 0..rows {
            let call = view.connection_id.get(row).and_then(|connection| calls.get(&connection));
            let kernel = kernels.binary_search_by_key(&view.task.get(row), |(task, _)| *task);
            if let (Some(call), Ok(at)) = (call, kernel) {
                launched.push((launcher(*call), kernels[at].1));
            }
        }
    }
    (slices, launched)
}

type Arrow = (Place, Place);

/// The arrows from operators to device work, and those to backward operators.
fn arrows(tables: &RankTables) -> (Vec<Arrow>, Vec<Arrow>) {
    let (mut launches, mut answers) = (Vec::new(), Vec::new());
    for (view, rows) in tables.views::<flow::Row>() {
        for row in 0..rows {
            let list = match tables.text(view.kind.get(row)) {
                "async_npu" => &mut launches,
                "fwdbwd" => &mut answers,
                _ => continue,
            };
            let from = view.src_lane.get(row).zip(view.src_time.get(row));
            let to = view.dst_lane.get(row).zip(view.dst_time.get(row));
            list.extend(from.zip(to));
        }
    }
    (launches, answers)
}

fn kernels_by_task(tables: &RankTables, names: &mut Names) -> Vec<(i64, Work)> {
    let mut kernels: Vec<(i64, Work)> = Vec::new();
    let mut first = 0;
    for (view, rows) in tables.views::<kernel::Row>() {
        for row in 0..rows {
            let Some(task) = view.task.get(row) else { continue };
            let name = names.of_table(tables, view.name.get(row));
            let (start, ns) = (view.start.get(row), view.duration.get(row).ns());
            kernels.push((task, Work { name, start, ns, kind: WorkKind::Kernel(first + row) }));
        }
        first += rows;
    }
    kernels.sort_by_key(|(task, _)| *task);
    kernels
}

/// Kernels and communications, by place. With `compat`, what schedules a communication is where that is.
fn device_work(tables: &RankTables, names: &mut Names, compat: bool) -> Vec<(Place, Work)> {
    let kernels = kernels_by_task(tables, names);
    let scheduling = if compat { scheduling_tasks(tables, names) } else { HashMap::new() };
    let mut found = Vec::with_capacity(kernels.len());
    let mut places: HashMap<i64, Place> = HashMap::new();
    for op in tables.rows::<comm_op::Row>() {
        let name = names.intern(op_type(tables, &op));
        let work = Work { name, start: op.start, ns: op.duration.ns(), kind: WorkKind::Communication };
        found.push(((op.lane, op.start), work));
        if !scheduling.is_empty() {
            places.extend(op.connection_id.map(|connection| (connection, (op.lane, op.start))));
        }
    }
    for (view, rows) in tables.views::<task::Row>() {
        for row in 0..rows {
            let (task, start) = (view.task.get(row), view.start.get(row));
            let place = (view.lane.get(row), start);
            if let Ok(at) = kernels.binary_search_by_key(&task, |(task, _)| *task) {
                found.push((place, kernels[at].1));
            }
            if let Some(&name) = scheduling.get(&task) {
                let place = view.connection_id.get(row).and_then(|id| places.get(&id)).copied().unwrap_or(place);
                let ns = view.duration.get(row).ns();
                found.push((place, Work { name, start, ns, kind: WorkKind::Schedule }));
            }
        }
    }
    found.sort_by_key(|(place, _)| *place);
    found
}

/// Names of tasks that schedule communications, by number of the task: a table that only some databases have.
fn scheduling_tasks(tables: &RankTables, names: &mut Names) -> HashMap<i64, Str> {
    let mut by_row: HashMap<i64, (Option<i64>, Option<Str>)> = HashMap::new();
    let is_wanted = |row: &sheet::Row| tables.opt_text(row.sheet) == Some("COMMUNICATION_SCHEDULE_TASK_INFO");
    for cell in tables.rows::<sheet::Row>().filter(is_wanted) {
        let row = by_row.entry(cell.row).or_default();
        match tables.text(cell.column) {
            "globalTaskId" => row.0 = tables.opt_text(cell.value).and_then(|id| id.parse().ok()),
            "name" => row.1 = cell.value.map(|name| names.of_table(tables, name)),
            _ => {}
        }
    }
    by_row.into_values().filter_map(|(task, name)| task.zip(name)).collect()
}

/// Where arrows come from and what is where they lead to.
fn join(mut arrows: Vec<Arrow>, work: Vec<(Place, Work)>) -> impl Iterator<Item = (Place, Work)> {
    arrows.sort_unstable_by_key(|(_, to)| *to);
    let mut next = 0;
    arrows.into_iter().flat_map(move |(from, to)| {
        next += work[next..].iter().take_while(|(place, _)| *place < to).count();
        let there: Vec<Work> = work[next..].iter().take_while(|(place, _)| *place == to).map(|(_, w)| *w).collect();
        there.into_iter().map(move |work| (from, work))
    })
}

/// A range of time that user code marked, such as a call of a module.
#[derive(Clone, Copy, Debug)]
pub struct MarkedRange {
    pub start: Ns,
    pub end: Ns,
    pub name: Str,
    pub is_backward: bool,
}

/// The mstx ranges of a domain; msprof-analyze overlooks those that were pushed and popped.
pub fn marked_ranges(tables: &RankTables, domain: &str, names: &mut Names, compat: bool) -> Vec<MarkedRange> {
    let mut ranges = Vec::new();
    for_each_host_op(tables, Kind::Mstx, |view, row| {
        let is_range = match tables.opt_text(view.event_type.get(row)) {
            Some(kind) if compat => kind == "start/end",
            kind => kind.is_some_and(|kind| !kind.starts_with("marker")),
        };
        if is_range && tables.opt_text(view.domain.get(row)) == Some(domain) {
            let start = view.start.get(row);
            let end = start.plus(view.duration.get(row).ns());
            let name = names.of_table(tables, view.name.get(row));
            ranges.push(MarkedRange { start, end, name, is_backward: false });
        }
    });
    ranges
}

/// The operators of a module that do the same: those of one name, at one place in the module, that launched the
/// same work, in calls of the module with the same operators.
pub struct ModuleRow {
    /// The modules around, outermost first, by `/`; empty if there is none.
    pub parent: Str,
    pub module: Str,
    pub op: Str,
    pub kernels: Vec<Str>,
    /// Time of all that was launched.
    pub total_ns: i64,
    /// Numbers of the calls.
    pub calls: Vec<usize>,
    /// When the first began, and its place in the module.
    order: (Ns, usize),
    /// Which sequence of operators the module's calls had.
    sequence: usize,
}

/// What modules did, in order of time. `with_backward` adds the modules of the backward pass.
///
/// Where modules of one name follow each other and their operators differ, their names get `_0`, `_1` and so on,
/// one for each sequence of operators; with `distinguish` off they keep their names.
pub fn module_rows(
    calls: &Calls,
    mut ranges: Vec<MarkedRange>,
    names: &mut Names,
    options: &RowOptions,
) -> Vec<ModuleRow> {
    if options.with_backward {
        let nodes = nest(ranges.clone(), names);
        ranges.extend(backward_ranges(&nodes, &calls.backward));
    }
    let nodes = nest(ranges, names);
    let slices = calls.calls.iter().map(|call| (call.start, call.end));
    let found = innermost(&nodes, slices).into_iter().enumerate();
    let is_seen = |node: &usize| !options.compat || nodes[*node].depth <= COMPAT_DEPTH;
    let mut placed: Vec<(usize, usize)> =
        found.filter_map(|(call, node)| Some((node.filter(is_seen)?, call))).collect();
    placed.sort_by_key(|&(node, call)| (node, calls.calls[call].start));
    let mut rows = Groups::default();
    for of_module in placed.chunk_by(|a, b| a.0 == b.0) {
        let node = &nodes[of_module[0].0];
        let parent = node.parent.map_or(Interner::EMPTY, |parent| nodes[parent].path);
        let ops: Vec<Str> = of_module.iter().map(|(_, call)| calls.calls[*call].name).collect();
        let sequence = rows.sequence(ops);
        let module = match node.range.is_backward {
            true => names.intern(&format!("[Backward]{}", names.get(node.range.name).to_owned())),
            false => node.range.name,
        };
        for (place, &(_, call)) in of_module.iter().enumerate() {
            rows.add(parent, module, place, sequence, call, calls);
        }
    }
    let mut rows = rows.rows;
    rows.sort_by_key(|row| row.order);
    if options.distinguish {
        distinguish(&mut rows, names);
    }
    rows
}

/// What [`module_rows`] gives.
#[derive(Clone, Copy, Debug)]
pub struct RowOptions {
    pub compat: bool,
    pub with_backward: bool,
    pub distinguish: bool,
}

/// Rows by what they are grouped by.
#[derive(Default)]
struct Groups {
    rows: Vec<ModuleRow>,
    index: HashMap<(Str, Str, Str, usize, usize, usize), usize>,
    sequences: HashMap<Vec<Str>, usize>,
    lists: HashMap<Vec<Str>, usize>,
}

impl Groups {
    fn sequence(&mut self, ops: Vec<Str>) -> usize {
        let next = self.sequences.len();
        *self.sequences.entry(ops).or_insert(next)
    }

    fn add(&mut self, parent: Str, module: Str, place: usize, sequence: usize, number: usize, calls: &Calls) {
        let call = &calls.calls[number];
        let work = calls.work(call);
        let kernels: Vec<Str> = work.iter().map(|work| work.name).collect();
        let list = match self.lists.get(&kernels) {
            Some(list) => *list,
            None => {
                self.lists.insert(kernels.clone(), self.lists.len());
                self.lists.len() - 1
            }
        };
        let at = *self.index.entry((parent, module, call.name, place, list, sequence)).or_insert_with(|| {
            let order = (call.start, place);
            let (total_ns, calls) = (0, Vec::new());
            self.rows.push(ModuleRow { parent, module, op: call.name, kernels, total_ns, calls, order, sequence });
            self.rows.len() - 1
        });
        let row = &mut self.rows[at];
        row.total_ns += work.iter().map(|work| work.ns).sum::<i64>();
        row.order = row.order.min((call.start, place));
        row.calls.push(number);
    }
}

/// Numbers modules of one name that follow each other with other operators.
fn distinguish(rows: &mut [ModuleRow], names: &mut Names) {
    for same in rows.chunk_by_mut(|a, b| (a.parent, a.module) == (b.parent, b.module)) {
        let mut sequences: Vec<usize> = same.iter().map(|row| row.sequence).collect();
        sequences.sort_unstable();
        sequences.dedup();
        if sequences.len() > 1 {
            for row in same {
                let number = sequences.partition_point(|sequence| *sequence < row.sequence);
                row.module = names.intern(&format!("{}_{number}", names.get(row.module).to_owned()));
            }
        }
    }
}

/// A call of a module, and where it is in the tree of modules.
pub struct Node {
    pub range: MarkedRange,
    parent: Option<usize>,
    /// Names of the modules around and its own, by `/`.
    path: Str,
    /// From 1 for outermost modules.
    depth: u32,
}

/// Ranges in order of start, and how they nest. One that ends after the range it begins in is not inside it.
pub fn nest(mut ranges: Vec<MarkedRange>, names: &mut Names) -> Vec<Node> {
    ranges.sort_by_key(|range| (range.start, Reverse(range.end)));
    let mut paths: HashMap<(Str, Str), Str> = HashMap::new();
    let mut nodes: Vec<Node> = Vec::with_capacity(ranges.len());
    let mut parent: Option<usize> = None;
    for mut range in ranges {
        while let Some(at) = parent
            && nodes[at].range.end < range.end
        {
            parent = nodes[at].parent;
        }
        let outer = parent.map(|at| &nodes[at]);
        range.is_backward |= outer.is_some_and(|outer| outer.range.is_backward);
        let path = match outer {
            None => range.name,
            Some(outer) => *paths.entry((outer.path, range.name)).or_insert_with(|| {
                let path = format!("{}/{}", names.get(outer.path), names.get(range.name));
                names.intern(&path)
            }),
        };
        let depth = outer.map_or(0, |outer| outer.depth) + 1;
        nodes.push(Node { range, parent, path, depth });
        parent = Some(nodes.len() - 1);
    }
    nodes
}

/// The innermost module around each of some slices, which are in order of start.
pub fn innermost(nodes: &[Node], slices: impl Iterator<Item = Slice>) -> Vec<Option<usize>> {
    let mut begun = 0;
    let around = slices.map(|(start, end)| {
        begun += nodes[begun..].iter().take_while(|node| node.range.start <= start).count();
        let mut module = begun.checked_sub(1);
        while let Some(at) = module
            && nodes[at].range.end < end
        {
            module = nodes[at].parent;
        }
        module
    });
    around.collect()
}

/// Ranges of the backward pass: of backward operators that follow each other and answer one call of a module. Around
/// each, a nanosecond wider, is one that is named after the modules around it.
fn backward_ranges(nodes: &[Node], pairs: &[(Slice, Slice)]) -> Vec<MarkedRange> {
    let mut pairs = pairs.to_vec();
    pairs.sort_unstable();
    let modules = innermost(nodes, pairs.iter().map(|(forward, _)| *forward));
    let mut answers: Vec<(Slice, usize)> =
        pairs.iter().zip(modules).filter_map(|((_, backward), module)| Some((*backward, module?))).collect();
    answers.sort_unstable();
    let mut ranges = Vec::new();
    for group in answers.chunk_by(|a, b| a.1 == b.1) {
        let node = &nodes[group[0].1];
        let start = group[0].0.0;
        let end = group.iter().map(|((_, end), _)| *end).max().unwrap_or(start);
        if let Some(parent) = node.parent {
            let name = nodes[parent].path;
            ranges.push(MarkedRange { start: start.plus(-1), end: end.plus(1), name, is_backward: true });
        }
        ranges.push(MarkedRange { start, end, name: node.range.name, is_backward: true });
    }
    ranges
}
