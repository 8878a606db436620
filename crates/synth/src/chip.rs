//! How fast the simulated chip and its links are. Figures of an Ascend 910B, rounded.

pub const NAME: &str = "Ascend910B";

/// Half-precision operations per second of the cube cores, at the share of the peak that kernels reach.
const CUBE_FLOPS: f64 = 313e12 * 0.6;
/// Bytes per second of memory, likewise.
const MEMORY_BANDWIDTH: f64 = 1.6e12 * 0.7;
/// Bytes per second between two chips of a host, and between hosts.
const HCCS_BANDWIDTH: f64 = 28e9;
const RDMA_BANDWIDTH: f64 = 23e9;
/// Nanoseconds before the first byte arrives.
const LATENCY: f64 = 12_000.0;

/// The shortest kernel.
const LAUNCH: f64 = 4_000.0;

/// Frequency of the AI Core in MHz.
pub const FREQUENCY: f64 = 1800.0;

/// Nanoseconds of a kernel that does so many operations and moves so many bytes.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an estimate")]
pub fn kernel_ns(flops: u64, bytes: u64) -> u64 {
    let ns = (flops as f64 / CUBE_FLOPS).max(bytes as f64 / MEMORY_BANDWIDTH) * 1e9;
    (LAUNCH + ns) as u64
}

/// Nanoseconds to move so many bytes over one link.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an estimate")]
pub fn link_ns(bytes: u64, same_host: bool) -> u64 {
    let bandwidth = if same_host { HCCS_BANDWIDTH } else { RDMA_BANDWIDTH };
    (LATENCY + bytes as f64 / bandwidth * 1e9) as u64
}
