//! What can go wrong with a cache. None of it costs an answer: the files of the profile are read instead.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::error::ArrowError;
use npuscope_messages::{Message, io_error, verbatim};

use crate::error_messages as messages;

/// Clonable: what reads a rank for a query hands it through libraries that share errors.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CacheError {
    Io {
        path: PathBuf,
        source: Arc<io::Error>,
    },
    /// Other processes keep replacing it.
    Contended {
        path: PathBuf,
    },
    Damaged {
        path: PathBuf,
        what: Message,
    },
    Off,
}

impl CacheError {
    pub(super) fn io(path: &Path) -> impl Fn(io::Error) -> CacheError + '_ {
        move |source| CacheError::Io { path: path.to_owned(), source: Arc::new(source) }
    }

    pub(super) fn arrow(path: &Path) -> impl Fn(ArrowError) -> CacheError + '_ {
        move |error| CacheError::damaged(path, verbatim(error.to_string()))
    }

    pub(super) fn damaged(path: &Path, what: Message) -> CacheError {
        CacheError::Damaged { path: path.to_owned(), what }
    }

    pub fn message(&self) -> Message {
        match self {
            CacheError::Io { path, source } => messages::cache_unusable(path, io_error(source)),
            CacheError::Contended { path } => messages::cache_contended(path),
            CacheError::Damaged { path, what } => messages::cache_damaged(path, what.clone()),
            CacheError::Off => messages::cache_off(),
        }
    }

    pub fn is_damage(&self) -> bool {
        matches!(self, CacheError::Damaged { .. })
    }
}

npuscope_messages::display_message!(CacheError);
