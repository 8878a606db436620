//! What job to simulate.

use npuscope_tables::Framework;
use serde::{Deserialize, Serialize};

use crate::chip::Chip;
use crate::error::{ConfigError, Misplaced, Parts};
use crate::fault::{Fault, FaultKind, Place};
use crate::windows::{Profiling, Stretch};

/// A training job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JobConfig {
    /// Transformer layers, divided evenly among the pipeline's stages.
    pub layers: usize,
    pub hidden: u64,
    /// Width of the feed-forward network; in a mixture of experts, that of the expert all tokens share.
    pub ffn: u64,
    pub heads: u64,
    /// Heads of keys and values.
    pub kv_heads: u64,
    pub sequence: u64,
    pub vocabulary: u64,
    /// Experts of a layer; 0 for a dense model.
    pub experts: u64,
    /// Experts that each token goes to.
    pub top_k: u64,
    /// Width of an expert.
    pub expert_ffn: u64,

    /// Tensor-parallel size.
    pub tp: usize,
    /// Pipeline-parallel size.
    pub pp: usize,
    /// Data-parallel size.
    pub dp: usize,
    /// Context-parallel size.
    pub cp: usize,
    /// Expert-parallel size: divides the data- and context-parallel ranks.
    pub ep: usize,

    /// Micro-batches per step.
    pub micro_batches: usize,
    /// Pieces of the model on each stage; more than one is an interleaved pipeline.
    pub virtual_stages: usize,
    pub recompute: Recompute,
    /// Whether norms run on a part of the sequence, with gather and scatter in place of reductions.
    pub sequence_parallel: bool,
    /// Whether optimizer state is divided among data-parallel ranks.
    pub distributed_optimizer: bool,
    /// Whether the host reads the loss at the end of each step and so waits for the device; else it runs ahead.
    pub reads_loss: bool,
    /// A checkpoint is written after every so many steps; 0 for never.
    pub checkpoint_every: usize,
    pub workload: Workload,
    pub steps: usize,
    /// Number of the first step.
    pub first_step: i64,
    /// Steps that are recorded; all of them are one window if none are given.
    pub windows: Vec<Stretch>,
    /// How windows begin and end.
    pub profiling: Profiling,

    pub devices_per_host: usize,
    pub chip: Chip,
    /// How far the clocks of hosts are apart, at most, in microseconds.
    pub clock_skew_us: f64,
    /// Spread of kernel and host times: 0.02 is one per cent up or down.
    pub noise: f64,
    pub seed: u64,

    /// What goes wrong.
    pub faults: Vec<Fault>,

    pub level: Level,
    #[serde(with = "framework_name")]
    pub framework: Framework,
    pub profile_memory: bool,
    pub record_shapes: bool,
    pub with_stack: bool,
    pub with_modules: bool,
    pub l2_cache: bool,
    /// Whether ranges of the user are recorded: parts of the step and, in the domain `Module`, modules.
    pub mstx: bool,
    /// Whether, with `mstx`, matrix operators are marked with their number of operations (domain `mfu_flops`), and
    /// the chip's figures are kept in `device_N/info.json.N`.
    pub mfu_ranges: bool,
    /// When collection starts, in ns since the epoch.
    pub start: i64,
}

/// What the backward pass computes again instead of keeping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Recompute {
    None,
    /// Attention alone.
    Selective,
    /// Whole layers.
    Full,
}

impl Recompute {
    pub(crate) const NAMES: &[&str] = &["none", "selective", "full"];
}

/// What a step is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Workload {
    Training,
    /// Reinforcement learning: generation, two passes of log probabilities, and an update.
    ReinforcementLearning,
}

impl Workload {
    pub(crate) const NAMES: &[&str] = &["training", "reinforcement-learning"];
}

/// How much the profiler records of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// User ranges alone.
    None,
    Level0,
    Level1,
    Level2,
}

impl Level {
    /// As scenario files spell them.
    pub(crate) const NAMES: &[&str] = &["none", "level0", "level1", "level2"];

    /// As torch_npu spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Level::None => "Level_none",
            Level::Level0 => "Level0",
            Level::Level1 => "Level1",
            Level::Level2 => "Level2",
        }
    }
}

