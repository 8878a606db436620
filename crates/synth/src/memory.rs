//! Memory of the device: tensors, and the allocator that keeps blocks for them.
//!
//! The allocator works as the frameworks' do: it asks the device for segments, cuts them into blocks, takes
//! the smallest free block that fits, and joins free neighbours. What it holds but nobody uses is lost to
//! others: reserved less allocated.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use npuscope_tables::table::{mem_event, mem_sample};
use npuscope_tables::{Interner, Ns, RankBuilder};

use crate::blocks::{Block, Blocks};
use crate::config::{JobConfig, Recompute};
use crate::fault::{Fault, FaultKind};
use crate::kernels::Pass;
use crate::play::KernelRun;

/// Blocks are a multiple of this.
const BLOCK: u64 = 512;
/// Tensors up to this come from small segments.
const SMALL: u64 = 1 << 20;
const SMALL_SEGMENT: u64 = 2 << 20;
/// Tensors up to this share large segments; greater ones have one of their own.
const MEDIUM: u64 = 10 << 20;
const MEDIUM_SEGMENT: u64 = 20 << 20;
const STREAM_PTR: i64 = 94_509_039_890_976;
/// What the process holds beside the allocator's segments.
const CONTEXT: u64 = 3 << 30;

/// Tensors of odd sizes that are alive at a time.
const ODD_TENSORS: usize = 24;

/// A place in device memory: segment and offset.
type Address = (u64, u64);

/// Segments cut into blocks.
#[derive(Default)]
struct Allocator {
    /// Size of every segment.
    segments: BTreeMap<u64, u64>,
    next_segment: u64,
    /// Free blocks by size, and by place.
    free: BTreeSet<(u64, Address)>,
    free_at: BTreeMap<Address, u64>,
    allocated: u64,
    reserved: u64,
}

impl Allocator {
    /// Takes a block of `bytes`, a multiple of [`BLOCK`].
    fn allocate(&mut self, bytes: u64) -> Address {
        let is_small = bytes <= SMALL;
        let fits =
            |&&(_, (segment, _)): &&(u64, Address)| (self.segments.get(&segment) == Some(&SMALL_SEGMENT)) == is_small;
        let found = self.free.range((bytes, (0, 0))..).find(fits).copied();
        let (size, at) = found.unwrap_or_else(|| {
            let segment = if is_small {
                SMALL_SEGMENT
            } else if bytes <= MEDIUM {
                MEDIUM_SEGMENT
            } else {
                // Never as large as a small one, by which the two are distinguished.
                bytes.next_multiple_of(SMALL_SEGMENT)
            };
            let number = self.next_segment;
            self.next_segment += 1;
            self.segments.insert(number, segment);
            self.reserved += segment;
            self.put_free((number, 0), segment);
            (segment, (number, 0))
        });
        self.take_free(at, size);
        if size > bytes {
            self.put_free((at.0, at.1 + bytes), size - bytes);
        }
        self.allocated += bytes;
        at
    }

    fn release(&mut self, at: Address, bytes: u64) {
        self.allocated -= bytes;
        let (mut start, mut size) = (at.1, bytes);
        if let Some((&(segment, before), &length)) = self.free_at.range(..at).next_back()
            && (segment, before + length) == at
        {
            self.take_free((segment, before), length);
            (start, size) = (before, size + length);
        }
        let after = (at.0, at.1 + bytes);
        if let Some(&length) = self.free_at.get(&after) {
            self.take_free(after, length);
            size += length;
        }
        self.put_free((at.0, start), size);
    }

    /// Gives segments that nothing is in back to the device.
    fn give_back(&mut self) {
        let empty: Vec<u64> = self
            .segments
            .iter()
            .filter(|(number, size)| self.free_at.get(&(**number, 0)) == Some(size))
            .map(|(number, _)| *number)
            .collect();
        for number in empty {
            if let Some(size) = self.segments.remove(&number) {
                self.take_free((number, 0), size);
                self.reserved -= size;
            }
        }
    }

    fn put_free(&mut self, at: Address, size: u64) {
        self.free.insert((size, at));
        self.free_at.insert(at, size);
    }

