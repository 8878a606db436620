//! The lanes of a run that no trace has named: what CANN and the frameworks would call them.

use hashbrown::HashMap;
use npuscope_tables::table::lane::{self, Layer};
use npuscope_tables::{LaneId, RankBuilder};

/// A layer of the timeline: the name of its process, where it sorts, and whether it is on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerSpec {
    pub process: &'static str,
    pub sort: i64,
    pub on_device: bool,
    pub layer: Layer,
}

const fn device(process: &'static str, sort: i64, layer: Layer) -> LayerSpec {
    LayerSpec { process, sort, on_device: true, layer }
}

impl LayerSpec {
    fn lane(self, pid: i64, tid: i64, device: i64, thread: Option<String>) -> LaneText {
        LaneText {
            pid,
            tid,
            process: self.process.to_owned(),
            thread_sort: thread.is_some().then_some(tid),
            thread,
            label: if self.on_device { format!("NPU {device}") } else { "CPU".to_owned() },
            process_sort: self.sort,
            layer: self.layer,
        }
    }
}

pub const CANN: LayerSpec = LayerSpec { process: "CANN", sort: 7, on_device: false, layer: Layer::Cann };
pub const OS_RUNTIME: LayerSpec =
    LayerSpec { process: "OS Runtime API", sort: 13, on_device: false, layer: Layer::Other };
pub const MSTX: LayerSpec = LayerSpec { process: "python", sort: 6, on_device: false, layer: Layer::Mstx };
/// Values that the training process and its recorder sampled.
pub const HOST_COUNTERS: LayerSpec =
    LayerSpec { process: "Host Counters", sort: 8, on_device: false, layer: Layer::Counter };
pub const HARDWARE: LayerSpec = device("Ascend Hardware", 14, Layer::Hardware);
pub const AI_CORE_FREQ: LayerSpec = device("AI Core Freq", 15, Layer::Counter);
pub const COMMUNICATION: LayerSpec = device("Communication", 16, Layer::Communication);
pub const NPU_MEM: LayerSpec = device("NPU MEM", 17, Layer::Counter);
pub const ACC_PMU: LayerSpec = device("Acc PMU", 19, Layer::Counter);
pub const HCCS: LayerSpec = device("HCCS", 20, Layer::Counter);
pub const HBM: LayerSpec = device("HBM", 24, Layer::Counter);
pub const SOC: LayerSpec = device("Stars Soc Info", 25, Layer::Counter);
pub const LLC: LayerSpec = device("LLC", 27, Layer::Counter);
pub const QOS: LayerSpec = device("QoS", 29, Layer::Counter);
pub const OVERLAP: LayerSpec = device("Overlap Analysis", 31, Layer::Overlap);

/// The device number of what is on the host.
const HOST: i64 = 31;

/// Hands out lane numbers and remembers what they are.
pub struct Lanes {
    process: i64,
    index: HashMap<(i64, i64), LaneId>,
    rows: Vec<LaneText>,
    recorded: usize,
}

struct LaneText {
    pid: i64,
    tid: i64,
    process: String,
    thread: Option<String>,
    label: String,
    process_sort: i64,
    thread_sort: Option<i64>,
    layer: Layer,
}

impl Lanes {
    /// Lanes of the training process with that id.
    pub fn new(process: i64) -> Lanes {
        Lanes { process, index: HashMap::new(), rows: Vec::new(), recorded: 0 }
    }

    /// A thread of the framework; `thread` is process id << 32 | thread id.
    pub fn framework(&mut self, thread: i64) -> LaneId {
        let (pid, tid) = (thread >> 32, thread & 0xffff_ffff);
        self.lane(pid, tid, || LaneText {
            pid,
            tid,
            process: "Python".to_owned(),
            thread: Some(format!("Thread {tid}")),
            label: "CPU".to_owned(),
            process_sort: 0,
            thread_sort: Some(tid),
            layer: Layer::Framework,
        })
    }

    /// A thread in garbage collection.
    pub fn garbage_collection(&mut self, thread: i64) -> LaneId {
        self.host_layer(LayerSpec { process: "Python GC", sort: 1, on_device: false, layer: Layer::Gc }, thread)
    }

    /// A thread of a layer on the host.
    pub fn host_layer(&mut self, spec: LayerSpec, thread: i64) -> LaneId {
        let (process, tid) = (thread >> 32, thread & 0xffff_ffff);
        let pid = process << 10 | spec.sort << 5 | HOST;
        self.lane(pid, tid, || spec.lane(pid, tid, HOST, Some(format!("Thread {tid}"))))
    }

    /// The counters of a process on the host.
    pub fn host_counters(&mut self, process: i64) -> LaneId {
        let pid = process << 10 | HOST_COUNTERS.sort << 5 | HOST;
        self.lane(pid, 0, || HOST_COUNTERS.lane(pid, 0, HOST, None))
    }

    /// Says which process the layers of devices are numbered by.
    pub fn set_process(&mut self, process: i64) {
        self.process = process;
    }

    /// Lane number `tid` of a layer of a device; `thread` names it when it is new.
    pub fn device_layer(
        &mut self,
        spec: LayerSpec,
        device: i64,
        tid: i64,
        thread: impl FnOnce() -> Option<String>,
    ) -> LaneId {
        let pid = self.process << 10 | spec.sort << 5 | device;
        self.lane(pid, tid, || spec.lane(pid, tid, device, thread()))
    }

    /// A communication group of the host, by its number among those of the process.
    pub fn host_group(&mut self, number: i64, thread: impl FnOnce() -> Option<String>) -> LaneId {
        let spec = LayerSpec { on_device: false, ..COMMUNICATION };
        let pid = self.process << 10 | spec.sort << 5 | HOST;
        self.lane(pid, number, || spec.lane(pid, number, HOST, thread()))
    }

    /// A stream of a device.
    pub fn stream(&mut self, device: i64, stream: i64) -> LaneId {
        self.device_layer(HARDWARE, device, stream, || Some(format!("Stream {stream}")))
    }

    fn lane(&mut self, pid: i64, tid: i64, make: impl FnOnce() -> LaneText) -> LaneId {
        *self.index.entry((pid, tid)).or_insert_with(|| {
            self.rows.push(make());
            LaneId(u32::try_from(self.rows.len() - 1).unwrap_or(u32::MAX))
        })
    }

    /// Writes the rows of `lane` that are new since the last time.
    pub fn record(&mut self, rank: &mut RankBuilder) {
        for (number, text) in (0u32..).zip(&self.rows).skip(self.recorded) {
            let row = lane::Row {
                lane: LaneId(number),
                layer: rank.strings.intern(text.layer.name()),
                pid: text.pid,
                tid: text.tid,
                process: Some(rank.strings.intern(&text.process)),
                thread: text.thread.as_deref().map(|t| rank.strings.intern(t)),
                label: Some(rank.strings.intern(&text.label)),
                process_sort: Some(text.process_sort),
                thread_sort: text.thread_sort,
                ..lane::Row::default()
            };
            rank.lane.push(row);
        }
        self.recorded = self.rows.len();
    }
}
