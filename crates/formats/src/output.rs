//! Files that appear whole or not at all.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use npuscope_messages::{Message, io_error};

use crate::error_messages as messages;

#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    Io {
        path: PathBuf,
        source: io::Error,
    },
    /// Something else than an empty directory is at the place of a directory.
    NotEmpty {
        path: PathBuf,
    },
    Exists {
        path: PathBuf,
    },
    /// The files of an NPU cannot hold what a profile of another device has.
    NoPlace {
        path: PathBuf,
    },
    /// An earlier part of the rank could not be written, so that rows would be missing.
    Incomplete {
        path: PathBuf,
    },
}

impl OutputError {
    pub fn message(&self) -> Message {
        match self {
            OutputError::Io { path, source } => messages::cannot_write(path, io_error(source)),
            OutputError::Exists { path } => messages::already_exists(path),
            OutputError::NotEmpty { path } => messages::not_empty(path),
            OutputError::NoPlace { path } => messages::no_place(path),
            OutputError::Incomplete { path } => messages::incomplete(path),
        }
    }

    pub fn io(path: &Path) -> impl Fn(io::Error) -> OutputError + '_ {
        move |source| OutputError::Io { path: path.to_owned(), source }
    }
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

/// A directory that deliverables are written into.
#[derive(Clone, Debug)]
pub struct Output {
    directory: PathBuf,
}

impl Output {
    /// The directory, created if need be.
    pub fn new(directory: impl Into<PathBuf>) -> Result<Output, OutputError> {
        let directory = directory.into();
        fs::create_dir_all(&directory).map_err(OutputError::io(&directory))?;
        Ok(Output { directory })
    }

    pub fn path(&self) -> &Path {
        &self.directory
    }

    /// A directory inside this one.
    pub fn directory(&self, name: &str) -> Result<Output, OutputError> {
        Output::new(self.directory.join(name))
    }

    /// Writes a file under a temporary name and gives it its own when it is complete.
    pub fn file<T>(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<File>) -> Result<T, io::Error>,
    ) -> Result<T, OutputError> {
        let mut file = self.begin(name)?;
        let result = file.write(write)?;
        file.finish()?;
        Ok(result)
    }

    /// A file that is written bit by bit. It has its own name when it is finished; until then it is a
    /// temporary one, which goes away if it is dropped.
    pub fn begin(&self, name: &str) -> Result<PartFile, OutputError> {
        PartFile::create(self.directory.join(name))
    }

    /// As [`Output::begin`], for writers that want a path.
    pub fn begin_path(&self, name: &str) -> Part {
        Part::beside(self.directory.join(name))
    }

    /// As [`Output::file`], for writers that want a path.
    pub fn path_for<T>(&self, name: &str, write: impl FnOnce(&Path) -> Result<T, io::Error>) -> Result<T, OutputError> {
        let part = self.begin_path(name);
        let result = part.write(write)?;
        part.finish()?;
        Ok(result)
    }

    /// Removes a file of an earlier run, if it is there.
    pub fn remove(&self, name: &str) -> Result<(), OutputError> {
        let path = self.directory.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(OutputError::io(&path)(error)),
            _ => Ok(()),
        }
    }
}

/// A file under its temporary name. Dropped, it is removed.
#[derive(Debug)]
pub struct Part {
    target: PathBuf,
    temporary: PathBuf,
}

impl Part {
    /// A temporary name in the directory of `target` that nobody else uses.
    pub fn beside(target: impl Into<PathBuf>) -> Part {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let (target, count) = (target.into(), COUNT.fetch_add(1, Ordering::Relaxed));
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let temporary = target.with_file_name(format!(".{name}.{}.{count}.part", std::process::id()));
        Part { target, temporary }
    }

    /// The temporary path.
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// Does some of the writing; `write` gets the temporary path.
    pub fn write<T>(&self, write: impl FnOnce(&Path) -> Result<T, io::Error>) -> Result<T, OutputError> {
        write(&self.temporary).map_err(OutputError::io(&self.target))
    }

    /// Gives the file its name.
    pub fn rename(self) -> io::Result<()> {
        fs::rename(&self.temporary, &self.target)
    }

    /// As [`Part::rename`], with an error that names the file.
    pub fn finish(self) -> Result<(), OutputError> {
        let target = self.target.clone();
        self.rename().map_err(OutputError::io(&target))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Not there any more once it is finished.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// A file that is written bit by bit: see [`Output::begin`].
#[derive(Debug)]
pub struct PartFile {
    out: BufWriter<File>,
    part: Part,
}

impl PartFile {
    /// A file that has the name `target` when it is finished.
    pub fn create(target: impl Into<PathBuf>) -> Result<PartFile, OutputError> {
        let part = Part::beside(target);
        let file = File::create(&part.temporary).map_err(OutputError::io(&part.target))?;
        Ok(PartFile { out: BufWriter::with_capacity(1 << 18, file), part })
    }

    pub fn write<T>(
        &mut self,
        write: impl FnOnce(&mut BufWriter<File>) -> Result<T, io::Error>,
    ) -> Result<T, OutputError> {
        write(&mut self.out).map_err(OutputError::io(&self.part.target))
    }

    /// Writes what is left and gives the file its name.
    pub fn finish(mut self) -> Result<(), OutputError> {
        self.write(Write::flush)?;
        self.part.finish()
    }
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
