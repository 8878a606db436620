//! What the file asks for, as far as it says when and where.

use std::fmt;
use std::io;

use serde::Serialize;
use serde_json::Value;

use super::file::Style;
use crate::config::Choice;
use crate::dialect::{self, Run};
use crate::remark::{Remark, Severity};

/// The keys that say when and where; what there is to say of the others is for whoever records.
const WHEN_AND_WHERE: [&str; 6] = ["start_step", "stop_step", "warmup", "active", "is_rank", "rank_list"];

/// One version of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// All of the file, for whoever reads what is to be recorded.
    pub text: String,
    /// Tells versions apart; the same for the same text.
    pub fingerprint: String,
    pub style: Style,
    pub start: Start,
    /// Steps that run before the recorded ones without being kept.
    pub warmup: u64,
    /// Steps to record, at least 1.
    pub active: u64,
    pub ranks: Ranks,
    /// What was repaired.
    pub remarks: Vec<String>,
}

/// Before which step the profiler is started, warmup included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    Never,
    /// The step after the file was seen.
    Next,
    /// Counted from 1.
    At(u64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ranks {
    All,
    Some(Vec<u32>),
}

impl Ranks {
    pub fn contains(&self, rank: u32) -> bool {
        match self {
            Ranks::All => true,
            Ranks::Some(ranks) => ranks.contains(&rank),
        }
    }
}

/// Steps to record, counted from 1, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Window {
    pub start: u64,
    pub stop: u64,
}

impl fmt::Display for Window {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stop.saturating_sub(self.start) {
            0 => write!(formatter, "step {}", self.start),
            1 => write!(formatter, "steps {} and {}", self.start, self.stop),
            _ => write!(formatter, "steps {} to {}", self.start, self.stop),
        }
    }
}

/// Why a file holds no request.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    #[error("{0}")]
    File(#[from] io::Error),
    #[error("it is no valid JSON: {0}")]
    Json(serde_json::Error),
    #[error("it holds no JSON object")]
    NoObject,
    /// It is of no known style; what its keys lack.
    #[error("{}", .0.join("; "))]
    Unknown(Vec<String>),
}

impl Request {
    /// Reads a file; what is wrong with it if it is no JSON object.
    pub fn read(text: &str) -> Result<Request, RequestError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match serde_json::from_str(text) {
            Ok(Value::Object(_)) => {}
            Ok(_) => return Err(RequestError::NoObject),
            Err(error) => return Err(RequestError::Json(error)),
        }
        // The dialects read it, so that what is checked beforehand is what happens.
        let reading = dialect::read_dynamic(text, &Run::default());
        let told = |remark: &Remark| {
            let key = remark.key.as_deref().unwrap_or_default();
            let is_about = remark.key.is_none() || WHEN_AND_WHERE.contains(&key);
            let is_worth = is_about && remark.severity > Severity::Note;
            is_worth.then(|| format!("{key} {}", remark.message).trim_start().to_owned())
        };
        let remarks: Vec<String> = reading.remarks.iter().filter_map(told).collect();
        let Some(form) = reading.form else { return Err(RequestError::Unknown(remarks)) };
        let config = reading.config;
        let (skipped, warmup, active) = config
            .schedule
            .map_or((0, 0, 1), |schedule| (schedule.skip_first, schedule.warmup, schedule.active.max(1)));
        let start = match (config.enabled, config.at_once) {
            (false, _) => Start::Never,
            (true, true) => Start::Next,
            (true, false) => Start::At(skipped.saturating_add(1)),
        };
        let ranks = match config.ranks {
            Choice::All => Ranks::All,
            Choice::Only(ranks) => Ranks::Some(ranks),
        };
        Ok(Request {
            text: text.to_owned(),
            fingerprint: fingerprint(text.as_bytes()),
            style: Style::of_form(form),
            start,
            warmup,
            active,
            ranks,
            remarks,
        })
    }

    /// The steps that are recorded if the step `upcoming` is the next one.
    pub fn window(&self, upcoming: u64) -> Option<Window> {
        let first = match self.start {
            Start::Never => return None,
            Start::Next => upcoming,
            Start::At(step) => step,
        };
        let start = first.saturating_add(self.warmup);
        Some(Window { start, stop: start.saturating_add(self.active - 1) })
    }
}

/// FNV-1a, as 16 digits.
fn fingerprint(bytes: &[u8]) -> String {
    let hash = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, hash))
}