impl Default for JobConfig {
    fn default() -> Self {
        JobConfig {
            layers: 8,
            hidden: 4096,
            ffn: 11_008,
            heads: 32,
            kv_heads: 32,
            sequence: 4096,
            vocabulary: 32_000,
            experts: 0,
            top_k: 2,
            expert_ffn: 0,
            tp: 2,
            pp: 2,
            dp: 2,
            cp: 1,
            ep: 1,
            micro_batches: 4,
            virtual_stages: 1,
            recompute: Recompute::None,
            sequence_parallel: true,
            distributed_optimizer: true,
            reads_loss: true,
            checkpoint_every: 0,
            workload: Workload::Training,
            steps: 3,
            first_step: 10,
            windows: Vec::new(),
            profiling: Profiling::Schedule,
            devices_per_host: 8,
            chip: Chip::default(),
            clock_skew_us: 50.0,
            noise: 0.02,
            seed: 1,
            faults: Vec::new(),
            level: Level::Level1,
            framework: Framework::TorchNpu,
            profile_memory: true,
            record_shapes: true,
            with_stack: true,
            with_modules: true,
            l2_cache: true,
            mstx: true,
            mfu_ranges: false,
            start: 1_767_225_600_000_000_000,
        }
    }
}

impl JobConfig {
    pub fn ranks(&self) -> usize {
        self.tp * self.pp * self.dp * self.cp
    }

    pub fn hosts(&self) -> usize {
        self.ranks().div_ceil(self.devices_per_host)
    }

    pub fn is_sparse(&self) -> bool {
        self.experts > 0
    }

    /// The job without one of its faults.
    #[must_use]
    pub fn without(&self, fault: usize) -> JobConfig {
        let mut config = self.clone();
        config.faults.remove(fault);
        config
    }

