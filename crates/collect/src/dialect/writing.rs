//! Writing a configuration in a dialect.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::Schedule;
use crate::config::{CollectConfig, UNTIL_END};
use crate::diagnostic::{Diagnostic, Severity};
use crate::explain::cycles::cycle;
use crate::messages;

use super::{Dialect, Notation, Run, fsdp2, llm, mindspore, read, rl, torch_npu};

/// A text, with diagnostics on what it cannot express.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Writing {
    pub text: String,
    /// One for each field that comes out differently when the text is read.
    pub diagnostics: Vec<Diagnostic>,
}

/// Writes a configuration in the notation of a dialect that can express most.
pub fn write(config: &CollectConfig, to: Dialect) -> Writing {
    write_notation(config, Notation::of(to))
}

pub fn write_notation(config: &CollectConfig, notation: Notation) -> Writing {
    let text = match notation {
        Notation::LlmFlags => llm::write(config),
        Notation::Fsdp2Yaml => fsdp2::write(config),
        Notation::Fsdp2Flags => fsdp2::write_flags(config),
        Notation::RlYaml => rl::write(config),
        Notation::MindSporeArguments | Notation::MindSporeDynamic | Notation::MindSporeEnvironment => {
            mindspore::write(config, notation)
        }
        Notation::TorchNpuArguments | Notation::TorchNpuDynamic => torch_npu::write(config, notation),
    };
    // What a dialect cannot express is what its trainer would not do, so the text is read back.
    let run = Run { iteration: config.first_step.saturating_sub(1), ..Run::default() };
    let understood = read(&text, Some(notation.dialect()), &run).config;
    Writing { diagnostics: differences(config, &understood, notation), text }
}

fn differences(asked: &CollectConfig, said: &CollectConfig, notation: Notation) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut lost = |key: &str, asked: &Value, said: &Value| {
        let is_of_ranks = notation == Notation::TorchNpuDynamic && key == "analyse";
        let lost = if is_of_ranks { messages::inexpressible_analysis } else { messages::inexpressible };
        let message = lost(asked.to_string(), notation.message(), said.to_string());
        diagnostics.push(Diagnostic::new(Severity::Warning, key.to_owned(), message));
    };
    if let (Some(asked), Some(said)) = (&asked.schedule, &said.schedule) {
        schedule_differences(asked, said, &mut lost);
    } else if asked.schedule != said.schedule {
        lost("schedule", &json!(asked.schedule), &json!(said.schedule));
    }
    let others = fields(said);
    for (key, value) in &fields(asked) {
        let other = others.get(key).unwrap_or(&Value::Null);
        if value != other {
            lost(key, value, other);
        }
    }
    if asked.first_step != said.first_step {
        let (here, there) = (asked.first_step, said.first_step);
        let message = messages::first_step_differs(here, there, notation.message());
        diagnostics.push(Diagnostic::new(Severity::Info, "first_step".to_owned(), message));
    }
    diagnostics
}

/// Schedules are equal if they record the same steps: `skip_first` may do what `wait` does elsewhere.
fn schedule_differences(asked: &Schedule, said: &Schedule, lost: &mut impl FnMut(&str, &Value, &Value)) {
    let begin = |schedule: &Schedule| cycle(schedule, 0).record.start;
    let is_once = asked.repeat == 1;
    let parts = [
        ("schedule.first_recorded", begin(asked), begin(said)),
        ("schedule.warmup", asked.warmup, said.warmup),
        ("schedule.active", asked.active, said.active),
        ("schedule.repeat", asked.repeat, said.repeat),
        // A wait that comes but once is skipped steps.
        ("schedule.wait", if is_once { said.wait } else { asked.wait }, said.wait),
    ];
    for (key, asked, said) in parts {
        if asked != said {
            lost(key, &asked.into(), &said.into());
        }
    }
}

/// The fields that are compared as they are.
fn fields(config: &CollectConfig) -> Map<String, Value> {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(config) else { return Map::new() };
    fields.remove("schedule");
    fields.remove("first_step");
    fields
}

/// The one window that dialects without schedules can express: the first round of a schedule.
pub(super) struct Window {
    /// The first recorded step, counted from the start of the run.
    pub first: u64,
    pub warmup: u64,
    pub active: u64,
}

impl Window {
    pub fn of(config: &CollectConfig) -> Window {
        match &config.schedule {
            None => Window { first: 0, warmup: 0, active: UNTIL_END },
            Some(schedule) => {
                let first = cycle(schedule, 0).record.start;
                Window { first, warmup: schedule.warmup, active: schedule.active.max(1) }
            }
        }
    }
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c)) && !text.starts_with('-')
}

pub(super) fn shell_quoted(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// A YAML text: in quotes wherever something else could be read. JSON's quotes are YAML's, too.
pub(super) fn yaml_quoted(text: &str) -> String {
    let is_word = is_plain(text) && super::yaml::is_text(text);
    if is_word { text.to_owned() } else { Value::from(text).to_string() }
}
