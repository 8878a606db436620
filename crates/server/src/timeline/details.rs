//! All that is known of a slice.

use npuscope_formats::timeline::{Fact, Kernels, facts};
use npuscope_measures::self_time::self_time;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{ShownSlice, Timeline};
use crate::answers::Slice;

/// A slice as lists show it. Times are ns from the origin of the profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ListedSlice {
    pub slice: u32,
    pub name: String,
    pub lane: u32,
    pub row: u32,
    pub begin: i64,
    pub end: i64,
}

impl Timeline {
    /// All that is known of a slice. Times are from `origin`: numbers of JavaScript are too coarse for ns since the epoch.
    pub fn details(&self, id: u32, origin: i64) -> Option<Slice> {
        let slice = self.slice(id)?;
        let (batch, row) = self.batch_of(id)?;
        let mut args = Map::new();
        self.add_facts(batch.columns.facts(row), &mut args);
        if let Some((columns, row)) = batch.task(row).and_then(|task| self.kernels().get(task)) {
            self.add_facts(columns.facts(row), &mut args);
        }
        let lane = self.lanes.list.get(slice.lane as usize)?;
        let process = self.lanes.processes.get(lane.process)?;
        Some(Slice {
            id,
            name: self.name(&slice).to_owned(),
            begin: slice.begin - origin,
            end: slice.end - origin,
            row: slice.row,
            lane: slice.lane,
            lane_name: lane.name.clone(),
            layer: lane.layer,
            process: process.name.clone(),
            table: batch.category(),
            self_ns: self.self_time(&slice),
            args,
            flows: self.flows_of(id, origin),
        })
    }

    /// Kernels by task.
    pub(super) fn kernels(&self) -> &Kernels {
        self.kernels.get_or_init(|| Kernels::of(&self.tables))
    }

    fn add_facts(&self, facts: impl Iterator<Item = (&'static str, Fact)>, args: &mut Map<String, Value>) {
        for (name, fact) in facts {
            let value = match fact {
                Fact::Int(number) => number.into(),
                Fact::Real(real) => real.into(),
                Fact::Bool(is) => is.into(),
                Fact::Text(text) => {
                    let text = self.tables.text(text);
                    if name == facts::ARGS
                        && let Ok(members) = serde_json::from_str::<Map<String, Value>>(text)
                    {
                        args.extend(members);
                        continue;
                    }
                    text.into()
                }
            };
            args.insert(name.to_owned(), value);
        }
    }

    /// The time of a slice in which none is open on the row below it.
    pub fn self_time(&self, slice: &ShownSlice) -> i64 {
        let rows = self.rows(slice.lane as usize);
        let below = rows.start + slice.row + 1;
        let inside = if below < rows.end { self.slices_in(below, slice.begin, slice.end) } else { 0..0 };
        self_time(self.interval(slice.id), inside.map(|inner| self.interval(inner)))
    }

    /// A slice as lists show it, with times from `origin`.
    pub fn listed(&self, slice: &ShownSlice, origin: i64) -> ListedSlice {
        ListedSlice {
            slice: slice.id,
            name: self.name(slice).to_owned(),
            lane: slice.lane,
            row: slice.row,
            begin: slice.begin - origin,
            end: slice.end - origin,
        }
    }
}
