//! What a trace of PyTorch's own profiler may lack. It knows nothing of CANN, levels and AI Cores.

use npuscope_collect::Setting;
use npuscope_formats::info::Settings;
use npuscope_tables::{Framework, RankTables};

use super::{CHECKS, Missing, advice};
use crate::messages::collection as messages;

/// Data that PyTorch's profiler can collect and that is missing.
pub fn missing(tables: &RankTables, settings: &Settings) -> Vec<Missing> {
    let collected = |setting| !advice::switches(setting, Framework::Kineto).is_empty();
    let missing = CHECKS.iter().filter(|check| collected(check.setting) && !(check.is_there)(tables)).map(|check| {
        let was_on = advice::was_on(check.setting, settings, Framework::Kineto);
        let missing = Missing::of(check, was_on, None, Framework::Kineto);
        match check.setting {
            Setting::Npu => Missing { good_for: messages::use_device(), ..missing },
            _ => missing,
        }
    });
    missing.collect()
}
