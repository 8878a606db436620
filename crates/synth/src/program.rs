//! What a rank does in a step: calls of blocks, in order, and what the host does between them.

use crate::blocks::Block;
use crate::config::{JobConfig, Recompute, Workload};
use crate::fault::FaultKind;
use crate::layout::Layout;
use crate::pipeline::{self, Pass};
use crate::play::number;
use crate::windows::STAGES;

/// Something that the host does next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Call {
    /// Launches what a block does, for a layer and a micro-batch.
    Block {
        block: Block,
        layer: usize,
        micro_batch: usize,
    },
    /// Is busy, for so many ns.
    Host(Work, u64),
    /// Waits for the device, and is busy for so many ns then.
    Synchronise(Reason, u64),
    /// Begins a part of the step that has a name.
    Begin(Part),
    End(Part),
}

/// What the host is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    DataLoader,
    GarbageCollection,
}

/// Why the host waits for the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// To read the loss.
    Loss,
    /// To read a number that the loop does not need.
    Item,
    /// An allocation failed and is tried again.
    Allocation,
    Checkpoint,
}

/// A part of the step that users name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Forward,
    Backward,
    Optimizer,
    Stage(&'static str),
}

impl Part {
    pub const fn name(self) -> &'static str {
        match self {
            Part::Forward => "forward_step",
            Part::Backward => "backward_step",
            Part::Optimizer => "optimizer_step",
            Part::Stage(name) => name,
        }
    }
}

/// What a forward pass without a backward pass goes through.
struct ForwardBlocks {
    embedding: Block,
    receive: Block,
    layer: Block,
    send: Block,
    head: Block,
}

const INFERENCE: ForwardBlocks = ForwardBlocks {
    embedding: Block::InferenceEmbedding,
    receive: Block::ReceiveForward,
    layer: Block::Inference,
    send: Block::SendForward,
    head: Block::InferenceHead,
};

const DECODING: ForwardBlocks = ForwardBlocks {
    embedding: Block::DecodeEmbedding,
    receive: Block::DecodeReceive,
    layer: Block::Decode,
    send: Block::DecodeSend,
    head: Block::DecodeHead,
};

/// Tokens that are generated one after the other in a step of reinforcement learning.
const GENERATED: usize = 8;
/// How fast a checkpoint is written, in bytes per ns.
pub const CHECKPOINT_BYTES_PER_NS: u64 = 2;

/// The calls of one step of a rank. `step` counts from 0; `checkpoint` are the bytes that the rank saves.
pub fn calls(config: &JobConfig, rank: usize, step: usize, checkpoint: u64) -> Vec<Call> {
    let layout = Layout::of(config);
    let stage = layout.stage(rank);
    let number = number(config, step);
    let mut strengths = Strengths::default();
    for fault in config.faults.iter().filter(|fault| fault.is_in(number)) {
        let place = match fault.kind {
            FaultKind::Stage => stage,
            _ => rank,
        };
        if fault.place == place {
            strengths.add(fault.kind, fault.strength);
        }
    }
    let mut program = Program { config, stage, strengths, calls: Vec::new() };
    let parts = config.parts_of_step();
    program.step((parts > 1).then_some(step % parts));
    if config.checkpoint_every > 0 && (step + 1).is_multiple_of(config.checkpoint_every * parts) {
        program.calls.push(Call::Synchronise(Reason::Checkpoint, checkpoint / CHECKPOINT_BYTES_PER_NS));
    }
    program.calls
}

/// What the faults of this rank and step add up to.
#[derive(Clone, Copy, Debug, Default)]
struct Strengths {
    gc_ms: f64,
    dataloader_ms: f64,
    aicpu_ms: f64,
    allocation_ms: f64,
    extra_layers: f64,
    synchronising_calls: f64,
}

