//! The directories of a cache: which are ours, how they come into being and how they go.
//!
//! A cache directory may be one that the user gave and that holds other things. So nothing is removed because of what it
//! looks like: an entry is a directory with our marker in it, and of an entry only files with names that we write are
//! removed.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::CacheError;

/// The file that makes a directory an entry of ours. When it was changed is when the entry was last used.
pub const MARKER: &str = "npuscope-cache-entry";
const MARKER_TEXT: &[u8] = b"An entry of a cache of npuscope. It can be removed at any time.\n";

/// What backup programs look for to skip a cache, see https://bford.info/cachedir/.
const TAG: &str = "CACHEDIR.TAG";
const TAG_TEXT: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55
# This directory is a cache of npuscope. It can be removed at any time.
";

pub const MANIFEST: &str = "manifest";
pub const COLUMNS: &str = "arrow";
pub const ATTACHED: &str = "kept";
pub const EXTRACT: &str = "extract";

const WRITING: &str = ".npuscope-writing-";
const REMOVING: &str = ".npuscope-removing-";

/// A temporary this old was left behind by a process that was killed.
const OLD: Duration = Duration::from_secs(24 * 3600);

/// Creates the directory of a cache. The tag is written only into a directory that is new or empty: in any other it
/// would keep backups from what is not ours.
pub fn prepare_root(root: &Path) -> Result<(), CacheError> {
    fs::create_dir_all(root).map_err(CacheError::io(root))?;
    if fs::read_dir(root).map_err(CacheError::io(root))?.next().is_none() {
        // A cache without a tag works as well.
        let _ = File::create_new(root.join(TAG)).and_then(|mut tag| tag.write_all(TAG_TEXT));
    }
    Ok(())
}

/// Creates a directory that no other process has, in any container: the name is random.
pub fn temporary_directory(root: &Path) -> io::Result<PathBuf> {
    let path = random_name(root, WRITING)?;
    fs::create_dir(&path)?;
    Ok(path)
}

/// Writes a file of an entry under a name that no other process has, then gives it its own. What a killed process
/// leaves behind is removed when it [is old](is_old).
pub fn write_file(directory: &Path, target: &Path, write: impl FnOnce(File) -> io::Result<()>) -> io::Result<()> {
    let temporary = random_name(directory, WRITING)?;
    let written = write(File::create_new(&temporary)?).and_then(|()| fs::rename(&temporary, target));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn random_name(directory: &Path, prefix: &str) -> io::Result<PathBuf> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    Ok(directory.join(format!("{prefix}{:032x}", u128::from_le_bytes(random))))
}

/// Makes a directory an entry of ours.
pub fn mark(directory: &Path) -> io::Result<()> {
    match File::create_new(directory.join(MARKER)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other?.write_all(MARKER_TEXT),
    }
}

/// Notes that an entry is used, for [`Cache::trim`](super::Cache::trim). Fails if it is not marked.
pub fn touch(entry: &Path) -> io::Result<()> {
    File::options().append(true).open(entry.join(MARKER))?.set_modified(SystemTime::now())
}

/// Whether a path is an entry of ours: a directory, not a link to one, with the marker.
pub fn is_entry(path: &Path) -> bool {
    let is = |path: &Path, is: fn(&fs::Metadata) -> bool| fs::symlink_metadata(path).is_ok_and(|found| is(&found));
    is(path, fs::Metadata::is_dir) && is(&path.join(MARKER), fs::Metadata::is_file)
}

pub fn is_temporary(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let random = name.strip_prefix(WRITING).or_else(|| name.strip_prefix(REMOVING));
    random.is_some_and(|random| random.len() == 32 && random.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether a temporary was left behind. What is being written has been changed lately.
pub fn is_old(changed: SystemTime) -> bool {
    changed.elapsed().is_ok_and(|age| age > OLD)
}

/// Removes an entry. It is renamed first, so that others see it whole or not at all; one that holds something else too
/// keeps its name.
pub fn remove_entry(entry: &Path) -> io::Result<()> {
    if !is_entry(entry) {
        return Ok(());
    }
    let is_ours = |name: &OsStr| name == MARKER || is_file_of_entry(name);
    let is_all_ours = fs::read_dir(entry)?.all(|file| file.is_ok_and(|file| is_ours(&file.file_name())));
    let aside = entry.parent().filter(|_| is_all_ours).map(|root| random_name(root, REMOVING)).transpose()?;
    match aside {
        Some(aside) if fs::rename(entry, &aside).is_ok() => remove_ours(&aside),
        _ => remove_ours(entry),
    }
}

/// Removes the files of a directory that have names we write, then the directory if that was all there was.
pub fn remove_ours(directory: &Path) -> io::Result<()> {
    for file in fs::read_dir(directory)?.filter_map(Result::ok) {
        if is_file_of_entry(&file.file_name()) && file.file_type().is_ok_and(|kind| kind.is_file()) {
            gone(fs::remove_file(file.path()))?;
        }
    }
    // The marker goes last: what is left after an interruption is still ours.
    gone(fs::remove_file(directory.join(MARKER)))?;
    match fs::remove_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
        other => gone(other),
    }
}

fn is_file_of_entry(name: &OsStr) -> bool {
    let extension = Path::new(name).extension().and_then(OsStr::to_str);
    is_temporary(name) || name == MANIFEST || matches!(extension, Some(COLUMNS | ATTACHED | EXTRACT))
}

/// What another process has removed is removed.
fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Brings the names in a directory to disk.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    // Other systems cannot open a directory.
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}
