//! What to do about data that a profile lacks: the one source of `doctor`, of the views and of the pages. A setting that
//! was on is never advised.

use npuscope_collect::{Dialect, Setting};
use npuscope_formats::info::Settings;
use npuscope_formats::source::RankSource;
use npuscope_measures::deliverable::has_device;
use npuscope_messages::Message;
use npuscope_store::{Store, StoreError};
use npuscope_tables::{Framework, Selection, TableId};
use serde_json::Value;

use crate::messages::collection as messages;

/// How `torch.profiler.profile` spells the settings that it has. It knows nothing of CANN, levels and AI Cores.
const TORCH_PROFILER: &[(Setting, &str)] = &[
    (Setting::Cpu, "activities=[ProfilerActivity.CPU, …]"),
    (Setting::Npu, "activities=[ProfilerActivity.CUDA, …]"),
    (Setting::Steps, "schedule=torch.profiler.schedule(…); prof.step()"),
    (Setting::Memory, "profile_memory=True"),
    (Setting::Shapes, "record_shapes=True"),
    (Setting::Stack, "with_stack=True"),
];

/// What to write to turn a setting on, by dialect, where a job of this framework has it.
pub(super) fn switches(setting: Setting, framework: Framework) -> Vec<(&'static str, &'static str)> {
    match framework {
        Framework::Kineto => {
            let own = TORCH_PROFILER.iter().filter(|(known, _)| *known == setting);
            own.map(|(_, switch)| ("torch.profiler", *switch)).collect()
        }
        _ => Dialect::ALL.iter().filter_map(|d| Some((d.name(), d.spelling(setting)?))).collect(),
    }
}

/// The same in the words of the profiler that made the profile.
fn own_switch(setting: Setting, framework: Framework) -> Option<&'static str> {
    let own = match framework {
        Framework::Kineto => return switches(setting, framework).first().map(|(_, switch)| *switch),
        Framework::MindSpore => Dialect::MindSpore,
        Framework::TorchNpu | Framework::Msprof => Dialect::TorchNpu,
    };
    own.spelling(setting)
}

/// Whether a setting was on, as far as the profile says.
pub(super) fn was_on(setting: Setting, settings: &Settings, framework: Framework) -> bool {
    if framework == Framework::Kineto {
        return was_on_in_torch(setting, settings);
    }
    let level = settings.level();
    let paths: &[&str] = match setting {
        Setting::Cpu => return settings.activity("CPU").unwrap_or(false),
        Setting::Npu => return settings.activity("NPU").unwrap_or(false),
        Setting::Level1 => return matches!(level.as_deref(), Some("level1" | "level2")),
        Setting::Level2 => return level.as_deref() == Some("level2"),
        Setting::Memory => &["config/common_config/profile_memory", "profiler_parameters/profile_memory"],
        Setting::Shapes => &["config/common_config/record_shapes", "profiler_parameters/record_shapes"],
        Setting::Stack => &["config/common_config/with_stack", "profiler_parameters/with_stack"],
        Setting::Modules => &["config/common_config/with_modules"],
        Setting::L2Cache => &["config/experimental_config/_l2_cache", "profiler_parameters/l2_cache"],
        Setting::Mstx => {
            &["config/experimental_config/_mstx", "config/experimental_config/_msprof_tx", "profiler_parameters/mstx"]
        }
        Setting::SystemIo => &["config/experimental_config/_sys_io", "profiler_parameters/sys_io"],
        Setting::SystemInterconnection => {
            &["config/experimental_config/_sys_interconnection", "profiler_parameters/sys_interconnection"]
        }
        Setting::DataPipeline => &["profiler_parameters/data_process"],
        Setting::GarbageCollection | Setting::Steps => &[],
    };
    settings.switch(paths).unwrap_or(false)
}

/// A trace writes 1 for what was on.
fn was_on_in_torch(setting: Setting, settings: &Settings) -> bool {
    let key = match setting {
        Setting::Memory => "profile_memory",
        Setting::Shapes => "record_shapes",
        Setting::Stack => "with_stack",
        _ => return false,
    };
    settings.get(key).is_some_and(|value| value.as_bool() == Some(true) || value.as_i64() == Some(1))
}

/// Our own recorder and what it recorded through, if it wrote the files: they have the form of torch_npu's, whatever
/// the job was written in.
pub(super) fn recorder(settings: &Settings) -> Option<String> {
    match settings.get("npuscope/backend").and_then(Value::as_str) {
        Some(backend) => Some(format!("npuscope ({backend})")),
        None => settings.get("npuscope_version").map(|_| "npuscope".to_owned()),
    }
}

/// Whether only a device has what a setting collects.
pub(super) fn is_of_device(setting: Setting) -> bool {
    matches!(setting, Setting::Npu | Setting::Level1 | Setting::Level2 | Setting::L2Cache)
}

/// How to collect what no rank has: the first of the settings that the profiler of the run has and that was off on every
/// rank, in that profiler's words. Otherwise why none of them helps.
pub fn hint(store: &Store, settings: &[Setting]) -> Result<Message, StoreError> {
    let sources: Vec<&RankSource> = store.profile().ranks.iter().collect();
    let framework = sources.first().map_or(Framework::TorchNpu, |rank| rank.framework());
    let ranks = store.each(&sources, Selection::of(&[TableId::Metadata]), |source, tables| {
        let recorded = Settings::of(&tables);
        let on: Vec<bool> = settings.iter().map(|setting| was_on(*setting, &recorded, source.framework())).collect();
        (on, recorder(&recorded))
    })?;
    // Where our recorder saw no device, no level would have shown more.
    let host_only = match ranks.iter().find_map(|(_, recorder)| recorder.clone()) {
        Some(recorder) if settings.iter().any(|setting| is_of_device(*setting)) => {
            (!any_device(store, &sources)?).then_some(recorder)
        }
        _ => None,
    };
    let mut already = None;
    for (index, setting) in settings.iter().enumerate() {
        let Some(switch) = own_switch(*setting, framework) else { continue };
        match &host_only {
            Some(recorder) if is_of_device(*setting) => already = Some(messages::saw_host_only(recorder.clone())),
            _ if ranks.iter().any(|(on, _)| on.get(index) == Some(&true)) => {
                already.get_or_insert_with(|| messages::set_without_data(switch));
            }
            _ => return Ok(messages::verbatim(switch.to_owned())),
        }
    }
    Ok(already.unwrap_or_else(messages::not_collectable))
}

fn any_device(store: &Store, sources: &[&RankSource]) -> Result<bool, StoreError> {
    let device = Selection::of(&[TableId::Task, TableId::Kernel, TableId::CommOp, TableId::Overlap]);
    Ok(store.each(sources, device, |_, tables| has_device(&tables))?.contains(&true))
}
