//! The words of a Kineto trace: which category is what, how collectives are called.

use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::lane::Layer;

/// What a slice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A kernel on the device.
    Kernel,
    /// A copy or a fill on the device.
    Copy,
    /// Something else on the device, such as waiting for a stream.
    Device,
    /// A slice of the host, or a range of the user. Calls of the driver's API have a level.
    Host(Kind, Option<&'static str>),
}

/// What the slices of a category are; `on_device` says whether the lane is a stream.
///
/// ROCm traces say `cuda_runtime` too. PyTorch before 1.12 wrote the words with capitals and shorter.
pub fn class_of(category: &str, on_device: bool) -> Class {
    match category.to_ascii_lowercase().as_str() {
        "kernel" | "concurrent_kernel" => Class::Kernel,
        "gpu_memcpy" | "gpu_memset" | "memcpy" | "memset" => Class::Copy,
        "cuda_sync" => Class::Device,
        "cpu_op" | "operator" => Class::Host(Kind::Op, None),
        "python_function" => Class::Host(Kind::Python, None),
        "user_annotation" | "gpu_user_annotation" => Class::Host(Kind::Mstx, None),
        "runtime" => Class::Host(Kind::Cann, Some("runtime")),
        word if word.ends_with("_runtime") => Class::Host(Kind::Cann, Some("runtime")),
        word if word.ends_with("_driver") => Class::Host(Kind::Cann, Some("driver")),
        _ if on_device => Class::Device,
        _ => Class::Host(Kind::Other, None),
    }
}

/// The layer of a process, by its label: its name is that of the program, for devices too.
pub fn layer_of(_process: Option<&str>, label: Option<&str>) -> Layer {
    match label {
        Some("CPU") => Layer::Framework,
        Some(label) if ["GPU", "XPU", "MTIA", "HPU", "NPU"].iter().any(|device| label.starts_with(device)) => {
            Layer::Hardware
        }
        _ => Layer::Other,
    }
}

/// Whether a kernel is one of NCCL or RCCL, by its name. RCCL kept the names of NCCL.
pub fn is_collective(kernel: &str) -> bool {
    let kernel = kernel.strip_prefix("void ").unwrap_or(kernel);
    kernel.starts_with("nccl") || kernel.starts_with("rccl") || kernel.contains("mscclKernel")
}

/// The operation in the name of a kernel such as `ncclDevKernel_AllReduce_Sum_f32_RING_LL(…)`, as the metadata of
/// other kernels would spell it.
pub fn operation_in_name(kernel: &str) -> Option<&'static str> {
    let (_, rest) = kernel.split_once("Kernel_")?;
    let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    match word {
        "AllReduce" => Some("allreduce"),
        "AllGather" => Some("allgather"),
        "ReduceScatter" => Some("reduce_scatter"),
        "Broadcast" => Some("broadcast"),
        "Reduce" => Some("reduce"),
        "SendRecv" => Some("sendrecv"),
        "AllToAll" => Some("all_to_all"),
        _ => None,
    }
}

/// The kind of device that memory is of: the numbers of c10::DeviceType.
pub fn device_type(number: i64) -> Option<&'static str> {
    match number {
        0 => Some("CPU"),
        1 => Some("CUDA"),
        6 => Some("HIP"),
        12 => Some("XPU"),
        13 => Some("MPS"),
        18 => Some("HPU"),
        20 => Some("PRIVATEUSE1"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_of_every_version_are_distinguished() {
        for (category, class) in [
            ("kernel", Class::Kernel),
            ("Kernel", Class::Kernel),
            ("gpu_memcpy", Class::Copy),
            ("Memset", Class::Copy),
            ("cuda_driver", Class::Host(Kind::Cann, Some("driver"))),
            ("Runtime", Class::Host(Kind::Cann, Some("runtime"))),
            ("xpu_runtime", Class::Host(Kind::Cann, Some("runtime"))),
            ("Operator", Class::Host(Kind::Op, None)),
            ("overhead", Class::Host(Kind::Other, None)),
            ("", Class::Host(Kind::Other, None)),
        ] {
            assert_eq!(class_of(category, false), class, "{category}");
        }
        assert_eq!(class_of("mtia_ccp_events", true), Class::Device);
        assert_eq!(class_of("gpu_user_annotation", true), Class::Host(Kind::Mstx, None));
    }

    #[test]
    fn collectives_are_known_by_their_kernels() {
        for (kernel, operation) in [
            ("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)", Some("allreduce")),
            ("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", Some("reduce_scatter")),
            ("ncclDevKernel_SendRecv(ncclDevComm*, unsigned long, ncclWork*)", Some("sendrecv")),
            ("ncclDevKernel_Generic(ncclDevComm*, unsigned long, ncclWork*)", None),
        ] {
            assert!(is_collective(kernel));
            assert_eq!(operation_in_name(kernel), operation, "{kernel}");
        }
        assert!(!is_collective("void at::native::nccl_like<float>(int)"));
    }
}
