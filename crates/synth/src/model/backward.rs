//! The backward pass.

use super::Builder;
use crate::blocks::{Block, Item, Module, Verb};
use crate::kernels::{self, Dtype, Pass};

impl Builder<'_> {
    /// The backward passes: what the forward passes do, in reverse, two products for each one.
    pub(super) fn backward_blocks(&mut self) {
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
}

fn node_of(item: &Item) -> Option<usize> {
    match item {
        Item::Kernel { node, .. } => Some(*node),
        _ => None,
    }
}
