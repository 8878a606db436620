//! Mapped files, each part of which is verified once in a process.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use arrow::buffer::Buffer;
use memmap2::Mmap;
use npuscope_formats::regular_file;
use serde::{Deserialize, Serialize};

use super::CacheError;

/// Identifies a file and its content: its size, when it was modified and, on Unix, its inode. A change so soon after the last one that the file system gives both the same time does not
/// show: see [`fingerprint`](crate::fingerprint::fingerprint).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileId {
    bytes: u64,
    modified: Option<SystemTime>,
    /// Device, inode, and time of change of the inode, which no program can set.
    #[cfg(unix)]
    inode: (u64, u64, i64, i64),
}

impl FileId {
    pub fn new(metadata: &Metadata) -> FileId {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        FileId {
            bytes: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            inode: (metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether both are ids of one file, which may have changed or got another name in between.
    pub fn is_same_file(&self, other: &FileId) -> bool {
        #[cfg(unix)]
        return (self.inode.0, self.inode.1) == (other.inode.0, other.inode.1);
        #[cfg(not(unix))]
        return self == other;
    }

    /// Of the file at a path, not of what a link there points to; `None` if there is none.
    pub fn at(path: &Path) -> Option<FileId> {
        fs::symlink_metadata(path).ok().filter(Metadata::is_file).map(|metadata| FileId::new(&metadata))
    }
}

/// Which parts of a file were verified.
#[derive(Debug)]
pub struct Verified {
    id: FileId,
    parts: Vec<AtomicBool>,
}

impl Verified {
    /// Verifies a part unless that was done before.
    pub fn check(&self, part: usize, is_right: impl FnOnce() -> bool) -> bool {
        let Some(verified) = self.parts.get(part) else { return false };
        if !verified.load(Ordering::Acquire) && is_right() {
            verified.store(true, Ordering::Release);
        }
        verified.load(Ordering::Acquire)
    }

    #[cfg(test)]
    pub fn is_done(&self, part: usize) -> bool {
        self.parts[part].load(Ordering::Acquire)
    }
}

/// What was verified of the files of an entry, by name.
#[derive(Debug, Default)]
pub struct VerifiedFiles(Mutex<HashMap<String, Arc<Verified>>>);

impl VerifiedFiles {
    /// Maps a file of `directory` that has `parts` parts. One that is not the file it was has to be verified anew.
    pub fn map(&self, directory: &Path, name: &str, parts: usize) -> Result<(Buffer, Arc<Verified>), CacheError> {
        let path = directory.join(name);
        let file = regular_file::open(&path).map_err(CacheError::io(&path))?;
        let id = FileId::new(&file.metadata().map_err(CacheError::io(&path))?);
        let buffer = map(&file, &path)?;
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = files.get(name).filter(|known| known.id == id && known.parts.len() == parts);
        let verified = known
            .cloned()
            .unwrap_or_else(|| Arc::new(Verified { id, parts: (0..parts).map(|_| AtomicBool::new(false)).collect() }));
        files.insert(name.to_owned(), verified.clone());
        Ok((buffer, verified))
    }
}

/// Maps a file of the cache.
pub fn map(file: &File, path: &Path) -> Result<Buffer, CacheError> {
    // SAFETY: cache files are written under another name, renamed when complete and never changed, so
    // the mapping does not change under us. Removing the file (`trim`) leaves mapped pages in place.
    let map = Arc::new(unsafe { Mmap::map(file) }.map_err(CacheError::io(path))?);
    let start = NonNull::from(map.as_ref().as_ref()).cast::<u8>();
    // SAFETY: the pointer and length are those of the mapping, which the buffer keeps alive.
    Ok(unsafe { Buffer::from_custom_allocation(start, map.len(), map) })
}
