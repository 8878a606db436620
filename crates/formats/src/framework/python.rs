//! Python's calls: from records of functions entered and left to nested slices.

use hashbrown::HashMap;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::{Interner, Ns, RankBuilder, Span, Str};

use super::records::PythonCall;
use crate::trace_json::host_ops::HostOps;

/// What stands between the class and the address of a module.
const ADDRESS: &str = "######";

/// What a function is called whose name was not recorded.
const UNKNOWN: &str = "unknown function";

/// A record of [`PythonCall`].
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub time: Ns,
    pub lane: u32,
    pub hash: u64,
    pub tag: u8,
}

/// A function that has not been left.
struct Frame {
    /// Where its slice is.
    slice: usize,
    is_native: bool,
}

struct Slice {
    lane: u32,
    start: Ns,
    end: Ns,
    name: Str,
    module: Option<i64>,
    /// The slice around it.
    parent: Option<usize>,
}

/// Makes a slice of every call. A function that was not left when recording ended, at `window.1`, is cut there; one
/// that was entered before it began, at `window.0`, begins there, outside of all others of its thread.
pub fn pair(
    mut calls: Vec<Call>,
    names: &HashMap<u64, Str>,
    window: (Ns, Ns),
    host_ops: &mut HostOps,
    rank: &mut RankBuilder,
) {
    // Frames that were open when recording began are written in the end.
    calls.sort_by_key(|call| call.time);
    let mut namer = Namer { names, modules: HashMap::new(), shown: HashMap::new() };
    let mut threads: HashMap<u32, Vec<Frame>> = HashMap::new();
    let mut slices: Vec<Slice> = Vec::with_capacity(calls.len() / 2);
    for call in &calls {
        let open = threads.entry(call.lane).or_default();
        match call.tag {
            PythonCall::PY_CALL | PythonCall::C_CALL => {
                let (name, module) = namer.name(call.hash, &mut rank.strings);
                let parent = open.last().map(|frame| frame.slice);
                open.push(Frame { slice: slices.len(), is_native: call.tag == PythonCall::C_CALL });
                let (lane, start) = (call.lane, call.time);
                slices.push(Slice { lane, start, end: window.1.max(start), name, module, parent });
            }
            PythonCall::PY_RETURN | PythonCall::C_RETURN => {
                let is_native = call.tag == PythonCall::C_RETURN;
                let Some(at) = open.iter().rposition(|frame| frame.is_native == is_native) else {
                    if !is_native {
                        let (name, module) = namer.name(call.hash, &mut rank.strings);
                        let start = window.0.min(call.time);
                        slices.push(Slice { lane: call.lane, start, end: call.time, name, module, parent: None });
                    }
                    continue;
                };
                // A built-in function is left before the one that called it.
                if is_native && at + 1 != open.len() {
                    continue;
                }
                for frame in open.drain(at..) {
                    if let Some(slice) = slices.get_mut(frame.slice) {
                        slice.end = call.time;
                    }
                }
            }
            _ => {}
        }
    }
    let kind = rank.strings.intern(Kind::Python.name());
    for (number, slice) in (1i64..).zip(&slices) {
        let row = host_op::Row {
            lane: slice.lane,
            kind,
            start: slice.start,
            duration: Span::from_ns(slice.end.since(slice.start).max(0)),
            name: slice.name,
            python_id: Some(number),
            python_parent_id: Some(slice.parent.and_then(|at| i64::try_from(at + 1).ok()).unwrap_or_default()),
            python_module_id: slice.module,
            ..host_op::Row::default()
        };
        host_ops.push(Kind::Python, row);
    }
}

/// How functions and modules are called.
struct Namer<'a> {
    names: &'a HashMap<u64, Str>,
    /// Objects of each class so far.
    modules: HashMap<String, i64>,
    shown: HashMap<u64, (Str, Option<i64>)>,
}

impl Namer<'_> {
    /// The name of a function; of a module its class and which of that class it was, by first call.
    fn name(&mut self, hash: u64, strings: &mut Interner) -> (Str, Option<i64>) {
        if let Some(known) = self.shown.get(&hash) {
            return *known;
        }
        let known = self.names.get(&hash).copied().filter(|name| strings.get(*name) != PythonCall::EXIT);
        let class = known.and_then(|name| strings.get(name).split_once(ADDRESS)).map(|(class, _)| class.to_owned());
        let shown = match (known, class) {
            (_, Some(class)) => {
                let name = |number: i64| format!("nn.Module: {class}_{number}");
                let count = self.modules.entry(class.clone()).or_default();
                let shown = (strings.intern(&name(*count)), Some(*count));
                *count += 1;
                shown
            }
            (Some(name), None) => (name, None),
            (None, None) => (strings.intern(UNKNOWN), None),
        };
        self.shown.insert(hash, shown);
        shown
    }
}
