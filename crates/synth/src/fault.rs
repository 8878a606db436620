//! Faults that a simulated job can have.
//!
//! A fault is written `KIND@PLACE[:STRENGTH][,steps=FIRST..LAST]`, on the command line, in scenario files
//! and in the ground truth.

use std::fmt;
use std::str::FromStr;

use npuscope_messages::{Documentation, Message};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::messages;

/// A fault of one kind, at one place, of some strength, in some steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    pub kind: FaultKind,
    /// Rank, host or stage, depending on the kind.
    pub place: usize,
    /// The other end of a link.
    pub other: Option<usize>,
    /// In the unit of the kind.
    pub strength: f64,
    /// First and last step; `None` for all steps.
    pub steps: Option<(i64, i64)>,
}

/// The place of a kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Rank,
    Host,
    Stage,
    Link,
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $cause:literal, $place:ident, $unit:literal, $text:literal, $least:literal, $default:literal;)+) => {
        /// Kind of a fault.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum FaultKind {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl FaultKind {
            pub const ALL: &[FaultKind] = &[$(FaultKind::$variant,)+];

            pub const fn name(self) -> &'static str {
                match self { $(FaultKind::$variant => $name,)+ }
            }

            /// The class of causes that `diagnose` should report.
            pub const fn cause(self) -> &'static str {
                match self { $(FaultKind::$variant => $cause,)+ }
            }

            pub const fn place(self) -> Place {
                match self { $(FaultKind::$variant => Place::$place,)+ }
            }

            /// The default strength with its unit, as help shows it; `help.zh.po` has its Chinese.
            pub const fn default_text(self) -> &'static str {
                match self { $(FaultKind::$variant => $text,)+ }
            }

            /// Unit of the strength, as errors name it; `help.zh.po` has its Chinese.
            pub const fn unit(self) -> &'static str {
                match self { $(FaultKind::$variant => $unit,)+ }
            }

            /// The smallest valid strength.
            pub const fn least(self) -> f64 {
                match self { $(FaultKind::$variant => $least,)+ }
            }

            /// The default strength.
            pub const fn default_strength(self) -> f64 {
                match self { $(FaultKind::$variant => $default,)+ }
            }

            /// The effect of the fault, in one line without a full stop: help shows the strength after it.
            pub const fn summary(self) -> &'static str {
                match self { $(FaultKind::$variant => concat!($($doc),+),)+ }
            }
        }
    };
}

kinds! {
    /// Kernels of a rank take longer
    SlowRank = "slow-rank", "compute", Rank, "times as long", "1.5 times as long", 1.0, 1.5;
    /// A host takes longer to launch kernels on its ranks
    SlowHost = "slow-host", "host", Host, "times as long", "4 times as long", 1.0, 4.0;
    /// Transfers between two ranks take longer
    SlowLink = "slow-link", "link", Link, "times as long", "4 times as long", 1.0, 4.0;
    /// Python's garbage collector pauses a rank
    Gc = "gc", "gc", Rank, "ms per micro-batch", "20 ms per micro-batch", 0.0, 20.0;
    /// The dataloader delivers batches late
    Dataloader = "dataloader", "dataloader", Rank, "ms per step", "100 ms per step", 0.0, 100.0;
    /// AI Cores of a rank run at a lower frequency
    Frequency = "frequency", "frequency", Rank, "MHz", "1000 MHz", 1.0, 1000.0;
    /// An operator runs on the AI CPU
    Aicpu = "aicpu", "aicpu", Rank, "ms per micro-batch", "3 ms per micro-batch", 0.0, 3.0;
    /// The experts of a rank receive more tokens
    Experts = "experts", "expert-imbalance", Rank, "times as many tokens", "3 times as many tokens", 1.0, 3.0;
    /// A pipeline stage has more layers than the others
    Stage = "stage", "stage-imbalance", Stage, "extra layers", "1 extra layer", 1.0, 1.0;
    /// A transfer between hosts is retransmitted
    Retransmission = "retransmission", "retransmission", Rank, "ms per step", "4500 ms per step", 0.0, 4500.0;
    /// Memory is fragmented: allocations are retried
    Fragmentation = "fragmentation", "memory", Rank, "ms per micro-batch", "10 ms per micro-batch", 0.0, 10.0;
    /// A rank leaks memory
    Leak = "leak", "memory-leak", Rank, "MiB per step", "512 MiB per step", 0.0, 512.0;
    /// The host waits for the device after every layer
    Synchronise = "synchronize", "synchronisation", Rank, "calls per layer", "1 call per layer", 1.0, 1.0;
    /// The clock of a host has an offset
    Clock = "clock", "clock", Host, "ms", "5 ms", -1e9, 5.0;
}

/// Older names of kinds, which are still read.
const OLDER_NAMES: &[(&str, FaultKind)] = &[("synchronise", FaultKind::Synchronise)];

impl FaultKind {
    /// The kind of a name, or of an older name.
    fn find(name: &str) -> Option<FaultKind> {
        let older = || OLDER_NAMES.iter().find(|(older, _)| *older == name).map(|(_, kind)| *kind);
        FaultKind::ALL.iter().copied().find(|kind| kind.name() == name).or_else(older)
    }
}