impl Strengths {
    fn add(&mut self, kind: FaultKind, strength: f64) {
        match kind {
            FaultKind::Gc => self.gc_ms += strength,
            FaultKind::Dataloader => self.dataloader_ms += strength,
            FaultKind::Aicpu => self.aicpu_ms += strength,
            FaultKind::Fragmentation => self.allocation_ms += strength,
            FaultKind::Stage => self.extra_layers += strength,
            FaultKind::Synchronise => self.synchronising_calls += strength,
            _ => {}
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a fault's strength, checked when read")]
fn whole(number: f64) -> u64 {
    number as u64
}

fn ms(ms: f64) -> u64 {
    whole(ms * 1e6)
}

struct Program<'a> {
    config: &'a JobConfig,
    stage: usize,
    strengths: Strengths,
    calls: Vec<Call>,
}

impl Program<'_> {
    /// A step, or one of its stages.
    fn step(&mut self, only: Option<usize>) {
        if only.unwrap_or(0) == 0 {
            let batch = crate::chip::whole_ns(self.config.chip.batch_us * 1e3);
            self.calls.push(Call::Host(Work::DataLoader, batch + ms(self.strengths.dataloader_ms)));
        }
        match self.config.workload {
            Workload::Training => self.train(),
            Workload::ReinforcementLearning => {
                let fills: [fn(&mut Self); 4] = [Self::generate, Self::infer, Self::infer, Self::train];
                let stages = STAGES.into_iter().zip(fills).enumerate();
                for (_, (stage, fill)) in stages.filter(|(place, _)| only.is_none_or(|only| only == *place)) {
                    self.part(Part::Stage(stage), fill);
                }
            }
        }
        if only.is_none_or(|stage| stage + 1 == STAGES.len()) {
            self.block(Block::Loss, 0, 0);
        }
        if self.config.reads_loss {
            self.calls.push(Call::Synchronise(Reason::Loss, 0));
        }
    }

    fn part(&mut self, part: Part, fill: impl FnOnce(&mut Self)) {
        self.calls.push(Call::Begin(part));
        fill(self);
        self.calls.push(Call::End(part));
    }

    fn block(&mut self, block: Block, layer: usize, micro_batch: usize) {
        self.calls.push(Call::Block { block, layer, micro_batch });
    }

    fn train(&mut self) {
        let config = self.config;
        for pass in pipeline::passes(self.stage, config.pp, config.virtual_stages, config.micro_batches) {
            match pass.is_backward {
                false => self.part(Part::Forward, |p| p.forward(pass)),
                true => self.part(Part::Backward, |p| p.backward(pass)),
            }
        }
        self.block(Block::GradientNorm, 0, 0);
        self.part(Part::Optimizer, Self::optimize);
    }

    /// The place of a piece in the whole pipeline.
    fn virtual_stage(&self, piece: usize) -> usize {
        piece * self.config.pp + self.stage
    }

    fn is_first(&self, piece: usize) -> bool {
        self.virtual_stage(piece) == 0
    }

    fn is_last(&self, piece: usize) -> bool {
        self.virtual_stage(piece) + 1 == self.config.pp * self.config.virtual_stages
    }

    /// The layers of a piece, and those that a fault adds to the stage, which come last.
    fn layers(&self, piece: usize) -> Vec<usize> {
        let each = self.config.layers / (self.config.pp * self.config.virtual_stages);
        let first = self.virtual_stage(piece) * each;
        let extra =
            if piece == 0 { usize::try_from(whole(self.strengths.extra_layers)).unwrap_or_default() } else { 0 };
        (first..first + each).chain(self.config.layers..self.config.layers + extra).collect()
    }

    fn forward(&mut self, Pass { micro_batch, piece, .. }: Pass) {
        // Faults of a micro-batch strike once, whatever the number of pieces it goes through.
        let is_new = piece == 0;
        if self.strengths.gc_ms > 0.0 && is_new {
            self.calls.push(Call::Host(Work::GarbageCollection, ms(self.strengths.gc_ms)));
        }
        if self.strengths.allocation_ms > 0.0 && is_new {
            self.calls.push(Call::Synchronise(Reason::Allocation, ms(self.strengths.allocation_ms)));
        }
        match self.is_first(piece) {
            true => self.block(Block::Embedding, 0, micro_batch),
            false => self.block(Block::ReceiveForward, piece, micro_batch),
        }
        if self.strengths.aicpu_ms > 0.0 && is_new {
            self.block(Block::AiCpu, piece, micro_batch);
        }
        for layer in self.layers(piece) {
            self.block(Block::Layer, layer, micro_batch);
            for _ in 0..whole(self.strengths.synchronising_calls) {
                self.calls.push(Call::Synchronise(Reason::Item, 0));
            }
        }
        match self.is_last(piece) {
            true => self.block(Block::Head, 0, micro_batch),
            false => self.block(Block::SendForward, piece, micro_batch),
        }
    }

    fn backward(&mut self, Pass { micro_batch, piece, .. }: Pass) {
        let is_final = micro_batch + 1 == self.config.micro_batches;
        match self.is_last(piece) {
            true => {
                self.block(Block::HeadBackward, 0, micro_batch);
                if is_final {
                    self.block(Block::ReduceEmbedding, 1, 0);
                }
            }
            false => self.block(Block::ReceiveBackward, piece, micro_batch),
        }
        for layer in self.layers(piece).into_iter().rev() {
            if self.config.recompute != Recompute::None {
                self.block(Block::Recompute, layer, micro_batch);
            }
            self.block(Block::LayerBackward, layer, micro_batch);
            // The gradients of the last micro-batch are summed while the pass goes on.
            if is_final {
                self.block(Block::ReduceGradients, layer, 0);
            }
        }
        match self.is_first(piece) {
            true => {
                self.block(Block::EmbeddingBackward, 0, micro_batch);
                if is_final {
                    self.block(Block::ReduceEmbedding, 0, 0);
                }
            }
            false => self.block(Block::SendBackward, piece, micro_batch),
        }
    }

    fn optimize(&mut self) {
        let pieces = 0..self.config.virtual_stages;
        let layers: Vec<usize> = pieces.clone().flat_map(|piece| self.layers(piece)).collect();
        let tables: Vec<usize> = pieces
            .flat_map(|piece| [self.is_first(piece).then_some(0), self.is_last(piece).then_some(1)])
            .flatten()
            .collect();
        for &layer in &layers {
            self.block(Block::Update, layer, 0);
        }
        for &table in &tables {
            self.block(Block::UpdateEmbedding, table, 0);
        }
        for &layer in &layers {
            self.block(Block::GatherWeights, layer, 0);
        }
        for &table in &tables {
            self.block(Block::GatherEmbedding, table, 0);
        }
    }

    /// Forward passes of all micro-batches, without backward passes.
    fn infer(&mut self) {
        for micro_batch in 0..self.config.micro_batches {
            self.pass_through(&INFERENCE, micro_batch);
        }
    }

    /// Tokens one by one, each through all stages.
    fn generate(&mut self) {
        for token in 0..GENERATED {
            self.pass_through(&DECODING, token);
        }
    }

    fn pass_through(&mut self, blocks: &ForwardBlocks, number: usize) {
        for piece in 0..self.config.virtual_stages {
            match self.is_first(piece) {
                true => self.block(blocks.embedding, 0, number),
                false => self.block(blocks.receive, piece, number),
            }
            for index in self.layers(piece) {
                self.block(blocks.layer, index, number);
            }
            match self.is_last(piece) {
                true => self.block(blocks.head, 0, number),
                false => self.block(blocks.send, piece, number),
            }
        }
    }
}
