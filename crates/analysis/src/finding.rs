//! A finding: one structure for the terminal, JSON, reports and pages.

use npuscope_messages::Message;
use npuscope_tables::Rank;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::diagnose::Cause;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Severity {
    Info,
    Warning,
    Critical,
}

/// A claim with the numbers behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Finding {
    /// Kind of finding, for programs.
    #[serde(deserialize_with = "label")]
    pub id: Label,
    pub severity: Severity,
    /// One sentence.
    pub claim: Message,
    /// The numbers the claim rests on.
    pub numbers: Vec<Number>,
    /// Share of step time it costs, 0 to 1; of those steps in which it costs something, if not in all.
    pub share_of_step: Option<f64>,
    /// How sure the analysis is, 0 to 1.
    pub confidence: f64,
    /// What most limits the confidence, if something does.
    pub doubt: Option<Message>,
    /// Ranks it is about.
    #[cfg_attr(feature = "ts", ts(as = "Vec<i64>"))]
    pub ranks: Vec<Rank>,
    /// Where it can be seen.
    pub evidence: Vec<Evidence>,
    /// What to do about it.
    pub suggestion: Message,
    /// The command that shows more.
    pub next: Option<String>,
}

/// A number of a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "FindingNumber"))]
pub struct Number {
    pub name: Message,
    pub value: f64,
    /// Empty for a ratio or a count.
    #[serde(deserialize_with = "label")]
    pub unit: Label,
}

impl Number {
    pub fn new(name: Message, value: f64, unit: Label) -> Number {
        Number { name, value, unit }
    }
}

/// The id of a kind of finding, the name of a clock or a unit.
pub type Label = &'static str;

/// All labels, so that a finding that was kept can be read back. One with another label cannot be, and is made again.
const LABELS: &[&str] = &[
    "",
    "%",
    "GB/s",
    "MHz",
    "MiB",
    "ms",
    "ms/step",
    "ppm",
    // Clocks.
    "device",
    "file",
    "host",
    // Kinds of findings that are not causes.
    "no-device",
    "slow-compute-rank",
];

fn known(text: &str) -> Option<Label> {
    let causes = Cause::ALL.iter().map(|cause| cause.id());
    LABELS.iter().copied().chain(causes).find(|label| *label == text)
}

pub(crate) fn label<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Label, D::Error> {
    let text = String::deserialize(deserializer)?;
    known(&text).ok_or_else(|| D::Error::custom("unknown label"))
}

/// A place in a profile that shows what a finding says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Evidence {
    #[cfg_attr(feature = "ts", ts(as = "i64"))]
    pub rank: Rank,
    pub step: Option<i64>,
    /// By the clock of the first host, where clocks were aligned.
    pub start_ns: i64,
    pub end_ns: i64,
    pub what: Message,
}
