//! Which device work a queue entry caused.
//!
//! A dequeue runs the CANN calls of its entry; arrows lead from CANN calls to device slices. So an
//! arrow that leaves within a dequeue gives its target to the entry of the same correlation id. Without
//! a queue the calls themselves are the entries, and their times stand for correlation ids.

use hashbrown::HashMap;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::{comm_op, flow, task};
use npuscope_tables::{Ns, RankTables};

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
    pub lane: u32,
    pub start: Ns,
}

/// The arrows from host to device, the first of each id.
pub fn launching_calls(tables: &RankTables) -> impl Iterator<Item = Launch> {
    tables
        .rows::<flow::Row>()
        .filter(|row| tables.text(row.kind) == "HostToDevice" && row.branch != Some(true))
        .filter_map(|row| Some(Launch { call: row.src_time?, lane: row.dst_lane?, start: row.dst_time? }))
}

/// Device slices by the correlation id of the queue entry that caused them.
pub struct LaunchedByEntry {
    by_correlation: HashMap<i64, Vec<Launched>>,
}

impl LaunchedByEntry {
    pub fn build(tables: &RankTables) -> LaunchedByEntry {
        let mut slices: HashMap<(u32, Ns), Launched> = HashMap::new();
        for row in tables.rows::<task::Row>() {
            let on_ai_core = tables.opt_text(row.task_type) == Some("AI_CORE");
            let end = row.start.plus(row.duration.ns());
            slices.insert((row.lane, row.start), Launched { start: row.start, end, us: row.duration.us(), on_ai_core });
        }
        for row in tables.rows::<comm_op::Row>() {
            let end = row.start.plus(row.duration.ns());
            let launched = Launched { start: row.start, end, us: row.duration.us(), on_ai_core: false };
            slices.insert((row.lane, row.start), launched);
        }
        let mut calls: Vec<(Ns, Launched)> = launching_calls(tables)
            .filter_map(|flow| Some((flow.call, *slices.get(&(flow.lane, flow.start))?)))
            .collect();
        calls.sort_by_key(|(call, _)| *call);
        let mut dequeues: Vec<(Ns, Ns, i64)> = tables
            .rows::<host_op::Row>()
            .filter(|row| tables.text(row.kind) == Kind::Dequeue.name())
            .filter_map(|row| Some((row.start, row.start.plus(row.duration.ns()), row.connection_id?)))
            .collect();
        dequeues.sort_unstable();
        let mut by_correlation: HashMap<i64, Vec<Launched>> = HashMap::new();
        let has_queue = !dequeues.is_empty();
        let mut dequeues = dequeues.iter().peekable();
        for (call, launched) in calls {
            if !has_queue {
                by_correlation.entry(call.0).or_default().push(launched);
            }
            while dequeues.next_if(|&&(_, end, _)| end < call).is_some() {}
            if let Some(&&(start, _, correlation)) = dequeues.peek()
                && start <= call
            {
                by_correlation.entry(correlation).or_default().push(launched);
            }
        }
        LaunchedByEntry { by_correlation }
    }

    pub fn of(&self, correlation: i64) -> &[Launched] {
        self.by_correlation.get(&correlation).map(Vec::as_slice).unwrap_or_default()
    }
}
