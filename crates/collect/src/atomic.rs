//! Files that take the place of others, with their permissions.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::Path;

use npuscope_formats::output::Part;

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
    let part = Part::beside(&target);
    fill(part.path(), &target, bytes, mode, durability)?;
    part.rename()?;
    if let (Durability::Synced, Some(directory)) = (durability, target.parent()) {
        // Some file systems cannot sync a directory; the file is in place all the same.
        let _ = File::open(directory).and_then(|directory| directory.sync_all());
    }
    Ok(())
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
