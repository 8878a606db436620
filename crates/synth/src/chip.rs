//! How fast the simulated chip, its host and its links are.

use serde::{Deserialize, Serialize};

use crate::error::ConfigError;

pub const NAME: &str = "Ascend910B";

/// What a cube core does in a cycle in half precision.
pub const CUBE_FLOPS_PER_CYCLE: f64 = 8192.0;

/// Figures of a chip and what is around it. The default is an Ascend 910B, rounded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Chip {
    /// Peak of the cube cores in half precision, and the share of it that kernels reach.
    pub cube_tflops: f64,
    pub cube_share: f64,
    /// Peak of memory, and the share of it that kernels reach.
    pub memory_gb_per_s: f64,
    pub memory_share: f64,
    /// The shortest kernel.
    pub kernel_us: f64,
    pub frequency_mhz: f64,
    /// Between two chips of a host.
    pub hccs_gb_per_s: f64,
    /// Between hosts.
    pub rdma_gb_per_s: f64,
    /// Between a host and its chips.
    pub copy_gb_per_s: f64,
    /// Before the first byte arrives.
    pub latency_us: f64,
    /// What the host needs to call an operator, before it goes into the queue.
    pub host_us: f64,
    /// What the queue's thread needs to launch it.
    pub launch_us: f64,
    /// Until one stream knows what another has done.
    pub event_us: f64,
    /// Between steps, for the next batch.
    pub batch_us: f64,
}

impl Default for Chip {
    fn default() -> Self {
        Chip {
            cube_tflops: 313.0,
            cube_share: 0.6,
            memory_gb_per_s: 1600.0,
            memory_share: 0.7,
            kernel_us: 4.0,
            frequency_mhz: 1800.0,
            hccs_gb_per_s: 28.0,
            rdma_gb_per_s: 23.0,
            copy_gb_per_s: 25.0,
            latency_us: 12.0,
            host_us: 18.0,
            launch_us: 15.0,
            event_us: 1.5,
            batch_us: 900.0,
        }
    }
}

impl Chip {
    /// A chip without delays: kernels take what their operations and bytes take, nothing else takes time.
    pub fn ideal() -> Chip {
        let fast = f64::from(u32::MAX);
        Chip {
            kernel_us: 0.0,
            latency_us: 0.0,
            host_us: 0.0,
            launch_us: 0.0,
            event_us: 0.0,
            batch_us: 0.0,
            hccs_gb_per_s: fast,
            rdma_gb_per_s: fast,
            copy_gb_per_s: fast,
            ..Chip::default()
        }
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let speeds = [
            ("cube_tflops", self.cube_tflops),
            ("cube_share", self.cube_share),
            ("memory_gb_per_s", self.memory_gb_per_s),
            ("memory_share", self.memory_share),
            ("frequency_mhz", self.frequency_mhz),
            ("hccs_gb_per_s", self.hccs_gb_per_s),
            ("rdma_gb_per_s", self.rdma_gb_per_s),
            ("copy_gb_per_s", self.copy_gb_per_s),
        ];
        let delays = [
            ("kernel_us", self.kernel_us),
            ("latency_us", self.latency_us),
            ("host_us", self.host_us),
            ("launch_us", self.launch_us),
            ("event_us", self.event_us),
            ("batch_us", self.batch_us),
        ];
        let least = 1e-3;
        if let Some(&(what, value)) = speeds.iter().find(|(_, value)| !(*value >= least && value.is_finite())) {
            return Err(ConfigError::Number { what, least, value });
        }
        match delays.iter().find(|(_, value)| !(*value >= 0.0 && value.is_finite())) {
            Some(&(what, value)) => Err(ConfigError::Number { what, least: 0.0, value }),
            None => Ok(()),
        }
    }

    /// Nanoseconds of so many operations on the cube cores.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub fn cube_ns(&self, flops: u64) -> f64 {
        flops as f64 / (self.cube_tflops * self.cube_share * 1e3)
    }

    /// Nanoseconds to move so many bytes to and from memory.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub fn memory_ns(&self, bytes: u64) -> f64 {
        bytes as f64 / (self.memory_gb_per_s * self.memory_share)
    }

    /// Nanoseconds until a stream of communication knows what the computing stream has done. Streams hear of
    /// it one after the other.
    pub fn event_ns(&self, stream: usize) -> u64 {
        const EACH: f64 = 0.02;
        #[expect(clippy::cast_precision_loss, reason = "there are ten streams")]
        let turn = 1.0 + EACH * stream as f64;
        whole_ns(self.event_us * 1e3 * turn)
    }

    /// Nanoseconds to copy so many bytes between host and chip.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub fn copy_ns(&self, bytes: u64) -> u64 {
        whole_ns(bytes as f64 / self.copy_gb_per_s)
    }

    /// Nanoseconds to move so many bytes over one link.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub fn link_ns(&self, bytes: u64, same_host: bool) -> f64 {
        let bandwidth = if same_host { self.hccs_gb_per_s } else { self.rdma_gb_per_s };
        self.latency_us * 1e3 + bytes as f64 / bandwidth
    }
}

/// Whole nanoseconds of a duration that is not negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "durations are far below 2^63 ns")]
pub fn whole_ns(ns: f64) -> u64 {
    ns as u64
}
