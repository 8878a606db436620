//! The operator tree: which framework operator ran inside which, and what was enqueued in it.
//!
//! One tree for the whole process, all threads together, as the peers build it: operators and queue
//! entries sorted by start; what starts while another runs is inside it, whatever its thread. So host
//! self time can mix threads; that is the definition of the figures users know.

use std::collections::BTreeSet;

use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::{ConnectionId, LaneId, Ns, RankTables, Str};

use super::kernels::launching_calls;

/// An operator.
pub struct Node {
    pub start: Ns,
    pub ns: i64,
    pub lane: LaneId,
    pub name: Str,
    pub shapes: Option<Str>,
    pub stack: Option<Str>,
    pub parent: Option<usize>,
    /// Queue entries made while the operator ran: a range of [`OpTree::entries`].
    pub entries: std::ops::Range<usize>,
}

/// An entry of the task queue; without a queue, a call that launches.
pub struct Entry {
    pub correlation: ConnectionId,
    /// The operator it was made by: the innermost one, if that is of the same thread. A call that
    /// launches does not have its operator's thread, so there any thread will do.
    pub node: Option<usize>,
}

/// Operators in start order, and queue entries in start order.
pub struct OpTree {
    pub nodes: Vec<Node>,
    pub entries: Vec<Entry>,
}

impl OpTree {
    /// `had_queue` says whether there was a queue before, and then whether there is.
    pub fn build(tables: &RankTables, had_queue: &mut bool) -> OpTree {
        let (mut calls, has_queue) = calls(tables);
        *had_queue |= has_queue;
        let has_queue = *had_queue;
        if !has_queue {
            calls.retain(|call| call.entry.is_none());
            let times: BTreeSet<Ns> = launching_calls(tables).map(|launch| launch.call).collect();
            calls.extend(times.into_iter().map(|start| Call { entry: Some(ConnectionId(start.0)), ..Call::at(start) }));
        }
        calls.sort_by_key(|call| call.start);
        let mut tree = OpTree { nodes: Vec::new(), entries: Vec::new() };
        let mut open: Vec<(usize, Ns)> = Vec::new();
        for call in calls {
            while let Some(&(node, end)) = open.last()
                && call.start > end
            {
                open.pop();
                tree.close(node);
            }
            let top = open.last().map(|&(node, _)| node);
            if let Some(correlation) = call.entry {
                let is_of = |node: &usize| !has_queue || tree.nodes.get(*node).is_some_and(|n| n.lane == call.lane);
                tree.entries.push(Entry { correlation, node: top.filter(is_of) });
            } else {
                let first = tree.entries.len();
                open.push((tree.nodes.len(), call.start.plus(call.ns)));
                tree.nodes.push(Node {
                    start: call.start,
                    ns: call.ns,
                    lane: call.lane,
                    name: call.name,
                    shapes: call.shapes,
                    stack: call.stack,
                    parent: top,
                    entries: first..first,
                });
            }
        }
        for (node, _) in open {
            tree.close(node);
        }
        tree
    }

    fn close(&mut self, node: usize) {
        let end = self.entries.len();
        if let Some(node) = self.nodes.get_mut(node) {
            node.entries.end = end;
        }
    }

    /// The correlation ids enqueued anywhere inside a node.
    pub fn correlations(&self, node: &Node) -> impl Iterator<Item = ConnectionId> + '_ {
        let entries = self.entries.get(node.entries.clone()).unwrap_or_default();
        entries.iter().filter(|e| e.node.is_some()).map(|e| e.correlation)
    }

    /// The correlation ids enqueued by a node itself.
    pub fn own_correlations(&self, index: usize) -> impl Iterator<Item = ConnectionId> + '_ {
        let range = self.nodes.get(index).map(|n| n.entries.clone()).unwrap_or(0..0);
        let entries = self.entries.get(range).unwrap_or_default();
        entries.iter().filter(move |e| e.node == Some(index)).map(|e| e.correlation)
    }
}

/// An operator or, with a correlation id, a queue entry.
struct Call {
    start: Ns,
    ns: i64,
    lane: LaneId,
    name: Str,
    shapes: Option<Str>,
    stack: Option<Str>,
    entry: Option<ConnectionId>,
}

impl Call {
    fn at(start: Ns) -> Call {
        Call { start, ns: 0, lane: LaneId(0), name: Str::default(), shapes: None, stack: None, entry: None }
    }
}

/// The operators and queue entries, and whether there is a queue that they are taken from.
fn calls(tables: &RankTables) -> (Vec<Call>, bool) {
    let mut calls = Vec::new();
    let mut has_queue = false;
    let mut kinds = Memo::default();
    for (view, rows) in tables.views::<host_op::Row>() {
        for row in 0..rows {
            let kind = view.kind.get(row);
            let entry = match kinds.get(kind, || Kind::from_name(tables.text(kind))) {
                Some(Kind::Op) => None,
                Some(Kind::Enqueue) => Some(view.connection_id.get(row).unwrap_or(ConnectionId(-1))),
                kind => {
                    has_queue |= kind == Some(Kind::Dequeue);
                    continue;
                }
            };
            calls.push(Call {
                start: view.start.get(row),
                ns: view.duration.get(row).ns(),
                lane: view.lane.get(row),
                name: view.name.get(row),
                shapes: view.shapes.get(row),
                stack: view.stack.get(row),
                entry,
            });
        }
    }
    (calls, has_queue)
}
