//! The recorder: what the host did, in the raw files of torch_npu's profiler.
//!
//! Threads put small records into queues of their own and go on; a writing thread turns them into files. A
//! recording never waits for a disk, never takes more memory or bytes than it may, and never fails what is
//! recorded: the first failure turns it off and is reported by [`Recorder::error`].
//!
//! ```
//! # let place = tempfile::tempdir().unwrap();
//! use npuscope_collect::recorder::{self, Options, Recorder};
//! let recorder = Recorder::start(Options::new(place.path().join("host_ascend_pt"))).unwrap();
//! let id = recorder::range_start(recorder::name("forward"), recorder::Name::NONE);
//! recorder::range_end(id);
//! assert_eq!(recorder.stop().records, 1);
//! ```

mod budget;
mod clock;
mod event;
mod files;
mod fork;
mod info;
mod names;
mod queue;
mod shared;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::{fmt, io};

use npuscope_messages::{Message, io_error};
use serde_json::{Map, Value};

pub use budget::{Degraded, Kept};
pub use clock::{counts_per_ms, now};
pub use event::{Memory, Op, Tag};
pub use files::{Spool, directory_name};
pub use info::{Summary, write_metadata};
pub use names::Name;
pub use npuscope_formats::framework::events::RESIDENT_MEMORY;
pub use npuscope_formats::framework::records::{MemoryUsage, scope};
pub use shared::{is_on, recording};

use self::budget::Budget;
use self::files::{Files, Place};
use self::info::InfoFile;
use self::shared::Shared;
use self::writer::Writer;
use crate::messages;

/// Bytes that a rank writes at most, by default.
pub const DEFAULT_BUDGET: u64 = 1 << 30;

/// Bytes of records that wait for the writer at most, by default.
pub const DEFAULT_MEMORY: usize = 64 << 20;

/// What to record and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// The rank's directory, `…_ascend_pt`.
    pub directory: PathBuf,
    pub rank: Option<u32>,
    /// The content of `profiler_info` beside the clocks: the configuration, versions.
    pub info: Map<String, Value>,
    /// Bytes that may be written.
    pub budget: u64,
    /// Bytes of records that may wait for the writer.
    pub memory: usize,
    pub spool: Spool,
    /// Record how much memory the process has.
    pub resident_memory: bool,
    /// Domains whose ranges are recorded; empty for all but those excluded.
    pub domain_include: Vec<String>,
    pub domain_exclude: Vec<String>,
}

impl Options {
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
            rank: None,
            info: Map::new(),
            budget: DEFAULT_BUDGET,
            memory: DEFAULT_MEMORY,
            spool: Spool::Never,
            resident_memory: false,
            domain_include: Vec::new(),
            domain_exclude: Vec::new(),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum RecorderError {
    Busy,
    Directory { path: PathBuf, error: io::Error },
    Thread(io::Error),
}

impl RecorderError {
    pub fn message(&self) -> Message {
        match self {
            RecorderError::Busy => messages::recorder_busy(),
            RecorderError::Directory { path, error } => messages::recorder_directory(path, io_error(error)),
            RecorderError::Thread(error) => messages::recorder_thread(io_error(error)),
        }
    }
}

impl fmt::Display for RecorderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

/// A recording under way. Only one is, in a process.
pub struct Recorder {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<Summary>>,
    directory: PathBuf,
    pid: u32,
}

impl Recorder {
    pub fn start(options: Options) -> Result<Self, RecorderError> {
        let failed = |error| RecorderError::Directory { path: options.directory.clone(), error };
        if shared::current().is_some() {
            return Err(RecorderError::Busy);
        }
        let place = Place::create(&options.directory, &options.spool).map_err(failed)?;
        let info = InfoFile::new(&place, options.rank, options.info);
        info.write().map_err(failed)?;
        let shared =
            Shared::begin(options.memory, options.domain_include, options.domain_exclude).ok_or(RecorderError::Busy)?;
        let writer =
            Writer::new(shared.clone(), Files::new(place), info, Budget::new(options.budget), options.resident_memory);
        let thread = std::thread::Builder::new().name("npuscope writer".to_owned()).spawn(move || writer.run());
        match thread {
            Ok(thread) => {
                let pid = std::process::id();
                Ok(Self { shared, writer: Some(thread), directory: options.directory, pid })
            }
            Err(error) => {
                shared.end();
                Err(RecorderError::Thread(error))
            }
        }
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Why nothing is recorded any more, if so.
    pub fn error(&self) -> Option<Message> {
        self.shared.error()
    }

    /// What is still recorded.
    pub fn kept(&self) -> Kept {
        self.shared.kept()
    }

    /// Ends the recording and writes the rest of it.
    pub fn stop(mut self) -> Summary {
        self.end()
    }

    /// [`Recorder::stop`], with what went wrong, if something did.
    pub fn finish(mut self) -> (Summary, Option<Message>) {
        let summary = self.end();
        (summary, self.error())
    }

    fn end(&mut self) -> Summary {
        let Some(writer) = self.writer.take() else { return Summary::default() };
        if self.pid != std::process::id() {
            // The child of a fork: the thread and the files are the parent's.
            std::mem::forget(writer);
            return Summary::default();
        }
        self.shared.pause();
        self.shared.is_stopping.store(true, Ordering::Release);
        writer.thread().unpark();
        let summary = writer.join().unwrap_or_else(|_| {
            self.shared.fail(messages::recorder_panicked());
            Summary::default()
        });
        self.shared.end();
        summary
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.end();
    }
}

/// The number of a text in the recording under way. It holds while [`recording`] does not change.
pub fn name(text: &str) -> Name {
    shared::current().map_or(Name::NONE, |shared| shared.name(text))
}

/// The number of a domain, `Name::NONE` for the default one; nothing if its ranges are not recorded.
pub fn domain(text: &str) -> Option<Name> {
    let shared = shared::current()?;
    let is_default = text == npuscope_formats::framework::events::DEFAULT_DOMAIN;
    shared.records_domain(text).then(|| if is_default { Name::NONE } else { shared.name(text) })
}

/// Begins a range; 0 if nothing is recorded.
#[inline(always)]
pub fn range_start(message: Name, domain: Name) -> u64 {
    shared::push_range(|id| event::range_start(now(), id, message, domain))
}

/// Ends a range, on whichever thread.
#[inline(always)]
pub fn range_end(id: u64) {
    if is_on() && id != 0 {
        shared::push(event::range_end(now(), id));
    }
}

#[inline(always)]
pub fn mark(message: Name, domain: Name) {
    shared::push(event::mark(now(), message, domain));
}

#[inline(always)]
pub fn counter(name: Name, value: f64) {
    shared::push(event::counter(now(), name, value));
}

/// A function is called or returns.
#[inline(always)]
pub fn call(function: Name, tag: Tag) {
    shared::push(event::call(now(), function, tag));
}

/// A run of the garbage collector.
pub fn collection(start: i64, end: i64) {
    shared::push(event::collection(start, end));
}

/// An operator or a step.
pub fn op(op: &Op) {
    shared::push(event::op(op));
}

pub fn memory(memory: &Memory) {
    shared::push(event::memory(memory));
}
