//! The timeline of a rank, ready to be drawn: every slice on a row of its lane, at every level of detail.

pub mod pyramid;
pub mod rows;
pub mod statistics;
pub mod tile;

use std::sync::OnceLock;

use hashbrown::HashMap;
use npuscope_formats::intervals::Interval;
use npuscope_formats::timeline::{Arrow, Arrows, Counters, Fact, Kernels, Lanes, SliceBatch, SliceName, Slices, facts};
use npuscope_tables::RankTables;
use serde_json::{Map, Value, json};

use pyramid::{Bar, Pyramid};
use rows::Rows;

/// The timeline of a rank.
pub struct Timeline {
    tables: RankTables,
    lanes: Lanes,
    batches: Vec<SliceBatch>,
    /// All slices, lane by lane in order of begin. A slice is known by its place here.
    slices: Vec<ShownSlice>,
    /// What slices are called.
    names: Vec<String>,
    shown: Vec<ShownLane>,
    counters: Counters,
    kernels: OnceLock<Kernels>,
    arrows: OnceLock<ArrowsOfSlices>,
}

/// A slice on its row.
#[derive(Clone, Copy, Debug)]
pub struct ShownSlice {
    pub begin: i64,
    pub end: i64,
    /// Index into the names.
    pub name: u32,
    pub lane: u32,
    pub row: u32,
    batch: u32,
    row_of_batch: u32,
}

impl ShownSlice {
    pub fn length(&self) -> i64 {
        self.end - self.begin
    }
}

/// A lane with its rows.
struct ShownLane {
    /// Its part of the slices.
    first: u32,
    last: u32,
    rows: Vec<Pyramid>,
}

/// Arrows by slice.
struct ArrowsOfSlices {
    list: Vec<Arrow>,
    /// Slice and arrow, in order.
    by_slice: Vec<(u32, u32)>,
}

impl Timeline {
    pub fn of(tables: RankTables) -> Timeline {
        let lanes = Lanes::of(&tables);
        let Slices { list, batches } = Slices::of(&tables, &lanes, None);
        let mut numbers: HashMap<SliceName, u32> = HashMap::new();
        let mut names = Vec::new();
        let mut slices = Vec::with_capacity(list.len());
        let mut shown: Vec<ShownLane> = Vec::with_capacity(lanes.list.len());
        let mut rest = list.as_slice();
        for lane in 0..lanes.list.len() {
            let (of_lane, after) = rest.split_at(rest.partition_point(|slice| slice.lane == lane));
            rest = after;
            let first = number(slices.len());
            let mut places = Rows::default();
            let mut bars: Vec<Vec<Bar>> = Vec::new();
            for slice in of_lane {
                let Some(batch) = batches.get(slice.batch) else { continue };
                let name = batch.name(slice.row, &tables);
                let name = *numbers.entry(name).or_insert_with(|| {
                    names.push(name.text(&tables).into_owned());
                    number(names.len() - 1)
                });
                let row = places.place(slice.begin, slice.end);
                if bars.len() <= row as usize {
                    bars.resize_with(row as usize + 1, Vec::new);
                }
                let bar = Bar {
                    begin: slice.begin,
                    end: slice.end,
                    slice: number(slices.len()),
                    count: 1,
                    longest: slice.end - slice.begin,
                };
                if let Some(bars) = bars.get_mut(row as usize) {
                    bars.push(bar);
                }
                slices.push(ShownSlice {
                    begin: slice.begin,
                    end: slice.end,
                    name,
                    lane: number(lane),
                    row,
                    batch: number(slice.batch),
                    row_of_batch: number(slice.row),
                });
            }
            let rows = bars.into_iter().map(Pyramid::of).collect();
            shown.push(ShownLane { first, last: number(slices.len()), rows });
        }
        let counters = Counters::of(&tables, &lanes, None);
        let (kernels, arrows) = (OnceLock::new(), OnceLock::new());
        Timeline { tables, lanes, batches, slices, names, shown, counters, kernels, arrows }
    }

    pub fn slices(&self) -> &[ShownSlice] {
        &self.slices
    }

    pub fn name(&self, slice: &ShownSlice) -> &str {
        self.names.get(slice.name as usize).map(String::as_str).unwrap_or_default()
    }

    /// What slices are called.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The time from the first to the last of it.
    pub fn span(&self) -> Option<Interval> {
        let times = self.slices.iter().map(|slice| (slice.begin, slice.end));
        let samples = self.counters.samples.iter().map(|sample| (sample.time, sample.time));
        let around = |a: (i64, i64), b: (i64, i64)| (a.0.min(b.0), a.1.max(b.1));
        times.chain(samples).reduce(around).map(|(start, end)| Interval::new(start, end))
    }

