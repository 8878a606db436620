//! The call stack and the modules of each operator, from Python's calls around it.
//!
//! The files that Kineto writes do not name an operator's stack: Python's calls are slices of the same thread, and what
//! encloses an operator is what called it.

use hashbrown::HashMap;
use npuscope_measures::link::set_values;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::{RankPieces, RankTables, Str, TableId};

/// What the call of a module is named; its number and class follow.
const MODULE: &str = "nn.Module: ";
/// What stands between frames, as torch_npu writes it.
const FRAMES: &str = ";\r\n";
/// Calls within calls that are looked at: no program nests deeper, and damaged files may go round in circles.
const DEEPEST: usize = 4096;

/// Fills `stack` and `modules` of operators that have none: names of the calls of Python around them, and of calls of
/// modules, the outermost module first. Host slices must be nested before.
pub fn fill_stacks(tables: RankTables) -> RankTables {
    let rows: Vec<Slice> = tables.rows::<host_op::Row>().map(|row| Slice::of(&row, &tables)).collect();
    if !rows.iter().any(|row| row.is_call) {
        return tables;
    }
    let mut texts = Texts { tables: &tables, rows: &rows, known: HashMap::new(), list: Vec::new() };
    let found: Vec<(Option<usize>, Option<usize>)> = rows.iter().map(|row| texts.around(row)).collect();
    let list = texts.list;
    let mut stacks: Vec<Option<Str>> = rows.iter().map(|row| row.stack).collect();
    let mut modules: Vec<Option<Str>> = rows.iter().map(|row| row.modules).collect();
    let mut pieces = RankPieces::from(tables);
    let ids: Vec<Str> = list.iter().map(|text| pieces.intern(text)).collect();
    let mut tables = pieces.finish();
    for ((stack, module), (own_stack, own_module)) in found.into_iter().zip(stacks.iter_mut().zip(&mut modules)) {
        let id = |place: Option<usize>| place.and_then(|place| ids.get(place)).copied();
        *own_stack = own_stack.or(id(stack));
        *own_module = own_module.or(id(module));
    }
    set_values(&mut tables, TableId::HostOp, "stack", &stacks);
    set_values(&mut tables, TableId::HostOp, "modules", &modules);
    tables
}

/// What matters of a host slice.
struct Slice {
    name: Str,
    parent: Option<u32>,
    is_operator: bool,
    is_call: bool,
    stack: Option<Str>,
    modules: Option<Str>,
}

impl Slice {
    fn of(row: &host_op::Row, tables: &RankTables) -> Slice {
        let kind = tables.text(row.kind);
        Slice {
            name: row.name,
            parent: row.parent,
            is_operator: kind == Kind::Op.name(),
            is_call: kind == Kind::Python.name(),
            stack: row.stack,
            modules: row.modules,
        }
    }
}

/// The texts of stacks and modules, each once.
struct Texts<'a> {
    tables: &'a RankTables,
    rows: &'a [Slice],
    /// By the innermost call: numbers of the text of the stack, and of that of the modules.
    known: HashMap<u32, (Option<usize>, Option<usize>)>,
    list: Vec<String>,
}

impl Texts<'_> {
    fn around(&mut self, row: &Slice) -> (Option<usize>, Option<usize>) {
        if !row.is_operator || row.stack.is_some() && row.modules.is_some() {
            return (None, None);
        }
        let Some(innermost) = self.calls(row.parent).next() else { return (None, None) };
        if let Some(known) = self.known.get(&innermost) {
            return *known;
        }
        let names = self.calls(Some(innermost)).filter_map(|call| self.rows.get(call as usize));
        let (modules, frames): (Vec<&str>, Vec<&str>) =
            names.map(|call| self.tables.text(call.name)).partition(|name| name.starts_with(MODULE));
        let modules: Vec<&str> = modules.iter().rev().filter_map(|name| name.strip_prefix(MODULE)).collect();
        let (stack, modules) = (frames.join(FRAMES), modules.join("/"));
        let found = (self.add(stack), self.add(modules));
        self.known.insert(innermost, found);
        found
    }

    /// Row numbers of the calls around a slice, from within outwards.
    fn calls(&self, parent: Option<u32>) -> impl Iterator<Item = u32> + '_ {
        let around = std::iter::successors(parent, |&row| self.rows.get(row as usize)?.parent);
        around.take(DEEPEST).filter(|&row| self.rows.get(row as usize).is_some_and(|row| row.is_call))
    }

    fn add(&mut self, text: String) -> Option<usize> {
        if text.is_empty() {
            return None;
        }
        self.list.push(text);
        Some(self.list.len() - 1)
    }
}
