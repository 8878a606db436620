//! Kernels: what they are called, what they work on and how long that takes.

use crate::chip::Chip;

/// A kernel and the framework operator that launches it, with the shapes of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelSpec {
    pub operator: &'static Operator,
    pub pass: Pass,
    pub inputs: Vec<Vec<u64>>,
    pub output: Vec<u64>,
    pub dtype: Dtype,
    pub flops: u64,
    /// Bytes it reads and writes.
    pub bytes: u64,
    /// Nanoseconds of its operations and of its transfers; the longer of the two counts.
    pub cube_ns: f64,
    pub memory_ns: f64,
    /// Whether it works on the tokens that were sent to experts.
    pub is_expert: bool,
    /// Whether it is a part of attention.
    pub is_attention: bool,
}

/// Which part of the step a kernel is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    Forward,
    Backward,
    /// Forward without a backward to come.
    Inference,
    Optimizer,
}

/// An operator of the framework and the kernel behind it.
#[derive(Debug, PartialEq, Eq)]
pub struct Operator {
    /// Calls around it in the forward pass, outermost first.
    pub outer: &'static [&'static str],
    pub op: &'static str,
    /// The node of the backward graph.
    pub node: &'static str,
    /// `{API}_{implementation}_{type}`, as CANN names kernels.
    pub kernel: &'static str,
    pub op_type: &'static str,
    pub core: Core,
}

impl Operator {
    /// The CANN call that launches it.
    pub fn api(&self) -> &'static str {
        self.kernel.split_once('_').map_or(self.kernel, |(api, _)| api)
    }
}

/// Where a kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Core {
    Cube,
    Vector,
    Mix,
    AiCpu,
}

impl Core {
    pub const fn name(self) -> &'static str {
        match self {
            Core::Cube => "AI_CORE",
            Core::Vector => "AI_VECTOR_CORE",
            Core::Mix => "MIX_AIC",
            Core::AiCpu => "AI_CPU",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    Bf16,
    F32,
    I64,
}

impl Dtype {
    pub const fn bytes(self) -> u64 {
        match self {
            Dtype::Bf16 => 2,
            Dtype::F32 => 4,
            Dtype::I64 => 8,
        }
    }

    /// As CANN spells it for kernels.
    pub const fn of_kernel(self) -> &'static str {
        match self {
            Dtype::Bf16 => "DT_BF16",
            Dtype::F32 => "FLOAT",
            Dtype::I64 => "INT64",
        }
    }

    /// As PyTorch spells it for tensors.
    pub const fn of_tensor(self) -> &'static str {
        match self {
            Dtype::Bf16 => "c10::BFloat16",
            Dtype::F32 => "float",
            Dtype::I64 => "long int",
        }
    }

    /// As HCCL spells it.
    pub const fn of_communication(self) -> &'static str {
        match self {
            Dtype::Bf16 => "BFP16",
            Dtype::F32 => "FP32",
            Dtype::I64 => "INT64",
        }
    }
}

macro_rules! operators {
    ($($name:ident: $core:ident, [$($outer:literal),*], $op:literal, $node:literal, $kernel:literal, $op_type:literal;)+) => {
        $(pub static $name: Operator = Operator {
            outer: &[$($outer),*], op: $op, node: $node, kernel: $kernel, op_type: $op_type, core: Core::$core,
        };)+
    };
}

