//! The lanes of a trace: who they are, from the metadata events that may stand anywhere in the file.

use hashbrown::HashMap;
use npuscope_tables::table::lane::{self, Layer};
use npuscope_tables::{Interner, LaneId, RankBuilder};

use super::event::{Events, LaneKey, Phase, TraceId};
use super::text::Cursor;

/// A lane of the whole file.
#[derive(Clone, Debug)]
pub struct Lane {
    pub pid: Id,
    pub tid: Id,
    pub thread: Option<String>,
    pub thread_sort: Option<i64>,
    /// Index into [`Lanes::processes`].
    pub process: usize,
    pub layer: Layer,
}

#[derive(Clone, Debug, Default)]
pub struct Process {
    pub name: Option<String>,
    pub label: Option<String>,
    pub sort: Option<i64>,
}

/// A process or thread id, free of the interner it was read with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    Number(i64),
    Text(String),
}

impl Id {
    fn new(id: TraceId, strings: &Interner) -> Id {
        match id {
            TraceId::Number(number) => Id::Number(number),
            TraceId::Text(text) => Id::Text(strings.get(text).to_owned()),
        }
    }

    /// The number; 0 where it is text.
    pub fn number(&self) -> i64 {
        match self {
            Id::Number(number) => *number,
            Id::Text(_) => 0,
        }
    }

    fn text(&self) -> Option<&str> {
        match self {
            Id::Number(_) => None,
            Id::Text(text) => Some(text),
        }
    }
}

/// All lanes of a file, numbered in the order in which the file first names them.
#[derive(Default)]
pub struct Lanes {
    pub lanes: Vec<Lane>,
    pub processes: Vec<Process>,
    lane_index: HashMap<(Id, Id), LaneId>,
    process_index: HashMap<Id, usize>,
}

impl Lanes {
    /// Takes in the lanes and metadata of a stretch of the file; the result maps its lanes to ours.
    pub fn absorb(&mut self, bytes: &[u8], events: &Events) -> Vec<LaneId> {
        let map: Vec<LaneId> = events.lanes.iter().map(|&key| self.lane(key, &events.strings)).collect();
        for event in events.blocks.iter().flatten().filter(|e| e.phase == Phase::Metadata) {
            let Some(lane) = map.get(event.lane as usize).and_then(|&l| self.lanes.get_mut(l.index())) else {
                continue;
            };
            let Some(process) = self.processes.get_mut(lane.process) else { continue };
            let args = Args::read(bytes, event.text_start);
            match events.strings.get(event.name) {
                "process_name" => process.name = args.name.or(process.name.take()),
                "process_labels" => process.label = args.labels.or(process.label.take()),
                "process_sort_index" => process.sort = args.sort_index.or(process.sort),
                "thread_name" => lane.thread = args.name.or(lane.thread.take()),
                "thread_sort_index" => lane.thread_sort = args.sort_index.or(lane.thread_sort),
                _ => {}
            }
        }
        map
    }

    /// To be called when the whole file was absorbed: what the lanes show, by name and label of their process.
    pub fn classify(&mut self, layer_of: impl Fn(Option<&str>, Option<&str>) -> Layer) {
        for lane in &mut self.lanes {
            if let Some(process) = self.processes.get(lane.process) {
                lane.layer = layer_of(process.name.as_deref(), process.label.as_deref());
            }
        }
    }

    /// Adds a communication lane that the file does not have, or finds it: the thread called `thread` of the process
    /// with the id `pid`.
    pub fn add(&mut self, pid: &str, process: Process, thread: String) -> LaneId {
        let lane = self.lane_of(Id::Text(pid.to_owned()), Id::Text(thread.clone()));
        if let Some(row) = self.lanes.get_mut(lane.index()) {
            (row.thread, row.layer) = (Some(thread), Layer::Communication);
            if let Some(known) = self.processes.get_mut(row.process) {
                *known = process;
            }
        }
        lane
    }

    pub fn layer(&self, lane: LaneId) -> Layer {
        self.lanes.get(lane.index()).map_or(Layer::Other, |l| l.layer)
    }

    pub fn get(&self, lane: LaneId) -> Option<&Lane> {
        self.lanes.get(lane.index())
    }

    /// Writes the rows of `lane`.
    pub fn record(&self, rank: &mut RankBuilder) {
        for (number, lane) in (0u32..).zip(&self.lanes) {
            let process = self.processes.get(lane.process).cloned().unwrap_or_default();
            let mut intern = |text: Option<&str>| text.map(|t| rank.strings.intern(t));
            let row = lane::Row {
                lane: LaneId(number),
                layer: intern(Some(lane.layer.name())).unwrap_or_default(),
                pid: lane.pid.number(),
                tid: lane.tid.number(),
                pid_text: intern(lane.pid.text()),
                tid_text: intern(lane.tid.text()),
                process: intern(process.name.as_deref()),
                thread: intern(lane.thread.as_deref()),
                label: intern(process.label.as_deref()),
                process_sort: process.sort,
                thread_sort: lane.thread_sort,
            };
            rank.lane.push(row);
        }
    }

    fn lane(&mut self, key: LaneKey, strings: &Interner) -> LaneId {
        self.lane_of(Id::new(key.pid, strings), Id::new(key.tid, strings))
    }

    fn lane_of(&mut self, pid: Id, tid: Id) -> LaneId {
        if let Some(&lane) = self.lane_index.get(&(pid.clone(), tid.clone())) {
            return lane;
        }
        let process = *self.process_index.entry(pid.clone()).or_insert_with(|| {
            self.processes.push(Process::default());
            self.processes.len() - 1
        });
        let lane = LaneId(u32::try_from(self.lanes.len()).unwrap_or(u32::MAX));
        self.lane_index.insert((pid.clone(), tid.clone()), lane);
        self.lanes.push(Lane { pid, tid, thread: None, thread_sort: None, process, layer: Layer::Other });
        lane
    }
}

/// The arguments of a metadata event.
#[derive(Default)]
struct Args {
    name: Option<String>,
    labels: Option<String>,
    sort_index: Option<i64>,
}

impl Args {
    fn read(bytes: &[u8], start: u64) -> Args {
        let mut args = Args::default();
        let Ok(start) = usize::try_from(start) else { return args };
        // A metadata event whose arguments are no object says nothing.
        let _ = Cursor::new(bytes, start).members(|key, cursor| {
            let text = |cursor: &mut Cursor<'_>| {
                (cursor.peek() == b'"')
                    .then(|| cursor.string().map(|s| String::from_utf8_lossy(&s.unescaped()).into_owned()))
                    .flatten()
            };
            match key.bytes {
                b"name" if cursor.peek() == b'"' => args.name = Some(text(cursor)?),
                b"labels" if cursor.peek() == b'"' => args.labels = Some(text(cursor)?),
                b"sort_index" if cursor.peek() != b'"' => {
                    let number = std::str::from_utf8(cursor.scalar()?).ok();
                    args.sort_index = number.and_then(|n| n.parse().ok());
                }
                _ => cursor.skip_value()?,
            }
            Some(())
        });
        args
    }
}
