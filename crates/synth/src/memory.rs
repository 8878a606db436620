//! The allocator: outputs of forward kernels live until the backward pass, others until the next kernel.

use npuscope_tables::table::{mem_event, mem_sample};
use npuscope_tables::{Interner, Ns, RankBuilder};

use crate::config::JobConfig;
use crate::program::Kernel;
use crate::simulate::Timed;

/// Blocks are a multiple of this.
const BLOCK: u64 = 512;
/// Weights and optimizer state, in place before the first step.
const RESIDENT: u64 = 24 << 30;
const RESERVED: u64 = 52 << 30;
const STREAM_PTR: i64 = 94_509_039_890_976;

/// Takes notes of allocations.
pub struct Allocator {
    start: i64,
    allocated: u64,
    /// Allocations of forward kernels, by index into `events`.
    held: Vec<usize>,
    /// The last backward allocation.
    transient: Option<usize>,
    pub events: Vec<Event>,
    pub samples: Vec<Sample>,
}

/// An allocation.
pub struct Event {
    name: &'static str,
    bytes: u64,
    start: Ns,
    allocated: u64,
    release: Option<(Ns, u64)>,
}

/// A point on a memory curve.
pub enum Sample {
    Allocator { time: Ns, allocated: u64 },
    Process { time: Ns, bytes: u64 },
}

impl Allocator {
    pub fn new(config: &JobConfig) -> Allocator {
        Allocator {
            start: config.start,
            allocated: RESIDENT,
            held: Vec::new(),
            transient: None,
            events: Vec::new(),
            samples: Vec::new(),
        }
    }

    /// The output of a kernel, allocated when the host calls it.
    pub fn kernel(&mut self, timed: &Timed, kernel: &Kernel, call: Ns) {
        let bytes = (2 * kernel.output.iter().product::<u64>()).next_multiple_of(BLOCK);
        let time = call.plus(1_000);
        self.release(self.transient, call.plus(500));
        self.transient = None;
        if kernel.is_backward {
            let last = self.held.pop();
            self.release(last, call.plus(700));
        }
        self.allocated += bytes;
        self.samples.push(Sample::Allocator { time, allocated: self.allocated });
        self.events.push(Event { name: kernel.op, bytes, start: time, allocated: self.allocated, release: None });
        let index = self.events.len() - 1;
        if kernel.is_backward || timed.action_is_update() {
            self.transient = Some(index);
        } else {
            self.held.push(index);
        }
    }

    /// A sample of the memory of the whole process.
    pub fn process(&mut self, at: u64, bytes: u64) {
        let time = Ns(self.start.saturating_add(i64::try_from(at).unwrap_or(i64::MAX)));
        self.samples.push(Sample::Process { time, bytes });
    }

    fn release(&mut self, index: Option<usize>, time: Ns) {
        let Some(event) = index.and_then(|index| self.events.get_mut(index)) else { return };
        self.allocated -= event.bytes;
        event.release = Some((time, self.allocated));
        self.samples.push(Sample::Allocator { time, allocated: self.allocated });
    }
}

fn int(bytes: u64) -> Option<i64> {
    i64::try_from(bytes).ok()
}

impl Event {
    pub fn row(&self, strings: &mut Interner, _: &JobConfig, device: i64) -> mem_event::Row {
        let release = self.release.map(|(time, _)| time);
        let after = self.release.and_then(|(_, allocated)| int(allocated));
        let duration = release.map(|time| time.since(self.start));
        mem_event::Row {
            kind: strings.intern("operator"),
            name: strings.intern(self.name),
            bytes: int(self.bytes),
            start: Some(self.start),
            release,
            active_release: release,
            duration,
            active_duration: duration,
            start_allocated: int(self.allocated),
            start_reserved: int(RESERVED),
            start_active: int(self.allocated),
            release_allocated: after,
            release_reserved: after.and(int(RESERVED)),
            release_active: after,
            stream_ptr: Some(STREAM_PTR),
            device: Some(device),
            ..mem_event::Row::default()
        }
    }
}

impl Sample {
    /// The allocator's own row and the sum over components that the peers add to each.
    pub fn record(&self, rank: &mut RankBuilder, _: &JobConfig, device: i64) {
        let kind = rank.strings.intern("allocator");
        match *self {
            Sample::Process { time, bytes } => {
                let component = rank.strings.intern("APP");
                let row = mem_sample::Row {
                    kind,
                    component,
                    time,
                    reserved: int(bytes),
                    device: Some(device),
                    ..mem_sample::Row::default()
                };
                rank.mem_sample.push(row);
            }
            Sample::Allocator { time, allocated } => {
                for component in ["PTA", "PTA+GE"] {
                    let component = rank.strings.intern(component);
                    rank.mem_sample.push(mem_sample::Row {
                        kind,
                        component,
                        time,
                        allocated: int(allocated),
                        reserved: int(RESERVED),
                        active: int(allocated),
                        stream_ptr: Some(STREAM_PTR),
                        device: Some(device),
                        ..mem_sample::Row::default()
                    });
                }
            }
        }
    }
}
