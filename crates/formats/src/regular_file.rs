//! Opens files, and nothing that only has the name of one.
//!
//! Opening a pipe waits until somebody writes to it, and a link to `/dev/zero` never ends. What is opened is looked at,
//! not the name before: it may be something else a moment later.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use npuscope_messages::{Message, io_error};

use crate::messages;

/// Opens a regular file for reading; an error if it is anything else.
pub fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    // Then opening a pipe does not wait. For regular files it means nothing.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    let kind = file.metadata()?;
    match kind.is_file() {
        true => Ok(file),
        false if kind.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, NotRegular)),
    }
}

/// A pipe, a socket or a device.
#[derive(Debug)]
struct NotRegular;

impl fmt::Display for NotRegular {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        messages::not_regular().fmt(f)
    }
}

impl std::error::Error for NotRegular {}

/// Why a file could not be opened or read.
pub fn why(error: &io::Error) -> Message {
    match error.get_ref().is_some_and(|inner| inner.is::<NotRegular>()) {
        true => messages::not_regular(),
        false => io_error(error),
    }
}

/// The bytes of a regular file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(all(test, unix))]
mod tests {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn only_regular_files_are_opened() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        std::fs::write(path("file"), "text").unwrap();
        symlink(path("file"), path("link")).unwrap();
        assert_eq!(read(&path("file")).unwrap(), b"text");
        assert_eq!(read(&path("link")).unwrap(), b"text");

        let fifo = CString::new(path("fifo").as_os_str().as_bytes()).unwrap();
        // SAFETY: the path is a string that ends with a zero byte and outlives the call.
        assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
        let _socket = UnixListener::bind(path("socket")).unwrap();
        symlink("/dev/zero", path("device")).unwrap();
        symlink(path("loop"), path("loop")).unwrap();
        std::fs::create_dir(path("directory")).unwrap();
        for name in ["fifo", "socket", "device", "loop", "directory", "missing"] {
            assert!(open(&path(name)).is_err(), "{name}");
        }
    }
}
