//! What is wrong with a job.

use npuscope_messages::{Documentation, Message};

use crate::fault::{FaultError, FaultKind, Place};
use crate::messages;
use crate::preset;
use crate::windows::{Stretch, StretchError};

/// Why a job cannot have a fault.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Misplaced {
    NoSuch { place: Place, number: usize, count: usize },
    Weak { least: f64, strength: f64 },
    LinkToItself,
    NeedsExperts,
    NeedsPipeline,
    NeedsHosts,
    NeedsMemory,
    Fast { mhz: f64 },
    InAllSteps,
    Fraction { kind: FaultKind },
    SendsNothing { rank: usize },
    StepsTurned { from: i64, to: i64 },
    NoSuchSteps { first: i64, last: i64 },
}

/// What something is divided among.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    Stages,
    InterleavedStages,
    TensorRanks,
    TensorAndContextRanks,
    ExpertRanks,
    Heads,
}

/// Types of values in TOML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    Text,
    Integer,
    Number,
    Bool,
    Time,
    List,
    Section,
}

impl ValueType {
    pub(crate) fn of(value: &toml::Value) -> ValueType {
        match value {
            toml::Value::String(_) => ValueType::Text,
            toml::Value::Integer(_) => ValueType::Integer,
            toml::Value::Float(_) => ValueType::Number,
            toml::Value::Boolean(_) => ValueType::Bool,
            toml::Value::Datetime(_) => ValueType::Time,
            toml::Value::Array(_) => ValueType::List,
            toml::Value::Table(_) => ValueType::Section,
        }
    }

    fn message(self) -> Message {
        match self {
            ValueType::Text => messages::type_text(),
            ValueType::Integer => messages::type_integer(),
            ValueType::Number => messages::type_number(),
            ValueType::Bool => messages::type_bool(),
            ValueType::Time => messages::type_time(),
            ValueType::List => messages::type_list(),
            ValueType::Section => messages::type_section(),
        }
    }
}

/// `what` is a key of scenario files, or a product of keys.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum ConfigError {
    Zero {
        what: &'static str,
    },
    Division {
        what: &'static str,
        whole: u64,
        parts: usize,
        among: Parts,
    },
    Number {
        what: &'static str,
        least: f64,
        value: f64,
    },
    Interleaved,
    NoExperts,
    /// Stages are to be recorded of a job that has none.
    NoStages,
    /// A window that is not after the one before it and inside the job, from step `first` to `last`.
    Windows {
        window: Stretch,
        first: i64,
        last: i64,
    },
    /// A scenario has a window that cannot be read.
    WindowText(#[from] StretchError),
    TooMuch {
        what: &'static str,
        most: u64,
        value: u64,
    },
    Stuck {
        rank: usize,
        step: i64,
    },
    Fault {
        fault: String,
        source: Misplaced,
    },
    /// A scenario has a fault that cannot be read.
    FaultText(#[from] FaultError),
    Framework {
        name: String,
    },
    Preset {
        name: String,
    },
    UnknownKey {
        key: String,
        similar: Option<String>,
    },
    /// Another value than those that a key has.
    Choice {
        key: &'static str,
        known: &'static [&'static str],
        value: String,
    },
    /// A value of another type than the key has.
    WrongType {
        key: String,
        expected: ValueType,
        found: ValueType,
    },
    /// The text is no TOML; `text` is what its reader says.
    Syntax {
        line: usize,
        column: usize,
        text: String,
    },
    /// What the reader of TOML says.
    Scenario(String),
}

impl Misplaced {
    pub fn message(&self) -> Message {
        match *self {
            Misplaced::NoSuch { place: Place::Host, number, count } => messages::no_host(number, count),
            Misplaced::NoSuch { place: Place::Stage, number, count } => messages::no_stage(number, count),
            Misplaced::NoSuch { place: Place::Rank | Place::Link, number, count } => messages::no_rank(number, count),
            Misplaced::Weak { least, strength } => messages::weak(least.to_string(), strength.to_string()),
            Misplaced::LinkToItself => messages::link_to_itself(),
            Misplaced::NeedsExperts => messages::needs_experts(),
            Misplaced::NeedsPipeline => messages::needs_pipeline(),
            Misplaced::NeedsHosts => messages::needs_hosts(),
            Misplaced::NeedsMemory => messages::needs_memory(),
            Misplaced::Fast { mhz } => messages::frequency(mhz.to_string()),
            Misplaced::InAllSteps => messages::in_all_steps(),
            Misplaced::Fraction { kind } => messages::fraction(Documentation(kind.unit())),
            Misplaced::SendsNothing { rank } => messages::sends_nothing(rank),
            Misplaced::StepsTurned { from, to } => messages::steps_turned(from, to),
            Misplaced::NoSuchSteps { first, last } => messages::no_such_steps(first, last),
        }
    }
}

impl Parts {
    fn message(self, count: usize) -> Message {
        match self {
            Parts::Stages => messages::among_stages(count),
            Parts::InterleavedStages => messages::among_interleaved_stages(count),
            Parts::TensorRanks => messages::among_tensor_ranks(count),
            Parts::TensorAndContextRanks => messages::among_tensor_and_context_ranks(count),
            Parts::ExpertRanks => messages::among_expert_ranks(count),
            Parts::Heads => messages::among_heads(count),
        }
    }
}

impl ConfigError {
    pub fn message(&self) -> Message {
        match self {
            ConfigError::Zero { what } => messages::zero(what),
            ConfigError::Division { what, whole, parts, among } => {
                messages::division(what, *whole, among.message(*parts))
            }
            ConfigError::Number { what, least, value } => messages::number(what, least.to_string(), value.to_string()),
            ConfigError::Interleaved => messages::interleaved(),
            ConfigError::NoExperts => messages::no_experts(),
            ConfigError::NoStages => messages::no_stages(),
            ConfigError::Windows { window, first, last } => messages::window_order(window.to_string(), *first, *last),
            ConfigError::WindowText(error) => error.message(),
            ConfigError::TooMuch { what, most, value } => messages::too_much(what, *most, *value),
            ConfigError::Stuck { rank, step } => messages::stuck(*rank, *step),
            ConfigError::Fault { fault, source } => messages::fault(fault, source.message()),
            ConfigError::FaultText(error) => error.message(),
            ConfigError::Framework { name } => messages::framework(format!("{name:?}")),
            ConfigError::Preset { name } => messages::no_preset(name, preset::NAMES.to_vec()),
            ConfigError::UnknownKey { key, similar: None } => messages::unknown_key(key),
            ConfigError::UnknownKey { key, similar: Some(similar) } => messages::unknown_key_similar(key, similar),
            ConfigError::Choice { key, known, value } => messages::choice(key, known.to_vec(), format!("{value:?}")),
            ConfigError::WrongType { key, expected, found } => {
                messages::wrong_type(key, expected.message(), found.message())
            }
            ConfigError::Syntax { line, column, text } => messages::not_toml(*line, *column, text),
            ConfigError::Scenario(text) => messages::scenario(text),
        }
    }
}

npuscope_messages::display_message!(Misplaced, ConfigError);
