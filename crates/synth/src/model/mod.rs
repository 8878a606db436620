//! The model: which kernels and communications its parts are made of, with the shapes of one rank.
//!
//! [`forward`] and [`backward`] are the passes of its layers, [`optimizer`] the end of a step, [`operators`] and
//! [`communication`] the single items they are made of.

mod backward;
mod communication;
mod forward;
mod operators;
mod optimizer;

use crate::blocks::{Block, Blocks, Channel, Item, Module, Verb};
use crate::config::{JobConfig, Recompute};
use crate::kernels::{self, Dtype, Pass};

/// What every block of a job does.
pub fn blocks(config: &JobConfig) -> Blocks {
    let mut builder = Builder::new(config);
    builder.model(config);
    builder.blocks
}

struct Builder<'a> {
    config: &'a JobConfig,
    blocks: Blocks,
    items: Vec<Item>,
    pass: Pass,
    node: usize,
    /// Sizes of one rank: tokens, and tokens where the sequence is divided among tensor-parallel ranks.
    tokens: u64,
    divided: u64,
    /// Tokens that each token attends to.
    keys: u64,
    /// The innermost part that is being built.
    module: Option<Module>,
}

/// Sequences that are generated together.
const GENERATED_TOGETHER: u64 = 8;

impl<'a> Builder<'a> {
    fn new(config: &'a JobConfig) -> Self {
        let tokens = config.sequence / config.cp as u64;
        let tp = config.tp as u64;
        let (h, f) = (config.hidden, config.ffn);
        let head = h / config.heads;
        let qkv = h * head * (config.heads + 2 * config.kv_heads);
        let blocks = Blocks {
            kernels: Vec::new(),
            communications: Vec::new(),
            items: vec![Vec::new(); Block::COUNT],
            layer_weights: (qkv + h * h + 3 * h * f) / tp + 2 * h + h * config.experts,
            expert_weights: 3 * h * config.expert_ffn * config.experts / config.ep as u64,
            embedding_weights: config.vocabulary * h / tp,
        };
        let mut builder = Builder {
            config,
            blocks,
            items: Vec::new(),
            pass: Pass::Forward,
            node: 0,
            tokens: 0,
            divided: 0,
            keys: 0,
            module: None,
        };
        builder.set_tokens(tokens, tokens);
        builder
    }

    fn set_tokens(&mut self, tokens: u64, keys: u64) {
        (self.tokens, self.keys) = (tokens, keys);
        let is_divided = self.config.sequence_parallel && tokens >= self.config.tp as u64;
        self.divided = if is_divided { tokens / self.config.tp as u64 } else { tokens };
    }

    fn enter(&mut self, module: Module) {
        self.module = Some(module);
        self.items.push(Item::Enter(module));
    }

    fn leave(&mut self) {
        self.module = None;
        self.items.push(Item::Leave);
    }

    /// Ends a block.
    fn block(&mut self, block: Block) {
        let items = std::mem::take(&mut self.items);
        self.node = 0;
        if let Some(place) = self.blocks.items.get_mut(block as usize) {
            *place = items;
        }
    }

    fn model(&mut self, config: &JobConfig) {
        self.forward_blocks(Block::Embedding, Block::Layer, Block::Head);
        self.backward_blocks();
        match config.recompute {
            Recompute::None => {}
            Recompute::Selective => self.attention(),
            Recompute::Full => self.layer(),
        }
        self.block(Block::Recompute);
        self.pass = Pass::Inference;
        self.forward_blocks(Block::InferenceEmbedding, Block::Inference, Block::InferenceHead);
        let tokens = self.tokens;
        self.set_tokens(GENERATED_TOGETHER, tokens);
        self.forward_blocks(Block::DecodeEmbedding, Block::Decode, Block::DecodeHead);
        self.transfer(Block::DecodeSend, Channel::SendForward, Verb::Send);
        self.transfer(Block::DecodeReceive, Channel::ReceiveForward, Verb::Receive);
        self.set_tokens(tokens, tokens);
        self.transfer(Block::SendForward, Channel::SendForward, Verb::Send);
        self.transfer(Block::ReceiveForward, Channel::ReceiveForward, Verb::Receive);
        self.transfer(Block::SendBackward, Channel::SendBackward, Verb::Send);
        self.transfer(Block::ReceiveBackward, Channel::ReceiveBackward, Verb::Receive);
        self.optimizer();
        self.pass = Pass::Inference;
        self.elementwise(&kernels::NON_ZERO, &[&[self.tokens]], &[self.tokens, 1], Dtype::I64);
        self.block(Block::AiCpu);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(blocks: &Blocks, block: Block) -> Vec<(usize, &'static str)> {
        let items = blocks.items(block).iter();
        let kernels = items.filter_map(|item| match item {
            Item::Kernel { kernel, node } => Some((*node, blocks.kernel(*kernel)?.operator.node)),
            _ => None,
        });
        kernels.collect()
    }

    #[test]
    fn the_backward_pass_answers_every_node_of_the_forward_pass() {
        let dense = JobConfig { cp: 2, ..JobConfig::default() };
        let sparse = crate::preset("deepseek-moe").unwrap();
        for config in [dense, sparse] {
            let blocks = blocks(&config);
            for (forward, backward) in [
                (Block::Layer, Block::LayerBackward),
                (Block::Head, Block::HeadBackward),
                (Block::Embedding, Block::EmbeddingBackward),
            ] {
                let mut made = nodes(&blocks, forward);
                let mut answered: Vec<usize> = nodes(&blocks, backward).iter().map(|n| n.0).collect();
                made.dedup();
                answered.dedup();
                assert!(answered.iter().is_sorted_by(|a, b| a > b), "{answered:?}");
                assert_eq!(answered.len(), made.len(), "{made:?} {:?}", nodes(&blocks, backward));
            }
        }
    }

    #[test]
    fn a_model_of_one_rank_communicates_with_nobody() {
        let config = JobConfig { tp: 1, pp: 1, dp: 1, ..JobConfig::default() };
        assert!(blocks(&config).communications.is_empty());
    }
}
