//! Keeps a cache within its size.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::directory::{MARKER, is_entry, is_old, is_temporary, remove_entry, remove_ours};
use super::{Cache, CacheError};

/// An entry: when it was last used, and what it takes.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    used: SystemTime,
    bytes: u64,
    path: PathBuf,
}

impl Cache {
    /// Removes the entries that were not used for longest until at most `max_bytes` remain, and temporaries that
    /// processes left behind more than a day ago. Touches nothing that is not ours. An entry that cannot be removed
    /// does not keep others from being removed; the first such error is returned.
    pub fn trim(&self, max_bytes: u64) -> Result<(), CacheError> {
        let Some(root) = self.root() else { return Ok(()) };
        let listed = match fs::read_dir(root) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => other.map_err(CacheError::io(root))?,
        };
        let mut entries = Vec::new();
        for found in listed.filter_map(Result::ok) {
            let path = found.path();
            if is_temporary(&found.file_name()) {
                remove_left_over(&path);
            } else if is_entry(&path) {
                entries.extend(Entry::read(path));
            }
        }
        entries.sort();
        let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
        let mut result = Ok(());
        for entry in entries {
            if total <= max_bytes {
                break;
            }
            match remove_entry(&entry.path) {
                Ok(()) => total -= entry.bytes,
                Err(error) => result = result.and(Err(CacheError::io(&entry.path)(error))),
            }
        }
        result
    }
}

impl Entry {
    /// Measures an entry, and removes what killed processes left in it.
    fn read(path: PathBuf) -> Option<Entry> {
        let mut bytes = 0;
        for file in fs::read_dir(&path).ok()?.filter_map(Result::ok) {
            let Ok(metadata) = file.metadata() else { continue };
            if is_temporary(&file.file_name()) && metadata.is_file() && metadata.modified().is_ok_and(is_old) {
                let _ = fs::remove_file(file.path());
            } else {
                bytes += metadata.len();
            }
        }
        let used = fs::metadata(path.join(MARKER)).and_then(|marker| marker.modified()).ok()?;
        Some(Entry { used, bytes, path })
    }
}

/// Removes a temporary directory if neither it nor a file in it was changed lately.
fn remove_left_over(path: &Path) {
    let Ok(directory) = fs::symlink_metadata(path) else { return };
    let files = fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
    let mut times = files.filter_map(|file| file.metadata().ok()?.modified().ok());
    if directory.is_dir() && directory.modified().is_ok_and(is_old) && times.all(is_old) {
        let _ = remove_ours(path);
    }
}
