//! What a rank does in a step: kernels and communication, in order.

use crate::chip;
use crate::config::JobConfig;
use crate::layout::{GroupKind, Layout};

/// Something the device does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Kernel(Kernel),
    Collective(Collective),
    Send(PointToPoint),
    Receive(PointToPoint),
}

/// A kernel, and the framework operator that launches it.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Framework operator.
    pub op: &'static str,
    /// Operator type of the device.
    pub op_type: &'static str,
    pub core: Core,
    pub inputs: Vec<Vec<u64>>,
    pub output: Vec<u64>,
    /// Nanoseconds, before noise.
    pub ns: u64,
    /// The layer it belongs to, for names.
    pub layer: Option<usize>,
    pub is_backward: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Core {
    Cube,
    Vector,
    Mix,
}

/// A collective of one of the rank's groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Collective {
    pub group: GroupKind,
    /// allReduce, reduceScatter …
    pub name: &'static str,
    pub elements: u64,
    pub dtype: &'static str,
}

/// Half of a transfer between neighbouring stages.
#[derive(Clone, Debug, PartialEq)]
pub struct PointToPoint {
    /// The other rank.
    pub peer: usize,
    pub elements: u64,
    /// Which transfer between the two it is, so that the halves find each other.
    pub number: usize,
}

impl Collective {
    pub fn bytes(&self) -> u64 {
        self.elements * if self.dtype == "FP32" { 4 } else { 2 }
    }
}

impl PointToPoint {
    pub fn bytes(&self) -> u64 {
        self.elements * 2
    }
}

/// The actions of one step of a rank.
pub fn step(config: &JobConfig, rank: usize) -> Vec<Action> {
    Builder::new(config, rank).step()
}

struct Builder<'a> {
    config: &'a JobConfig,
    layout: Layout,
    stage: usize,
    rank: usize,
    actions: Vec<Action>,
}

impl<'a> Builder<'a> {
    fn new(config: &'a JobConfig, rank: usize) -> Self {
        let layout = Layout::of(config);
        let (_, _, stage) = layout.place(rank);
        Builder { config, layout, stage, rank, actions: Vec::new() }
    }

    /// One forward, one backward: a stage runs ahead by as many micro-batches as stages follow it.
    fn step(mut self) -> Vec<Action> {
        let all = self.config.micro_batches;
        let ahead = (self.config.pp - self.stage - 1).min(all);
        for number in 0..ahead {
            self.forward(number);
        }
        for number in 0..all - ahead {
            self.forward(number + ahead);
            self.backward(number);
        }
        for number in all - ahead..all {
            self.backward(number);
        }
        self.optimizer();
        self.actions
    }

    fn is_first(&self) -> bool {
        self.stage == 0
    }

    fn is_last(&self) -> bool {
        self.stage + 1 == self.config.pp
    }

    fn neighbour(&self, stage: usize) -> usize {
        let (tensor, data, _) = self.layout.place(self.rank);
        self.layout.rank(tensor, data, stage)
    }

    /// Elements of the activations that go from stage to stage.
    fn activation(&self) -> u64 {
        self.config.sequence * self.config.hidden
    }

    fn layers(&self) -> std::ops::Range<usize> {
        let each = self.config.layers / self.config.pp;
        self.stage * each..(self.stage + 1) * each
    }

    fn forward(&mut self, number: usize) {
        let (sequence, hidden) = (self.config.sequence, self.config.hidden);
        if self.is_first() {
            let table = vec![self.config.vocabulary / self.config.tp as u64, hidden];
            self.vector(
                "aten::embedding",
                "GatherV2",
                vec![table, vec![sequence]],
                vec![sequence, hidden],
                None,
                false,
            );
        } else {
            let peer = self.neighbour(self.stage - 1);
            self.actions.push(Action::Receive(PointToPoint { peer, elements: self.activation(), number: 2 * number }));
        }
        for layer in self.layers() {
            self.forward_layer(layer);
        }
        if self.is_last() {
            let vocabulary = self.config.vocabulary / self.config.tp as u64;
            self.matmul("aten::mm", [sequence, hidden, vocabulary], None, false);
            let logits = vec![sequence, vocabulary];
            self.vector("aten::log_softmax", "LogSoftmaxV2", vec![logits.clone()], logits, None, false);
        } else {
            let peer = self.neighbour(self.stage + 1);
            self.actions.push(Action::Send(PointToPoint { peer, elements: self.activation(), number: 2 * number }));
        }
    }

