//! How long the CANN calls of a rank took.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::task;
use npuscope_tables::{ConnectionId, Ns, RankTables, Str};

use crate::cluster::RankData;
use crate::extract::Text;

/// How often a call was made, and how long it took, in ns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallTime {
    pub name: Text,
    pub count: i64,
    pub total: i64,
    pub min: i64,
    pub max: i64,
}

impl CallTime {
    /// Mean time, in ns: `total / count`.
    pub fn mean(&self) -> f64 {
        self.total as f64 / self.count as f64
    }
}

/// Adds up times by name.
#[derive(Default)]
struct CallTimes {
    by_name: HashMap<Str, CallTime, FixedState>,
}

impl CallTimes {
    fn add(&mut self, name: Str, ns: i64) {
        let nothing = || CallTime { name: Text::default(), count: 0, total: 0, min: ns, max: ns };
        let time = self.by_name.entry(name).or_insert_with(nothing);
        time.count += 1;
        time.total += ns;
        (time.min, time.max) = (time.min.min(ns), time.max.max(ns));
    }

    /// With their names, the greatest total first, then by name.
    fn named(self, tables: &RankTables) -> Vec<CallTime> {
        let named = self.by_name.into_iter().map(|(name, time)| CallTime { name: tables.text(name).into(), ..time });
        let mut calls: Vec<CallTime> = named.collect();
        calls.sort_by(|a, b| b.total.cmp(&a.total).then_with(|| a.name.cmp(&b.name)));
        calls
    }
}

/// Start, duration, name and connection of each CANN call.
fn each_call(tables: &RankTables, mut take: impl FnMut(Ns, i64, Str, Option<ConnectionId>)) {
    let mut kinds = Memo::default();
    for (view, rows) in tables.views::<host_op::Row>() {
        for row in 0..rows {
            let kind = view.kind.get(row);
            if kinds.get(kind, || tables.text(kind) == Kind::Cann.name()) {
                let ns = view.duration.get(row).ns();
                take(view.start.get(row), ns, view.name.get(row), view.connection_id.get(row));
            }
        }
    }
}

/// The time of each call, by name.
pub fn calls(data: &RankData<'_>) -> Vec<CallTime> {
    let mut times = CallTimes::default();
    each_call(&data.tables, |start, ns, name, _| {
        if data.has_moment(start) {
            times.add(name, ns);
        }
    });
    times.named(&data.tables)
}

/// The time of each task, by the name of the call that launched it.
pub fn calls_as_peer(tables: &RankTables) -> Vec<CallTime> {
    let mut names: HashMap<ConnectionId, Str, FixedState> = HashMap::default();
    each_call(tables, |_, _, name, connection| names.extend(connection.map(|connection| (connection, name))));
    let mut times = CallTimes::default();
    for (view, rows) in tables.views::<task::Row>() {
        for row in 0..rows {
            if let Some(name) = view.connection_id.get(row).and_then(|connection| names.get(&connection)) {
                times.add(*name, view.duration.get(row).ns());
            }
        }
    }
    times.named(tables)
}
