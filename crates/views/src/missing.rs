//! What a profile lacks, and the setting that collects it.

use npuscope_analysis::messages::collection::{not_collectable, verbatim};
use npuscope_collect::{Dialect, Setting};
use npuscope_messages::Message;
use npuscope_tables::Framework;

use crate::{Made, NotMade, Source, sql};

/// How `torch.profiler.profile` spells a setting, if it has it.
fn torch_profiler(setting: Setting) -> Option<&'static str> {
    match setting {
        Setting::Cpu => Some("activities=[ProfilerActivity.CPU, …]"),
        Setting::Npu => Some("activities=[ProfilerActivity.CUDA, …]"),
        Setting::Steps => Some("schedule=torch.profiler.schedule(…); prof.step()"),
        Setting::Memory => Some("profile_memory=True"),
        Setting::Shapes => Some("record_shapes=True"),
        Setting::Stack => Some("with_stack=True"),
        _ => None,
    }
}

/// What collects kernels and operations.
pub const DEVICE: &[Setting] = &[Setting::Level1, Setting::Npu];

/// No rank has `what`, which the first of the settings collects that the profiler of the run has. It is spelled as that
/// spells it.
pub fn missing(source: &Source<'_>, what: Message, settings: &[Setting]) -> NotMade {
    let framework = source.store.profile().ranks.first().map_or(Framework::TorchNpu, |rank| rank.framework());
    let spelling = |setting: &Setting| match framework {
        Framework::Kineto => torch_profiler(*setting),
        Framework::MindSpore => Dialect::MindSpore.spelling(*setting),
        Framework::TorchNpu | Framework::Msprof => Dialect::TorchNpu.spelling(*setting),
    };
    let switch = settings.iter().find_map(spelling).map(|code| verbatim(code.to_owned()));
    NotMade::missing(what, switch.unwrap_or_else(not_collectable))
}

/// `made`, unless it has no rows because there are none of `rows`, a query, in the whole profile.
pub fn unless_missing(
    source: &Source<'_>,
    made: Made,
    rows: &str,
    what: Message,
    settings: &[Setting],
) -> Result<Made, NotMade> {
    if made.rows() == 0 && !sql::has_rows(source, rows)? { Err(missing(source, what, settings)) } else { Ok(made) }
}
