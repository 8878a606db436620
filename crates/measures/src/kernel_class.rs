//! What a kernel does, by its names and the core that ran it.

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KernelClass {
    FlashAttention,
    Convolution,
    Matmul,
    /// Moves data on the device.
    Copy,
    /// Anything else on vector cores.
    Vector,
    /// Anything else on cube cores.
    Cube,
    Other,
}

impl KernelClass {
    pub const ALL: [KernelClass; 7] = [
        KernelClass::FlashAttention,
        KernelClass::Convolution,
        KernelClass::Matmul,
        KernelClass::Copy,
        KernelClass::Vector,
        KernelClass::Cube,
        KernelClass::Other,
    ];

    /// The name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            KernelClass::FlashAttention => "flash_attention",
            KernelClass::Convolution => "conv",
            KernelClass::Matmul => "matmul",
            KernelClass::Copy => "copies",
            KernelClass::Vector => "vector",
            KernelClass::Cube => "cube",
            KernelClass::Other => "other",
        }
    }

    /// The first of these that holds, whatever the case of letters:
    ///
    /// 1. type or name contains a word of fused attention (`FlashAttention`, `flash_attention`, `flash_fwd`,
    ///    `flash_bwd`, `FusedInferAttention`, `fmha`): flash attention;
    /// 2. contains `conv`: convolution;
    /// 3. contains `matmul` or `gemm`, or the type is `aten::mm`, `aten::bmm`, `aten::addmm` or `aten::linear`: matmul;
    /// 4. the type is `TensorMove` or `aten::copy_`, or begins with `memcpy`, or there is no type and the name begins
    ///    with it: copy;
    /// 5. the core is a vector core: vector; a cube core: cube;
    /// 6. other.
    pub fn of(op_type: &str, name: &str, core: &str) -> KernelClass {
        const ATTENTION: [&str; 6] =
            ["flashattention", "flash_attention", "flash_fwd", "flash_bwd", "fusedinferattention", "fmha"];
        const PRODUCTS: [&str; 4] = ["aten::mm", "aten::bmm", "aten::addmm", "aten::linear"];
        let (op_type, name) = (op_type.to_ascii_lowercase(), name.to_ascii_lowercase());
        let contains = |word: &str| op_type.contains(word) || name.contains(word);
        let is_type = |words: &[&str]| words.contains(&op_type.as_str());
        let is_memcpy = if op_type.is_empty() { name.starts_with("memcpy") } else { op_type.starts_with("memcpy") };
        match () {
            () if ATTENTION.iter().any(|word| contains(word)) => KernelClass::FlashAttention,
            () if contains("conv") => KernelClass::Convolution,
            () if contains("matmul") || contains("gemm") || is_type(&PRODUCTS) => KernelClass::Matmul,
            () if is_memcpy || is_type(&["tensormove", "aten::copy_"]) => KernelClass::Copy,
            () if matches!(core, "AI_VECTOR_CORE" | "MIX_AIV" | "AIV" | "VECTOR_CORE") => KernelClass::Vector,
            () if matches!(core, "AI_CORE" | "MIX_AIC" | "AIC") => KernelClass::Cube,
            () => KernelClass::Other,
        }
    }
}

/// Whether a task of this type copies between host and device or within a device: older traces of NPUs call such tasks
/// by their queue entries, traces of GPUs by their category.
pub fn is_copy(task_type: &str) -> bool {
    COPY_TASKS.contains(&task_type)
}

/// Types of tasks that copy: see [`is_copy`].
pub const COPY_TASKS: [&str; 5] = ["MEMCPY_ASYNC", "PCIE_DMA_SQE", "SDMA_SQE", "gpu_memcpy", "Memcpy"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decide_before_cores() {
        let class = |op_type, name, core| KernelClass::of(op_type, name, core).name();
        assert_eq!(class("FlashAttentionScore", "FlashAttentionScore_1", "MIX_AIC"), "flash_attention");
        assert_eq!(class("Conv2D", "x", "AI_CORE"), "conv");
        assert_eq!(class("MatMulV2", "x", "AI_CORE"), "matmul");
        assert_eq!(class("", "ampere_sgemm_128x64_nn", ""), "matmul");
        assert_eq!(class("aten::mm", "kernel", ""), "matmul");
        assert_eq!(class("TensorMove", "x", "AI_VECTOR_CORE"), "copies");
        assert_eq!(class("", "Memcpy HtoD (Pinned -> Device)", ""), "copies");
        assert_eq!(class("Add", "Add_1", "AI_VECTOR_CORE"), "vector");
        assert_eq!(class("Mystery", "Mystery_1", "AI_CORE"), "cube");
        assert_eq!(class("Mystery", "Mystery_1", "AI_CPU"), "other");
    }
}
