//! What is in this directory?
//!
//! A profile is found by what it holds, not by how its directories are called: users rename them. A
//! rank is a directory with `ASCEND_PROFILER_OUTPUT` in it, one with raw files in `FRAMEWORK` that nobody parsed, a
//! `PROF_*` directory that `msprof` has exported, a directory with deliverables lying in it, or a file that PyTorch's
//! own profiler wrote.

mod ages;
mod files;
mod numbers;
mod raw;
mod search;
mod sources;

use std::fs;
use std::path::{Path, PathBuf};

use npuscope_formats::framework;
use npuscope_formats::source::{OUTPUT_DIRECTORY, RankSource};

use search::Search;

pub use raw::{RawRank, discover_raw};

#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    #[error("there is no {path}", path = .0.display())]
    Missing(PathBuf),
    #[error("{path} is not a directory", path = .0.display())]
    NotADirectory(PathBuf),
    #[error("{path} is neither a directory nor a regular file", path = .0.display())]
    NotAFile(PathBuf),
    #[error("no profile in {path}: expected {OUTPUT_DIRECTORY} or FRAMEWORK directories, exported PROF_* directories, or files by the names that profilers give them, such as trace_view.json, kernel_details.csv or ascend_pytorch_profiler_0.db, or traces of PyTorch's profiler (*.json, *.json.gz)", path = .0.display())]
    Nothing(PathBuf),
    #[error("no profile in {path}: {why}", path = .0.display(), why = .1)]
    NothingReadable(PathBuf, String),
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
}

impl Profile {
    /// The ranks and, where there is anything to say of it, the job.
    pub fn sources(&self) -> impl Iterator<Item = &RankSource> {
        self.ranks.iter().chain(&self.job)
    }
}

/// Finds the ranks below `path`, which may be a directory or a single deliverable.
pub fn discover(path: &Path) -> Result<Profile, DiscoverError> {
    let metadata = fs::metadata(path).map_err(|_| DiscoverError::Missing(path.to_owned()))?;
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
    let profile = search.finish();
    let has_results = profile.job.as_ref().is_some_and(|job| !job.files.is_empty());
    if profile.ranks.is_empty() && !has_results {
        return Err(match profile.job.as_ref().and_then(|job| job.diagnostics.first()) {
            Some(diagnostic) => DiscoverError::NothingReadable(path.to_owned(), diagnostic.message.clone()),
            None => DiscoverError::Nothing(path.to_owned()),
        });
    }
    Ok(profile)
}