    pub fn check(&self) -> Result<(), ConfigError> {
        let sizes: [(&'static str, u64); 16] = [
            ("tp", self.tp as u64),
            ("pp", self.pp as u64),
            ("dp", self.dp as u64),
            ("cp", self.cp as u64),
            ("ep", self.ep as u64),
            ("layers", self.layers as u64),
            ("micro_batches", self.micro_batches as u64),
            ("virtual_stages", self.virtual_stages as u64),
            ("steps", self.steps as u64),
            ("devices_per_host", self.devices_per_host as u64),
            ("hidden", self.hidden),
            ("heads", self.heads),
            ("kv_heads", self.kv_heads),
            ("sequence", self.sequence),
            ("vocabulary", self.vocabulary),
            ("top_k", self.top_k),
        ];
        if let Some((what, _)) = sizes.iter().find(|(_, size)| *size == 0) {
            return Err(ConfigError::Zero { what });
        }
        // Far above any job there is, and far below what counts of operations and ns can hold.
        let most: [(&'static str, u64, u64); 15] = [
            ("layers", self.layers as u64, 1 << 12),
            ("micro_batches", self.micro_batches as u64, 1 << 14),
            ("virtual_stages", self.virtual_stages as u64, 1 << 8),
            ("steps", self.steps as u64, 1 << 20),
            ("devices_per_host", self.devices_per_host as u64, 1 << 10),
            ("hidden", self.hidden, 1 << 17),
            ("ffn", self.ffn, 1 << 19),
            ("expert_ffn", self.expert_ffn, 1 << 19),
            ("sequence", self.sequence, 1 << 21),
            ("vocabulary", self.vocabulary, 1 << 24),
            ("experts", self.experts, 1 << 12),
            ("kv_heads", self.kv_heads, self.heads),
            ("top_k", self.top_k, self.experts.max(self.top_k.min(2))),
            ("first_step", self.first_step.unsigned_abs(), 1 << 40),
            ("start", self.start.unsigned_abs(), 1 << 62),
        ];
        if let Some(&(what, value, most)) = most.iter().find(|(_, value, most)| value > most) {
            return Err(ConfigError::TooMuch { what, most, value });
        }
        let ranks = [self.tp, self.pp, self.dp, self.cp].iter().fold(1u64, |all, &n| all.saturating_mul(n as u64));
        if ranks > 1 << 17 {
            return Err(ConfigError::TooMuch { what: "tp * pp * dp * cp", most: 1 << 17, value: ranks });
        }
        for (what, whole) in [("vocabulary", self.vocabulary), ("ffn", self.ffn)] {
            if whole > 0 && whole < self.tp as u64 {
                return Err(ConfigError::Division { what, whole, parts: self.tp, among: Parts::TensorRanks });
            }
        }
        if self.noise > 1.0 {
            return Err(ConfigError::Number { what: "1 - noise", least: 0.0, value: 1.0 - self.noise });
        }
        if self.ffn == 0 && !self.is_sparse() {
            return Err(ConfigError::Zero { what: "ffn" });
        }
        if self.is_sparse() && self.expert_ffn == 0 {
            return Err(ConfigError::Zero { what: "expert_ffn" });
        }
        if self.virtual_stages > 1 && self.pp == 1 {
            return Err(ConfigError::Interleaved);
        }
        if self.ep > 1 && !self.is_sparse() {
            return Err(ConfigError::NoExperts);
        }
        let divisions = [
            ("layers", self.layers as u64, self.pp * self.virtual_stages, Parts::Stages),
            ("hidden", self.hidden, self.tp, Parts::TensorRanks),
            ("heads", self.heads, self.tp, Parts::TensorRanks),
            ("sequence", self.sequence, self.tp * self.cp, Parts::TensorAndContextRanks),
            ("dp * cp", (self.dp * self.cp) as u64, self.ep, Parts::ExpertRanks),
            ("experts", self.experts, self.ep, Parts::ExpertRanks),
            ("hidden", self.hidden, usize::try_from(self.heads).unwrap_or(1), Parts::Heads),
        ];
        let uneven = divisions.iter().find(|(_, whole, parts, _)| !whole.is_multiple_of(*parts as u64));
        if let Some(&(what, whole, parts, among)) = uneven {
            return Err(ConfigError::Division { what, whole, parts, among });
        }
        if self.virtual_stages > 1 && !self.micro_batches.is_multiple_of(self.pp) {
            let (whole, parts) = (self.micro_batches as u64, self.pp);
            let among = Parts::InterleavedStages;
            return Err(ConfigError::Division { what: "micro_batches", whole, parts, among });
        }
        for (what, value) in [("clock_skew_us", self.clock_skew_us), ("noise", self.noise)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(ConfigError::Number { what, least: 0.0, value });
            }
        }
        self.chip.check()?;
        self.check_windows()?;
        self.faults.iter().try_for_each(|fault| {
            self.check_fault(fault).map_err(|source| ConfigError::Fault { fault: fault.to_string(), source })
        })
    }

    fn check_fault(&self, fault: &Fault) -> Result<(), Misplaced> {
        let within = |number: usize, count: usize, place: Place| {
            if number < count { Ok(()) } else { Err(Misplaced::NoSuch { place, number, count }) }
        };
        let strength = fault.strength;
        if !(strength >= fault.kind.least() && strength.is_finite()) {
            return Err(Misplaced::Weak { least: fault.kind.least(), strength });
        }
        match fault.kind {
            FaultKind::SlowHost | FaultKind::Clock => within(fault.place, self.hosts(), Place::Host)?,
            FaultKind::Stage => within(fault.place, self.pp, Place::Stage)?,
            _ => within(fault.place, self.ranks(), Place::Rank)?,
        }
        if let Some(other) = fault.other {
            within(other, self.ranks(), Place::Rank)?;
            if other == fault.place {
                return Err(Misplaced::LinkToItself);
            }
        }
        match fault.kind {
            FaultKind::Experts if self.ep == 1 => return Err(Misplaced::NeedsExperts),
            FaultKind::Stage if self.pp == 1 => return Err(Misplaced::NeedsPipeline),
            FaultKind::Retransmission if self.hosts() == 1 => return Err(Misplaced::NeedsHosts),
            FaultKind::Frequency if fault.strength > self.chip.frequency_mhz => {
                return Err(Misplaced::Fast { mhz: self.chip.frequency_mhz });
            }
            FaultKind::Clock | FaultKind::Stage if fault.steps.is_some() => {
                return Err(Misplaced::InAllSteps);
            }
            FaultKind::Stage | FaultKind::Synchronise if strength.fract() != 0.0 => {
                return Err(Misplaced::Fraction { kind: fault.kind });
            }
            FaultKind::Leak | FaultKind::Fragmentation if !self.profile_memory => {
                return Err(Misplaced::NeedsMemory);
            }
            _ => {}
        }
        let last = self.first_step + i64::try_from(self.steps).unwrap_or(i64::MAX) - 1;
        match fault.steps {
            Some((from, to)) if from > to => Err(Misplaced::StepsTurned { from, to }),
            Some((from, to)) if to < self.first_step || from > last => {
                Err(Misplaced::NoSuchSteps { first: self.first_step, last })
            }
            _ => Ok(()),
        }
    }
}

/// The framework of that name, if its profiles can be simulated.
pub fn framework(name: &str) -> Option<Framework> {
    Framework::from_name(&name.replace('-', "_"))
        .filter(|framework| matches!(framework, Framework::TorchNpu | Framework::MindSpore))
}

/// A framework by its name.
mod framework_name {
    use npuscope_tables::Framework;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::error::ConfigError;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
    pub fn serialize<S: Serializer>(framework: &Framework, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(framework.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Framework, D::Error> {
        let name = String::deserialize(deserializer)?;
        super::framework(&name).ok_or_else(|| D::Error::custom(ConfigError::Framework { name }))
    }
}
