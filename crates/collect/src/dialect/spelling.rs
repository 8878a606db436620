//! Settings and their spellings.

use serde::Serialize;

/// Something a profiler can collect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// Activity of the host: framework operators.
    Cpu,
    /// Activity of the device.
    Npu,
    /// Level 1: operator types and shapes, AI Core metrics, communication pieces, CANN calls.
    Level1,
    /// Level 2: level 1 with runtime calls and AI CPU operators.
    Level2,
    /// Memory of operators and of the device.
    Memory,
    /// Shapes and types of operators' inputs.
    Shapes,
    /// Call stacks.
    Stack,
    /// Calls of modules.
    Modules,
    /// L2 cache of kernels.
    L2Cache,
    /// User ranges and marks.
    Mstx,
    /// Network cards: NIC and RoCE.
    SystemIo,
    /// Links between chips: PCIe and HCCS.
    SystemInterconnection,
    /// Garbage collections of Python.
    GarbageCollection,
    /// Step markers.
    Steps,
    /// MindData pipelines.
    DataPipeline,
}

/// A way in which a trainer writes its profiler settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Command-line flags of MindSpeed-LLM with Megatron.
    MindSpeedLlm,
    /// YAML of MindSpeed-LLM with FSDP2, below `training`.
    Fsdp2,
    /// YAML of MindSpeed-RL, below `profiler_config.integrated`.
    MindSpeedRl,
    /// `mindspore.profiler.profile(...)` and `MS_PROFILER_OPTIONS`.
    MindSpore,
    /// `torch_npu.profiler.profile(...)`.
    TorchNpu,
    /// `profiler_config.json` of dynamic profiling with torch_npu.
    TorchNpuDynamic,
}

impl Dialect {
    pub const ALL: &[Dialect] = &[
        Dialect::MindSpeedLlm,
        Dialect::Fsdp2,
        Dialect::MindSpeedRl,
        Dialect::MindSpore,
        Dialect::TorchNpu,
        Dialect::TorchNpuDynamic,
    ];

    /// What users call it.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::MindSpeedLlm => "MindSpeed-LLM",
            Dialect::Fsdp2 => "FSDP2",
            Dialect::MindSpeedRl => "MindSpeed-RL",
            Dialect::MindSpore => "MindSpore",
            Dialect::TorchNpu => "torch_npu",
            Dialect::TorchNpuDynamic => "torch_npu dynamic",
        }
    }

    /// What the command line and Python call it.
    pub const fn id(self) -> &'static str {
        match self {
            Dialect::MindSpeedLlm => "llm",
            Dialect::Fsdp2 => "fsdp2",
            Dialect::MindSpeedRl => "rl",
            Dialect::MindSpore => "mindspore",
            Dialect::TorchNpu => "torch_npu",
            Dialect::TorchNpuDynamic => "torch_npu_dynamic",
        }
    }

    /// The dialect of such an [`id`](Dialect::id).
    pub fn parse(id: &str) -> Option<Dialect> {
        Dialect::ALL.iter().copied().find(|dialect| dialect.id() == id)
    }

    /// What to write to turn a setting on; `None` where the dialect cannot express it.
    pub const fn spelling(self, setting: Setting) -> Option<&'static str> {
        let row = row(setting);
        match self {
            Dialect::MindSpeedLlm => row.mindspeed_llm,
            Dialect::Fsdp2 => row.fsdp2,
            Dialect::MindSpeedRl => row.mindspeed_rl,
            Dialect::MindSpore => row.mindspore,
            Dialect::TorchNpu => row.torch_npu,
            Dialect::TorchNpuDynamic => row.torch_npu_dynamic,
        }
    }
}

/// One setting in all dialects.
struct Row {
    mindspeed_llm: Option<&'static str>,
    fsdp2: Option<&'static str>,
    mindspeed_rl: Option<&'static str>,
    mindspore: Option<&'static str>,
    torch_npu: Option<&'static str>,
    torch_npu_dynamic: Option<&'static str>,
}

const NOWHERE: Row = Row {
    mindspeed_llm: None,
    fsdp2: None,
    mindspeed_rl: None,
    mindspore: None,
    torch_npu: None,
    torch_npu_dynamic: None,
};

