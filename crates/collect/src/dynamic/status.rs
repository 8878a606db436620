//! Reports of the ranks, in files beside the configuration.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use std::{fs, io, process};

use npuscope_messages::{Language, Message};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::file::config_file;
use crate::atomic::{self, Durability};
use crate::{host, messages};

const DIRECTORY: &str = "npuscope_status";

/// A key of reports, and the name that it had in the version before. Both are written for one version.
const RENAMED: (&str, &str) = ("error", "problem");

/// How often a step alone is worth a file.
const THROTTLE: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// For a step to come, or for a change of the file.
    Waiting,
    Recording,
    /// What was asked for is recorded.
    Done,
    Failed,
}

impl State {
    pub const fn name(self) -> &'static str {
        match self {
            State::Waiting => "waiting",
            State::Recording => "recording",
            State::Done => "done",
            State::Failed => "failed",
        }
    }

    pub fn message(self) -> Message {
        match self {
            State::Waiting => messages::state_waiting(),
            State::Recording => messages::state_recording(),
            State::Done => messages::state_done(),
            State::Failed => messages::state_failed(),
        }
    }
}

/// Why a rank does not record as the file says.
///
/// The file of a status is read by other versions than that which wrote it, so it has the sentences themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Failure {
    /// Of a profiler, in whatever language that speaks.
    Text(String),
    Sentence {
        en: String,
        zh: String,
    },
}

impl Failure {
    pub fn text(&self, language: Language) -> &str {
        match self {
            Failure::Text(text) => text,
            Failure::Sentence { en, zh } => language.choose(en, zh),
        }
    }
}

impl From<&Message> for Failure {
    fn from(message: &Message) -> Failure {
        Failure::Sentence { en: message.text(Language::English), zh: message.text(Language::Chinese) }
    }
}

/// The report of one rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    pub rank: u32,
    pub pid: u32,
    pub host: String,
    /// Training steps that are over.
    pub step: u64,
    pub state: State,
    /// Of the version of the file that it took last.
    pub fingerprint: Option<String>,
    /// The steps that it records, will record or has recorded; both ends included.
    pub start: Option<u64>,
    pub stop: Option<u64>,
    /// Where the data is.
    pub output: Option<String>,
    pub error: Option<Failure>,
    /// When this was written, in nanoseconds since 1970.
    pub updated_ns: u64,
}

impl Status {
    /// A rank in this process, about which nothing else is known.
    pub fn of_this_process(rank: u32) -> Status {
        Status {
            rank,
            pid: process::id(),
            host: host::name(),
            step: 0,
            state: State::Waiting,
            fingerprint: None,
            start: None,
            stop: None,
            output: None,
            error: None,
            updated_ns: now_ns(),
        }
    }

    /// How long ago it was written.
    pub fn age(&self) -> Duration {
        Duration::from_nanos(now_ns().saturating_sub(self.updated_ns))
    }

    /// Whether everything but the step and the time of writing is the same.
    fn differs_only_in_step(&self, other: &Status) -> bool {
        Status { step: 0, updated_ns: 0, ..self.clone() } == Status { step: 0, updated_ns: 0, ..other.clone() }
    }
}

/// Writes the reports of a rank, but not at every step.
#[derive(Debug)]
pub struct Reporter {
    config: PathBuf,
    last: Option<(Instant, Status)>,
}

impl Reporter {
    /// Reports beside a file, or the `profiler_config.json` of a directory.
    pub fn new(config: &Path) -> Reporter {
        Reporter { config: config_file(config), last: None }
    }

    /// Writes a status, unless it differs from the last only in its step and that was written within the last second.
    /// Returns whether it did.
    pub fn report(&mut self, status: &Status) -> io::Result<bool> {
        let is_news = |(at, last): &(Instant, Status)| at.elapsed() >= THROTTLE || !last.differs_only_in_step(status);
        if !self.last.as_ref().is_none_or(is_news) {
            return Ok(false);
        }
        // Also when it fails: a directory that is gone is not tried at every step.
        self.last = Some((Instant::now(), status.clone()));
        write_status(&self.config, status).map(|()| true)
    }
}

/// Writes the report of a rank.
pub fn write_status(config: &Path, status: &Status) -> io::Result<()> {
    let directory = directory(config);
    fs::create_dir_all(&directory)?;
    let mut report = serde_json::to_value(status)?;
    let (newer, older) = RENAMED;
    report[older] = report[newer].clone();
    let text = report.to_string();
    atomic::write(&directory.join(format!("rank{}.json", status.rank)), text.as_bytes(), None, Durability::Unsynced)
}

/// The reports of all ranks, by rank. Files that hold none are skipped.
pub fn statuses(config: &Path) -> Vec<Status> {
    let Ok(entries) = fs::read_dir(directory(config)) else { return Vec::new() };
    let read = |path: PathBuf| -> Option<Status> {
        let name = path.file_name()?.to_str()?;
        let rank: u32 = name.strip_prefix("rank")?.strip_suffix(".json")?.parse().ok()?;
        let mut report: Map<String, Value> = serde_json::from_str(&fs::read_to_string(&path).ok()?).ok()?;
        let (newer, older) = RENAMED;
        if let Some(error) = report.remove(older) {
            report.entry(newer).or_insert(error);
        }
        let status = Status::deserialize(Value::Object(report)).ok()?;
        Some(status).filter(|status| status.rank == rank)
    };
    let mut statuses: Vec<Status> = entries.filter_map(|entry| read(entry.ok()?.path())).collect();
    statuses.sort_by_key(|status| status.rank);
    statuses
}

fn directory(config: &Path) -> PathBuf {
    config_file(config).with_file_name(DIRECTORY)
}

fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
