//! The words of each trainer for levels, metrics and the like.

use crate::config::{AicMetrics, Export, HostSystem, Level};

/// MindSpeed's.
pub(super) const LEVELS_MINDSPEED: &[(&str, Level)] =
    &[("level_none", Level::None), ("level0", Level::Level0), ("level1", Level::Level1), ("level2", Level::Level2)];

pub(crate) const LEVELS_TORCH_NPU: &[(&str, Level)] =
    &[("Level_none", Level::None), ("Level0", Level::Level0), ("Level1", Level::Level1), ("Level2", Level::Level2)];

pub(crate) const LEVELS_MINDSPORE: &[(&str, Level)] =
    &[("LevelNone", Level::None), ("Level0", Level::Level0), ("Level1", Level::Level1), ("Level2", Level::Level2)];

/// The first spelling of a meaning is the one that is written.
pub(crate) const METRICS: &[(&str, AicMetrics)] = &[
    ("AiCoreNone", AicMetrics::None),
    ("PipeUtilization", AicMetrics::PipeUtilization),
    ("ArithmeticUtilization", AicMetrics::ArithmeticUtilization),
    ("Memory", AicMetrics::Memory),
    ("MemoryL0", AicMetrics::MemoryL0),
    ("MemoryUB", AicMetrics::MemoryUb),
    ("ResourceConflictRatio", AicMetrics::ResourceConflictRatio),
    ("L2Cache", AicMetrics::L2Cache),
    ("MemoryAccess", AicMetrics::MemoryAccess),
];

/// Of MindSpore's AiCoreNone both the name and the value are taken; torch_npu does not know the latter.
pub(super) const METRICS_MINDSPORE: &[(&str, AicMetrics)] = &[
    ("AiCoreNone", AicMetrics::None),
    ("None", AicMetrics::None),
    ("PipeUtilization", AicMetrics::PipeUtilization),
    ("ArithmeticUtilization", AicMetrics::ArithmeticUtilization),
    ("Memory", AicMetrics::Memory),
    ("MemoryL0", AicMetrics::MemoryL0),
    ("MemoryUB", AicMetrics::MemoryUb),
    ("ResourceConflictRatio", AicMetrics::ResourceConflictRatio),
    ("L2Cache", AicMetrics::L2Cache),
    ("MemoryAccess", AicMetrics::MemoryAccess),
];

pub(super) const EXPORTS: &[(&str, Export)] =
    &[("text", Export::Text), ("db", Export::Db), ("Text", Export::Text), ("Db", Export::Db)];

/// MindSpeed takes one, in lower case.
pub(super) const EXPORTS_MINDSPEED: &[(&str, Export)] = &[("text", Export::Text), ("db", Export::Db)];

pub(super) const HOST_SYSTEMS_TORCH_NPU: &[(&str, HostSystem)] = &[
    ("cpu", HostSystem::Cpu),
    ("mem", HostSystem::Mem),
    ("disk", HostSystem::Disk),
    ("network", HostSystem::Network),
    ("osrt", HostSystem::Osrt),
    ("numa", HostSystem::Numa),
];

/// MindSpore has no `numa`.
pub(super) const HOST_SYSTEMS_MINDSPORE: &[(&str, HostSystem)] = &[
    ("cpu", HostSystem::Cpu),
    ("mem", HostSystem::Mem),
    ("disk", HostSystem::Disk),
    ("network", HostSystem::Network),
    ("osrt", HostSystem::Osrt),
];

/// Stages of MindSpeed-RL: the documented ones, then those that PPO and pictures add.
pub(super) const STAGES: &[&str] = &[
    "actor_generate",
    "actor_compute_log_prob",
    "reference_compute_log_prob",
    "actor_update",
    "critic_compute_values",
    "critic_update",
    "actor_image_embeds",
];

/// The word for a meaning.
pub(crate) fn word<T: PartialEq>(words: &[(&'static str, T)], meaning: &T) -> &'static str {
    words.iter().find(|(_, known)| known == meaning).map_or("", |(word, _)| word)
}
