//! Which steps of a job are recorded, and into which directories.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use npuscope_messages::Message;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::config::{JobConfig, Workload};
use crate::error::ConfigError;
use crate::messages;

/// Steps that are recorded without interruption, written `FIRST..LAST`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub first: i64,
    pub last: i64,
}

/// How the trainer begins and ends windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profiling {
    /// By a schedule: directories of one process side by side.
    #[default]
    Schedule,
    /// By dynamic profiling: a folder for each rank and window, called after its steps.
    Dynamic,
    /// By stage of reinforcement learning, as MindSpeed-RL does: a folder for each stage, and each step marked as step 0.
    Stages,
}

impl Profiling {
    pub(crate) const NAMES: &[&str] = &["schedule", "dynamic", "stages"];
}

/// The stages of a step of reinforcement learning, in their order.
pub const STAGES: [&str; 4] =
    ["actor_generate", "actor_compute_log_prob", "reference_compute_log_prob", "actor_update"];

/// What is recorded without interruption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    pub steps: Stretch,
    /// The stage, where each is recorded on its own.
    pub stage: Option<&'static str>,
    /// Its parts among those of the job.
    pub(crate) parts: Range<usize>,
}

impl JobConfig {
    /// Parts of a step that are simulated one after the other: its stages where each is recorded on its own.
    pub(crate) fn parts_of_step(&self) -> usize {
        if self.profiling == Profiling::Stages { STAGES.len() } else { 1 }
    }

    /// The windows in which the job is recorded, by time.
    pub fn recorded(&self) -> Vec<Window> {
        let last = self.first_step + i64::try_from(self.steps).unwrap_or(i64::MAX) - 1;
        let whole = [Stretch { first: self.first_step, last }];
        let stretches = if self.windows.is_empty() { &whole[..] } else { &self.windows };
        let each = self.parts_of_step();
        let part = |step: i64| usize::try_from(step - self.first_step).unwrap_or_default() * each;
        let of_stretch = |steps: &Stretch| -> Vec<Window> {
            if self.profiling != Profiling::Stages {
                return vec![Window { steps: *steps, stage: None, parts: part(steps.first)..part(steps.last + 1) }];
            }
            let stages =
                (steps.first..=steps.last).flat_map(|step| STAGES.iter().zip(part(step)..).map(move |s| (step, s)));
            let window = |(step, (stage, part)): (i64, (&&'static str, usize))| Window {
                steps: Stretch { first: step, last: step },
                stage: Some(*stage),
                parts: part..part + 1,
            };
            stages.map(window).collect()
        };
        stretches.iter().flat_map(of_stretch).collect()
    }

    pub(crate) fn check_windows(&self) -> Result<(), ConfigError> {
        if self.profiling == Profiling::Stages && self.workload != Workload::ReinforcementLearning {
            return Err(ConfigError::NoStages);
        }
        let end = self.first_step + i64::try_from(self.steps).unwrap_or(i64::MAX);
        let mut next = self.first_step;
        for window in &self.windows {
            if window.first < next || window.last < window.first || window.last >= end {
                return Err(ConfigError::Windows { window: *window, first: self.first_step, last: end - 1 });
            }
            next = window.last + 1;
        }
        Ok(())
    }
}

/// A text that is not `FIRST..LAST`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct StretchError(String);

impl StretchError {
    pub fn message(&self) -> Message {
        messages::window_text(&self.0)
    }
}

npuscope_messages::display_message!(StretchError);

impl FromStr for Stretch {
    type Err = StretchError;

    fn from_str(text: &str) -> Result<Stretch, StretchError> {
        let steps = text.split_once("..").and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
        steps.map(|(first, last)| Stretch { first, last }).ok_or_else(|| StretchError(text.to_owned()))
    }
}

impl fmt::Display for Stretch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}..{}", self.first, self.last)
    }
}

impl Serialize for Stretch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Stretch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Stretch, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_windows_of_each_step() {
        let config = JobConfig {
            workload: Workload::ReinforcementLearning,
            profiling: Profiling::Stages,
            steps: 3,
            first_step: 1,
            windows: vec![Stretch { first: 2, last: 3 }],
            ..JobConfig::default()
        };
        config.check().unwrap();
        let windows = config.recorded();
        assert_eq!(
            windows.iter().map(|window| window.parts.clone()).collect::<Vec<_>>(),
            (4..12).map(|n| n..n + 1).collect::<Vec<_>>()
        );
        assert_eq!((windows[7].stage, windows[7].steps.first), (Some("actor_update"), 3));
    }

    #[test]
    fn windows_are_in_order_and_inside_the_job() {
        let config = |windows: &[&str]| JobConfig {
            steps: 9,
            first_step: 2,
            windows: windows.iter().map(|text| text.parse().unwrap()).collect(),
            ..JobConfig::default()
        };
        assert_eq!(config(&["2..5", "8..10"]).check(), Ok(()));
        for wrong in [&["8..10", "2..5"][..], &["2..5", "5..6"], &["5..4"], &["1..2"], &["8..11"]] {
            assert!(matches!(config(wrong).check(), Err(ConfigError::Windows { .. })), "{wrong:?}");
        }
        assert!("2-5".parse::<Stretch>().is_err());
    }
}
