//! What the file asks for, as far as it says when and where.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use super::file::Style;

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

impl Request {
    /// Reads a file; what is wrong with it if it is no JSON object.
    pub fn read(text: &str) -> Result<Request, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let file = match serde_json::from_str(text) {
            Ok(Value::Object(file)) => file,
            Ok(_) => return Err("it holds no JSON object".to_owned()),
            Err(error) => return Err(format!("it is no valid JSON: {error}")),
        };
        let style = Style::of(&file).unwrap_or(Style::TorchNpu);
        let mut reader = Reader { file: &file, remarks: Vec::new() };
        let (start, warmup, active) = match style {
            Style::TorchNpu => reader.torch_npu_window(),
            Style::MindSpore => reader.mindspore_window(),
        };
        let ranks = if style == Style::TorchNpu { reader.ranks() } else { Ranks::All };
        let remarks = reader.remarks;
        let fingerprint = fingerprint(text.as_bytes());
        Ok(Request { text: text.to_owned(), fingerprint, style, start, warmup, active, ranks, remarks })
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

struct Reader<'a> {
    file: &'a Map<String, Value>,
    remarks: Vec<String>,
}

impl Reader<'_> {
    /// A whole number of at least `least`, or what stands for it.
    fn number(&mut self, key: &str, least: i64, default: i64) -> i64 {
        let Some(value) = self.file.get(key) else { return default };
        match value.as_i64() {
            Some(number) if number >= least => number,
            None if value.is_u64() => i64::MAX,
            _ => {
                self.remarks
                    .push(format!("{key} is {value}, not a whole number of at least {least}; {default} is used"));
                default
            }
        }
    }

    fn torch_npu_window(&mut self) -> (Start, u64, u64) {
        let start = match self.number("start_step", -1, 0) {
            -1 => Start::Next,
            step => positive(step).map_or(Start::Never, Start::At),
        };
        let warmup = positive(self.number("warmup", 0, 0)).unwrap_or(0);
        let active = positive(self.number("active", 1, 1)).unwrap_or(1);
        (start, warmup, active)
    }

    fn mindspore_window(&mut self) -> (Start, u64, u64) {
        let (start, stop) = (self.number("start_step", -1, -1), self.number("stop_step", -1, -1));
        match (positive(start), positive(stop)) {
            (Some(first), Some(last)) if last >= first => (Start::At(first), 0, last - first + 1),
            (None, None) => (Start::Never, 0, 1),
            _ => {
                let what = format!("start_step is {start} and stop_step is {stop}, which is no window");
                self.remarks.push(format!("{what}; nothing is recorded"));
                (Start::Never, 0, 1)
            }
        }
    }

    fn ranks(&mut self) -> Ranks {
        match self.file.get("is_rank") {
            Some(Value::Bool(true)) => {}
            None | Some(Value::Bool(false)) => return Ranks::All,
            Some(other) => {
                self.remarks.push(format!("is_rank is {other}, neither true nor false; every rank records"));
                return Ranks::All;
            }
        }
        let list = self.file.get("rank_list").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let rank = |value: &Value| value.as_u64().and_then(|rank| u32::try_from(rank).ok());
        let ranks: Vec<u32> = list.iter().filter_map(rank).collect();
        if ranks.is_empty() || ranks.len() < list.len() {
            self.remarks.push("is_rank is true and rank_list is no list of ranks; only those it has record".to_owned());
        }
        Ranks::Some(ranks)
    }
}

fn positive(number: i64) -> Option<u64> {
    u64::try_from(number).ok().filter(|&number| number > 0)
}

/// FNV-1a, as 16 digits.
fn fingerprint(bytes: &[u8]) -> String {
    let hash = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, hash))
}
