//! What an analysis has to say: one structure for the terminal, JSON, reports and pages.

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Severity {
    Info,
    Warning,
    Critical,
}

/// A claim with the numbers behind it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Finding {
    /// Kind of finding, for programs.
    pub id: &'static str,
    pub severity: Severity,
    /// One sentence.
    pub claim: String,
    /// Name, value and unit of each number the claim rests on.
    pub numbers: Vec<(&'static str, f64, &'static str)>,
    /// Share of step time it costs, 0 to 1; of those steps in which it costs something, if not in all.
    pub share_of_step: Option<f64>,
    /// How sure the analysis is, 0 to 1.
    pub confidence: f64,
    /// Ranks it is about.
    pub ranks: Vec<i64>,
    /// Where it can be seen.
    pub evidence: Vec<Evidence>,
    /// What to do about it.
    pub suggestion: String,
    /// The command that shows more.
    pub next: Option<String>,
}

/// A place in a profile that shows what a finding says.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Evidence {
    pub rank: i64,
    pub step: Option<i64>,
    /// By the clock of the first host, where clocks were aligned.
    pub start_ns: i64,
    pub end_ns: i64,
    pub what: String,
}