operators! {
    EMBEDDING: Vector, ["aten::embedding"], "aten::index_select", "EmbeddingBackward0",
        "aclnnIndexSelect_GatherV2AiCore_GatherV2", "GatherV2";
    EMBEDDING_GRAD: Vector, [], "aten::embedding_dense_backward", "EmbeddingBackward0",
        "aclnnEmbeddingDenseBackward_EmbeddingDenseGrad_EmbeddingDenseGrad", "EmbeddingDenseGrad";
    RMS_NORM: Vector, [], "npu::npu_rms_norm", "NpuRmsNormBackward0",
        "aclnnRmsNorm_RmsNorm_RmsNorm", "RmsNorm";
    RMS_NORM_GRAD: Vector, [], "npu::npu_rms_norm_backward", "NpuRmsNormBackward0",
        "aclnnRmsNormGrad_RmsNormGrad_RmsNormGrad", "RmsNormGrad";
    MATMUL: Cube, ["aten::linear", "aten::matmul"], "aten::mm", "MmBackward0",
        "aclnnMm_MatMulCommon_MatMulV2", "MatMulV2";
    ROTARY: Vector, [], "npu::npu_rotary_mul", "NpuRotaryMulBackward0",
        "aclnnRotaryPositionEmbedding_RotaryPositionEmbedding_RotaryPositionEmbedding", "RotaryPositionEmbedding";
    ROTARY_GRAD: Vector, [], "npu::npu_rotary_mul_backward", "NpuRotaryMulBackward0",
        "aclnnRotaryPositionEmbeddingGrad_RotaryPositionEmbeddingGrad_RotaryPositionEmbeddingGrad",
        "RotaryPositionEmbeddingGrad";
    ATTENTION: Mix, [], "npu::npu_fusion_attention", "NpuFusionAttentionBackward0",
        "aclnnFlashAttentionScore_FlashAttentionScore_FlashAttentionScore", "FlashAttentionScore";
    ATTENTION_GRAD: Mix, [], "npu::npu_fusion_attention_grad", "NpuFusionAttentionBackward0",
        "aclnnFlashAttentionScoreGrad_FlashAttentionScoreGrad_FlashAttentionScoreGrad", "FlashAttentionScoreGrad";
    ADD: Vector, [], "aten::add", "AddBackward0", "aclnnAdd_AddAiCore_Add", "Add";
    SWIGLU: Vector, [], "npu::npu_swiglu", "NpuSwigluBackward0", "aclnnSwiGlu_SwiGlu_SwiGlu", "SwiGlu";
    SWIGLU_GRAD: Vector, [], "npu::npu_swiglu_backward", "NpuSwigluBackward0",
        "aclnnSwiGluGrad_SwiGluGrad_SwiGluGrad", "SwiGluGrad";
    GATING: Vector, [], "npu::npu_moe_gating_top_k_softmax", "NpuMoeGatingTopKSoftmaxBackward0",
        "aclnnMoeGatingTopKSoftmax_MoeGatingTopKSoftmax_MoeGatingTopKSoftmax", "MoeGatingTopKSoftmax";
    PERMUTE: Vector, [], "npu::npu_moe_token_permute", "NpuMoeTokenPermuteBackward0",
        "aclnnMoeTokenPermute_MoeTokenPermute_MoeTokenPermute", "MoeTokenPermute";
    PERMUTE_GRAD: Vector, [], "npu::npu_moe_token_permute_grad", "NpuMoeTokenPermuteBackward0",
        "aclnnMoeTokenPermuteGrad_MoeTokenPermuteGrad_MoeTokenPermuteGrad", "MoeTokenPermuteGrad";
    UNPERMUTE: Vector, [], "npu::npu_moe_token_unpermute", "NpuMoeTokenUnpermuteBackward0",
        "aclnnMoeTokenUnpermute_MoeTokenUnpermute_MoeTokenUnpermute", "MoeTokenUnpermute";
    UNPERMUTE_GRAD: Vector, [], "npu::npu_moe_token_unpermute_grad", "NpuMoeTokenUnpermuteBackward0",
        "aclnnMoeTokenUnpermuteGrad_MoeTokenUnpermuteGrad_MoeTokenUnpermuteGrad", "MoeTokenUnpermuteGrad";
    GROUPED_MATMUL: Cube, [], "npu::npu_grouped_matmul", "GMMFunctionBackward",
        "aclnnGroupedMatmulV4_GroupedMatmul_GroupedMatmul", "GroupedMatmul";
    LOG_SOFTMAX: Vector, ["aten::cross_entropy_loss", "aten::log_softmax"], "aten::_log_softmax",
        "LogSoftmaxBackward0", "aclnnLogSoftmax_LogSoftmaxV2AiCore_LogSoftmaxV2", "LogSoftmaxV2";
    LOG_SOFTMAX_GRAD: Vector, [], "aten::_log_softmax_backward_data", "LogSoftmaxBackward0",
        "aclnnLogSoftmaxBackward_LogSoftmaxGradAiCore_LogSoftmaxGrad", "LogSoftmaxGrad";
    REDUCE_SUM: Vector, [], "aten::sum", "SumBackward0", "aclnnReduceSum_ReduceSumOpAiCore_ReduceSum", "ReduceSum";
    SCALE: Vector, [], "aten::mul", "MulBackward0", "aclnnMuls_MulAiCore_Mul", "Mul";
    ADAM: Vector, [], "npu::npu_apply_adam_w", "", "aclnnApplyAdamWV2_ApplyAdamWV2_ApplyAdamWV2", "ApplyAdamWV2";
    COPY: Vector, [], "aten::copy_", "", "aclnnInplaceCopy_TensorMoveAiCore_TensorMove", "TensorMove";
    NON_ZERO: AiCpu, [], "aten::nonzero", "", "aclnnNonzeroV2_NonZeroAiCpu_NonZero", "NonZero";
}

impl KernelSpec {
    pub fn new(operator: &'static Operator, pass: Pass, dtype: Dtype) -> KernelSpec {
        KernelSpec {
            operator,
            pass,
            inputs: Vec::new(),
            output: Vec::new(),
            dtype,
            flops: 0,
            bytes: 0,
            cube_ns: 0.0,
            memory_ns: 0.0,
            is_expert: false,
            is_attention: false,
        }
    }

    /// With so many operations, and the time that they and the tensors take.
    #[must_use]
    pub fn work(mut self, inputs: Vec<Vec<u64>>, output: Vec<u64>, flops: u64, chip: &Chip) -> KernelSpec {
        let elements = inputs.iter().map(|shape| size(shape)).sum::<u64>() + size(&output);
        self.bytes = elements * self.dtype.bytes();
        (self.inputs, self.output, self.flops) = (inputs, output, flops);
        (self.cube_ns, self.memory_ns) = (chip.cube_ns(self.flops), chip.memory_ns(self.bytes));
        self
    }

    /// Whether it multiplies matrices.
    pub fn is_matrix(&self) -> bool {
        matches!(self.operator.core, Core::Cube | Core::Mix)
    }

    pub fn output_bytes(&self) -> u64 {
        size(&self.output) * self.dtype.bytes()
    }
}

/// Elements of a tensor.
pub fn size(shape: &[u64]) -> u64 {
    shape.iter().product()
}
