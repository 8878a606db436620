//! The forward pass: embedding, layers and head.

use super::Builder;
use crate::blocks::{Block, Channel, Item, Module, Verb};
use crate::kernels::{self, Dtype, KernelSpec, Operator};

impl Builder<'_> {
    pub(super) fn forward_blocks(&mut self, embedding: Block, layer: Block, head: Block) {
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

    pub(super) fn layer(&mut self) {
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
    pub(super) fn widths(&self) -> (u64, u64) {
        let (tp, head) = (self.config.tp as u64, self.config.hidden / self.config.heads);
        (head * self.config.heads / tp, (head * self.config.kv_heads / tp).max(head))
    }

    pub(super) fn attention(&mut self) {
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
    pub(super) fn ring_attention(&mut self, operator: &'static Operator, queries: u64, values: u64, products: u64) {
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
    pub(super) fn routed(&self) -> u64 {
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
}
