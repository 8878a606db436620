//! Which device work a queue entry caused.
//!
//! A dequeue runs the CANN calls of its entry; arrows lead from CANN calls to device slices. So an
//! arrow that leaves within a dequeue gives its target to the entry of the same correlation id. Without
//! a queue the calls themselves are the entries, and their times stand for correlation ids.

use std::ops::Range;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::{comm_op, flow, task};
use npuscope_tables::{ConnectionId, LaneId, Ns, RankTables, Span, TableId};

/// A device slice that a call caused.
#[derive(Clone, Copy, Debug)]
pub struct Launched {
    pub start: Ns,
    pub end: Ns,
    pub us: f64,
    pub on_ai_core: bool,
}

/// An arrow from a call that launches to the device slice it launched.
pub struct Launch {
    pub call: Ns,
    pub lane: LaneId,
    pub start: Ns,
}

/// The arrows from host to device, the first of each id.
pub fn launching_calls(tables: &RankTables) -> impl Iterator<Item = Launch> {
    let mut kinds = Memo::default();
    let mut is_launch = move |kind| kinds.get(kind, || tables.text(kind) == "HostToDevice");
    let rows = tables.views::<flow::Row>().flat_map(|(view, rows)| {
        (0..rows).map(move |row| {
            let launch = || Some((view.src_time.get(row)?, view.dst_lane.get(row)?, view.dst_time.get(row)?));
            (view.kind.get(row), view.branch.get(row), launch())
        })
    });
    rows.filter_map(move |(kind, branch, launch)| {
        let (call, lane, start) = launch.filter(|_| branch != Some(true) && is_launch(kind))?;
        Some(Launch { call, lane, start })
    })
}

/// Device slices by the correlation id of the queue entry that caused them.
pub struct LaunchedByEntry {
    launched: Vec<Launched>,
    /// By correlation id: a range of `launched`.
    by_correlation: HashMap<ConnectionId, Range<usize>, FixedState>,
}

impl LaunchedByEntry {
    pub fn build(tables: &RankTables, had_queue: bool) -> LaunchedByEntry {
        let slices = device_slices(tables);
        let mut calls: Vec<(Ns, Launched)> = launching_calls(tables)
            .filter_map(|flow| Some((flow.call, *slices.get(&(flow.lane, flow.start))?)))
            .collect();
        calls.sort_by_key(|(call, _)| *call);
        let dequeues = dequeues(tables);
        let has_queue = had_queue || !dequeues.is_empty();
        let mut dequeues = dequeues.iter().peekable();
        let mut caused: Vec<(ConnectionId, Launched)> = Vec::new();
        for (call, launched) in calls {
            if !has_queue {
                caused.push((ConnectionId(call.0), launched));
            }
            while dequeues.next_if(|&&(_, end, _)| end < call).is_some() {}
            if let Some(&&(start, _, correlation)) = dequeues.peek()
                && start <= call
            {
                caused.push((correlation, launched));
            }
        }
        caused.sort_by_key(|(correlation, _)| *correlation);
        let mut by_correlation = HashMap::with_hasher(FixedState::default());
        let mut first = 0;
        for group in caused.chunk_by(|a, b| a.0 == b.0) {
            by_correlation.extend(group.first().map(|(correlation, _)| (*correlation, first..first + group.len())));
            first += group.len();
        }
        LaunchedByEntry { launched: caused.into_iter().map(|(_, launched)| launched).collect(), by_correlation }
    }

    pub fn of(&self, correlation: ConnectionId) -> &[Launched] {
        let range = self.by_correlation.get(&correlation).cloned().unwrap_or_default();
        self.launched.get(range).unwrap_or_default()
    }
}

/// Tasks and operations by lane and start.
fn device_slices(tables: &RankTables) -> HashMap<(LaneId, Ns), Launched, FixedState> {
    let count = tables.len(TableId::Task) + tables.len(TableId::CommOp);
    let mut slices = HashMap::with_capacity_and_hasher(count, FixedState::default());
    let mut add = |lane: LaneId, start: Ns, duration: Span, on_ai_core: bool| {
        let end = start.plus(duration.ns());
        slices.insert((lane, start), Launched { start, end, us: duration.us(), on_ai_core });
    };
    let mut cores = Memo::default();
    for (view, rows) in tables.views::<task::Row>() {
        for row in 0..rows {
            let kind = view.task_type.get(row);
            let on_ai_core = kind.is_some_and(|kind| cores.get(kind, || tables.text(kind) == "AI_CORE"));
            add(view.lane.get(row), view.start.get(row), view.duration.get(row), on_ai_core);
        }
    }
    for (view, rows) in tables.views::<comm_op::Row>() {
        (0..rows).for_each(|row| add(view.lane.get(row), view.start.get(row), view.duration.get(row), false));
    }
    slices
}

/// Start, end and correlation id of the entries as they were taken from the queue, by start.
fn dequeues(tables: &RankTables) -> Vec<(Ns, Ns, ConnectionId)> {
    let mut dequeues = Vec::new();
    let mut kinds = Memo::default();
    for (view, rows) in tables.views::<host_op::Row>() {
        for row in 0..rows {
            let kind = view.kind.get(row);
            if kinds.get(kind, || tables.text(kind) == Kind::Dequeue.name())
                && let Some(correlation) = view.connection_id.get(row)
            {
                let start = view.start.get(row);
                dequeues.push((start, start.plus(view.duration.get(row).ns()), correlation));
            }
        }
    }
    dequeues.sort_unstable();
    dequeues
}
