//! The forms in which the dialects write a configuration.

use npuscope_messages::Message;
use serde::Serialize;

use crate::messages;

use super::Dialect;

/// One way to write a configuration. Some dialects have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
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

impl Form {
    pub const ALL: &[Form] = &[
        Form::LlmFlags,
        Form::Fsdp2Yaml,
        Form::Fsdp2Flags,
        Form::RlYaml,
        Form::MindSporeArguments,
        Form::MindSporeDynamic,
        Form::MindSporeEnvironment,
        Form::TorchNpuArguments,
        Form::TorchNpuDynamic,
    ];

    pub const fn dialect(self) -> Dialect {
        match self {
            Form::LlmFlags => Dialect::MindSpeedLlm,
            Form::Fsdp2Yaml | Form::Fsdp2Flags => Dialect::Fsdp2,
            Form::RlYaml => Dialect::MindSpeedRl,
            Form::MindSporeArguments | Form::MindSporeDynamic | Form::MindSporeEnvironment => Dialect::MindSpore,
            Form::TorchNpuArguments => Dialect::TorchNpu,
            Form::TorchNpuDynamic => Dialect::TorchNpuDynamic,
        }
    }

    /// The form a dialect is written in: the one that can express most.
    ///
    /// Of MindSpore's that is the arguments: only they have every kind of schedule, and the pipelines of MindData.
    pub const fn of(dialect: Dialect) -> Form {
        match dialect {
            Dialect::MindSpeedLlm => Form::LlmFlags,
            Dialect::Fsdp2 => Form::Fsdp2Yaml,
            Dialect::MindSpeedRl => Form::RlYaml,
            Dialect::MindSpore => Form::MindSporeArguments,
            Dialect::TorchNpu => Form::TorchNpuArguments,
            Dialect::TorchNpuDynamic => Form::TorchNpuDynamic,
        }
    }

    /// What users call it.
    pub fn message(self) -> Message {
        match self {
            Form::LlmFlags => messages::form_llm_flags(),
            Form::Fsdp2Yaml => messages::form_fsdp2_yaml(),
            Form::Fsdp2Flags => messages::form_fsdp2_flags(),
            Form::RlYaml => messages::form_rl_yaml(),
            Form::MindSporeArguments => messages::form_mindspore_arguments(),
            Form::MindSporeDynamic => messages::form_mindspore_dynamic(),
            Form::MindSporeEnvironment => messages::form_mindspore_environment(),
            Form::TorchNpuArguments => messages::form_torch_npu_arguments(),
            Form::TorchNpuDynamic => messages::form_torch_npu_dynamic(),
        }
    }
}
