//! The notations in which the dialects write a configuration.

use npuscope_messages::Message;
use serde::Serialize;

use crate::messages;

use super::Dialect;

/// One way to write a configuration. Some dialects have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Notation {
    /// `--profile --profile-level level1`, alone or in a script.
    LlmFlags,
    /// Keys below `training` of a YAML file.
    Fsdp2Yaml,
    /// `--training.profile_level level1`.
    Fsdp2Flags,
    /// Keys below `profiler_config.integrated` of a YAML file.
    RlYaml,
    /// Arguments of `mindspore.profiler.profile` or of the older `Profiler`, as a JSON object.
    #[serde(rename = "mindspore_arguments")]
    MindSporeArguments,
    /// `profiler_config.json` of `DynamicProfilerMonitor`.
    #[serde(rename = "mindspore_dynamic")]
    MindSporeDynamic,
    /// JSON of the variable `MS_PROFILER_OPTIONS`.
    #[serde(rename = "mindspore_environment")]
    MindSporeEnvironment,
    /// Arguments of `torch_npu.profiler.profile`, as a JSON object.
    TorchNpuArguments,
    /// `profiler_config.json` of `dynamic_profile`.
    TorchNpuDynamic,
}

impl Notation {
    pub const ALL: &[Notation] = &[
        Notation::LlmFlags,
        Notation::Fsdp2Yaml,
        Notation::Fsdp2Flags,
        Notation::RlYaml,
        Notation::MindSporeArguments,
        Notation::MindSporeDynamic,
        Notation::MindSporeEnvironment,
        Notation::TorchNpuArguments,
        Notation::TorchNpuDynamic,
    ];

    pub const fn dialect(self) -> Dialect {
        match self {
            Notation::LlmFlags => Dialect::MindSpeedLlm,
            Notation::Fsdp2Yaml | Notation::Fsdp2Flags => Dialect::Fsdp2,
            Notation::RlYaml => Dialect::MindSpeedRl,
            Notation::MindSporeArguments | Notation::MindSporeDynamic | Notation::MindSporeEnvironment => {
                Dialect::MindSpore
            }
            Notation::TorchNpuArguments => Dialect::TorchNpu,
            Notation::TorchNpuDynamic => Dialect::TorchNpuDynamic,
        }
    }

    /// The notation a dialect is written in: the one that can express most.
    ///
    /// Of MindSpore's that is the arguments: only they have every kind of schedule, and the pipelines of MindData.
    pub const fn of(dialect: Dialect) -> Notation {
        match dialect {
            Dialect::MindSpeedLlm => Notation::LlmFlags,
            Dialect::Fsdp2 => Notation::Fsdp2Yaml,
            Dialect::MindSpeedRl => Notation::RlYaml,
            Dialect::MindSpore => Notation::MindSporeArguments,
            Dialect::TorchNpu => Notation::TorchNpuArguments,
            Dialect::TorchNpuDynamic => Notation::TorchNpuDynamic,
        }
    }

    /// What users call it.
    pub fn message(self) -> Message {
        match self {
            Notation::LlmFlags => messages::notation_llm_flags(),
            Notation::Fsdp2Yaml => messages::notation_fsdp2_yaml(),
            Notation::Fsdp2Flags => messages::notation_fsdp2_flags(),
            Notation::RlYaml => messages::notation_rl_yaml(),
            Notation::MindSporeArguments => messages::notation_mindspore_arguments(),
            Notation::MindSporeDynamic => messages::notation_mindspore_dynamic(),
            Notation::MindSporeEnvironment => messages::notation_mindspore_environment(),
            Notation::TorchNpuArguments => messages::notation_torch_npu_arguments(),
            Notation::TorchNpuDynamic => messages::notation_torch_npu_dynamic(),
        }
    }
}
