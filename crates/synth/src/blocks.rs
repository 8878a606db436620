//! What the parts of a model do: kernels and communication, in order.
//!
//! A block is what a rank does for one part of the model, such as the forward pass of a layer. Blocks are
//! made once for a job ([`crate::model`]); a step is a list of calls of them ([`crate::program`]).

use crate::config::JobConfig;
use crate::kernels::{Dtype, KernelSpec};
use crate::layout::{GroupKind, Layout};

/// Something that a block does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A kernel, by its number in [`Blocks::kernels`]. `node` is the node of the backward graph that a
    /// forward kernel makes and a backward kernel answers, numbered within the block.
    Kernel {
        kernel: usize,
        node: usize,
    },
    /// Starts a communication, by its number in [`Blocks::communications`].
    Communicate(usize),
    /// What follows on the computing stream waits for the communication of a channel.
    Wait(Channel),
    Enter(Module),
    Leave,
}

/// A part of the model that has a name of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Module {
    Layer,
    Attention,
    Mlp,
    Experts,
}

impl Module {
    pub const fn name(self) -> &'static str {
        match self {
            Module::Layer => "TransformerLayer",
            Module::Attention => "SelfAttention",
            Module::Mlp => "MLP",
            Module::Experts => "MoELayer",
        }
    }
}

/// A stream of communication. The operations of a channel follow each other in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    Tensor,
    Context,
    Expert,
    Data,
    ExpertData,
    World,
    SendForward,
    ReceiveForward,
    SendBackward,
    ReceiveBackward,
}

impl Channel {
    pub const ALL: [Channel; 10] = [
        Channel::Tensor,
        Channel::Context,
        Channel::Expert,
        Channel::Data,
        Channel::ExpertData,
        Channel::World,
        Channel::SendForward,
        Channel::ReceiveForward,
        Channel::SendBackward,
        Channel::ReceiveBackward,
    ];

    pub const fn group(self) -> GroupKind {
        match self {
            Channel::Tensor => GroupKind::Tensor,
            Channel::Context => GroupKind::Context,
            Channel::Expert => GroupKind::Expert,
            Channel::Data => GroupKind::Data,
            Channel::ExpertData => GroupKind::ExpertData,
            Channel::World => GroupKind::World,
            _ => GroupKind::Pipeline,
        }
    }
}

/// A communication of one of the rank's groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Communication {
    pub channel: Channel,
    pub verb: Verb,
    /// Elements of the whole tensor: over all ranks for a gather, a scatter and an exchange.
    pub elements: u64,
    pub dtype: Dtype,
}

/// What is communicated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    AllReduce,
    ReduceScatter,
    AllGather,
    /// All to all: tokens to the ranks of their experts.
    Dispatch,
    /// And back.
    Combine,
    /// Each rank to the next.
    Shift,
    Send,
    Receive,
}

impl Verb {
    /// As HCCL names the operation.
    pub const fn name(self) -> &'static str {
        match self {
            Verb::AllReduce => "allReduce",
            Verb::ReduceScatter => "reduceScatter",
            Verb::AllGather => "allGather",
            Verb::Dispatch | Verb::Combine => "alltoallv",
            Verb::Shift => "batchSendRecv",
            Verb::Send => "send",
            Verb::Receive => "receive",
        }
    }

    /// The framework's operator and the HCCL call.
    pub const fn calls(self) -> (&'static str, &'static str) {
        match self {
            Verb::AllReduce => ("c10d::allreduce_", "HcclAllreduce"),
            Verb::ReduceScatter => ("c10d::_reduce_scatter_base_", "HcclReduceScatter"),
            Verb::AllGather => ("c10d::_allgather_base_", "HcclAllGather"),
            Verb::Dispatch | Verb::Combine => ("c10d::alltoall_base_", "HcclAlltoAllV"),
            Verb::Shift => ("c10d::batch_isend_irecv", "HcclBatchSendRecv"),
            Verb::Send => ("c10d::send", "HcclSend"),
            Verb::Receive => ("c10d::recv_", "HcclRecv"),
        }
    }

    pub const fn is_point_to_point(self) -> bool {
        matches!(self, Verb::Send | Verb::Receive)
    }
}

impl Communication {
    pub fn bytes(&self) -> u64 {
        self.elements * self.dtype.bytes()
    }
}

/// The parts of a job, and where [`Blocks`] keeps what they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Block {
    Embedding,
    Layer,
    Head,
    HeadBackward,
    LayerBackward,
    EmbeddingBackward,
    /// Forward again, before the backward pass of a layer.
    Recompute,
    /// Forward of many tokens, without a backward to come.
    InferenceEmbedding,
    Inference,
    InferenceHead,
    /// Forward of one token of each sequence, with the keys and values of those before it.
    DecodeEmbedding,
    Decode,
    DecodeHead,
    DecodeSend,
    DecodeReceive,
    SendForward,
    ReceiveForward,
    SendBackward,
    ReceiveBackward,
    ReduceGradients,
    ReduceEmbedding,
    /// Until the gradients are there, and their norm.
    GradientNorm,
    Update,
    UpdateEmbedding,
    GatherWeights,
    GatherEmbedding,
    /// Until the weights are there; the loss of all ranks.
    Loss,
    /// An operator that runs on the AI CPU.
    AiCpu,
}

impl Block {
    pub const COUNT: usize = Block::AiCpu as usize + 1;

    /// The forward block that a backward block answers.
    pub const fn forward(self) -> Block {
        match self {
            Block::HeadBackward => Block::Head,
            Block::LayerBackward => Block::Layer,
            Block::EmbeddingBackward => Block::Embedding,
            other => other,
        }
    }
}

/// What every block of a job does.
pub struct Blocks {
    pub kernels: Vec<KernelSpec>,
    pub communications: Vec<Communication>,
    /// By [`Block`].
    pub items: Vec<Vec<Item>>,
    /// Weights of a layer on one rank: those that data-parallel ranks share, and those of experts.
    pub layer_weights: u64,
    pub expert_weights: u64,
    pub embedding_weights: u64,
}

impl Blocks {
    pub fn items(&self, block: Block) -> &[Item] {
        self.items.get(block as usize).map(Vec::as_slice).unwrap_or_default()
    }

    /// Weights that a rank holds.
    pub fn weights_of(&self, config: &JobConfig, rank: usize) -> u64 {
        let layers = (config.layers / config.pp) as u64;
        layers * (self.layer_weights + self.expert_weights) + self.tables_of(config, rank) * self.embedding_weights
    }

    /// Embedding tables that a rank holds: that of the first stage, and that of the head on the last.
    pub fn tables_of(&self, config: &JobConfig, rank: usize) -> u64 {
        let stage = Layout::of(config).stage(rank);
        u64::from(stage == 0) + u64::from(stage + 1 == config.pp)
    }

    pub fn kernel(&self, number: usize) -> Option<&KernelSpec> {
        self.kernels.get(number)
    }

    pub fn communication(&self, number: usize) -> Option<&Communication> {
        self.communications.get(number)
    }
}
