//! Kernels: single ones, and the small groups that every layer has.

use super::Builder;
use crate::blocks::{Item, Module};
use crate::kernels::{self, Dtype, KernelSpec, Operator, Pass};

impl Builder<'_> {
    pub(super) fn norm(&mut self) {
        let (h, tokens) = (self.config.hidden, self.divided);
        self.elementwise(&kernels::RMS_NORM, &[&[tokens, h], &[h]], &[tokens, h], Dtype::Bf16);
    }

    pub(super) fn norm_grad(&mut self) {
        let (h, tokens) = (self.config.hidden, self.divided);
        self.answer(1);
        self.elementwise(&kernels::RMS_NORM_GRAD, &[&[tokens, h], &[tokens, h], &[h]], &[tokens, h], Dtype::Bf16);
    }

    pub(super) fn residual(&mut self) {
        let tokens: &[u64] = &[self.divided, self.config.hidden];
        self.elementwise(&kernels::ADD, &[tokens, tokens], tokens, Dtype::Bf16);
    }

    /// The gradient goes both ways; the two meet in a sum.
    pub(super) fn residual_grad(&mut self) {
        self.answer(1);
        let tokens: &[u64] = &[self.divided, self.config.hidden];
        self.elementwise(&kernels::ADD, &[tokens, tokens], tokens, Dtype::Bf16);
    }

    /// The next kernel of the backward pass answers the forward node before the last one.
    pub(super) fn answer(&mut self, nodes: usize) {
        if self.pass == Pass::Backward {
            self.node = self.node.saturating_sub(nodes);
        }
    }

    pub(super) fn push(&mut self, spec: KernelSpec) {
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

    pub(super) fn matmul(&mut self, [m, k, n]: [u64; 3]) {
        let spec = KernelSpec::new(&kernels::MATMUL, self.pass, Dtype::Bf16);
        let spec = spec.work(vec![vec![m, k], vec![k, n]], vec![m, n], 2 * m * k * n, &self.config.chip);
        self.push_node(spec);
    }

    /// The gradients of both factors of an `m x k` by `k x n` product.
    pub(super) fn matmul_grads(&mut self, [m, k, n]: [u64; 3]) {
        self.answer(1);
        self.matmul([m, n, k]);
        self.matmul([k, m, n]);
    }

    pub(super) fn grouped_matmul(&mut self, [m, k, n]: [u64; 3]) {
        let experts = self.config.experts / self.config.ep as u64;
        let spec = KernelSpec { is_expert: true, ..KernelSpec::new(&kernels::GROUPED_MATMUL, self.pass, Dtype::Bf16) };
        let inputs = vec![vec![m, k], vec![experts, k, n], vec![experts]];
        let spec = spec.work(inputs, vec![m, n], 2 * m * k * n, &self.config.chip);
        self.push_node(spec);
    }

    pub(super) fn grouped_matmul_grads(&mut self, [m, k, n]: [u64; 3]) {
        self.answer(1);
        self.grouped_matmul([m, n, k]);
        let experts = self.config.experts / self.config.ep as u64;
        let spec = KernelSpec { is_expert: true, ..KernelSpec::new(&kernels::GROUPED_MATMUL, self.pass, Dtype::Bf16) };
        let inputs = vec![vec![m, k], vec![m, n], vec![experts]];
        self.push_node(spec.work(inputs, vec![experts, k, n], 2 * m * k * n, &self.config.chip));
    }

    pub(super) fn elementwise(&mut self, operator: &'static Operator, inputs: &[&[u64]], output: &[u64], dtype: Dtype) {
        let inputs = inputs.iter().map(|shape| shape.to_vec()).collect();
        let spec = KernelSpec::new(operator, self.pass, dtype).work(inputs, output.to_vec(), 0, &self.config.chip);
        self.push_node(spec);
    }

    /// The kernel just added reads of its first input no more than it writes.
    pub(super) fn reads_little(&mut self) {
        let chip = &self.config.chip;
        if let Some(spec) = self.blocks.kernels.last_mut() {
            spec.bytes = 2 * spec.output_bytes();
            spec.memory_ns = chip.memory_ns(spec.bytes);
        }
    }

    /// The kernel just added works on the tokens of experts.
    pub(super) fn of_experts(&mut self) {
        if let Some(spec) = self.blocks.kernels.last_mut() {
            spec.is_expert = true;
        }
    }
}