    fn take_free(&mut self, at: Address, size: u64) {
        self.free.remove(&(size, at));
        self.free_at.remove(&at);
    }
}

/// A tensor.
#[derive(Clone, Copy)]
struct Tensor {
    name: &'static str,
    at: Address,
    bytes: u64,
    start: Ns,
    allocated: u64,
    reserved: u64,
}

/// An allocation that is over, or that the profile ends with.
struct Event {
    tensor: Tensor,
    release: Option<(Ns, u64, u64)>,
}

/// A point on a memory curve.
enum Sample {
    Allocator { time: Ns, allocated: u64, reserved: u64 },
    Process { time: Ns, bytes: u64 },
}

/// The tensors of a rank.
pub struct Memory {
    allocator: Allocator,
    /// What forward blocks leave for the backward pass, by block, layer and micro-batch.
    held: HashMap<(Block, usize, usize), Vec<Tensor>>,
    /// The output that the next kernel reads.
    passing: Option<Tensor>,
    leaked: Vec<Tensor>,
    /// Tensors that come and go in odd sizes, for a rank whose memory is in pieces.
    odd: Vec<Tensor>,
    faults: Vec<Fault>,
    recompute: Recompute,
    step: i64,
    kernels: u64,
    events: Vec<Event>,
    /// Of the allocator, in order of time once the step has ended; and of the process.
    samples: Vec<Sample>,
    processes: Vec<Sample>,
    /// What was reserved before the step.
    reserved_before: u64,
}

impl Memory {
    pub fn new(config: &JobConfig, blocks: &Blocks, rank: usize) -> Memory {
        let mut memory = Memory {
            allocator: Allocator::default(),
            held: HashMap::new(),
            passing: None,
            leaked: Vec::new(),
            odd: Vec::new(),
            faults: config.faults.iter().copied().filter(|fault| fault.place == rank).collect(),
            recompute: config.recompute,
            step: config.first_step,
            kernels: 0,
            events: Vec::new(),
            samples: Vec::new(),
            processes: Vec::new(),
            reserved_before: 0,
        };
        memory.weights(config, blocks, rank);
        memory.reserved_before = memory.allocator.reserved;
        memory
    }

    /// Weights, gradients and optimizer state, which are there before the first step.
    fn weights(&mut self, config: &JobConfig, blocks: &Blocks, rank: usize) {
        let layers = (config.layers / config.pp) as u64;
        let tables = blocks.tables_of(config, rank);
        let replicas = if config.distributed_optimizer { (config.dp * config.cp) as u64 } else { 1 };
        let shared = layers * blocks.layer_weights + tables * blocks.embedding_weights;
        for (weights, replicas) in
            [(shared, replicas), (layers * blocks.expert_weights, 1.max(replicas / config.ep as u64))]
        {
            // Half precision, a gradient in single, and three more in single of the rank's part.
            for bytes in [2 * weights, 4 * weights, 12 * weights / replicas] {
                if bytes > 0 {
                    self.allocator.allocate(bytes.next_multiple_of(BLOCK));
                }
            }
        }
    }

    pub fn begin_step(&mut self, step: i64) {
        self.step = step;
    }

    /// The strength of a fault in this step.
    fn strength(&self, kind: FaultKind) -> f64 {
        self.faults.iter().filter(|f| f.kind == kind && f.is_in(self.step)).map(|f| f.strength).sum()
    }

    /// What the process held on the device at a time of the step that has ended.
    pub fn process_bytes(&self, time: Ns) -> u64 {
        let later = self.samples.partition_point(|sample| sample.time() <= time);
        let before = self.samples.iter().take(later).rev().find_map(Sample::reserved);
        before.unwrap_or(self.reserved_before) + CONTEXT
    }

    pub fn sample_process(&mut self, time: Ns) {
        let bytes = self.process_bytes(time);
        self.processes.push(Sample::Process { time, bytes });
    }