    /// The slices of a lane.
    pub fn of_lane(&self, lane: usize) -> &[ShownSlice] {
        let range = self.shown.get(lane).map_or(0..0, |lane| lane.first as usize..lane.last as usize);
        self.slices.get(range).unwrap_or_default()
    }

    /// Processes, lanes and counters, as the lane tree shows them.
    pub fn describe(&self) -> Value {
        let processes: Vec<Value> = self
            .lanes
            .processes
            .iter()
            .map(|process| json!({"name": process.name, "pid": process.pid, "labels": process.labels}))
            .collect();
        let lanes = self.lanes.list.iter().zip(&self.shown).enumerate().filter(|(_, (_, shown))| !shown.rows.is_empty());
        let lanes: Vec<Value> = lanes
            .map(|(id, (lane, shown))| {
                json!({
                    "id": id, "process": lane.process, "name": lane.name, "tid": lane.tid,
                    "rows": shown.rows.len(), "slices": shown.last - shown.first,
                })
            })
            .collect();
        let counters = self.counters.list.iter().enumerate().map(|(id, counter)| {
            let process = self.lanes.list.get(counter.lane).map(|lane| lane.process);
            let unit = self.tables.opt_text(counter.unit);
            json!({"id": id, "process": process, "name": counter.text(&self.tables), "unit": unit})
        });
        json!({"processes": processes, "lanes": lanes, "counters": counters.collect::<Vec<_>>()})
    }

    /// All that is known of a slice. Times are from `origin`: numbers of JavaScript are too coarse for ns since the epoch.
    pub fn details(&self, id: usize, origin: i64) -> Option<Value> {
        let slice = self.slices.get(id)?;
        let batch = self.batches.get(slice.batch as usize)?;
        let row = slice.row_of_batch as usize;
        let mut args = Map::new();
        self.add_facts(batch.columns.facts(row), &mut args);
        let kernels = self.kernels.get_or_init(|| Kernels::of(&self.tables));
        if let Some((columns, row)) = batch.task(row).and_then(|task| kernels.get(task)) {
            self.add_facts(columns.facts(row), &mut args);
        }
        let lane = self.lanes.list.get(slice.lane as usize)?;
        let process = self.lanes.processes.get(lane.process)?;
        Some(json!({
            "id": id, "name": self.name(slice), "begin": slice.begin - origin, "end": slice.end - origin,
            "row": slice.row, "lane": slice.lane, "lane_name": lane.name, "process": process.name, "table": batch.category(),
            "self_ns": self.self_time(id), "args": args, "flows": self.flows(id, origin),
        }))
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

    /// The time of a slice in which none is open on the rows below it.
    pub fn self_time(&self, id: usize) -> i64 {
        let Some(slice) = self.slices.get(id) else { return 0 };
        let Some(lane) = self.shown.get(slice.lane as usize) else { return 0 };
        let Some(below) = lane.rows.get(slice.row as usize + 1) else { return slice.length() };
        let inside = below.bars(0, slice.begin, slice.end).iter();
        let covered: i64 = inside.map(|bar| bar.end.min(slice.end) - bar.begin.max(slice.begin)).sum();
        slice.length() - covered
    }

    /// The other ends of the arrows of a slice.
    fn flows(&self, id: usize, origin: i64) -> Vec<Value> {
        let arrows = self.arrows();
        let first = arrows.by_slice.partition_point(|(slice, _)| (*slice as usize) < id);
        let of_slice = arrows.by_slice.iter().skip(first).take_while(|(slice, _)| *slice as usize == id);
        let ends = of_slice.filter_map(|(_, arrow)| arrows.list.get(*arrow as usize));
        ends.filter_map(|arrow| {
            let is_outgoing = arrow.source == id;
            let other = if is_outgoing { arrow.target } else { arrow.source };
            let slice = self.slices.get(other)?;
            Some(json!({
                "kind": self.tables.text(arrow.kind), "outgoing": is_outgoing, "slice": other, "name": self.name(slice),
                "lane": slice.lane, "row": slice.row, "begin": slice.begin - origin, "end": slice.end - origin,
            }))
        })
        .collect()
    }

    fn arrows(&self) -> &ArrowsOfSlices {
        self.arrows.get_or_init(|| {
            let Slices { list, .. } = Slices::of(&self.tables, &self.lanes, None);
            let arrows = Arrows::of(&self.tables, &list, &self.lanes, None).list;
            let ends = arrows.iter().zip(0..).flat_map(|(arrow, at)| [(arrow.source, at), (arrow.target, at)]);
            let mut by_slice: Vec<(u32, u32)> = ends.map(|(slice, at)| (number(slice), at)).collect();
            by_slice.sort_unstable();
            by_slice.dedup();
            ArrowsOfSlices { list: arrows, by_slice }
        })
    }
}

/// Slices are counted by 32 bits: more do not fit into memory.
fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
