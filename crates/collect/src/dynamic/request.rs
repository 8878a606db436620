//! When and where the file asks for recording.

use std::fmt;
use std::io;

use npuscope_messages::{Message, io_error};
use serde::Serialize;
use serde_json::Value;

use super::file::DynamicDialect;
use crate::config::Choice;
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::{self, Reader, Run};
use crate::messages;

/// The keys that say when and where. Diagnostics on the others are reported when recording begins.
pub(super) const WHEN_AND_WHERE: [&str; 6] = ["start_step", "stop_step", "warmup", "active", "is_rank", "rank_list"];

/// One version of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The whole file, from which the other settings are read.
    pub text: String,
    /// Identifies the version; the same for the same text.
    pub fingerprint: String,
    pub dialect: DynamicDialect,
    pub start: Start,
    /// Steps that run before the recorded ones without being kept.
    pub warmup: u64,
    /// Steps to record, at least 1.
    pub active: u64,
    pub ranks: Ranks,
    /// What was repaired.
    pub diagnostics: Vec<Message>,
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

impl Window {
    /// `step 8`, `steps 8 to 10`.
    pub fn message(&self) -> Message {
        match self.start == self.stop {
            true => messages::window_step(self.start),
            false => messages::window_steps(self.start, self.stop),
        }
    }
}

/// Why a file holds no request.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    File(#[from] io::Error),
    /// A directory, a pipe or the like.
    NotAFile,
    TooLarge,
    NotUtf8,
    Json(serde_json::Error),
    NoObject,
    /// It is of no known dialect; what is wrong with it.
    Unknown(Vec<Message>),
}

impl RequestError {
    pub fn message(&self) -> Message {
        match self {
            RequestError::File(error) => io_error(error),
            RequestError::NotAFile => messages::dynamic_not_a_file(),
            RequestError::TooLarge => messages::dynamic_too_large(),
            RequestError::NotUtf8 => messages::dynamic_not_utf8(),
            RequestError::Json(error) => messages::malformed_text("JSON", error.to_string().into()),
            RequestError::NoObject => messages::dynamic_no_object(),
            RequestError::Unknown(diagnostics) => messages::dynamic_unknown(diagnostics.clone()),
        }
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl Request {
    /// Reads the text of a file.
    pub fn read(text: &str) -> Result<Request, RequestError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match serde_json::from_str(text) {
            Ok(Value::Object(_)) => {}
            Ok(_) => return Err(RequestError::NoObject),
            Err(error) => return Err(RequestError::Json(error)),
        }
        // The dialects read it, so that what is checked beforehand is what happens.
        let reading = dialect::read_dynamic(text, &Run { reader: Reader::Npuscope, ..Run::default() });
        let is_reported = |diagnostic: &&Diagnostic| {
            let is_about = diagnostic.key.as_deref().is_none_or(|key| WHEN_AND_WHERE.contains(&key));
            is_about && diagnostic.severity > Severity::Info
        };
        let diagnostics: Vec<Message> =
            reading.diagnostics.iter().filter(is_reported).map(Diagnostic::with_key).collect();
        let Some(notation) = reading.notation else { return Err(RequestError::Unknown(diagnostics)) };
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
            dialect: DynamicDialect::of_notation(notation),
            start,
            warmup,
            active,
            ranks,
            diagnostics,
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