impl Fault {
    /// A fault of the usual strength in all steps.
    pub fn new(kind: FaultKind, place: usize) -> Fault {
        Fault { kind, place, other: None, strength: kind.default_strength(), steps: None }
    }

    #[must_use]
    pub fn strength(self, strength: f64) -> Fault {
        Fault { strength, ..self }
    }

    /// Whether it strikes in step number `step`.
    pub fn is_in(&self, step: i64) -> bool {
        self.steps.is_none_or(|(first, last)| (first..=last).contains(&step))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.kind.name(), self.place)?;
        if let Some(other) = self.other {
            write!(f, "-{other}")?;
        }
        write!(f, ":{}", self.strength)?;
        match self.steps {
            Some((first, last)) => write!(f, ",steps={first}..{last}"),
            None => Ok(()),
        }
    }
}

/// A text that is no fault.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct FaultError {
    text: String,
    why: Unread,
}

/// Why a text is no fault.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unread {
    Format,
    Kind { kind: String },
    Place(String),
    OneRank,
    Strength(String),
    Weak { kind: FaultKind, strength: f64 },
    Steps,
    Step(String),
}

impl FaultError {
    pub fn message(&self) -> Message {
        messages::fault(&self.text, self.why())
    }

    /// What is wrong, without the text.
    pub fn why(&self) -> Message {
        self.why.message()
    }
}

impl Unread {
    pub fn message(&self) -> Message {
        match self {
            Unread::Format => messages::expected(),
            Unread::Kind { kind } => messages::no_kind(kind, FaultKind::ALL.iter().map(|known| known.name()).collect()),
            Unread::Place(text) => messages::place(text),
            Unread::OneRank => messages::two_ranks(),
            Unread::Strength(text) => messages::strength(text),
            Unread::Weak { kind, strength } => {
                messages::weak_unit(Documentation(kind.unit()), kind.least().to_string(), strength.to_string())
            }
            Unread::Steps => messages::steps(),
            Unread::Step(text) => messages::step(text),
        }
    }
}

npuscope_messages::display_message!(FaultError, Unread);

impl FromStr for Fault {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Fault, FaultError> {
        parse(text).map_err(|why| FaultError { text: text.to_owned(), why })
    }
}

fn parse(text: &str) -> Result<Fault, Unread> {
    let (head, steps) = match text.split_once(',') {
        Some((head, steps)) => (head, Some(steps)),
        None => (text, None),
    };
    let (kind, place) = head.split_once('@').ok_or(Unread::Format)?;
    let kind = FaultKind::find(kind).ok_or_else(|| Unread::Kind { kind: kind.to_owned() })?;
    let (place, strength) = match place.split_once(':') {
        Some((place, strength)) => (place, Some(strength)),
        None => (place, None),
    };
    let number = |text: &str| text.parse::<usize>().map_err(|_| Unread::Place(text.to_owned()));
    let (place, other) = match (kind.place(), place.split_once('-')) {
        (Place::Link, Some((one, other))) => (number(one)?, Some(number(other)?)),
        (Place::Link, None) => return Err(Unread::OneRank),
        _ => (number(place)?, None),
    };
    let strength = match strength {
        None => kind.default_strength(),
        Some(text) => text.parse().map_err(|_| Unread::Strength(text.to_owned()))?,
    };
    if !(strength >= kind.least() && strength.is_finite()) {
        return Err(Unread::Weak { kind, strength });
    }
    let steps = steps.map(|steps| {
        let range = steps.strip_prefix("steps=").and_then(|range| range.split_once(".."));
        let (first, last) = range.ok_or(Unread::Steps)?;
        let step = |text: &str| text.parse::<i64>().map_err(|_| Unread::Step(text.to_owned()));
        Ok::<_, Unread>((step(first)?, step(last)?))
    });
    Ok(Fault { kind, place, other, strength, steps: steps.transpose()? })
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fault {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fault, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_read_as_it_is_written() {
        for text in ["slow-rank@5:1.5", "slow-link@0-3:4,steps=11..12", "clock@1:-5", "stage@2:1", "gc@0:20.5"] {
            assert_eq!(text.parse::<Fault>().unwrap().to_string(), text);
        }
        assert_eq!("leak@3".parse::<Fault>().unwrap().strength, 512.0);
        // An older name is read, and written as the name of today.
        assert_eq!("synchronise@2:3".parse::<Fault>().unwrap().to_string(), "synchronize@2:3");
    }

    #[test]
    fn what_is_no_fault_is_reported_with_the_reason() {
        for (text, word) in [
            ("slow-rank", "KIND@PLACE"),
            ("slowrank@3", "slow-rank"),
            ("slow-rank@x", "not a number"),
            ("slow-rank@3:0.5", "at least 1"),
            ("slow-rank@3:NaN", "at least 1"),
            ("slow-link@3", "two ranks"),
            ("gc@1:5,11..12", "steps="),
        ] {
            let error = text.parse::<Fault>().unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
