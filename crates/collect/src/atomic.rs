//! Files that are whole or not there.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Whether a file must be there after the power went.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    Synced,
    Unsynced,
}

/// Puts a file in the place of another, whose permissions and owner it takes; a new one has the permissions `mode`, if
/// that is given.
pub fn write(path: &Path, bytes: &[u8], mode: Option<u32>, durability: Durability) -> io::Result<()> {
    // The file that a link leads to is replaced, not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let temporary = beside(&target);
    let written = fill(&temporary, &target, bytes, mode, durability).and_then(|()| fs::rename(&temporary, &target));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    } else if let (Durability::Synced, Some(directory)) = (durability, target.parent()) {
        // Some file systems cannot sync a directory; the file is in place all the same.
        let _ = File::open(directory).and_then(|directory| directory.sync_all());
    }
    written
}

fn fill(temporary: &Path, target: &Path, bytes: &[u8], mode: Option<u32>, durability: Durability) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    if let Some(mode) = mode {
        options.mode(mode);
    }
    let mut file = options.open(temporary)?;
    if let Ok(before) = fs::metadata(target) {
        keep_access(&file, &before)?;
    }
    file.write_all(bytes)?;
    if durability == Durability::Synced { file.sync_all() } else { Ok(()) }
}

fn keep_access(file: &File, before: &fs::Metadata) -> io::Result<()> {
    // Only root can give files away; root must, or the job that reads the file loses it. Before the mode, which a
    // change of owner takes bits from.
    let now = file.metadata()?;
    if (now.uid(), now.gid()) != (before.uid(), before.gid()) {
        let _ = fchown(file, Some(before.uid()), Some(before.gid()));
    }
    file.set_permissions(before.permissions())
}

/// A name in the same directory that nobody else uses.
fn beside(target: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{}.{count}.tmp", std::process::id()))
}
