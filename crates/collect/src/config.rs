//! What to record, independent of any trainer.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::{Schedule, messages};

/// The number of steps that means "until training ends": the one FSDP2 uses, longer than any profiled run.
pub const UNTIL_END: u64 = 1_000_000;

/// What to record.
///
/// Times are counted in steps since the profiler was started, from 0; `first_step` gives them the trainer's number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CollectConfig {
    pub enabled: bool,
    pub ranks: Choice<u32>,
    /// Stages of reinforcement learning that are recorded on their own.
    pub stages: Choice<String>,
    /// `None` records from start to stop, without step markers.
    pub schedule: Option<Schedule>,
    /// What the trainer calls the first step of this run: step markers carry this number plus the count.
    pub first_step: u64,
    /// The schedule begins when the configuration arrives, not when the profiler is started: dynamic profiling only.
    pub at_once: bool,
    pub cpu: bool,
    pub npu: bool,
    pub level: Level,
    pub aic_metrics: AicMetrics,
    pub stack: bool,
    pub modules: bool,
    pub memory: bool,
    pub shapes: bool,
    pub flops: bool,
    pub mstx: bool,
    pub mstx_domain_include: Vec<String>,
    pub mstx_domain_exclude: Vec<String>,
    pub l2_cache: bool,
    pub sys_io: bool,
    pub sys_interconnection: bool,
    pub op_attr: bool,
    pub record_op_args: bool,
    pub host_sys: Vec<HostSystem>,
    /// Record garbage collections of at least this many milliseconds; 0 records all.
    pub gc_threshold_ms: Option<f64>,
    /// In the order of [`Export`], each once.
    pub export: Vec<Export>,
    pub simplify: bool,
    pub output: String,
    pub analyse: Analyse,
    /// MindData pipelines.
    pub data_process: bool,
    pub parallel_strategy: bool,
    pub metadata: Map<String, Value>,
}

impl Default for CollectConfig {
    /// What torch_npu's profiler does when it is given nothing but a place to write to.
    fn default() -> Self {
        Self {
            enabled: true,
            ranks: Choice::All,
            stages: Choice::All,
            schedule: None,
            first_step: 0,
            at_once: false,
            cpu: true,
            npu: true,
            level: Level::Level0,
            aic_metrics: AicMetrics::None,
            stack: false,
            modules: false,
            memory: false,
            shapes: false,
            flops: false,
            mstx: false,
            mstx_domain_include: Vec::new(),
            mstx_domain_exclude: Vec::new(),
            l2_cache: false,
            sys_io: false,
            sys_interconnection: false,
            op_attr: false,
            record_op_args: false,
            host_sys: Vec::new(),
            gc_threshold_ms: None,
            export: vec![Export::Text],
            simplify: true,
            output: "./".to_owned(),
            analyse: Analyse::Online,
            data_process: false,
            parallel_strategy: false,
            metadata: Map::new(),
        }
    }
}

/// All of something, or some: `"all"` or a list.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Choice<T> {
    #[default]
    All,
    Only(Vec<T>),
}

impl<T: PartialEq> Choice<T> {
    pub fn contains(&self, one: &T) -> bool {
        match self {
            Choice::All => true,
            Choice::Only(some) => some.contains(one),
        }
    }
}

impl<T: Serialize> Serialize for Choice<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Choice::All => serializer.serialize_str("all"),
            Choice::Only(some) => some.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Choice<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either<T> {
            Word(String),
            List(Vec<T>),
        }
        match Either::deserialize(deserializer)? {
            Either::Word(word) if word == "all" => Ok(Choice::All),
            Either::Word(word) => Err(D::Error::custom(messages::choice_invalid(&word))),
            Either::List(some) => Ok(Choice::Only(some)),
        }
    }
}

/// How deep the device's profiler looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing but user ranges and marks.
    None,
    /// Times of operators.
    Level0,
    /// Also AI Core metrics, communication pieces and CANN calls.
    Level1,
    /// Also runtime calls and AI CPU operators.
    Level2,
}

impl Level {
    pub const ALL: [Level; 4] = [Level::None, Level::Level0, Level::Level1, Level::Level2];

    /// Whether AI Core metrics are available: at lower levels profilers reset them.
    pub fn has_metrics(self) -> bool {
        self >= Level::Level1
    }
}

/// What the counters of AI Cores count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AicMetrics {
    None,
    PipeUtilization,
    ArithmeticUtilization,
    Memory,
    MemoryL0,
    MemoryUb,
    ResourceConflictRatio,
    L2Cache,
    MemoryAccess,
}

impl AicMetrics {
    pub const ALL: [AicMetrics; 9] = [
        AicMetrics::None,
        AicMetrics::PipeUtilization,
        AicMetrics::ArithmeticUtilization,
        AicMetrics::Memory,
        AicMetrics::MemoryL0,
        AicMetrics::MemoryUb,
        AicMetrics::ResourceConflictRatio,
        AicMetrics::L2Cache,
        AicMetrics::MemoryAccess,
    ];
}

/// What of the host is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HostSystem {
    Cpu,
    Mem,
    Disk,
    Network,
    Osrt,
    Numa,
}

impl HostSystem {
    pub const ALL: [HostSystem; 6] =
        [HostSystem::Cpu, HostSystem::Mem, HostSystem::Disk, HostSystem::Network, HostSystem::Osrt, HostSystem::Numa];

    pub const fn name(self) -> &'static str {
        match self {
            HostSystem::Cpu => "cpu",
            HostSystem::Mem => "mem",
            HostSystem::Disk => "disk",
            HostSystem::Network => "network",
            HostSystem::Osrt => "osrt",
            HostSystem::Numa => "numa",
        }
    }
}

/// The format of deliverables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Export {
    Text,
    Db,
}

/// When deliverables are made of what was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Analyse {
    /// Later, by a command.
    Off,
    /// When a data set is complete, while the trainer waits.
    Online,
    /// When a data set is complete, beside the trainer.
    Async,
}
