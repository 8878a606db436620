//! Which bytes a rank is made of: the key of its cache.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

use npuscope_formats::source::RankSource;
use xxhash_rust::xxh3::Xxh3;

use crate::cache::LAYOUT_VERSION;
use crate::read::READER_VERSION;

/// Bytes hashed at the start and at the end of a file, and at each place between.
const SAMPLE: u64 = 16 * 1024;
const SAMPLES_BETWEEN: u64 = 14;

/// A key that changes whenever the rank's tables could.
///
/// Names, sizes and times of change of all files, and samples of their bytes: a file rewritten in place
/// has another time, a file copied over another mostly other bytes. Hashing files whole would cost a
/// second per gigabytes on every start. Where the directory lies does not count, so it can be moved.
pub fn fingerprint(rank: &RankSource) -> String {
    let mut hash = Xxh3::new();
    hash.update(&READER_VERSION.to_le_bytes());
    hash.update(&LAYOUT_VERSION.to_le_bytes());
    hash.update(&rank.rank.to_le_bytes());
    hash.update(rank.directory_name().as_bytes());
    hash.update(rank.flavour.name().as_bytes());
    for problem in &rank.problems {
        hash.update(problem.message.as_bytes());
    }
    for file in &rank.files {
        hash.update(file.name.as_bytes());
        hash.update(&file.bytes.to_le_bytes());
        sample(&rank.path(file), &mut hash);
    }
    format!("{:032x}", hash.digest128())
}

/// A key of some ranks together, from names, sizes and times of change alone: a thousand ranks have it in milliseconds.
pub fn quick_fingerprint<'a>(ranks: impl Iterator<Item = &'a RankSource>) -> String {
    let mut hash = Xxh3::new();
    hash.update(&READER_VERSION.to_le_bytes());
    hash.update(&LAYOUT_VERSION.to_le_bytes());
    for rank in ranks {
        hash.update(&rank.rank.to_le_bytes());
        hash.update(rank.directory_name().as_bytes());
        for file in &rank.files {
            hash.update(file.name.as_bytes());
            hash.update(&file.bytes.to_le_bytes());
            hash.update(&fs::metadata(rank.path(file)).map_or(0, |metadata| modified(&metadata)).to_le_bytes());
        }
    }
    format!("{:032x}", hash.digest128())
}

fn modified(metadata: &fs::Metadata) -> u128 {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    modified.map_or(0, |time| time.as_nanos())
}

/// Takes in when a file was changed and some of its bytes; a file that cannot be read has none.
fn sample(path: &Path, hash: &mut Xxh3) {
    let Ok(metadata) = fs::metadata(path) else { return };
    hash.update(&modified(&metadata).to_le_bytes());
    let Ok(mut file) = File::open(path) else { return };
    let length = metadata.len();
    let places =
        (0..=SAMPLES_BETWEEN).map(|n| length / (SAMPLES_BETWEEN + 1) * n).chain([length.saturating_sub(SAMPLE)]);
    let mut buffer = Vec::new();
    for place in places {
        buffer.clear();
        let read = file.seek(SeekFrom::Start(place)).and_then(|_| file.by_ref().take(SAMPLE).read_to_end(&mut buffer));
        if read.is_ok() {
            hash.update(&buffer);
        }
        if length <= SAMPLE {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
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
}
