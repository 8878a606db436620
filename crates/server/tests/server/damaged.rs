//! A damaged cache changes no answer.

use std::fs;
use std::path::{Path, PathBuf};

use crate::served::Served;

const QUESTIONS: [&str; 4] =
    ["/api/profile", "/api/diagnosis", "/api/tables/operators?ranks=0&group=op_type", "/api/ranks/0/timeline"];

/// The files of the cache, without those of entries that are being removed meanwhile.
fn files(directory: &Path) -> Vec<PathBuf> {
    let is_kept = |path: &PathBuf| {
        !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".npuscope-removing-"))
    };
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).filter(is_kept);
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn answers(served: &Served) -> Vec<(u16, Vec<u8>)> {
    QUESTIONS.iter().map(|question| served.get(question)).map(|answer| (answer.status, answer.body)).collect()
}

#[test]
fn kept_answers_and_indices_with_flipped_bits_are_made_anew() {
    let mut served = Served::new();
    let expected = answers(&served);
    assert!(expected.iter().all(|(status, _)| *status == 200), "{expected:?}");
    let mut is_damaged = [false; 2];
    for round in 0..12 {
        for path in files(&served.cache()).iter().filter(|path| path.extension().is_some_and(|end| end == "kept")) {
            let mut bytes = fs::read(path).unwrap();
            let at = bytes.len() * round / 12;
            bytes[at] ^= 1 << (round % 8);
            fs::write(path, bytes).unwrap();
            is_damaged[usize::from(path.ends_with("timeline.index.kept"))] = true;
        }
        served = served.again();
        assert_eq!(answers(&served), expected, "round {round}");
    }
    assert_eq!(is_damaged, [true; 2], "both answers and indices were kept");
}

#[test]
fn columns_with_flipped_bits_are_read_from_the_files() {
    let mut served = Served::new();
    let expected = answers(&served);
    for round in 0..4 {
        for path in files(&served.cache()) {
            match path.extension().and_then(|end| end.to_str()) {
                Some("arrow") => {
                    let mut bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                    let at = bytes.len() * (2 * round + 1) / 8;
                    bytes[at] ^= 0x10;
                    fs::write(&path, bytes).unwrap();
                }
                Some("kept") => fs::remove_file(&path).unwrap(),
                _ => (),
            }
        }
        served = served.again();
        assert_eq!(answers(&served), expected, "round {round}");
    }
}
