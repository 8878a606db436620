//! What can go wrong, and whose fault it is.

use std::io;
use std::path::PathBuf;

use npuscope_analysis::cluster::Failure;
use npuscope_analysis::messages::collection;
use npuscope_engine::EngineError;
use npuscope_formats::output::OutputError;
use npuscope_messages::{Language, Message};
use npuscope_store::StoreError;
use npuscope_store::cache::CacheError;
use parquet::errors::ParquetError;

use crate::usage::UsageError;

#[derive(Debug, thiserror::Error)]
pub enum CliError {
    #[error(transparent)]
    Usage(#[from] UsageError),
    #[error(transparent)]
    Engine(EngineError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error("cannot write {path}: {source}", path = path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{0}")]
    Strict(Box<Message>),
    #[error("{0}")]
    Internal(String),
    /// Who read our output has seen enough.
    #[error("the output was closed")]
    Closed,
}

impl CliError {
    /// What is said of it, in a language where it is a message.
    pub fn text(&self, language: Language) -> String {
        match self {
            CliError::Strict(message) => message.text(language),
            CliError::Usage(UsageError::Analysis(Failure::Missing { mode, what, hint })) => {
                collection::mode_needs(mode, *what.clone(), *hint.clone()).text(language)
            }
            CliError::Usage(UsageError::NotCollected(message)) => message.text(language),
            other => other.to_string(),
        }
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            CliError::Closed => 0,
            // As a shell says of a program that Ctrl-C ended.
            CliError::Store(StoreError::Stopped) => 130,
            CliError::Usage(_) | CliError::Output(_) | CliError::Write { .. } | CliError::Strict(_) => 2,
            CliError::Engine(EngineError::Internal(_))
            | CliError::Store(StoreError::Cache(_))
            | CliError::Internal(_) => 3,
            CliError::Engine(_) | CliError::Store(_) => 2,
        }
    }
}

impl From<Failure> for CliError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Store(error) => error.into(),
            Failure::Output(error) => error.into(),
            other => UsageError::Analysis(other).into(),
        }
    }
}

impl From<npuscope_server::Failure> for CliError {
    fn from(failure: npuscope_server::Failure) -> Self {
        match failure {
            npuscope_server::Failure::Internal(why) => CliError::Internal(why),
            other => UsageError::Viewer(other).into(),
        }
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { CliError::Closed } else { CliError::Internal(error.to_string()) }
    }
}

impl From<EngineError> for CliError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Store(error) => CliError::Store(error),
            other => CliError::Engine(other),
        }
    }
}

impl From<CacheError> for CliError {
    fn from(error: CacheError) -> Self {
        CliError::Store(error.into())
    }
}

impl From<arrow::error::ArrowError> for CliError {
    fn from(error: arrow::error::ArrowError) -> Self {
        match error {
            arrow::error::ArrowError::IoError(_, io) => io.into(),
            other => CliError::Internal(other.to_string()),
        }
    }
}

impl From<ParquetError> for CliError {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(cause) => match cause.downcast::<io::Error>() {
                Ok(io) => (*io).into(),
                Err(other) => CliError::Internal(other.to_string()),
            },
            other => CliError::Internal(other.to_string()),
        }
    }
}

impl From<serde_json::Error> for CliError {
    fn from(error: serde_json::Error) -> Self {
        io::Error::from(error).into()
    }
}
