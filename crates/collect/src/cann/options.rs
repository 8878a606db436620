//! What to record, and the numbers that say so.

use serde::{Deserialize, Serialize};

/// How deep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Nothing but the ranges and marks of users.
    None,
    /// Times of tasks.
    #[default]
    Level0,
    /// Operators with their shapes, metrics of the AI Core, communication.
    Level1,
    /// Calls of the runtime and operators of the AI CPU besides.
    Level2,
}

/// What the counters of the AI Core count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metrics {
    #[default]
    None,
    PipeUtilization,
    ArithmeticUtilization,
    Memory,
    #[serde(rename = "memory_l0")]
    MemoryL0,
    #[serde(rename = "memory_ub")]
    MemoryUb,
    ResourceConflictRatio,
    #[serde(rename = "l2_cache")]
    L2Cache,
    MemoryAccess,
}

impl Metrics {
    pub const ALL: [Metrics; 9] = [
        Metrics::None,
        Metrics::PipeUtilization,
        Metrics::ArithmeticUtilization,
        Metrics::Memory,
        Metrics::MemoryL0,
        Metrics::MemoryUb,
        Metrics::ResourceConflictRatio,
        Metrics::L2Cache,
        Metrics::MemoryAccess,
    ];

    /// As the profilers of torch_npu and MindSpore call it.
    pub const fn name(self) -> &'static str {
        match self {
            Metrics::None => "AiCoreNone",
            Metrics::PipeUtilization => "PipeUtilization",
            Metrics::ArithmeticUtilization => "ArithmeticUtilization",
            Metrics::Memory => "Memory",
            Metrics::MemoryL0 => "MemoryL0",
            Metrics::MemoryUb => "MemoryUB",
            Metrics::ResourceConflictRatio => "ResourceConflictRatio",
            Metrics::L2Cache => "L2Cache",
            Metrics::MemoryAccess => "MemoryAccess",
        }
    }

    /// As `aclprofAicoreMetrics` numbers it.
    pub const fn number(self) -> u32 {
        match self {
            Metrics::ArithmeticUtilization => 0,
            Metrics::PipeUtilization => 1,
            Metrics::Memory => 2,
            Metrics::MemoryL0 => 3,
            Metrics::ResourceConflictRatio => 4,
            Metrics::MemoryUb => 5,
            Metrics::L2Cache => 6,
            Metrics::MemoryAccess => 8,
            Metrics::None => 0xFF,
        }
    }
}

/// Bits of the mask of `aclprofCreateConfig`.
pub mod masks {
    pub const ACL_API: u64 = 0x1;
    pub const TASK_TIME: u64 = 0x2;
    pub const AICORE_METRICS: u64 = 0x4;
    pub const AICPU: u64 = 0x8;
    pub const L2_CACHE: u64 = 0x10;
    pub const HCCL_TRACE: u64 = 0x20;
    pub const TRAINING_TRACE: u64 = 0x40;
    pub const MSPROFTX: u64 = 0x80;
    pub const RUNTIME_API: u64 = 0x100;
    pub const TASK_TIME_L0: u64 = 0x800;
    pub const TASK_MEMORY: u64 = 0x1000;
    pub const OP_ATTR: u64 = 0x4000;
    pub const AICORE_SHAPE: u64 = 0x8_0000_0000;

    pub const LEVEL0: u64 = TASK_TIME_L0 | ACL_API;
    pub const LEVEL1: u64 = TASK_TIME | ACL_API | HCCL_TRACE | AICORE_METRICS;
    pub const LEVEL2: u64 = LEVEL1 | RUNTIME_API | AICPU;
}

/// What `aclprofSetConfig` sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigType {
    StorageLimit = 1,
    AivMetrics = 2,
    HardwareMemoryFrequency = 3,
    LlcMode = 4,
    SysIoFrequency = 5,
    SysInterconnectionFrequency = 6,
    DvppFrequency = 7,
    HostSys = 8,
    HostSysUsage = 9,
    HostSysUsageFrequency = 10,
}

impl ConfigType {
    pub const fn number(self) -> u32 {
        self as u32
    }
}

/// What the CANN at hand can do beyond what every one can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    pub op_attr: bool,
    pub memory_access: bool,
    pub aicore_shape: bool,
}

/// What to record of a device, and where to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceOptions {
    /// CANN makes its `PROF_…` in here.
    pub directory: String,
    pub device: u32,
    pub level: Level,
    pub metrics: Metrics,
    pub l2_cache: bool,
    pub memory: bool,
    pub shapes: bool,
    pub mstx: bool,
    pub op_attr: bool,
    /// Of `cpu`, `mem`, `disk`, `network`, `osrt` and `numa`.
    pub host_sys: Vec<String>,
    pub sys_io: bool,
    pub sys_interconnection: bool,
    /// Megabytes that the data may have, at least 200.
    pub storage_limit_mb: Option<u32>,
    pub features: Features,
}

impl DeviceOptions {
    /// The metrics that are recorded: none below level 1, and none that CANN does not know.
    pub fn recorded_metrics(&self) -> Metrics {
        match self.metrics {
            _ if self.level < Level::Level1 => Metrics::None,
            Metrics::MemoryAccess if !self.features.memory_access => Metrics::PipeUtilization,
            metrics => metrics,
        }
    }
}

/// The mask of `aclprofCreateConfig`: the level, and a bit for everything beside it.
pub fn mask(options: &DeviceOptions) -> u64 {
    let level = match options.level {
        Level::None => 0,
        Level::Level0 => masks::LEVEL0,
        Level::Level1 => masks::LEVEL1,
        Level::Level2 => masks::LEVEL2,
    };
    let shapes = options.level == Level::Level0 && options.shapes && options.features.aicore_shape;
    let bits = [
        (options.recorded_metrics() != Metrics::None, masks::AICORE_METRICS),
        (options.l2_cache, masks::L2_CACHE),
        (options.mstx, masks::MSPROFTX),
        (options.memory, masks::TASK_MEMORY),
        (options.op_attr && options.features.op_attr, masks::OP_ATTR),
        (shapes, masks::AICORE_SHAPE),
    ];
    bits.iter().filter(|(is_set, _)| *is_set).fold(level, |mask, (_, bit)| mask | bit)
}

/// What is set by `aclprofSetConfig` before: rates in Hz, the highest that CANN allows but for memory.
pub fn configs(options: &DeviceOptions) -> Vec<(ConfigType, String)> {
    let storage = options.storage_limit_mb.map(|limit| format!("{}MB", limit.max(200)));
    let host_sys = (!options.host_sys.is_empty()).then(|| options.host_sys.join(","));
    let rate = |is_set: bool, hertz: &str| is_set.then(|| hertz.to_owned());
    let all = [
        (ConfigType::StorageLimit, storage),
        (ConfigType::HardwareMemoryFrequency, rate(options.memory, "50")),
        (ConfigType::HostSys, host_sys),
        (ConfigType::SysIoFrequency, rate(options.sys_io, "100")),
        (ConfigType::SysInterconnectionFrequency, rate(options.sys_interconnection, "50")),
    ];
    all.into_iter().filter_map(|(config, value)| Some((config, value?))).collect()
}
