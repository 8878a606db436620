//! What one rank does between two steps.

use npuscope_messages::Message;

use super::file::DynamicDialect;
use super::request::{Request, Start, Window};
use super::status::{Failure, State, Status};
use crate::messages;

/// The state of one rank. It decides; the caller starts and stops recording.
#[derive(Clone, Debug)]
pub struct Control {
    rank: u32,
    /// Training steps that are over.
    finished: u64,
    /// Seen, and not begun yet.
    pending: Option<Request>,
    recording: Option<Window>,
    last: Option<Window>,
    fingerprint: Option<String>,
    has_failed: bool,
    error: Option<Failure>,
}

/// What to do before the next step, in this order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Command {
    /// End the collection that runs; these are the steps it has.
    pub stop: Option<Window>,
    pub start: Option<Beginning>,
    pub warnings: Vec<Message>,
}

impl Command {
    pub fn is_nothing(&self) -> bool {
        self.stop.is_none() && self.start.is_none() && self.warnings.is_empty()
    }
}

/// A collection to start before the next step: `warmup` steps, then those of the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginning {
    pub window: Window,
    pub warmup: u64,
    /// `rank{N}_start{A}_stop{B}`, as MindSpore calls it.
    pub directory_name: String,
    pub text: String,
    pub dialect: DynamicDialect,
    pub fingerprint: String,
}

impl Control {
    pub fn new(rank: u32) -> Control {
        Control::after(rank, 0)
    }

    /// For a job that goes on after this many steps.
    pub fn after(rank: u32, finished: u64) -> Control {
        Control {
            rank,
            finished,
            pending: None,
            recording: None,
            last: None,
            fingerprint: None,
            has_failed: false,
            error: None,
        }
    }

    /// Called once before the first step, with what [`Watch::newest`](super::Watch::newest) gives. It is for windows
    /// that begin with that step, and may be left out where there are none.
    pub fn begin(&mut self, newest: Option<Request>) -> Command {
        self.advance(newest)
    }

    /// Called after every step, with what [`Watch::newest`](super::Watch::newest) gives.
    pub fn step(&mut self, newest: Option<Request>) -> Command {
        self.finished = self.finished.saturating_add(1);
        self.advance(newest)
    }

    /// Called when training is over.
    pub fn end(&mut self) -> Command {
        let mut command = Command::default();
        if let Some(window) = self.recording.take() {
            if self.finished < window.stop {
                self.report(&mut command, messages::ended_in_window(self.finished, window.message()));
            }
            let stop = self.finished.min(window.stop);
            command.stop = Some(Window { stop, ..window });
        } else if let Some(window) = self.pending.take().and_then(|request| request.window(self.upcoming())) {
            self.report(&mut command, messages::ended_before_window(self.finished, window.message()));
        }
        command
    }

    /// Called when starting or stopping failed: nothing is recorded until the file changes.
    pub fn failed(&mut self, error: impl Into<String>) {
        self.recording = None;
        self.has_failed = true;
        self.error = Some(Failure::Text(error.into()));
    }

    /// Training steps that are over.
    pub fn finished(&self) -> u64 {
        self.finished
    }

    pub fn recording(&self) -> Option<Window> {
        self.recording
    }

    pub fn state(&self) -> State {
        if self.recording.is_some() {
            State::Recording
        } else if self.has_failed {
            State::Failed
        } else if self.pending.is_none() && self.last.is_some() {
            State::Done
        } else {
            State::Waiting
        }
    }

    /// The report of this rank, with the directory of its data.
    pub fn status(&self, output: Option<&str>) -> Status {
        let upcoming = self.upcoming();
        let pending = self.pending.as_ref().and_then(|request| request.window(upcoming));
        let window = self.recording.or(pending).or(self.last);
        Status {
            step: self.finished,
            state: self.state(),
            fingerprint: self.fingerprint.clone(),
            start: window.map(|window| window.start),
            stop: window.map(|window| window.stop),
            output: output.map(str::to_owned),
            error: self.error.clone(),
            ..Status::of_this_process(self.rank)
        }
    }

    fn upcoming(&self) -> u64 {
        self.finished.saturating_add(1)
    }

    fn advance(&mut self, newest: Option<Request>) -> Command {
        let mut command = Command::default();
        if let Some(request) = newest {
            self.take(request, &mut command);
        }
        if let Some(window) = self.recording.filter(|window| self.finished >= window.stop) {
            self.recording = None;
            command.stop = Some(window);
        }
        if self.recording.is_none() {
            command.start = self.due(&mut command);
        }
        command
    }

    fn take(&mut self, request: Request, command: &mut Command) {
        let is_touched = self.fingerprint.as_deref() == Some(&request.fingerprint);
        if is_touched && self.was_done(&request) {
            return;
        }
        if !is_touched {
            self.error = None;
            command.warnings.extend(request.diagnostics.iter().cloned());
        }
        self.has_failed = false;
        self.fingerprint = Some(request.fingerprint.clone());
        // A collection that runs goes on to its end; what comes meanwhile is begun after it.
        let concerns_us = request.start != Start::Never && request.ranks.contains(self.rank);
        self.pending = concerns_us.then_some(request);
    }

    /// Whether a file that only got a newer time asks for nothing new.
    fn was_done(&self, request: &Request) -> bool {
        match request.start {
            Start::Never => true,
            Start::Next => false,
            Start::At(first) => first < self.upcoming() || request.window(first) == self.last,
        }
    }

    /// What begins with the next step.
    fn due(&mut self, command: &mut Command) -> Option<Beginning> {
        let upcoming = self.upcoming();
        let asked = self.pending.as_ref()?.window(upcoming)?;
        let first = asked.start - self.pending.as_ref()?.warmup;
        if first > upcoming {
            return None;
        }
        let request = self.pending.take()?;
        let mut window = asked;
        if first < upcoming {
            if request.dialect == DynamicDialect::TorchNpu || asked.stop < upcoming {
                self.report(command, messages::too_late(asked.message(), self.finished));
                return None;
            }
            window.start = upcoming;
            self.report(command, messages::too_late_for_all(asked.message(), self.finished, window.message()));
        }
        self.recording = Some(window);
        // A window of which only the rest was recorded is done as a whole.
        self.last = Some(asked);
        Some(Beginning {
            window,
            warmup: request.warmup,
            directory_name: format!("rank{}_start{}_stop{}", self.rank, window.start, window.stop),
            text: request.text,
            dialect: request.dialect,
            fingerprint: request.fingerprint,
        })
    }

    fn report(&mut self, command: &mut Command, warning: Message) {
        self.error = Some(Failure::from(&warning));
        command.warnings.push(warning);
    }
}
