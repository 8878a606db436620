//! Looking at the file once.

use std::fs::{File, Metadata, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use npuscope_messages::Message;

use super::request::{Request, RequestError, Start};
use crate::messages;

/// Bytes that a file may have.
pub const MAX_SIZE: u64 = 1 << 20;

/// Failed polls before the file is reported as unusable: it may be half written.
const PATIENCE: u32 = 3;

/// At every fifth poll the file is read even if it looks unchanged.
const ANYWAY: u32 = 5;

/// A file whose time is no older than this may have been changed again at the same time, where clocks are coarse.
const RECENT: Duration = Duration::from_secs(3);

/// Attributes that change with the file, if its clock is fine enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    modified: Option<SystemTime>,
    size: u64,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Stamp {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Stamp { inode, modified: metadata.modified().ok(), size: metadata.len() }
    }

    /// Network file systems first give the time of the client and later that of the server, with fewer digits: only
    /// a change in whole seconds means that somebody touched the file.
    fn seconds(&self) -> Option<u64> {
        self.modified?.duration_since(SystemTime::UNIX_EPOCH).ok().map(|since| since.as_secs())
    }

    fn is_recent(&self) -> bool {
        let age = |modified: SystemTime| match SystemTime::now().duration_since(modified) {
            Ok(age) => age,
            // In the future, by the server's clock.
            Err(ahead) => ahead.duration(),
        };
        self.modified.is_none_or(|modified| age(modified) < RECENT)
    }
}

/// A version of the file that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    fingerprint: String,
    seconds: Option<u64>,
}

pub struct FileRead {
    pub text: String,
    stamp: Stamp,
}

/// Reads the file, if it is one of reasonable size.
pub fn read_file(path: &Path) -> Result<FileRead, RequestError> {
    let (file, stamp) = open(path)?;
    let text = read_text(file)?;
    Ok(FileRead { text, stamp })
}

/// Opening makes network file systems ask the server, which looking at the attributes alone does not.
fn open(path: &Path) -> Result<(File, Stamp), RequestError> {
    let mut options = OpenOptions::new();
    options.read(true);
    // A pipe of that name must not stop the thread.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(RequestError::NotAFile);
    }
    Ok((file, Stamp::of(&metadata)))
}

fn read_text(file: File) -> Result<String, RequestError> {
    let mut bytes = Vec::new();
    file.take(MAX_SIZE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_SIZE {
        return Err(RequestError::TooLarge);
    }
    String::from_utf8(bytes).map_err(|_| RequestError::NotUtf8)
}

/// What one look found.
#[derive(Debug, Default)]
pub struct Polled {
    /// A version that was not seen before, or the same one touched again.
    pub request: Option<(Request, Seen)>,
    /// Reported once for as long as it lasts.
    pub error: Option<Message>,
}

/// Looks at the file again and again.
pub struct Poller {
    path: PathBuf,
    /// Of the last version that could be read.
    stamp: Option<Stamp>,
    seen: Option<Seen>,
    polls: u32,
    failures: u32,
}

impl Poller {
    /// A poller that knows what was seen already.
    pub fn new(path: PathBuf, seen: Option<Seen>) -> Poller {
        Poller { path, stamp: None, seen, polls: 0, failures: 0 }
    }

    pub fn seen(&self) -> Option<&Seen> {
        self.seen.as_ref()
    }

    /// The first look of a job: a file that is there is used, unless it was meant for another job. Then it is reported,
    /// since its writer may have meant this one.
    pub fn first(&mut self) -> Polled {
        let polled = self.poll();
        match &polled.request {
            Some((request, _)) if request.start == Start::Next => {
                Polled { request: None, error: Some(messages::dynamic_of_another_job(&self.path)) }
            }
            _ => polled,
        }
    }

    pub fn poll(&mut self) -> Polled {
        self.polls = self.polls.wrapping_add(1);
        match self.look() {
            Ok(request) => {
                self.failures = 0;
                Polled { request, error: None }
            }
            Err(error) => {
                self.stamp = None;
                self.failures = self.failures.saturating_add(1);
                let is_reported = self.failures == PATIENCE;
                let error = is_reported.then(|| messages::dynamic_unusable(&self.path, error.message()));
                Polled { request: None, error }
            }
        }
    }

    fn look(&mut self) -> Result<Option<(Request, Seen)>, RequestError> {
        let (file, stamp) = open(&self.path)?;
        let looks_unchanged = self.stamp == Some(stamp) && !stamp.is_recent();
        if looks_unchanged && !self.polls.is_multiple_of(ANYWAY) {
            return Ok(None);
        }
        let read = FileRead { text: read_text(file)?, stamp };
        let request = Request::read(&read.text)?;
        self.stamp = Some(read.stamp);
        let seen = Seen { fingerprint: request.fingerprint.clone(), seconds: read.stamp.seconds() };
        if self.seen.as_ref() == Some(&seen) {
            return Ok(None);
        }
        self.seen = Some(seen.clone());
        Ok(Some((request, seen)))
    }
}
