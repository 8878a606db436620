//! Python's calls: from records of functions entered and left to nested slices.

use hashbrown::HashMap;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::{Interner, LaneId, Ns, RankBuilder, Span, Str};

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
    pub lane: LaneId,
    pub hash: u64,
    pub tag: u8,
}

/// The functions of a thread that have not been left.
#[derive(Default)]
struct Open {
    /// Where their slices are, the outermost first.
    slices: Vec<usize>,
    /// Which of them are Python's own, not built-in: counting down to the last would take as long as there are
    /// others, each time.
    python: Vec<usize>,
}

impl Open {
    fn enter(&mut self, slice: usize, is_native: bool) {
        if !is_native {
            self.python.push(self.slices.len());
        }
        self.slices.push(slice);
    }

    /// The slices that end where a function is left, its own the first of them. A built-in function is left before
    /// the one that called it, and leaves no other.
    fn leave(&mut self, is_native: bool) -> Option<std::vec::Drain<'_, usize>> {
        let last = self.slices.len().checked_sub(1)?;
        let at = match (is_native, self.python.last()) {
            (true, python) => (python != Some(&last)).then_some(last),
            (false, _) => self.python.pop(),
        };
        Some(self.slices.drain(at?..))
    }
}

struct Slice {
    lane: LaneId,
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
    let mut threads: HashMap<LaneId, Open> = HashMap::new();
    let mut slices: Vec<Slice> = Vec::with_capacity(calls.len() / 2);
    for call in &calls {
        let open = threads.entry(call.lane).or_default();
        match call.tag {
            PythonCall::PY_CALL | PythonCall::C_CALL => {
                let (name, module) = namer.name(call.hash, &mut rank.strings);
                let parent = open.slices.last().copied();
                open.enter(slices.len(), call.tag == PythonCall::C_CALL);
                let (lane, start) = (call.lane, call.time);
                slices.push(Slice { lane, start, end: window.1.max(start), name, module, parent });
            }
            PythonCall::PY_RETURN | PythonCall::C_RETURN => {
                let is_native = call.tag == PythonCall::C_RETURN;
                match open.leave(is_native) {
                    Some(left) => left.for_each(|at| {
                        if let Some(slice) = slices.get_mut(at) {
                            slice.end = call.time;
                        }
                    }),
                    None if is_native => {}
                    None => {
                        let (name, module) = namer.name(call.hash, &mut rank.strings);
                        let start = window.0.min(call.time);
                        slices.push(Slice { lane: call.lane, start, end: call.time, name, module, parent: None });
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Start, end and parent of each slice, in the order of their numbers.
    fn paired(tags: impl Iterator<Item = u8>) -> Vec<(i64, i64, i64)> {
        let calls: Vec<Call> =
            (0..).zip(tags).map(|(at, tag)| Call { time: Ns(at), lane: LaneId(0), hash: 1, tag }).collect();
        let window = (Ns(0), Ns(calls.len() as i64));
        let (mut host_ops, mut rank) = (HostOps::default(), RankBuilder::default());
        pair(calls, &HashMap::new(), window, &mut host_ops, &mut rank);
        host_ops.append_to(&mut rank);
        let tables = rank.finish();
        let rows = tables.rows::<host_op::Row>();
        let mut slices: Vec<_> = rows
            .map(|row| {
                (row.python_id.unwrap(), row.start.0, row.start.0 + row.duration.ns(), row.python_parent_id.unwrap())
            })
            .collect();
        slices.sort_unstable();
        slices.into_iter().map(|(_, start, end, parent)| (start, end, parent)).collect()
    }

    #[test]
    fn a_return_ends_the_last_function_of_its_kind_and_those_inside() {
        use PythonCall as P;
        let both = [P::PY_CALL, P::C_CALL, P::PY_RETURN, P::C_CALL, P::C_RETURN];
        assert_eq!(paired(both.into_iter()), [(0, 2, 0), (1, 2, 1), (3, 4, 0)]);
        // What called a built-in function is not left by it.
        let native = [P::C_CALL, P::PY_CALL, P::C_RETURN, P::PY_RETURN, P::C_RETURN, P::C_RETURN];
        assert_eq!(paired(native.into_iter()), [(0, 4, 0), (1, 3, 1)]);
        assert_eq!(paired([P::PY_RETURN].into_iter()), [(0, 0, 0)]);
    }

    #[test]
    fn many_calls_that_do_not_match_returns_are_paired() {
        use PythonCall as P;
        // Looking at every open call for every return would take minutes, and the test would be ended.
        const MANY: usize = 300_000;
        for (call, back) in [(P::PY_CALL, P::C_RETURN), (P::C_CALL, P::PY_RETURN)] {
            let tags = std::iter::repeat_n(call, MANY).chain(std::iter::repeat_n(back, MANY));
            let slices = paired(tags);
            assert_eq!(slices.len(), if call == P::PY_CALL { MANY } else { 2 * MANY });
        }
    }
}
