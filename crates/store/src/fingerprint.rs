//! Which bytes a rank is made of: the key of what is kept of it.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

use npuscope_formats::regular_file;
use npuscope_formats::source::{RankSource, WindowSource};
use xxhash_rust::xxh3::Xxh3;

use crate::cache::LAYOUT_VERSION;
use crate::read::READER_VERSION;

/// Bytes hashed at the start and at the end of a file.
const SAMPLE: usize = 4 * 1024;

/// A key that changes whenever the rank's tables could. Columns, extracts and answers are all kept by it.
///
/// It is made of the name of each file, its size, when it was modified, when its inode was changed (`ctime`), and its
/// first and last 4 KiB. That takes some microseconds per file; to hash files whole would take a second per gigabytes on
/// every start.
///
/// A key changes when a file is
///
/// - written to, which sets both times;
/// - replaced by a copy that has the old times (`cp -p`, `rsync -t`, `tar -x`, `touch -r`): `ctime` cannot be set by a
///   program. Systems other than Unix do not have it; there the samples alone distinguish such copies.
///
/// It does not change when
///
/// - the profile is moved or renamed: where its directory lies does not count;
/// - a file is rewritten to the same size, with the same first and last 4 KiB, so soon after its previous change that
///   the file system gives both the same times: within some milliseconds on local disks, up to two seconds on FAT and
///   some network file systems; and a key was made between the two. Profilers write headers and ends that differ.
/// - bytes change on the medium without being written.
///
/// A copied profile, or one whose permissions were changed, has another key and is read again. Inodes do not count:
/// file systems in user space (sshfs) number the same file differently each time.
pub fn fingerprint(rank: &RankSource) -> String {
    let mut hash = Xxh3::new();
    hash.update(&READER_VERSION.to_le_bytes());
    hash.update(&npuscope_measures::VERSION.to_le_bytes());
    hash.update(&LAYOUT_VERSION.to_le_bytes());
    hash.update(&rank.rank.0.to_le_bytes());
    rank.windows().for_each(|window| add_window(window, &mut hash));
    format!("{:032x}", hash.digest128())
}

fn add_window(window: &WindowSource, hash: &mut Xxh3) {
    hash.update(&window.window.0.to_le_bytes());
    text(window.stage.as_deref().unwrap_or_default(), hash);
    text(&window.directory_name(), hash);
    text(window.framework.name(), hash);
    hash.update(&window.diagnostics.len().to_le_bytes());
    for diagnostic in &window.diagnostics {
        text(&diagnostic.message.to_json(), hash);
    }
    for file in &window.files {
        text(&file.name, hash);
        hash.update(&file.bytes.to_le_bytes());
        // A file that cannot be read has no rows, and will have others when it can.
        if sample(&window.path(file), hash).is_err() {
            hash.update(b"unreadable");
        }
    }
}

/// A key of some ranks together.
pub fn fingerprint_all<'a>(ranks: impl Iterator<Item = &'a RankSource>) -> String {
    let mut hash = Xxh3::new();
    ranks.for_each(|rank| hash.update(fingerprint(rank).as_bytes()));
    format!("{:032x}", hash.digest128())
}

/// Takes in a text and where it ends.
fn text(text: &str, hash: &mut Xxh3) {
    hash.update(&text.len().to_le_bytes());
    hash.update(text.as_bytes());
}

/// Takes in when a file was changed, its size and its ends.
fn sample(path: &Path, hash: &mut Xxh3) -> io::Result<()> {
    let mut file = regular_file::open(path)?;
    let metadata = file.metadata()?;
    for time in times(&metadata) {
        hash.update(&time.to_le_bytes());
    }
    let bytes = metadata.len();
    hash.update(&bytes.to_le_bytes());
    hash.update(ends(&mut file, bytes, &mut [0; 2 * SAMPLE])?);
    Ok(())
}

/// The first and the last bytes of a file; a small file is read whole.
fn ends<'a>(file: &mut File, bytes: u64, buffer: &'a mut [u8; 2 * SAMPLE]) -> io::Result<&'a [u8]> {
    let mut filled = fill(file, buffer)?;
    if bytes > buffer.len() as u64 {
        file.seek(SeekFrom::Start(bytes - SAMPLE as u64))?;
        let (_, end) = buffer.split_at_mut(SAMPLE);
        filled = SAMPLE + fill(file, end)?;
    }
    Ok(buffer.get(..filled).unwrap_or_default())
}

