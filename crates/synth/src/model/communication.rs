//! Communications: between stages, and among the ranks that share a layer.

use super::Builder;
use crate::blocks::{Block, Channel, Communication, Item, Verb};
use crate::kernels::Dtype;
use crate::layout::GroupKind;

impl Builder<'_> {
    /// Half of passing activations or their gradients from stage to stage.
    pub(super) fn transfer(&mut self, block: Block, channel: Channel, verb: Verb) {
        self.communicate(channel, verb, self.divided * self.config.hidden);
        if verb == Verb::Receive {
            self.items.push(Item::Wait(channel));
        }
        self.block(block);
    }

    /// Before a product that needs the whole sequence; in the backward pass, after [`Builder::scatter_tokens`]
    /// of the forward pass, and the other way round.
    pub(super) fn gather_tokens(&mut self) {
        if self.divided < self.tokens {
            self.tensor(Verb::AllGather);
        }
    }

    /// After a product whose result is in parts.
    pub(super) fn scatter_tokens(&mut self) {
        let verb = if self.divided < self.tokens { Verb::ReduceScatter } else { Verb::AllReduce };
        self.tensor(verb);
    }

    fn tensor(&mut self, verb: Verb) {
        self.tensor_of(verb, self.tokens * self.config.hidden, Dtype::Bf16);
    }

    pub(super) fn tensor_of(&mut self, verb: Verb, elements: u64, dtype: Dtype) {
        if self.config.tp > 1 {
            self.communicate_as(Channel::Tensor, verb, elements, dtype);
            self.items.push(Item::Wait(Channel::Tensor));
        }
    }

    /// Tokens to the ranks of their experts, or back.
    pub(super) fn exchange(&mut self, verb: Verb) {
        if self.config.ep > 1 {
            self.communicate(Channel::Expert, verb, self.routed() * self.config.hidden * self.config.ep as u64);
            self.items.push(Item::Wait(Channel::Expert));
        }
    }

    pub(super) fn communicate(&mut self, channel: Channel, verb: Verb, elements: u64) {
        self.communicate_as(channel, verb, elements, Dtype::Bf16);
    }

    /// Starts a communication, if there is anything to communicate and anyone to talk to.
    pub(super) fn communicate_as(&mut self, channel: Channel, verb: Verb, elements: u64, dtype: Dtype) {
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
}
