//! The operator tree: which framework operator ran inside which, and what was enqueued in it.
//!
//! One tree for the whole process, all threads together, as the peers build it: operators and queue
//! entries sorted by start; what starts while another runs is inside it, whatever its thread. So host
//! self time can mix threads; that is the definition of the figures users know.

use std::collections::BTreeSet;

use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::{Ns, RankTables};

use super::kernels::launching_calls;

/// An operator.
pub struct Node {
    pub op: host_op::Row,
    pub parent: Option<usize>,
    /// Queue entries made while the operator ran: a range of [`OpTree::entries`].
    pub entries: std::ops::Range<usize>,
}

/// An entry of the task queue; without a queue, a call that launches.
pub struct Entry {
    pub correlation: i64,
    /// The operator it was made by: the innermost one, if that is of the same thread. A call that
    /// launches does not tell its operator's thread, so there any thread will do.
    pub node: Option<usize>,
}

/// Operators in start order, and queue entries in start order.
pub struct OpTree {
    pub nodes: Vec<Node>,
    pub entries: Vec<Entry>,
}

impl OpTree {
    pub fn build(tables: &RankTables) -> OpTree {
        let mut has_queue = false;
        let mut rows: Vec<(host_op::Row, bool)> = tables
            .rows::<host_op::Row>()
            .filter_map(|row| match Kind::from_name(tables.text(row.kind))? {
                Kind::Op => Some((row, false)),
                Kind::Enqueue => Some((row, true)),
                kind => {
                    has_queue |= kind == Kind::Dequeue;
                    None
                }
            })
            .collect();
        if !has_queue {
            rows.retain(|(_, is_entry)| !is_entry);
            let call = |time: Ns| host_op::Row { start: time, connection_id: Some(time.0), ..host_op::Row::default() };
            let times: BTreeSet<Ns> = launching_calls(tables).map(|launch| launch.call).collect();
            rows.extend(times.into_iter().map(|time| (call(time), true)));
        }
        rows.sort_by_key(|(row, _)| row.start);
        let mut tree = OpTree { nodes: Vec::new(), entries: Vec::new() };
        let mut open: Vec<(usize, Ns)> = Vec::new();
        for (row, is_entry) in rows {
            while let Some(&(node, end)) = open.last()
                && row.start > end
            {
                open.pop();
                tree.close(node);
            }
            let top = open.last().map(|&(node, _)| node);
            if is_entry {
                let is_of = |node: &usize| !has_queue || tree.nodes.get(*node).is_some_and(|n| n.op.lane == row.lane);
                let node = top.filter(is_of);
                tree.entries.push(Entry { correlation: row.connection_id.unwrap_or(-1), node });
            } else {
                let first = tree.entries.len();
                open.push((tree.nodes.len(), row.start.plus(row.duration.ns())));
                tree.nodes.push(Node { op: row, parent: top, entries: first..first });
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
    pub fn correlations(&self, node: &Node) -> impl Iterator<Item = i64> + '_ {
        let entries = self.entries.get(node.entries.clone()).unwrap_or_default();
        entries.iter().filter(|e| e.node.is_some()).map(|e| e.correlation)
    }

    /// The correlation ids enqueued by a node itself.
    pub fn own_correlations(&self, index: usize) -> impl Iterator<Item = i64> + '_ {
        let range = self.nodes.get(index).map(|n| n.entries.clone()).unwrap_or(0..0);
        let entries = self.entries.get(range).unwrap_or_default();
        entries.iter().filter(move |e| e.node == Some(index)).map(|e| e.correlation)
    }
}