    fn forward_layer(&mut self, layer: usize) {
        let (s, h, tp) = (self.config.sequence, self.config.hidden, self.config.tp as u64);
        let layer = Some(layer);
        let tokens = vec![s, h];
        self.vector("npu::npu_rms_norm", "RmsNorm", vec![tokens.clone(), vec![h]], tokens.clone(), layer, false);
        self.matmul("aten::mm", [s, h, 3 * h / tp], layer, false);
        self.vector("npu::npu_rotary_mul", "RotaryMul", vec![vec![s, h / tp]], vec![s, h / tp], layer, false);
        self.attention(layer, false);
        self.matmul("aten::mm", [s, h / tp, h], layer, false);
        self.all_reduce_tensor();
        self.vector("aten::add", "Add", vec![tokens.clone(), tokens.clone()], tokens.clone(), layer, false);
        self.vector("npu::npu_rms_norm", "RmsNorm", vec![tokens.clone(), vec![h]], tokens.clone(), layer, false);
        self.matmul("aten::mm", [s, h, 8 * h / tp], layer, false);
        self.vector("npu::npu_swiglu", "SwiGlu", vec![vec![s, 8 * h / tp]], vec![s, 4 * h / tp], layer, false);
        self.matmul("aten::mm", [s, 4 * h / tp, h], layer, false);
        self.all_reduce_tensor();
        self.vector("aten::add", "Add", vec![tokens.clone(), tokens.clone()], tokens, layer, false);
    }

    fn backward(&mut self, number: usize) {
        let (sequence, hidden) = (self.config.sequence, self.config.hidden);
        if self.is_last() {
            let vocabulary = self.config.vocabulary / self.config.tp as u64;
            let logits = vec![sequence, vocabulary];
            self.vector("aten::_log_softmax_backward_data", "LogSoftmaxGrad", vec![logits.clone()], logits, None, true);
            self.matmul("aten::mm", [sequence, vocabulary, hidden], None, true);
        } else {
            let peer = self.neighbour(self.stage + 1);
            self.actions.push(Action::Receive(PointToPoint {
                peer,
                elements: self.activation(),
                number: 2 * number + 1,
            }));
        }
        for layer in self.layers().rev() {
            self.backward_layer(layer);
        }
        if self.is_first() {
            let table = vec![self.config.vocabulary / self.config.tp as u64, hidden];
            self.vector(
                "aten::embedding_dense_backward",
                "EmbeddingDenseGrad",
                vec![vec![sequence, hidden]],
                table,
                None,
                true,
            );
        } else {
            let peer = self.neighbour(self.stage - 1);
            self.actions.push(Action::Send(PointToPoint { peer, elements: self.activation(), number: 2 * number + 1 }));
        }
    }

    /// The forward pass in reverse, two matrix products for each one.
    fn backward_layer(&mut self, layer: usize) {
        let (s, h, tp) = (self.config.sequence, self.config.hidden, self.config.tp as u64);
        let layer = Some(layer);
        let tokens = vec![s, h];
        self.matmul("aten::mm", [s, h, 4 * h / tp], layer, true);
        self.matmul("aten::mm", [4 * h / tp, s, h], layer, true);
        self.vector(
            "npu::npu_swiglu_backward",
            "SwiGluGrad",
            vec![vec![s, 4 * h / tp]],
            vec![s, 8 * h / tp],
            layer,
            true,
        );
        self.matmul("aten::mm", [s, 8 * h / tp, h], layer, true);
        self.matmul("aten::mm", [h, s, 8 * h / tp], layer, true);
        self.all_reduce_tensor();
        self.vector("npu::npu_rms_norm_backward", "RmsNormGrad", vec![tokens.clone()], tokens.clone(), layer, true);
        self.matmul("aten::mm", [s, h, h / tp], layer, true);
        self.matmul("aten::mm", [h / tp, s, h], layer, true);
        self.attention(layer, true);
        self.matmul("aten::mm", [s, 3 * h / tp, h], layer, true);
        self.matmul("aten::mm", [h, s, 3 * h / tp], layer, true);
        self.all_reduce_tensor();
        self.vector("npu::npu_rms_norm_backward", "RmsNormGrad", vec![tokens.clone()], tokens, layer, true);
    }