/// Reads until a buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read(rest)? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

/// When a file was modified, and when its inode was changed.
fn times(metadata: &Metadata) -> [i128; 2] {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    [modified.map_or(0, |time| time.as_nanos().cast_signed()), changed(metadata)]
}

#[cfg(unix)]
fn changed(metadata: &Metadata) -> i128 {
    use std::os::unix::fs::MetadataExt;
    i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn changed(_: &Metadata) -> i128 {
    0
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::discover::discover;

    #[test]
    fn a_moved_profile_keeps_its_key_and_a_changed_one_does_not() {
        let directory = tempfile::tempdir().unwrap();
        let output = directory.path().join("a/r_ascend_pt/ASCEND_PROFILER_OUTPUT");
        fs::create_dir_all(&output).unwrap();
        fs::write(output.join("trace_view.json"), "[]").unwrap();
        let key = |name: &str| fingerprint(&discover(&directory.path().join(name)).unwrap().ranks[0]);
        let before = key("a");
        fs::rename(directory.path().join("a"), directory.path().join("b")).unwrap();
        assert_eq!(key("b"), before);
        fs::write(directory.path().join("b/r_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json"), "[ ]").unwrap();
        assert_ne!(key("b"), before);
    }

    /// A profile of one file with these bytes.
    struct OneFile(tempfile::TempDir);

    impl OneFile {
        fn new(bytes: &[u8]) -> OneFile {
            let directory = tempfile::tempdir().unwrap();
            fs::create_dir_all(directory.path().join("r_ascend_pt/ASCEND_PROFILER_OUTPUT")).unwrap();
            let profile = OneFile(directory);
            fs::write(profile.file(), bytes).unwrap();
            profile
        }

        fn file(&self) -> std::path::PathBuf {
            self.0.path().join("r_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json")
        }

        fn key(&self) -> String {
            fingerprint(&discover(self.0.path()).unwrap().ranks[0])
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_replaced_by_one_of_equal_size_time_and_ends_has_another_key() {
        let mut bytes = vec![b' '; 100_000];
        let profile = OneFile::new(&bytes);
        let (before, modified) = (profile.key(), fs::metadata(profile.file()).unwrap().modified().unwrap());
        // Kernels count the time of files in ticks of up to ten milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(30));
        bytes[50_000] = b'[';
        fs::write(profile.file(), &bytes).unwrap();
        File::options().append(true).open(profile.file()).unwrap().set_modified(modified).unwrap();
        assert_eq!(fs::metadata(profile.file()).unwrap().modified().unwrap(), modified);
        assert_ne!(profile.key(), before);
    }

    #[test]
    fn small_files_count_whole_and_large_ones_by_their_ends() {
        for length in [0, 1, SAMPLE, 2 * SAMPLE, 2 * SAMPLE + 1, 10 * SAMPLE] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let profile = OneFile::new(&bytes);
            let mut file = File::open(profile.file()).unwrap();
            let mut buffer = [0; 2 * SAMPLE];
            let counted = ends(&mut file, length as u64, &mut buffer).unwrap();
            let expected = match length > 2 * SAMPLE {
                true => [&bytes[..SAMPLE], &bytes[length - SAMPLE..]].concat(),
                false => bytes,
            };
            assert_eq!(counted, expected, "{length}");
        }
    }

    #[test]
    fn the_key_of_ranks_together_changes_with_each() {
        let (a, b) = (OneFile::new(b"[]"), OneFile::new(b"[ ]"));
        let profiles = [&a, &b].map(|profile| discover(profile.0.path()).unwrap().ranks.remove(0));
        let together = fingerprint_all(profiles.iter());
        assert_eq!(fingerprint_all(profiles.iter()), together);
        assert_ne!(fingerprint_all(profiles[..1].iter()), together);
        fs::write(b.file(), b"[  ]").unwrap();
        assert_ne!(fingerprint_all(profiles.iter()), together);
    }
}
