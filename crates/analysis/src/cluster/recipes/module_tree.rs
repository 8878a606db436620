//! The module of each operator that launched device work.
//!
//! Modules are ranges that user code marked on the host. They nest by time: a range is inside another if it lies
//! within it, and an operator is in the innermost range around it. Modules are called in the forward pass only; those
//! of the backward pass are found from the arrows between operators and their backward operators (`fwdbwd`): backward
//! operators that follow each other and answer operators of one call of a module make a range of their own, shown as
//! `[Backward]` and the module's name.

use std::cmp::Reverse;
use std::collections::HashMap;

use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::{Interner, Ns, RankTables, Str};
use serde::{Deserialize, Serialize};

use super::op_calls::{Calls, Names, Slice, for_each_host_op};
use crate::extract::Text;

/// How deep msprof-analyze looks into nested modules.
const COMPAT_DEPTH: u32 = 20;

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

/// Work that operators of one name launched in a module of a rank; an operator may have several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleOp {
    /// The modules around, outermost first, by `/`; empty if there is none.
    pub parent: Text,
    pub module: Text,
    pub op: Text,
    /// Names of the launched work, in order.
    pub kernels: Vec<Text>,
    /// Time of all launched work, in ns.
    pub total: i64,
    pub calls: usize,
}

impl ModuleOp {
    /// Time per call, in ns.
    pub fn average(&self) -> f64 {
        self.total as f64 / self.calls as f64
    }

    pub fn kernel_list(&self) -> String {
        self.kernels.iter().map(Text::as_str).collect::<Vec<_>>().join(", ")
    }
}

/// Texts of [`Names`], each allocated once.
#[derive(Default)]
struct Texts(HashMap<Str, Text>);

impl Texts {
    fn get(&mut self, id: Str, names: &Names) -> Text {
        self.0.entry(id).or_insert_with(|| names.get(id).into()).clone()
    }
}

/// Rows without the numbers that are specific to this rank.
pub fn module_ops(rows: &[ModuleRow], names: &Names) -> Vec<ModuleOp> {
    let mut texts = Texts::default();
    let op = |row: &ModuleRow| ModuleOp {
        parent: texts.get(row.parent, names),
        module: texts.get(row.module, names),
        op: texts.get(row.op, names),
        kernels: row.kernels.iter().map(|name| texts.get(*name, names)).collect(),
        total: row.total_ns,
        calls: row.calls.len(),
    };
    rows.iter().map(op).collect()
}

/// Device work of modules, in order of time. `with_backward` adds the modules of the backward pass.
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
#[derive(Clone, Copy, Debug, Serialize)]
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
