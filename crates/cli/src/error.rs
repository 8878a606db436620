//! What can go wrong, and whose fault it is.

use std::path::PathBuf;
use std::{fmt, io};

use npuscope_analysis::cluster::Failure;
use npuscope_engine::EngineError;
use npuscope_formats::error_messages::cannot_write;
use npuscope_formats::output::OutputError;
use npuscope_messages::{Language, Message, io_error};
use npuscope_store::StoreError;
use npuscope_store::cache::CacheError;
use parquet::errors::ParquetError;

use crate::messages::errors as messages;
use crate::usage::UsageError;

#[derive(Debug, thiserror::Error)]
pub enum CliError {
    Usage(#[from] UsageError),
    Engine(EngineError),
    Store(#[from] StoreError),
    Output(#[from] OutputError),
    Write {
        path: PathBuf,
        source: io::Error,
    },
    Strict(Box<Message>),
    /// Reading or writing failed, most often of stdout.
    Io(io::Error),
    Internal(Box<Message>),
    /// Who read our output has seen enough.
    Closed,
}

impl CliError {
    /// What neither the user nor the system is to blame for; the text is that of another library.
    fn internal(text: &impl fmt::Display) -> CliError {
        CliError::Internal(Box::new(messages::internal(text.to_string())))
    }

    pub fn message(&self) -> Message {
        match self {
            CliError::Usage(error) => error.message(),
            CliError::Engine(error) => error.message(),
            CliError::Store(error) => error.message(),
            CliError::Output(error) => error.message(),
            CliError::Write { path, source } => cannot_write(path, io_error(source)),
            CliError::Strict(message) | CliError::Internal(message) => *message.clone(),
            CliError::Io(error) => messages::input_output(io_error(error)),
            CliError::Closed => messages::output_closed(),
        }
    }

    /// The error in the user's language.
    pub fn text(&self, language: Language) -> String {
        self.message().text(language)
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            CliError::Closed => 0,
            // As a shell says of a program that Ctrl-C ended.
            CliError::Store(StoreError::Stopped) => 130,
            CliError::Usage(_) | CliError::Output(_) | CliError::Write { .. } | CliError::Strict(_) => 2,
            CliError::Engine(EngineError::Internal(_) | EngineError::Ended)
            | CliError::Store(StoreError::Cache(_))
            | CliError::Io(_)
            | CliError::Internal(_) => 3,
            CliError::Engine(_) | CliError::Store(_) => 2,
        }
    }
}

npuscope_messages::display_message!(CliError);

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
            npuscope_server::Failure::Internal(why) => CliError::internal(&why),
            npuscope_server::Failure::Engine(error) => error.into(),
            other => UsageError::Viewer(other).into(),
        }
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { CliError::Closed } else { CliError::Io(error) }
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
            other => CliError::internal(&other),
        }
    }
}

impl From<ParquetError> for CliError {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(cause) => match cause.downcast::<io::Error>() {
                Ok(io) => (*io).into(),
                Err(other) => CliError::internal(&other),
            },
            other => CliError::internal(&other),
        }
    }
}

impl From<serde_json::Error> for CliError {
    fn from(error: serde_json::Error) -> Self {
        io::Error::from(error).into()
    }
}
