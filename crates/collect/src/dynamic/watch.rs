//! Watching the file from a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{mem, process, thread};

use npuscope_messages::{Message, io_error};

use super::file::config_file;
use super::poll::{Polled, Poller, Seen};
use super::request::Request;
use crate::messages;

const SHORTEST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_secs(60);

/// A file that is polled at an interval.
///
/// By polling, since network file systems do not notify of changes. A file that is half written or malformed leaves the
/// last version in force; what stays so is an [`error`](Watch::error). The thread ends when this is dropped. In a
/// process that was forked, where there is no thread, the next call of [`newest`](Watch::newest) starts another.
pub struct Watch {
    path: PathBuf,
    interval: Duration,
    process: u32,
    shared: Arc<Shared>,
    /// The last version handed out, which a forked process must not take again.
    taken: Option<Seen>,
}

#[derive(Default)]
struct Shared {
    /// Held only to put in and take out, never while the file is read.
    mailbox: Mutex<Mailbox>,
    wake: Condvar,
}

#[derive(Default)]
struct Mailbox {
    request: Option<(Request, Seen)>,
    error: Option<Message>,
    is_over: bool,
}

impl Watch {
    /// Watches a file, or the `profiler_config.json` of a directory. The interval is kept between 10 ms and a minute.
    ///
    /// [`newest`](Watch::newest) returns an existing file at once, so that it can apply to the first step.
    pub fn start(path: &Path, interval: Duration) -> Watch {
        let path = config_file(path);
        let interval = interval.clamp(SHORTEST, LONGEST);
        let mut poller = Poller::new(path.clone(), None);
        let first = poller.first();
        let taken = poller.seen().cloned().filter(|_| first.request.is_none());
        let shared = launch(poller, first, interval);
        Watch { path, interval, process: process::id(), shared, taken }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The newest version, once.
    pub fn newest(&mut self) -> Option<Request> {
        self.follow_fork();
        let (request, seen) = self.shared.lock().request.take()?;
        self.taken = Some(seen);
        Some(request)
    }

    /// Why the file cannot be used, once for as long as that lasts.
    pub fn error(&mut self) -> Option<Message> {
        self.follow_fork();
        self.shared.lock().error.take()
    }

    fn follow_fork(&mut self) {
        let process = process::id();
        if process == self.process {
            return;
        }
        self.process = process;
        let mut poller = Poller::new(self.path.clone(), self.taken.clone());
        let first = poller.poll();
        // The lock may have been held by the thread at the moment of the fork, and is then held for ever: the old
        // mailbox is left alone.
        mem::forget(mem::replace(&mut self.shared, launch(poller, first, self.interval)));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.process == process::id() {
            self.shared.lock().is_over = true;
            self.shared.wake.notify_all();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Mailbox> {
        self.mailbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn post(&self, polled: Polled) {
        let mut mailbox = self.lock();
        if polled.request.is_some() {
            mailbox.request = polled.request;
        }
        if polled.error.is_some() {
            mailbox.error = polled.error;
        }
    }

    /// Waits until the next poll is due; false when watching is over.
    fn wait(&self, interval: Duration) -> bool {
        let due = Instant::now() + interval;
        let mut mailbox = self.lock();
        loop {
            let rest = due.saturating_duration_since(Instant::now());
            if mailbox.is_over || rest.is_zero() {
                return !mailbox.is_over;
            }
            mailbox = self.wake.wait_timeout(mailbox, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn launch(mut poller: Poller, first: Polled, interval: Duration) -> Arc<Shared> {
    let shared = Arc::new(Shared::default());
    shared.post(first);
    let mailbox = Arc::clone(&shared);
    let look = move || {
        while mailbox.wait(interval) {
            mailbox.post(poller.poll());
        }
    };
    // Nobody waits for the thread: it may hang in a file system that is gone, and must not delay the end of the process.
    if let Err(error) = thread::Builder::new().name("npuscope-watch".to_owned()).spawn(look) {
        let error = Some(messages::dynamic_no_thread(io_error(&error)));
        shared.post(Polled { request: None, error });
    }
    shared
}
