//! What can go wrong with a cache. None of it costs an answer: the files of the profile are read instead.

use std::io;
use std::path::{Path, PathBuf};

use arrow::error::ArrowError;

#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    #[error("cannot use the cache at {path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("the cache at {path} is damaged: {what}")]
    Damaged { path: PathBuf, what: String },
    #[error("the cache is switched off")]
    Off,
}

impl CacheError {
    pub(super) fn io(path: &Path) -> impl Fn(io::Error) -> CacheError + '_ {
        move |source| CacheError::Io { path: path.to_owned(), source }
    }

    pub(super) fn arrow(path: &Path) -> impl Fn(ArrowError) -> CacheError + '_ {
        move |error| CacheError::damaged(path, error.to_string())
    }

    pub(super) fn damaged(path: &Path, what: impl Into<String>) -> CacheError {
        CacheError::Damaged { path: path.to_owned(), what: what.into() }
    }

    pub fn is_damage(&self) -> bool {
        matches!(self, CacheError::Damaged { .. })
    }
}
