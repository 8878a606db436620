//! What a profiler does at each step.
//!
//! A [`Schedule`] gives every step an [`Action`]; going from one action to the next makes the [`Call`]s of a
//! [`Transition`]. Both are those of torch_npu and MindSpore, with one difference: see [`transition`].

use npuscope_messages::Message;
use serde::{Deserialize, Serialize};

use crate::messages;

/// When to record, counted in steps since the profiler was started: `skip_first` steps once, then cycles of `wait`,
/// `warmup` and `active` steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    pub wait: u64,
    pub warmup: u64,
    /// At least 1; 0 counts as 1.
    pub active: u64,
    /// Cycles; 0 goes on until training ends.
    pub repeat: u64,
    pub skip_first: u64,
    /// The first cycle has no `wait`.
    pub skip_first_wait: bool,
}

/// The values of the user, which may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    pub wait: i64,
    pub warmup: i64,
    pub active: i64,
    pub repeat: i64,
    pub skip_first: i64,
    pub skip_first_wait: i64,
}

impl Default for Asked {
    fn default() -> Self {
        Self { wait: 0, warmup: 0, active: 1, repeat: 0, skip_first: 0, skip_first_wait: 0 }
    }
}

/// What happens during a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    None = 0,
    Warmup = 1,
    Record = 2,
    /// The last step of a cycle: what was recorded is saved when it is over.
    RecordAndSave = 3,
}

impl Action {
    pub const ALL: [Action; 4] = [Action::None, Action::Warmup, Action::Record, Action::RecordAndSave];

    /// As the profilers number it.
    pub const fn number(self) -> u8 {
        self as u8
    }

    pub fn from_number(number: u8) -> Option<Action> {
        Action::ALL.into_iter().find(|action| action.number() == number)
    }

    pub const fn is_recorded(self) -> bool {
        matches!(self, Action::Record | Action::RecordAndSave)
    }
}

impl Schedule {
    /// The schedule that the profilers make of these values, with a warning for each repair.
    pub fn repaired(asked: Asked) -> (Schedule, Vec<Message>) {
        let mut warnings = Vec::new();
        let mut at_least = |least: u64, value: i64, name: &str| match u64::try_from(value) {
            Ok(value) if value >= least => value,
            _ => {
                warnings.push(messages::schedule_value(name, value, least));
                least
            }
        };
        let schedule = Schedule {
            wait: at_least(0, asked.wait, "wait"),
            warmup: at_least(0, asked.warmup, "warmup"),
            active: at_least(1, asked.active, "active"),
            repeat: at_least(0, asked.repeat, "repeat"),
            skip_first: at_least(0, asked.skip_first, "skip_first"),
            skip_first_wait: asked.skip_first_wait != 0,
        };
        if schedule.warmup == 0 {
            warnings.push(messages::schedule_without_warmup());
        }
        (schedule, warnings)
    }

    /// What happens during a step, the first being 0.
    pub fn action(&self, step: u64) -> Action {
        if step < self.skip_first {
            return Action::None;
        }
        let position = self.position(step - self.skip_first);
        let (cycle, within) = (position / self.cycle(), position % self.cycle());
        let is_over = self.repeat > 0 && cycle >= u128::from(self.repeat);
        if is_over || within < u128::from(self.wait) {
            Action::None
        } else if within < self.lead() {
            Action::Warmup
        } else if within + 1 < self.cycle() {
            Action::Record
        } else {
            Action::RecordAndSave
        }
    }

    /// How many of the first `total` steps are recorded.
    pub fn recorded_steps(&self, total: u64) -> u64 {
        let Some(after) = total.checked_sub(self.skip_first).filter(|&after| after > 0) else { return 0 };
        let mut end = self.position(after);
        if self.repeat > 0 {
            end = end.min(self.cycle().saturating_mul(u128::from(self.repeat)));
        }
        let (cycles, rest) = (end / self.cycle(), end % self.cycle());
        let recorded = cycles * (self.cycle() - self.lead()) + rest.saturating_sub(self.lead());
        u64::try_from(recorded).unwrap_or(u64::MAX)
    }

    /// Steps that training needs for all cycles to be complete, or for one where `repeat` is 0.
    pub fn needed_steps(&self) -> u64 {
        let cycles = self.cycle().saturating_mul(u128::from(self.repeat.max(1)));
        let needed = (cycles - self.position(0)).saturating_add(u128::from(self.skip_first));
        u64::try_from(needed).unwrap_or(u64::MAX)
    }

