//! Files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::flavour::Flavour;

#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    #[error("cannot write {path}: {source}", path = path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{path} is there already; choose another place or remove it", path = path.display())]
    Exists { path: PathBuf },
    #[error("cannot write {path}: {what}", path = path.display())]
    Refused { path: PathBuf, what: String },
}

impl OutputError {
    pub fn io(path: &Path) -> impl Fn(io::Error) -> OutputError + '_ {
        move |source| OutputError::Io { path: path.to_owned(), source }
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

    /// Refuses to write a rank whose facts have no place in the files of an NPU, rather than losing half of them. The
    /// directory goes too if it is still empty.
    pub fn check_flavour(&self, flavour: Flavour) -> Result<(), OutputError> {
        if flavour != Flavour::Kineto {
            return Ok(());
        }
        let _ = fs::remove_dir(&self.directory);
        let what = "this is a trace of PyTorch's own profiler, and the files of an NPU have no place for what it holds; --to parquet keeps all of it";
        Err(OutputError::Refused { path: self.directory.clone(), what: what.to_owned() })
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
        self.path_for(name, |temporary| {
            let file = File::create(temporary)?;
            let mut file = BufWriter::with_capacity(1 << 18, file);
            let result = write(&mut file)?;
            file.flush()?;
            Ok(result)
        })
    }

    /// As [`Output::file`], for writers that want a path.
    pub fn path_for<T>(&self, name: &str, write: impl FnOnce(&Path) -> Result<T, io::Error>) -> Result<T, OutputError> {
        let target = self.directory.join(name);
        let temporary = self.directory.join(format!(".{name}.{}.part", std::process::id()));
        let written = write(&temporary).and_then(|result| fs::rename(&temporary, &target).map(|()| result));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written.map_err(OutputError::io(&target))
    }
}