    /// Gradients are summed over data-parallel ranks, weights updated.
    fn optimizer(&mut self) {
        let (h, tp) = (self.config.hidden, self.config.tp as u64);
        let per_layer = (3 * h * h + h * h + 12 * h * h) / tp;
        for layer in self.layers() {
            if self.config.dp > 1 {
                let collective =
                    Collective { group: GroupKind::Data, name: "allReduce", elements: per_layer, dtype: "FP32" };
                self.actions.push(Action::Collective(collective));
            }
            let weights = vec![per_layer];
            self.vector(
                "npu::npu_apply_adam_w",
                "ApplyAdamW",
                vec![weights.clone(), weights.clone()],
                weights,
                Some(layer),
                false,
            );
        }
    }

    fn all_reduce_tensor(&mut self) {
        if self.config.tp > 1 {
            let elements = self.activation();
            self.actions.push(Action::Collective(Collective {
                group: GroupKind::Tensor,
                name: "allReduce",
                elements,
                dtype: "BFP16",
            }));
        }
    }

    fn matmul(&mut self, op: &'static str, [m, k, n]: [u64; 3], layer: Option<usize>, is_backward: bool) {
        let ns = chip::kernel_ns(2 * m * k * n, 2 * (m * k + k * n + m * n));
        let (inputs, output) = (vec![vec![m, k], vec![k, n]], vec![m, n]);
        self.actions.push(Action::Kernel(Kernel {
            op,
            op_type: "MatMulV2",
            core: Core::Cube,
            inputs,
            output,
            ns,
            layer,
            is_backward,
        }));
    }

    fn attention(&mut self, layer: Option<usize>, is_backward: bool) {
        let (s, h, tp) = (self.config.sequence, self.config.hidden, self.config.tp as u64);
        let flops = 4 * s * s * h / tp / 2 * if is_backward { 5 } else { 2 } / 2;
        let (op, op_type) = if is_backward {
            ("npu::npu_fusion_attention_grad", "FlashAttentionScoreGrad")
        } else {
            ("npu::npu_fusion_attention", "FlashAttentionScore")
        };
        let ns = chip::kernel_ns(flops, 8 * s * h / tp);
        let inputs = vec![vec![s, h / tp]; 3];
        let output = vec![s, h / tp];
        self.actions.push(Action::Kernel(Kernel {
            op,
            op_type,
            core: Core::Mix,
            inputs,
            output,
            ns,
            layer,
            is_backward,
        }));
    }

    fn vector(
        &mut self,
        op: &'static str,
        op_type: &'static str,
        inputs: Vec<Vec<u64>>,
        output: Vec<u64>,
        layer: Option<usize>,
        is_backward: bool,
    ) {
        let elements = |shape: &Vec<u64>| shape.iter().product::<u64>();
        let bytes = 2 * (inputs.iter().map(elements).sum::<u64>() + elements(&output));
        let ns = chip::kernel_ns(0, bytes);
        self.actions.push(Action::Kernel(Kernel {
            op,
            op_type,
            core: Core::Vector,
            inputs,
            output,
            ns,
            layer,
            is_backward,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_received() {
        let config = JobConfig { tp: 1, pp: 4, dp: 1, layers: 4, micro_batches: 6, ..JobConfig::default() };
        let mut sent = Vec::new();
        let mut received = Vec::new();
        for rank in 0..4 {
            for action in step(&config, rank) {
                match action {
                    Action::Send(p) => sent.push((rank, p.peer, p.number, p.elements)),
                    Action::Receive(p) => received.push((p.peer, rank, p.number, p.elements)),
                    _ => {}
                }
            }
        }
        sent.sort_unstable();
        received.sort_unstable();
        assert_eq!(sent, received);
        assert_eq!(sent.len(), 3 * 2 * 6);
    }
}
