//! What a trace of PyTorch's own profiler may lack. It knows nothing of CANN, levels and AI Cores.

use npuscope_collect::Setting;
use npuscope_formats::info::Settings;
use npuscope_tables::RankTables;

use super::{CHECKS, Missing};
use crate::messages::collection as messages;

/// How `torch.profiler.profile` spells the settings that it has.
const SWITCHES: &[(Setting, &str)] = &[
    (Setting::Cpu, "activities=[ProfilerActivity.CPU, …]"),
    (Setting::Npu, "activities=[ProfilerActivity.CUDA, …]"),
    (Setting::Steps, "schedule=torch.profiler.schedule(…); prof.step()"),
    (Setting::Memory, "profile_memory=True"),
    (Setting::Shapes, "record_shapes=True"),
    (Setting::Stack, "with_stack=True"),
];

/// Data that PyTorch's profiler can collect and that is missing.
pub fn missing(tables: &RankTables, settings: &Settings) -> Vec<Missing> {
    let missing = CHECKS.iter().filter_map(|check| {
        let (_, switch) = SWITCHES.iter().find(|(setting, _)| *setting == check.setting)?;
        (!(check.is_there)(tables)).then(|| Missing {
            what: (check.what)(),
            good_for: if check.setting == Setting::Npu { messages::use_device() } else { (check.good_for)() },
            setting: check.setting,
            was_on: was_on(check.setting, settings),
            switches: vec![("torch.profiler", switch)],
            why: None,
        })
    });
    missing.collect()
}

/// Whether the trace says that a setting was on; it writes 1 for that.
fn was_on(setting: Setting, settings: &Settings) -> bool {
    let key = match setting {
        Setting::Memory => "profile_memory",
        Setting::Shapes => "record_shapes",
        Setting::Stack => "with_stack",
        _ => return false,
    };
    settings.get(key).is_some_and(|value| value.as_bool() == Some(true) || value.as_i64() == Some(1))
}
