//! Options of a recording, and their numbers in CANN.

use crate::config::{AicMetrics, CollectConfig, Level};

/// As `aclprofAicoreMetrics` numbers what the counters of the AI Core count.
pub const fn metrics_number(metrics: AicMetrics) -> u32 {
    match metrics {
        AicMetrics::ArithmeticUtilization => 0,
        AicMetrics::PipeUtilization => 1,
        AicMetrics::Memory => 2,
        AicMetrics::MemoryL0 => 3,
        AicMetrics::ResourceConflictRatio => 4,
        AicMetrics::MemoryUb => 5,
        AicMetrics::L2Cache => 6,
        AicMetrics::MemoryAccess => 8,
        AicMetrics::None => 0xFF,
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceOptions {
    /// CANN makes its `PROF_…` in here.
    pub directory: String,
    pub device: u32,
    pub level: Level,
    pub metrics: AicMetrics,
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

impl Default for DeviceOptions {
    fn default() -> Self {
        Self::from(&CollectConfig::default())
    }
}

impl DeviceOptions {
    /// The metrics that are recorded: none below level 1, and none that CANN does not know.
    pub fn recorded_metrics(&self) -> AicMetrics {
        match self.metrics {
            _ if self.level < Level::Level1 => AicMetrics::None,
            AicMetrics::MemoryAccess if !self.features.memory_access => AicMetrics::PipeUtilization,
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
        (options.recorded_metrics() != AicMetrics::None, masks::AICORE_METRICS),
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

impl From<&CollectConfig> for DeviceOptions {
    /// What a configuration asks of a device; where to and which device is for the caller to say.
    fn from(config: &CollectConfig) -> Self {
        Self {
            directory: String::new(),
            device: 0,
            level: config.level,
            metrics: config.aic_metrics,
            l2_cache: config.l2_cache,
            memory: config.memory,
            shapes: config.shapes,
            mstx: config.mstx,
            op_attr: config.op_attr,
            host_sys: config.host_sys.iter().map(|system| system.name().to_owned()).collect(),
            sys_io: config.sys_io,
            sys_interconnection: config.sys_interconnection,
            storage_limit_mb: None,
            features: Features::default(),
        }
    }
}
