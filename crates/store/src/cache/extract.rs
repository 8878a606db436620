//! Extracts: small results per rank, such as what an analysis needs of it, kept beside the columns.
//!
//! The extracts of a rank have a directory of their own, `extracts-KEY`, because a rank may have extracts without having
//! columns: an analysis reads what it needs and never writes the rest. Each extract is one sealed file. Trimming treats
//! the directory as any other entry.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use arrow::buffer::Buffer;
use npuscope_formats::regular_file;
use xxhash_rust::xxh3::xxh3_64;

use super::directory::{EXTRACT, mark, touch, write_file};
use super::mapped::map;
use super::sealed::{SEAL_BYTES, Sealing, seal, unseal};
use super::{Cache, CacheError};
use crate::error_messages as messages;

/// Other processes may remove an entry while it is written to.
const TRIES: usize = 4;

impl Cache {
    /// The extract of that name of the rank with that key; `None` if there is none. A damaged one is removed, and a
    /// warning says so.
    pub fn extract(&self, key: &str, name: &str) -> Option<Vec<u8>> {
        let directory = self.extracts(key)?;
        let path = directory.join(file_name(name));
        let mut sealed = read(&path)?;
        let Some(payload) = unseal(&sealed, &identity(key, name)).map(<[u8]>::len) else {
            let _ = fs::remove_file(&path);
            self.notes().warn_damage(&CacheError::damaged(&path, messages::wrong_checksum()));
            return None;
        };
        // A cache that cannot be written is read all the same.
        let _ = touch(&directory);
        sealed.truncate(payload);
        Some(sealed)
    }

    /// Removes an extract whose bytes are as they were written but make no sense, and warns.
    pub fn discard_extract(&self, key: &str, name: &str) {
        if let Some(directory) = self.extracts(key) {
            let path = directory.join(file_name(name));
            let _ = fs::remove_file(&path);
            self.notes().warn_damage(&CacheError::damaged(&path, messages::not_decoded()));
        }
    }

    /// Keeps an extract. Where there is one of that name already, it is replaced.
    ///
    /// It is not synced to disk: a thousand ranks would wait seconds for that. After a power failure a file may be empty
    /// or cut, which its length and checksum show; it is then made again.
    pub fn store_extract(&self, key: &str, name: &str, bytes: &[u8]) -> Result<(), CacheError> {
        let sealed = seal(bytes, &identity(key, name));
        self.write_extract(key, name, |mut file| file.write_all(&sealed))
    }

    /// As [`Cache::store_extract`], for what is too large to be in memory: `write` writes it, and may be called again.
    pub fn stream_extract(
        &self,
        key: &str,
        name: &str,
        write: impl Fn(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), CacheError> {
        self.write_extract(key, name, |file| {
            let mut sealing = Sealing::new(file);
            write(&mut sealing)?;
            sealing.finish(&identity(key, name)).map(drop)
        })
    }

    /// As [`Cache::extract`], mapped.
    pub fn mapped_extract(&self, key: &str, name: &str) -> Option<MappedExtract> {
        let directory = self.extracts(key)?;
        let path = directory.join(file_name(name));
        let sealed = map(&regular_file::open(&path).ok()?, &path).ok()?;
        let Some(bytes) = unseal(&sealed, &identity(key, name)).map(<[u8]>::len) else {
            let _ = fs::remove_file(&path);
            self.notes().warn_damage(&CacheError::damaged(&path, messages::wrong_checksum()));
            return None;
        };
        let _ = touch(&directory);
        Some(MappedExtract(sealed.slice_with_length(0, bytes)))
    }

    fn write_extract(&self, key: &str, name: &str, write: impl Fn(File) -> io::Result<()>) -> Result<(), CacheError> {
        let directory = self.extracts(key).ok_or(CacheError::Off)?;
        let path = directory.join(file_name(name));
        self.notes().note_write();
        for _ in 0..TRIES {
            // Without its marker an entry would never be trimmed.
            if touch(&directory).is_err() {
                self.prepared_root()?;
                fs::create_dir_all(&directory).and_then(|()| mark(&directory)).map_err(CacheError::io(&directory))?;
            }
            match write_file(&directory, &path, &write) {
                // Another process has trimmed the entry meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => (),
                written => return written.map_err(CacheError::io(&path)),
            }
        }
        Err(CacheError::io(&path)(io::ErrorKind::NotFound.into()))
    }

    fn extracts(&self, key: &str) -> Option<PathBuf> {
        Some(self.root()?.join(format!("extracts-{key}")))
    }
}

/// A large extract, mapped and verified.
pub struct MappedExtract(Buffer);

impl std::ops::Deref for MappedExtract {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let mut file = regular_file::open(path).ok()?;
    let bytes = usize::try_from(file.metadata().ok()?.len()).ok()?;
    let mut sealed = Vec::with_capacity(bytes.max(SEAL_BYTES));
    file.read_to_end(&mut sealed).ok()?;
    Some(sealed)
}

fn identity(key: &str, name: &str) -> String {
    format!("extracts-{key}/{name}")
}

/// A file name for any name: what can be read of it, and its hash.
fn file_name(name: &str) -> String {
    let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).take(48).collect();
    format!("{plain}-{:016x}.{EXTRACT}", xxh3_64(name.as_bytes()))
}
