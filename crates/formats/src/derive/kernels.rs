//! Which device work a queue entry caused.
//!
//! A dequeue runs the CANN calls of its entry; arrows lead from CANN calls to device slices. So an
//! arrow that leaves within a dequeue gives its target to the entry of the same correlation id.

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
        let mut calls: Vec<(Ns, Launched)> = tables
            .rows::<flow::Row>()
            .filter(|row| tables.text(row.kind) == "HostToDevice" && row.branch != Some(true))
            .filter_map(|row| Some((row.src_time?, *slices.get(&(row.dst_lane?, row.dst_time?))?)))
            .collect();
        calls.sort_by_key(|(call, _)| *call);
        let mut dequeues: Vec<(Ns, Ns, i64)> = tables
            .rows::<host_op::Row>()
            .filter(|row| tables.text(row.kind) == Kind::Dequeue.name())
            .filter_map(|row| Some((row.start, row.start.plus(row.duration.ns()), row.connection_id?)))
            .collect();
        dequeues.sort_unstable();
        let mut by_correlation: HashMap<i64, Vec<Launched>> = HashMap::new();
        let mut dequeues = dequeues.iter().peekable();
        for (call, launched) in calls {
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
