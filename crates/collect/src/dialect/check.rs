//! What is wrong with a configuration as a whole, in any dialect.

use crate::config::{Choice, CollectConfig, Level, UNTIL_END};
use crate::explain::cycles::{cycle, cycles_begun};
use crate::remark::Severity;

use super::Run;
use super::section::Section;

/// What a dialect calls the things that are checked; empty where it has no word.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Keys {
    pub enabled: &'static str,
    pub ranks: &'static str,
    /// Where the window is said to begin.
    pub start: &'static str,
    pub cpu: &'static str,
    pub stack: &'static str,
    pub shapes: &'static str,
    pub modules: &'static str,
    pub flops: &'static str,
}

pub(super) fn check(section: &mut Section, config: &CollectConfig, keys: &Keys, run: &Run) {
    if !config.enabled {
        section.note(keys.enabled, "profiling is off; the rest is checked for when it is on");
    }
    ranks(section, config, keys, run);
    window(section, config, keys, run);
    if !config.cpu {
        let of_host = [
            (config.stack, keys.stack, "call stacks belong to operators of the host"),
            (config.modules, keys.modules, "modules are calls of the host"),
            (config.flops, keys.flops, "floating-point operations are counted by operators of the host"),
            (config.shapes, keys.shapes, "shapes belong to operators of the host"),
        ];
        for (is_on, key, why) in of_host {
            if is_on && !key.is_empty() {
                section.note(key, format!("{why}, which are not recorded without {}", keys.cpu));
            }
        }
    }
}

/// What cannot be done is an error, unless nobody asks for it yet.
fn impossible(section: &mut Section, config: &CollectConfig, key: &str, message: impl Into<String>) {
    let severity = if config.enabled { Severity::Error } else { Severity::Warning };
    section.say(severity, key, message);
}

fn ranks(section: &mut Section, config: &CollectConfig, keys: &Keys, run: &Run) {
    let Choice::Only(ranks) = &config.ranks else { return };
    if ranks.is_empty() {
        impossible(section, config, keys.ranks, "no rank is named, so nothing is recorded");
        return;
    }
    let Some(world) = run.world_size else { return };
    let beyond: Vec<String> = ranks.iter().filter(|rank| **rank >= world).map(u32::to_string).collect();
    if beyond.len() == ranks.len() {
        let message = format!("of {world} ranks, counted from 0, none is named; nothing is recorded");
        impossible(section, config, keys.ranks, message);
    } else if !beyond.is_empty() {
        section.warn(keys.ranks, format!("there are only {world} ranks, counted from 0: no {}", beyond.join(", ")));
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
            let message = if steps == 0 {
                "this run makes no step, so nothing is recorded".to_owned()
            } else {
                format!("recording would begin at step {first}, but step {last_step} is the last; nothing is recorded")
            };
            impossible(section, config, keys.start, message);
            return;
        }
        let end = cycle(schedule, begun - 1).record.end;
        if schedule.active < UNTIL_END && end > steps {
            let message = format!(
                "step {last_step} is the last, and the data set that is recorded then wants steps up to {}",
                number(end - 1)
            );
            section.warn(keys.start, format!("{message}; it stays incomplete"));
        } else if schedule.repeat > begun {
            let (repeat, begun) = (schedule.repeat, begun);
            section
                .warn(keys.start, format!("step {last_step} is the last: of {repeat} data sets there will be {begun}"));
        }
    }
    if schedule.active >= UNTIL_END {
        let message = "recording goes on until training ends; the profiler then warns of an incorrect schedule, and the data is kept";
        section.note(keys.start, message);
    }
}

/// torch_npu records nothing but marks at this level, and switches them on.
pub(super) fn level_none_needs_mstx(section: &mut Section, config: &mut CollectConfig, key: &str) {
    if config.level == Level::None && !config.mstx {
        config.mstx = true;
        section.warn(key, "this level has nothing but marks, so torch_npu switches mstx on");
    }
}
