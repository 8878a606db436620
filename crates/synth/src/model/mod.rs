//! The model: which kernels and communications its parts are made of, with the shapes of one rank.

use crate::blocks::{Block, Blocks, Channel, Communication, Item, Module, Verb};
use crate::config::{JobConfig, Recompute};
use crate::kernels::{self, Dtype, KernelSpec, Operator, Pass};
use crate::layout::GroupKind;

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

    fn forward_blocks(&mut self, embedding: Block, layer: Block, head: Block) {
        let (h, vocabulary) = (self.config.hidden, self.config.vocabulary / self.config.tp as u64);
        self.elementwise(&kernels::EMBEDDING, &[&[vocabulary, h], &[self.tokens]], &[self.tokens, h], Dtype::Bf16);
        self.reads_little();
        self.scatter_tokens();
        self.block(embedding);
        self.layer();
        self.block(layer);
        self.norm();
        self.gather_tokens();
        self.matmul([self.tokens, h, vocabulary]);
        // The largest and the sum of all logits, of which each rank has a part.
        let logits: &[u64] = &[self.tokens, vocabulary];
        self.tensor_of(Verb::AllReduce, self.tokens, Dtype::F32);
        self.tensor_of(Verb::AllReduce, self.tokens, Dtype::F32);
        self.elementwise(&kernels::LOG_SOFTMAX, &[logits], logits, Dtype::F32);
        self.elementwise(&kernels::REDUCE_SUM, &[&[self.tokens]], &[1], Dtype::F32);
        self.block(head);
    }

    fn layer(&mut self) {
        self.enter(Module::Layer);
        self.attention();
        if self.config.is_sparse() {
            self.experts();
        }
        if self.config.ffn > 0 {
            self.mlp();
        }
        self.leave();
    }

    /// Width of the queries of a rank, and of its keys and of its values.
    fn widths(&self) -> (u64, u64) {
        let (tp, head) = (self.config.tp as u64, self.config.hidden / self.config.heads);
        (head * self.config.heads / tp, (head * self.config.kv_heads / tp).max(head))
    }

    fn attention(&mut self) {
        let (h, tokens, (queries, values)) = (self.config.hidden, self.tokens, self.widths());
        self.enter(Module::Attention);
        self.norm();
        self.gather_tokens();
        self.matmul([tokens, h, queries + 2 * values]);
        self.elementwise(&kernels::ROTARY, &[&[tokens, queries]], &[tokens, queries], Dtype::Bf16);
        self.ring_attention(&kernels::ATTENTION, queries, values, 2);
        self.matmul([tokens, queries, h]);
        self.scatter_tokens();
        self.residual();
        self.leave();
    }

    /// Attention over all keys and values; with context parallelism, over those of one rank after the
    /// other, while the next ones are on their way.
    fn ring_attention(&mut self, operator: &'static Operator, queries: u64, values: u64, products: u64) {
        let rounds = self.config.cp as u64;
        let tokens = self.tokens;
        // Two operations per product and number; in a whole sequence half of all pairs, since none looks ahead.
        let keys = self.keys;
        let pairs = if keys == tokens { tokens * keys / 2 } else { tokens * keys };
        let flops = 2 * products * pairs * queries;
        let pass = self.pass;
        for round in 1..=rounds {
            if round < rounds {
                self.communicate(Channel::Context, Verb::Shift, 2 * tokens * values);
            }
            let inputs = vec![vec![tokens, queries], vec![keys, values], vec![keys, values]];
            let spec = KernelSpec::new(operator, pass, Dtype::Bf16);
            let spec = spec.work(inputs, vec![tokens, queries], flops, &self.config.chip);
            self.push(spec);
            if round < rounds {
                self.items.push(Item::Wait(Channel::Context));
            }
        }
        self.node += 1;
    }

    fn mlp(&mut self) {
        let (h, f, tokens) = (self.config.hidden, self.config.ffn / self.config.tp as u64, self.tokens);
        self.enter(Module::Mlp);
        self.norm();
        self.gather_tokens();
        self.matmul([tokens, h, 2 * f]);
        self.elementwise(&kernels::SWIGLU, &[&[tokens, 2 * f]], &[tokens, f], Dtype::Bf16);
        self.matmul([tokens, f, h]);
        self.scatter_tokens();
        self.residual();
        self.leave();
    }

    /// Tokens that a rank's experts work on, if all experts get as many.
    fn routed(&self) -> u64 {
        self.divided * self.config.top_k
    }

    fn experts(&mut self) {
        let (h, routed, tokens) = (self.config.hidden, self.routed(), self.divided);
        self.enter(Module::Experts);
        self.norm();
        self.matmul([tokens, h, self.config.experts]);
        let scores: &[u64] = &[tokens, self.config.experts];
        self.elementwise(&kernels::GATING, &[scores], &[tokens, self.config.top_k], Dtype::F32);
        self.elementwise(&kernels::PERMUTE, &[&[tokens, h], &[routed]], &[routed, h], Dtype::Bf16);
        self.exchange(Verb::Dispatch);
        let f = self.config.expert_ffn;
        self.grouped_matmul([routed, h, 2 * f]);
        self.elementwise(&kernels::SWIGLU, &[&[routed, 2 * f]], &[routed, f], Dtype::Bf16);
        self.of_experts();
        self.grouped_matmul([routed, f, h]);
        self.exchange(Verb::Combine);
        self.elementwise(&kernels::UNPERMUTE, &[&[routed, h], &[routed]], &[tokens, h], Dtype::Bf16);
        self.residual();
        self.leave();
    }

    /// The backward passes: what the forward passes do, in reverse, two products for each one.
    fn backward_blocks(&mut self) {
        self.pass = Pass::Backward;
        let (h, tokens) = (self.config.hidden, self.tokens);
        let vocabulary = self.config.vocabulary / self.config.tp as u64;
        // Nodes are numbered as the forward pass made them.
        let nodes = |items: &[Item]| items.iter().filter_map(node_of).max().map_or(0, |last| last + 1);
        self.node = nodes(self.blocks.items(Block::Head));
        let logits: &[u64] = &[tokens, vocabulary];
        self.answer(1);
        self.elementwise(&kernels::SCALE, &[&[1]], &[tokens], Dtype::F32);
        self.answer(1);
        self.elementwise(&kernels::LOG_SOFTMAX_GRAD, &[logits], logits, Dtype::F32);
        self.matmul_grads([tokens, h, vocabulary]);
        self.scatter_tokens();
        self.norm_grad();
        self.block(Block::HeadBackward);

        self.node = nodes(self.blocks.items(Block::Layer));
        self.enter(Module::Layer);
        if self.config.ffn > 0 {
            self.mlp_backward();
        }
        if self.config.is_sparse() {
            self.experts_backward();
        }
        self.attention_backward();
        self.leave();
        self.block(Block::LayerBackward);

        self.node = nodes(self.blocks.items(Block::Embedding));
        self.gather_tokens();
        self.answer(1);
        let table: &[u64] = &[vocabulary, h];
        self.elementwise(&kernels::EMBEDDING_GRAD, &[&[tokens, h], &[tokens]], table, Dtype::Bf16);
        self.block(Block::EmbeddingBackward);
        self.pass = Pass::Forward;
    }

    fn mlp_backward(&mut self) {
        let (h, f, tokens) = (self.config.hidden, self.config.ffn / self.config.tp as u64, self.tokens);
        self.enter(Module::Mlp);
        self.residual_grad();
        self.gather_tokens();
        self.matmul_grads([tokens, f, h]);
        self.answer(1);
        self.elementwise(&kernels::SWIGLU_GRAD, &[&[tokens, f], &[tokens, 2 * f]], &[tokens, 2 * f], Dtype::Bf16);
        self.matmul_grads([tokens, h, 2 * f]);
        self.scatter_tokens();
        self.norm_grad();
        self.leave();
    }

    fn experts_backward(&mut self) {
        let (h, f, routed, tokens) = (self.config.hidden, self.config.expert_ffn, self.routed(), self.divided);
        self.enter(Module::Experts);
        self.residual_grad();
        self.answer(1);
        self.elementwise(&kernels::UNPERMUTE_GRAD, &[&[tokens, h], &[routed]], &[routed, h], Dtype::Bf16);
        self.exchange(Verb::Dispatch);
        self.grouped_matmul_grads([routed, f, h]);
        self.answer(1);
        self.elementwise(&kernels::SWIGLU_GRAD, &[&[routed, f], &[routed, 2 * f]], &[routed, 2 * f], Dtype::Bf16);
        self.of_experts();
        self.grouped_matmul_grads([routed, h, 2 * f]);
        self.exchange(Verb::Combine);
        self.answer(1);
        self.elementwise(&kernels::PERMUTE_GRAD, &[&[routed, h], &[routed]], &[tokens, h], Dtype::Bf16);
        // The gate passes its gradient on to the router.
        self.answer(1);
        self.elementwise(
            &kernels::SCALE,
            &[&[tokens, self.config.experts]],
            &[tokens, self.config.experts],
            Dtype::F32,
        );
        self.matmul_grads([tokens, h, self.config.experts]);
        self.norm_grad();
        self.leave();
    }

    fn attention_backward(&mut self) {
        let (h, tokens, (queries, values)) = (self.config.hidden, self.tokens, self.widths());
        self.enter(Module::Attention);
        self.residual_grad();
        self.gather_tokens();
        self.matmul_grads([tokens, queries, h]);
        self.answer(1);
        self.ring_attention(&kernels::ATTENTION_GRAD, queries, values, 5);
        self.node -= 1;
        self.answer(1);
        self.elementwise(&kernels::ROTARY_GRAD, &[&[tokens, queries]], &[tokens, queries], Dtype::Bf16);
        self.matmul_grads([tokens, h, queries + 2 * values]);
        self.scatter_tokens();
        self.norm_grad();
        self.leave();
    }

    /// Half of passing activations or their gradients from stage to stage.
    fn transfer(&mut self, block: Block, channel: Channel, verb: Verb) {
        self.communicate(channel, verb, self.divided * self.config.hidden);
        if verb == Verb::Receive {
            self.items.push(Item::Wait(channel));
        }
        self.block(block);
    }

    /// Gradients are summed over the ranks that hold the same weights, weights updated and, where each
    /// rank updates a part, put together again.
    fn optimizer(&mut self) {
        self.pass = Pass::Optimizer;
        let shared = self.blocks.layer_weights;
        let (experts, embedding) = (self.blocks.expert_weights, self.blocks.embedding_weights);
        let (reduce, gathers) = match self.config.distributed_optimizer {
            true => (Verb::ReduceScatter, true),
            false => (Verb::AllReduce, false),
        };
        self.gradient(Channel::Data, reduce, shared);
        self.gradient(Channel::ExpertData, reduce, experts);
        self.block(Block::ReduceGradients);
        self.gradient(Channel::Data, reduce, embedding);
        self.block(Block::ReduceEmbedding);
        self.items.extend([Item::Wait(Channel::Data), Item::Wait(Channel::ExpertData)]);
        self.elementwise(&kernels::REDUCE_SUM, &[&[shared]], &[1], Dtype::F32);
        self.world();
        self.items.push(Item::Wait(Channel::World));
        self.elementwise(&kernels::SCALE, &[&[1]], &[1], Dtype::F32);
        self.block(Block::GradientNorm);
        let replicas = (self.config.dp * self.config.cp) as u64;
        let part = |weights: u64, ranks: u64| if gathers { weights.div_ceil(ranks) } else { weights };
        self.update(part(shared, replicas));
        if experts > 0 {
            self.update(part(experts, replicas / self.config.ep as u64));
        }
        self.block(Block::Update);
        self.update(part(embedding, replicas));
        self.block(Block::UpdateEmbedding);
        if gathers {
            self.weights(Channel::Data, shared);
            self.weights(Channel::ExpertData, experts);
        }
        self.block(Block::GatherWeights);
        if gathers {
            self.weights(Channel::Data, embedding);
        }
        self.block(Block::GatherEmbedding);
        self.items.extend([Item::Wait(Channel::Data), Item::Wait(Channel::ExpertData)]);
        self.world();
        self.block(Block::Loss);
    }

    fn gradient(&mut self, channel: Channel, verb: Verb, weights: u64) {
        self.communicate_as(channel, verb, weights, Dtype::F32);
    }

    fn weights(&mut self, channel: Channel, weights: u64) {
        self.communicate_as(channel, Verb::AllGather, weights, Dtype::Bf16);
    }

    fn world(&mut self) {
        self.communicate_as(Channel::World, Verb::AllReduce, 1, Dtype::F32);
    }

    fn update(&mut self, weights: u64) {
        let all: &[u64] = &[weights];
        self.elementwise(&kernels::ADAM, &[all, all, all, all], all, Dtype::F32);
        self.elementwise(&kernels::COPY, &[all], all, Dtype::Bf16);
    }

    fn norm(&mut self) {
        let (h, tokens) = (self.config.hidden, self.divided);
        self.elementwise(&kernels::RMS_NORM, &[&[tokens, h], &[h]], &[tokens, h], Dtype::Bf16);
    }

    fn norm_grad(&mut self) {
        let (h, tokens) = (self.config.hidden, self.divided);
        self.answer(1);
        self.elementwise(&kernels::RMS_NORM_GRAD, &[&[tokens, h], &[tokens, h], &[h]], &[tokens, h], Dtype::Bf16);
    }

    fn residual(&mut self) {
        let tokens: &[u64] = &[self.divided, self.config.hidden];
        self.elementwise(&kernels::ADD, &[tokens, tokens], tokens, Dtype::Bf16);
    }

    /// The gradient goes both ways; the two meet in a sum.
    fn residual_grad(&mut self) {
        self.answer(1);
        let tokens: &[u64] = &[self.divided, self.config.hidden];
        self.elementwise(&kernels::ADD, &[tokens, tokens], tokens, Dtype::Bf16);
    }

    /// Before a product that needs the whole sequence; in the backward pass, after [`Builder::scatter_tokens`]
    /// of the forward pass, and the other way round.
    fn gather_tokens(&mut self) {
        if self.divided < self.tokens {
            self.tensor(Verb::AllGather);
        }
    }

    /// After a product whose result is in parts.
    fn scatter_tokens(&mut self) {
        let verb = if self.divided < self.tokens { Verb::ReduceScatter } else { Verb::AllReduce };
        self.tensor(verb);
    }

    fn tensor(&mut self, verb: Verb) {
        self.tensor_of(verb, self.tokens * self.config.hidden, Dtype::Bf16);
    }

    fn tensor_of(&mut self, verb: Verb, elements: u64, dtype: Dtype) {
        if self.config.tp > 1 {
            self.communicate_as(Channel::Tensor, verb, elements, dtype);
            self.items.push(Item::Wait(Channel::Tensor));
        }
    }

    /// Tokens to the ranks of their experts, or back.
    fn exchange(&mut self, verb: Verb) {
        if self.config.ep > 1 {
            self.communicate(Channel::Expert, verb, self.routed() * self.config.hidden * self.config.ep as u64);
            self.items.push(Item::Wait(Channel::Expert));
        }
    }

    fn communicate(&mut self, channel: Channel, verb: Verb, elements: u64) {
        self.communicate_as(channel, verb, elements, Dtype::Bf16);
    }

    /// Starts a communication, if there is anything to communicate and anyone to talk to.
    fn communicate_as(&mut self, channel: Channel, verb: Verb, elements: u64, dtype: Dtype) {
        let config = self.config;
        let members = match channel.group() {
            GroupKind::Tensor => config.tp,
            GroupKind::Context => config.cp,
            GroupKind::Expert => config.ep,
            GroupKind::Data => config.dp * config.cp,
            GroupKind::ExpertData => config.dp * config.cp / config.ep,
            GroupKind::Pipeline => config.pp,
            GroupKind::World => config.ranks(),
        };
        if members > 1 && elements > 0 {
            self.blocks.communications.push(Communication { channel, verb, elements, dtype });
            self.items.push(Item::Communicate(self.blocks.communications.len() - 1));
        }
    }

    /// The next kernel of the backward pass answers the forward node before the last one.
    fn answer(&mut self, nodes: usize) {
        if self.pass == Pass::Backward {
            self.node = self.node.saturating_sub(nodes);
        }
    }

    fn push(&mut self, spec: KernelSpec) {
        let is_attention = self.module == Some(Module::Attention);
        self.blocks.kernels.push(KernelSpec { is_attention, ..spec });
        self.items.push(Item::Kernel { kernel: self.blocks.kernels.len() - 1, node: self.node });
    }

    /// Each forward kernel makes a node; what answers it in the backward pass says so itself.
    fn push_node(&mut self, spec: KernelSpec) {
        self.push(spec);
        if self.pass != Pass::Backward {
            self.node += 1;
        }
    }

    fn matmul(&mut self, [m, k, n]: [u64; 3]) {
        let spec = KernelSpec::new(&kernels::MATMUL, self.pass, Dtype::Bf16);
        let spec = spec.work(vec![vec![m, k], vec![k, n]], vec![m, n], 2 * m * k * n, &self.config.chip);
        self.push_node(spec);
    }

    /// The gradients of both factors of an `m x k` by `k x n` product.
    fn matmul_grads(&mut self, [m, k, n]: [u64; 3]) {
        self.answer(1);
        self.matmul([m, n, k]);
        self.matmul([k, m, n]);
    }

    fn grouped_matmul(&mut self, [m, k, n]: [u64; 3]) {
        let experts = self.config.experts / self.config.ep as u64;
        let spec = KernelSpec { is_expert: true, ..KernelSpec::new(&kernels::GROUPED_MATMUL, self.pass, Dtype::Bf16) };
        let inputs = vec![vec![m, k], vec![experts, k, n], vec![experts]];
        let spec = spec.work(inputs, vec![m, n], 2 * m * k * n, &self.config.chip);
        self.push_node(spec);
    }

    fn grouped_matmul_grads(&mut self, [m, k, n]: [u64; 3]) {
        self.answer(1);
        self.grouped_matmul([m, n, k]);
        let experts = self.config.experts / self.config.ep as u64;
        let spec = KernelSpec { is_expert: true, ..KernelSpec::new(&kernels::GROUPED_MATMUL, self.pass, Dtype::Bf16) };
        let inputs = vec![vec![m, k], vec![m, n], vec![experts]];
        self.push_node(spec.work(inputs, vec![experts, k, n], 2 * m * k * n, &self.config.chip));
    }

    fn elementwise(&mut self, operator: &'static Operator, inputs: &[&[u64]], output: &[u64], dtype: Dtype) {
        let inputs = inputs.iter().map(|shape| shape.to_vec()).collect();
        let spec = KernelSpec::new(operator, self.pass, dtype).work(inputs, output.to_vec(), 0, &self.config.chip);
        self.push_node(spec);
    }

    /// The kernel just added reads of its first input no more than it writes.
    fn reads_little(&mut self) {
        let chip = &self.config.chip;
        if let Some(spec) = self.blocks.kernels.last_mut() {
            spec.bytes = 2 * spec.output_bytes();
            spec.memory_ns = chip.memory_ns(spec.bytes);
        }
    }

    /// The kernel just added works on the tokens of experts.
    fn of_experts(&mut self) {
        if let Some(spec) = self.blocks.kernels.last_mut() {
            spec.is_expert = true;
        }
    }
}

fn node_of(item: &Item) -> Option<usize> {
    match item {
        Item::Kernel { node, .. } => Some(*node),
        _ => None,
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