    /// The output of a kernel is allocated when the host calls it, and what it was the last to read released.
    pub fn kernel(&mut self, run: &KernelRun<'_>, call: Ns) {
        let spot = (run.spot.block, run.spot.layer, run.spot.micro_batch);
        if let Some(passing) = self.passing.take() {
            self.release(passing, call);
        }
        self.kernels += 1;
        if self.strength(FaultKind::Fragmentation) > 0.0 && self.kernels.is_multiple_of(7) {
            self.odd_tensor(call);
        }
        let bytes = crate::network::scaled(run.spec.output_bytes(), run.expert_factor).max(1);
        if run.spec.pass == Pass::Backward {
            self.release_next((spot.0.forward(), spot.1, spot.2), call);
            self.release_next((Block::Recompute, spot.1, spot.2), call);
        }
        if run.spec.pass == Pass::Optimizer {
            // Weights are updated where they are.
            return;
        }
        let tensor = self.allocate(run.spec.operator.op, bytes, call.plus(1));
        let is_kept = match spot.0 {
            Block::Layer => match self.recompute {
                Recompute::None => true,
                Recompute::Selective => !run.spec.is_attention,
                // The input of the layer alone.
                Recompute::Full => run.node == 0,
            },
            Block::Embedding | Block::Head | Block::Recompute => true,
            _ => false,
        };
        if run.spec.pass == Pass::Forward && is_kept {
            self.held.entry(spot).or_default().push(tensor);
        } else {
            self.passing = Some(tensor);
        }
    }

    /// Releases the tensor that a forward block held last.
    fn release_next(&mut self, forward: (Block, usize, usize), time: Ns) {
        if let Some(tensor) = self.held.get_mut(&forward).and_then(Vec::pop) {
            self.release(tensor, time);
        }
    }

    /// Takes a tensor of a size that fits no hole, and lets the one before the last go.
    fn odd_tensor(&mut self, time: Ns) {
        // Between 11 and 71 MB, in no order: 7919 is a prime.
        let megabytes = 11 + self.kernels * 7919 % 61;
        let tensor = self.allocate("aten::cat", megabytes << 20, time);
        self.odd.push(tensor);
        if self.odd.len() > ODD_TENSORS {
            let index = usize::try_from(self.kernels).unwrap_or_default() % ODD_TENSORS;
            let tensor = self.odd.swap_remove(index);
            self.release(tensor, time);
        }
    }

    /// An allocation failed: what is empty was given back to the device.
    pub fn allocation_failed(&mut self, time: Ns) {
        self.allocator.give_back();
        self.sample(time);
    }

    /// At the end of a step nothing of it is left, except what leaks.
    pub fn end_step(&mut self, end: Ns) {
        let rest: Vec<Tensor> = self.held.drain().flat_map(|(_, tensors)| tensors).collect();
        let mut rest: Vec<Tensor> = rest.into_iter().chain(self.passing.take()).chain(self.odd.drain(..)).collect();
        rest.sort_by_key(|tensor| tensor.at);
        for tensor in rest {
            self.release(tensor, end);
        }
        let megabytes = self.strength(FaultKind::Leak);
        if megabytes > 0.0 {
            let bytes = crate::network::scaled(1 << 20, megabytes).max(1);
            let leaked = self.allocate("aten::clone", bytes, end);
            self.leaked.push(leaked);
        }
        self.samples.sort_by_key(Sample::time);
    }

    fn allocate(&mut self, name: &'static str, bytes: u64, start: Ns) -> Tensor {
        let bytes = bytes.next_multiple_of(BLOCK);
        let at = self.allocator.allocate(bytes);
        self.sample(start);
        let Allocator { allocated, reserved, .. } = self.allocator;
        Tensor { name, at, bytes, start, allocated, reserved }
    }

    fn release(&mut self, tensor: Tensor, time: Ns) {
        self.allocator.release(tensor.at, tensor.bytes);
        self.sample(time);
        let Allocator { allocated, reserved, .. } = self.allocator;
        self.events.push(Event { tensor, release: Some((time, allocated, reserved)) });
    }

    fn sample(&mut self, time: Ns) {
        let Allocator { allocated, reserved, .. } = self.allocator;
        self.samples.push(Sample::Allocator { time, allocated, reserved });
    }

    /// Forgets what happened since the last time.
    pub fn forget(&mut self) {
        (self.events, self.samples, self.processes) = Default::default();
        self.reserved_before = self.allocator.reserved;
    }

