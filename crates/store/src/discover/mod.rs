//! What is in this directory?
//!
//! A profile is found by what it holds, not by how its directories are called: users rename them. A
//! rank is a directory with `ASCEND_PROFILER_OUTPUT` in it, one with raw files in `FRAMEWORK` that nobody parsed, a
//! `PROF_*` directory that `msprof` has exported, a directory with deliverables lying in it, or a file that PyTorch's
//! own profiler wrote.
//!
//! What one process recorded without interruption is a *window*. The windows of a process are one rank ([`processes`]), and
//! processes with different ranks are one job ([`jobs`]).

mod choice;
mod files;
mod jobs;
mod numbers;
mod processes;
mod raw;
mod search;
mod sources;
mod times;
mod windows;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use npuscope_formats::framework;
use npuscope_formats::source::{OUTPUT_DIRECTORY, RankSource};
use npuscope_messages::{Message, io_error};

use crate::error_messages as messages;
use crate::messages as of_reading;
use search::Search;

pub use choice::Choice;
pub use raw::{RawRank, discover_raw};
pub use windows::JobWindow;

#[derive(Clone, Debug, thiserror::Error)]
pub enum DiscoverError {
    Missing(PathBuf),
    Unreadable(PathBuf, Arc<io::Error>),
    NotADirectory(PathBuf),
    NotAFile(PathBuf),
    Nothing(PathBuf),
    NothingReadable(PathBuf, Box<Message>),
    /// No job of that name; those that there are.
    NoJob(String, Vec<String>),
    /// No window of that number or stage; those that there are.
    NoWindow(String, Vec<String>),
}

impl DiscoverError {
    /// Why nothing is known of `path` itself.
    fn of_path(path: &Path) -> impl Fn(io::Error) -> DiscoverError + '_ {
        |error| match error.kind() {
            io::ErrorKind::NotFound => DiscoverError::Missing(path.to_owned()),
            _ => DiscoverError::Unreadable(path.to_owned(), Arc::new(error)),
        }
    }

    pub fn message(&self) -> Message {
        match self {
            DiscoverError::Missing(path) => messages::no_such_path(path),
            DiscoverError::Unreadable(path, error) => messages::unreadable(path, io_error(error)),
            DiscoverError::NotADirectory(path) => messages::not_a_directory(path),
            DiscoverError::NotAFile(path) => messages::not_a_file(path),
            DiscoverError::Nothing(path) => messages::no_profile(path),
            DiscoverError::NothingReadable(path, why) => messages::no_readable_profile(path, *why.clone()),
            DiscoverError::NoJob(name, jobs) => messages::no_such_job(name, texts(jobs)),
            DiscoverError::NoWindow(name, windows) => messages::no_such_window(name, texts(windows)),
        }
    }
}

npuscope_messages::display_message!(DiscoverError);

fn texts(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// Everything found below one path.
#[derive(Debug, Default)]
pub struct Profile {
    pub root: PathBuf,
    /// By rank number.
    pub ranks: Vec<RankSource>,
    /// What concerns no rank in particular: results of cluster analyses, directories that could not be
    /// read. A source of its own, numbered [`JOB`](npuscope_formats::source::JOB).
    pub job: Option<RankSource>,
    /// The names of all jobs below the path, by time; `ranks` are those of one.
    pub jobs: Vec<String>,
    /// The name of the job that the ranks are of.
    pub shown: String,
    /// The windows of the job, also those that were not chosen.
    pub windows: Vec<JobWindow>,
}

impl Profile {
    /// The ranks and, where there is anything to say of it, the job.
    pub fn sources(&self) -> impl Iterator<Item = &RankSource> {
        self.ranks.iter().chain(&self.job)
    }

    /// Which job is shown, if there are others.
    pub fn other_jobs(&self) -> Option<Message> {
        let jobs = self.jobs.iter().map(String::as_str).collect();
        (self.jobs.len() > 1).then(|| of_reading::several_jobs(self.jobs.len(), jobs, &self.shown))
    }
}

/// Finds the ranks below `path`, which may be a directory or a single deliverable.
pub fn discover(path: &Path) -> Result<Profile, DiscoverError> {
    discover_chosen(path, &Choice::default())
}

/// Finds the ranks of a job below `path`, with chosen windows.
pub fn discover_chosen(path: &Path, choice: &Choice) -> Result<Profile, DiscoverError> {
    let metadata = fs::metadata(path).map_err(DiscoverError::of_path(path))?;
    let mut search = Search { root: path.to_owned(), ..Search::default() };
    if metadata.is_file() {
        search.single_file(path);
    } else if !metadata.is_dir() {
        return Err(DiscoverError::NotAFile(path.to_owned()));
    } else {
        let start = match path.file_name() {
            // Given the directory of the files itself, what lies beside it belongs to the rank too.
            Some(name) if name == OUTPUT_DIRECTORY || name == framework::DIRECTORY => {
                path.parent().filter(|p| p.is_dir()).unwrap_or(path)
            }
            _ => path,
        };
        search.directory(start, 0, &mut Vec::new());
    }
    let profile = search.finish(choice)?;
    let has_results = profile.job.as_ref().is_some_and(|job| !job.first.files.is_empty());
    if profile.ranks.is_empty() && !has_results {
        return Err(match profile.job.as_ref().and_then(|job| job.first.diagnostics.first()) {
            Some(diagnostic) => DiscoverError::NothingReadable(path.to_owned(), Box::new(diagnostic.message.clone())),
            None => DiscoverError::Nothing(path.to_owned()),
        });
    }
    Ok(profile)
}