    /// A warning if training has fewer steps than the schedule needs.
    pub fn too_few_steps(&self, total: u64) -> Option<Message> {
        let needed = self.needed_steps();
        if total >= needed {
            return None;
        }
        Some(messages::too_few_steps(total, needed, self.repeat.max(1), self.recorded_steps(total)))
    }

    // Sums are kept in 128 bits, where those of three 64-bit numbers fit.

    fn cycle(&self) -> u128 {
        self.lead() + u128::from(self.active.max(1))
    }

    /// The steps of a cycle before it records.
    fn lead(&self) -> u128 {
        u128::from(self.wait) + u128::from(self.warmup)
    }

    /// Where a step is among the cycles, `after` steps after the skipped ones.
    fn position(&self, after: u64) -> u128 {
        u128::from(after) + if self.skip_first_wait { u128::from(self.wait) } else { 0 }
    }
}

/// A call to a profiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// Create the directory, prepare the device.
    Init,
    /// Run without keeping anything.
    Warmup,
    Start,
    Stop,
    /// Write what describes the data; nothing is added after it.
    Finalize,
    /// Hand the directory to the analysis.
    TraceReady,
    DeleteDirectory,
}

impl Call {
    pub const fn name(self) -> &'static str {
        match self {
            Call::Init => "init",
            Call::Warmup => "warmup",
            Call::Start => "start",
            Call::Stop => "stop",
            Call::Finalize => "finalize",
            Call::TraceReady => "trace_ready",
            Call::DeleteDirectory => "delete_directory",
        }
    }
}

/// What to do between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    pub calls: &'static [Call],
    pub warning: Option<Warning>,
}

/// What is wrong with a change of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    WarmupNotRecorded,
    RecordingNotSaved,
    EndedInWarmup,
    EndedBeforeLastStep,
    EndedInLastStep,
}

impl Warning {
    pub fn message(self) -> Message {
        match self {
            Warning::WarmupNotRecorded => messages::warmup_not_recorded(),
            Warning::RecordingNotSaved => messages::recording_not_saved(),
            Warning::EndedInWarmup => messages::ended_in_warmup(),
            Warning::EndedBeforeLastStep => messages::ended_before_last_step(),
            Warning::EndedInLastStep => messages::ended_in_last_step(),
        }
    }
}

const NOTHING: Transition = calls(&[]);

const fn calls(calls: &'static [Call]) -> Transition {
    Transition { calls, warning: None }
}

const fn warned(calls: &'static [Call], warning: Warning) -> Transition {
    Transition { calls, warning: Some(warning) }
}

/// What to do when the action changes.
///
/// A [`Schedule`] never goes from recording to anything but recording and saving; a function of the user may. There
/// torch_npu warms up without having begun anew, and records into nothing; here a new directory is begun.
pub const fn transition(from: Action, to: Action) -> Transition {
    use Call::{Finalize, Init, Start, Stop, TraceReady};
    match (from, to) {
        (Action::None, Action::None)
        | (Action::Warmup, Action::Warmup)
        | (Action::Record, Action::Record | Action::RecordAndSave) => NOTHING,
        (Action::None, Action::Warmup) => calls(&[Init, Call::Warmup]),
        (Action::None, Action::Record | Action::RecordAndSave) => calls(&[Init, Start]),
        (Action::Warmup, Action::None) => warned(&[Start, Stop, Finalize], Warning::WarmupNotRecorded),
        (Action::Warmup, Action::Record | Action::RecordAndSave) => calls(&[Start]),
        (Action::Record, Action::None) => warned(&[Stop, Finalize], Warning::RecordingNotSaved),
        (Action::Record, Action::Warmup) => warned(&[Stop, Finalize, Init, Call::Warmup], Warning::RecordingNotSaved),
        (Action::RecordAndSave, Action::None) => calls(&[Stop, Finalize, TraceReady]),
        (Action::RecordAndSave, Action::Warmup) => calls(&[Stop, Finalize, TraceReady, Init, Call::Warmup]),
        (Action::RecordAndSave, Action::Record | Action::RecordAndSave) => {
            calls(&[Stop, Finalize, TraceReady, Init, Start])
        }
    }
}

/// What to do when training ends during an action.
pub const fn ending(from: Action) -> Transition {
    use Call::{DeleteDirectory, Finalize, Stop, TraceReady};
    match from {
        Action::None => NOTHING,
        Action::Warmup => warned(&[Finalize, DeleteDirectory], Warning::EndedInWarmup),
        Action::Record => warned(&[Stop, Finalize, TraceReady], Warning::EndedBeforeLastStep),
        Action::RecordAndSave => warned(&[Stop, Finalize, TraceReady], Warning::EndedInLastStep),
    }
}