    /// Writes what happened since the last time, by time of allocation.
    pub fn record(&mut self, rank: &mut RankBuilder, device: i64) {
        let leaked = self.leaked.drain(..).map(|tensor| Event { tensor, release: None });
        self.events.extend(leaked);
        self.events.sort_by_key(|event| (event.tensor.start, event.tensor.at));
        for event in self.events.drain(..) {
            let row = event.row(&mut rank.strings, device);
            rank.mem_event.push(row);
        }
        self.samples.append(&mut self.processes);
        self.samples.sort_by_key(Sample::time);
        for sample in self.samples.drain(..) {
            sample.record(rank, device);
        }
        self.reserved_before = self.allocator.reserved;
    }
}

fn int(bytes: u64) -> Option<i64> {
    i64::try_from(bytes).ok()
}

impl Event {
    fn row(&self, strings: &mut Interner, device: i64) -> mem_event::Row {
        let Tensor { name, bytes, start, allocated, reserved, .. } = self.tensor;
        let release = self.release.map(|(time, ..)| time);
        let duration = release.map(|time| time.since(start));
        let after = self.release.and_then(|(_, allocated, _)| int(allocated));
        mem_event::Row {
            kind: strings.intern("operator"),
            name: strings.intern(name),
            bytes: int(bytes),
            start: Some(start),
            release,
            active_release: release,
            duration,
            active_duration: duration,
            start_allocated: int(allocated),
            start_reserved: int(reserved),
            start_active: int(allocated),
            release_allocated: after,
            release_reserved: self.release.and_then(|(.., reserved)| int(reserved)),
            release_active: after,
            stream_ptr: Some(STREAM_PTR),
            device: Some(device),
            ..mem_event::Row::default()
        }
    }
}

impl Sample {
    fn time(&self) -> Ns {
        match *self {
            Sample::Allocator { time, .. } | Sample::Process { time, .. } => time,
        }
    }

    fn reserved(&self) -> Option<u64> {
        match *self {
            Sample::Allocator { reserved, .. } => Some(reserved),
            Sample::Process { .. } => None,
        }
    }

    /// The allocator's own row and the sum over components that the peers add to each.
    fn record(&self, rank: &mut RankBuilder, device: i64) {
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
            Sample::Allocator { time, allocated, reserved } => {
                for component in ["PTA", "PTA+GE"] {
                    let component = rank.strings.intern(component);
                    rank.mem_sample.push(mem_sample::Row {
                        kind,
                        component,
                        time,
                        allocated: int(allocated),
                        reserved: int(reserved),
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(npuscope_testing::cases(256))]

        /// Blocks do not overlap, sizes add up, and what is free is joined again.
        #[test]
        fn the_allocator_keeps_its_books(actions in prop::collection::vec((any::<bool>(), 1u64..60_000), 1..200)) {
            let mut allocator = Allocator::default();
            let mut taken: Vec<(Address, u64)> = Vec::new();
            for (is_release, size) in actions {
                if is_release && !taken.is_empty() {
                    let (at, bytes) = taken.swap_remove(usize::try_from(size).unwrap() % taken.len());
                    allocator.release(at, bytes);
                } else {
                    let bytes = (size * BLOCK).next_multiple_of(BLOCK);
                    let at = allocator.allocate(bytes);
                    for &((segment, offset), length) in &taken {
                        let is_apart = segment != at.0 || offset + length <= at.1 || at.1 + bytes <= offset;
                        prop_assert!(is_apart);
                    }
                    prop_assert!(at.1 + bytes <= allocator.segments[&at.0]);
                    taken.push((at, bytes));
                }
                let used: u64 = taken.iter().map(|t| t.1).sum();
                prop_assert_eq!(allocator.allocated, used);
                prop_assert_eq!(allocator.reserved, used + allocator.free_at.values().sum::<u64>());
                prop_assert_eq!(allocator.free.len(), allocator.free_at.len());
            }
            for (at, bytes) in taken {
                allocator.release(at, bytes);
            }
            allocator.give_back();
            prop_assert_eq!((allocator.allocated, allocator.reserved), (0, 0));
        }
    }
}
