//! The end of a step: gradients are summed, weights updated.

use super::Builder;
use crate::blocks::{Block, Channel, Item, Verb};
use crate::kernels::{self, Dtype, Pass};

impl Builder<'_> {
    /// Gradients are summed over the ranks that hold the same weights, weights updated and, where each
    /// rank updates a part, put together again.
    pub(super) fn optimizer(&mut self) {
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
}
