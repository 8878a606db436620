//! What is wrong with a configuration as a whole, in any dialect.

use npuscope_messages::{Argument, Message};

use crate::config::{Choice, CollectConfig, Level, UNTIL_END};
use crate::diagnostic::Severity;
use crate::explain::cycles::{cycle, cycles_begun};
use crate::messages;

use super::Run;
use super::section::Section;

/// What turns the recording of the host on.
#[derive(Clone, Copy, Debug)]
pub(super) enum CpuSwitch {
    Key(&'static str),
    /// `CPU` in the list `activities`.
    Activities,
}

impl Default for CpuSwitch {
    fn default() -> Self {
        CpuSwitch::Key("")
    }
}

impl CpuSwitch {
    fn argument(self) -> Argument {
        match self {
            CpuSwitch::Key(key) => key.into(),
            CpuSwitch::Activities => messages::cpu_in_activities().into(),
        }
    }
}

/// The keys of a dialect for the settings that are checked; empty where it has none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Keys {
    pub enabled: &'static str,
    pub ranks: &'static str,
    /// Where the window is said to begin.
    pub start: &'static str,
    pub cpu: CpuSwitch,
    pub stack: &'static str,
    pub shapes: &'static str,
    pub modules: &'static str,
    pub flops: &'static str,
}

pub(super) fn check(section: &mut Section, config: &CollectConfig, keys: &Keys, run: &Run) {
    if !config.enabled {
        section.note(keys.enabled, messages::profiling_off());
    }
    ranks(section, config, keys, run);
    window(section, config, keys, run);
    if !config.cpu {
        let of_host = [
            (config.stack, keys.stack, messages::kind_stack()),
            (config.modules, keys.modules, messages::kind_modules()),
            (config.flops, keys.flops, messages::kind_flops()),
            (config.shapes, keys.shapes, messages::kind_shapes()),
        ];
        for (is_on, key, what) in of_host {
            if is_on && !key.is_empty() {
                section.note(key, messages::host_data_off(what, keys.cpu.argument()));
            }
        }
    }
}

/// An error, or a warning while profiling is off.
fn impossible(section: &mut Section, config: &CollectConfig, key: &str, message: Message) {
    let severity = if config.enabled { Severity::Error } else { Severity::Warning };
    section.say(severity, key, message);
}

fn ranks(section: &mut Section, config: &CollectConfig, keys: &Keys, run: &Run) {
    let Choice::Only(ranks) = &config.ranks else { return };
    if ranks.is_empty() {
        impossible(section, config, keys.ranks, messages::no_rank_selected());
        return;
    }
    let Some(world) = run.world_size else { return };
    let beyond: Vec<String> = ranks.iter().filter(|rank| **rank >= world).map(u32::to_string).collect();
    if beyond.len() == ranks.len() {
        impossible(section, config, keys.ranks, messages::no_such_ranks(world, world.saturating_sub(1)));
    } else if !beyond.is_empty() {
        section.warn(keys.ranks, messages::ranks_missing(world, world.saturating_sub(1), beyond));
    }
}

fn window(section: &mut Section, config: &CollectConfig, keys: &Keys, run: &Run) {
    let Some(schedule) = config.schedule.as_ref().filter(|_| !config.at_once) else { return };
    let number = |index: u64| config.first_step.saturating_add(index);
    let first = cycle(schedule, 0);
    if let Some(steps) = run.steps() {
        let begun = cycles_begun(schedule, steps);
        let last_step = number(steps.saturating_sub(1));
        if begun == 0 {
            let first = number(first.record.start);
            let message =
                if steps == 0 { messages::run_without_steps() } else { messages::starts_after_end(first, last_step) };
            impossible(section, config, keys.start, message);
            return;
        }
        let end = cycle(schedule, begun - 1).record.end;
        if schedule.active < UNTIL_END && end > steps {
            section.warn(keys.start, messages::data_set_incomplete(last_step, number(end - 1)));
        } else if schedule.repeat > begun {
            section.warn(keys.start, messages::fewer_data_sets(last_step, begun, schedule.repeat));
        }
    }
    if schedule.active >= UNTIL_END {
        section.note(keys.start, messages::until_end());
    }
}

/// At this level torch_npu records nothing but marks, and turns them on.
pub(super) fn level_none_needs_mstx(section: &mut Section, config: &mut CollectConfig, key: &str) {
    if config.level == Level::None && !config.mstx {
        config.mstx = true;
        section.warn(key, messages::level_none_turns_mstx_on(section.manners().profiler));
    }
}