const fn row(setting: Setting) -> Row {
    match setting {
        Setting::Cpu => Row {
            mindspeed_llm: Some("--profile-with-cpu"),
            fsdp2: Some("training.profile_with_cpu: true"),
            mindspeed_rl: Some("profiler_config.integrated.profile_with_cpu: true"),
            mindspore: Some("activities=[ProfilerActivity.CPU, ProfilerActivity.NPU]"),
            torch_npu: Some("activities=[ProfilerActivity.CPU, ProfilerActivity.NPU]"),
            torch_npu_dynamic: Some(r#""activities": ["CPU", "NPU"]"#),
        },
        Setting::Npu => Row {
            // Always on where there is no switch.
            mindspeed_llm: Some("--profile"),
            fsdp2: Some("training.profile: true"),
            mindspeed_rl: Some("profiler_config.integrated.profile_with_npu: true"),
            mindspore: Some("activities=[ProfilerActivity.CPU, ProfilerActivity.NPU]"),
            torch_npu: Some("activities=[ProfilerActivity.CPU, ProfilerActivity.NPU]"),
            torch_npu_dynamic: Some(r#""activities": ["CPU", "NPU"]"#),
        },
        Setting::Level1 => Row {
            mindspeed_llm: Some("--profile-level level1"),
            fsdp2: Some("training.profile_level: level1"),
            mindspeed_rl: Some("profiler_config.integrated.profile_level: level1"),
            mindspore: Some("profiler_level=ProfilerLevel.Level1"),
            torch_npu: Some("experimental_config=_ExperimentalConfig(profiler_level=ProfilerLevel.Level1)"),
            torch_npu_dynamic: Some(r#""experimental_config": {"profiler_level": "Level1"}"#),
        },
        Setting::Level2 => Row {
            mindspeed_llm: Some("--profile-level level2"),
            fsdp2: Some("training.profile_level: level2"),
            mindspeed_rl: Some("profiler_config.integrated.profile_level: level2"),
            mindspore: Some("profiler_level=ProfilerLevel.Level2"),
            torch_npu: Some("experimental_config=_ExperimentalConfig(profiler_level=ProfilerLevel.Level2)"),
            torch_npu_dynamic: Some(r#""experimental_config": {"profiler_level": "Level2"}"#),
        },
        Setting::Memory => Row {
            mindspeed_llm: Some("--profile-with-memory"),
            fsdp2: Some("training.profile_with_memory: true"),
            mindspeed_rl: Some("profiler_config.integrated.profile_with_memory: true"),
            mindspore: Some("profile_memory=True"),
            torch_npu: Some("profile_memory=True"),
            torch_npu_dynamic: Some(r#""profile_memory": true"#),
        },
        Setting::Shapes => Row {
            mindspeed_llm: Some("--profile-record-shapes"),
            fsdp2: Some("training.profile_record_shapes: true"),
            mindspeed_rl: Some("profiler_config.integrated.profile_record_shapes: true"),
            mindspore: Some("record_shapes=True"),
            torch_npu: Some("record_shapes=True"),
            torch_npu_dynamic: Some(r#""record_shapes": true"#),
        },
        Setting::Stack => Row {
            mindspeed_llm: Some("--profile-with-stack"),
            fsdp2: Some("training.profile_with_stack: true"),
            mindspore: Some("with_stack=True"),
            torch_npu: Some("with_stack=True"),
            torch_npu_dynamic: Some(r#""with_stack": true"#),
            ..NOWHERE
        },
        Setting::Modules => Row {
            mindspeed_rl: Some("profiler_config.integrated.profile_with_module: true"),
            torch_npu: Some("with_modules=True"),
            torch_npu_dynamic: Some(r#""with_modules": true"#),
            ..NOWHERE
        },
        Setting::L2Cache => Row {
            mindspore: Some("l2_cache=True"),
            torch_npu: Some("experimental_config=_ExperimentalConfig(l2_cache=True)"),
            torch_npu_dynamic: Some(r#""experimental_config": {"l2_cache": true}"#),
            ..NOWHERE
        },
        Setting::Mstx => Row {
            mindspeed_rl: Some("profiler_config.integrated.mstx: true"),
            mindspore: Some("mstx=True"),
            torch_npu: Some("experimental_config=_ExperimentalConfig(mstx=True)"),
            torch_npu_dynamic: Some(r#""experimental_config": {"mstx": true}"#),
            ..NOWHERE
        },
        Setting::SystemIo => Row {
            mindspore: Some("sys_io=True"),
            torch_npu: Some("experimental_config=_ExperimentalConfig(sys_io=True)"),
            torch_npu_dynamic: Some(r#""experimental_config": {"sys_io": true}"#),
            ..NOWHERE
        },
        Setting::SystemInterconnection => Row {
            mindspore: Some("sys_interconnection=True"),
            torch_npu: Some("experimental_config=_ExperimentalConfig(sys_interconnection=True)"),
            torch_npu_dynamic: Some(r#""experimental_config": {"sys_interconnection": true}"#),
            ..NOWHERE
        },
        Setting::GarbageCollection => Row {
            torch_npu: Some("experimental_config=_ExperimentalConfig(gc_detect_threshold=0)"),
            torch_npu_dynamic: Some(r#""experimental_config": {"gc_detect_threshold": 0}"#),
            ..NOWHERE
        },
        Setting::Steps => Row {
            mindspeed_llm: Some("--profile-step-start N --profile-step-end M"),
            fsdp2: Some("training.profile_step_start: N, training.profile_step_end: M"),
            mindspeed_rl: Some("profiler_config.integrated.profile_step_start: N, profile_step_end: M"),
            mindspore: Some("schedule=schedule(wait=0, warmup=0, active=1, repeat=1); prof.step()"),
            torch_npu: Some("schedule=schedule(wait=0, warmup=0, active=1, repeat=1); prof.step()"),
            torch_npu_dynamic: Some(r#""start_step": N, "active": 1"#),
        },
        Setting::DataPipeline => Row { mindspore: Some("data_process=True"), ..NOWHERE },
    }
}
