//! Every file of a rank in turn: empty, foreign, no file at all, in another encoding.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use npuscope_store::discover::discover;
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_synth::Format;
use npuscope_tables::TableId;

use super::job::{assert_same_facts, files, job, only_reported, rank_directory, read_path, reported, row_ends};
use crate::rows::rows;

/// A file that says nothing: the rank reads as if it were not there, and one diagnostic says why.
fn each_file_reads_as_missing(
    form: Format,
    damage: impl Fn(&Path),
    expected: impl Fn(&str) -> (&'static str, Option<i64>),
) {
    let job = job(form);
    let rank = rank_directory(job.path(), 0);
    let aside = job.path().join("aside");
    for (name, path) in files(&rank) {
        fs::rename(&path, &aside).unwrap();
        let missing = read_path(&rank);
        damage(&path);
        let damaged = read_path(&rank);
        assert_same_facts(&name, &missing, &damaged);
        let (code, offset) = expected(&name);
        assert_eq!(only_reported(&damaged, &name), (code.to_owned(), offset), "{name}");
        if path.is_dir() {
            fs::remove_dir(&path).unwrap()
        } else {
            fs::remove_file(&path).unwrap()
        }
        fs::rename(&aside, &path).unwrap();
    }
}

#[test]
fn an_empty_file_is_reported_and_the_others_are_read() {
    for form in [Format::Text, Format::Db] {
        each_file_reads_as_missing(form, |path| fs::write(path, "").unwrap(), |_| ("empty-file", Some(0)));
    }
}

#[test]
fn a_file_of_spaces_is_an_empty_one() {
    each_file_reads_as_missing(
        Format::Text,
        |path| fs::write(path, "\u{feff} \r\n\t").unwrap(),
        |_| ("empty-file", Some(0)),
    );
}

#[test]
fn binary_garbage_is_reported_and_the_others_are_read() {
    let garbage: Vec<u8> = (0..10_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8 | 0x80).collect();
    for form in [Format::Text, Format::Db] {
        each_file_reads_as_missing(
            form,
            |path| fs::write(path, &garbage).unwrap(),
            |name| match name.rsplit('.').next().unwrap() {
                "csv" => ("wrong-columns", Some(0)),
                "db" => ("not-a-database", Some(0)),
                _ if name.ends_with("trace_view.json") => ("not-a-trace", Some(0)),
                _ => ("garbage", Some(0)),
            },
        );
    }
}

#[test]
fn utf_16_is_reported_and_the_others_are_read() {
    let utf16 = |path: &Path| {
        let text = "[{\"Name\": 1}]\r\n".encode_utf16().flat_map(u16::to_le_bytes);
        fs::write(path, [0xff, 0xfe].into_iter().chain(text).collect::<Vec<u8>>()).unwrap();
    };
    each_file_reads_as_missing(Format::Text, utf16, |_| ("wrong-encoding", Some(0)));
}

#[test]
fn a_directory_in_place_of_a_file_is_reported() {
    for form in [Format::Text, Format::Db] {
        each_file_reads_as_missing(form, |path| fs::create_dir(path).unwrap(), |_| ("unreadable", None));
    }
}

#[test]
fn a_link_to_nothing_is_reported() {
    for form in [Format::Text, Format::Db] {
        each_file_reads_as_missing(form, |path| symlink("nowhere", path).unwrap(), |_| ("unreadable", None));
    }
}

#[test]
fn a_pipe_in_place_of_a_file_is_reported_and_not_waited_for() {
    let pipe = |path: &Path| assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    each_file_reads_as_missing(Format::Text, pipe, |_| ("unreadable", None));
}

/// What may have the name of a file and is none.
const NO_FILES: &[fn(&Path)] = &[
    |path| {
        let name = std::ffi::CString::new(path.as_os_str().as_encoded_bytes()).unwrap();
        // SAFETY: the name ends with a zero byte and outlives the call.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    },
    |path| drop(std::os::unix::net::UnixListener::bind(path).unwrap()),
    |path| symlink("/dev/zero", path).unwrap(),
    |path| symlink(path, path).unwrap(),
    |path| fs::create_dir(path).unwrap(),
];

#[test]
fn what_only_has_the_name_of_a_file_is_not_waited_for() {
    for name in [
        "trace_view.json",
        "kernel_details.csv",
        "profiler_info_0.json",
        "worker_1.1700000000000.pt.trace.json",
        "any.json",
        "any.json.gz",
        "ascend_pytorch_profiler_0.db",
        "cluster_analysis.db",
        "msprof_20260101000000.json",
    ] {
        for make in NO_FILES {
            for place in ["", "r_ascend_pt/ASCEND_PROFILER_OUTPUT"] {
                let root = tempfile::tempdir().unwrap();
                let directory = root.path().join(place);
                fs::create_dir_all(&directory).unwrap();
                make(&directory.join(name));
                // Found or not, it is looked at without waiting; what is found is read without.
                for path in [root.path().to_owned(), directory.join(name)] {
                    let Ok(profile) = discover(&path) else { continue };
                    for source in profile.sources() {
                        let read = read_rank(source, ReadOptions::default());
                        assert!(read.len(TableId::Diagnostic) > 0, "{name} is not reported");
                    }
                }
            }
        }
    }
}

#[test]
fn utf_8_with_a_mark_reads_as_without() {
    let job = job(Format::Text);
    let rank = rank_directory(job.path(), 0);
    let before = read_path(&rank);
    for (_, path) in files(&rank) {
        let text = fs::read(&path).unwrap();
        fs::write(&path, [b"\xef\xbb\xbf", text.as_slice()].concat()).unwrap();
    }
    let after = read_path(&rank);
    assert_same_facts("all files", &before, &after);
    assert_eq!(rows(&before, TableId::Diagnostic), rows(&after, TableId::Diagnostic));
}

#[test]
fn latin_1_is_reported_where_it_is_and_costs_no_row() {
    let job = job(Format::Text);
    let rank = rank_directory(job.path(), 0);
    let before = read_path(&rank);
    let mut offsets = BTreeMap::new();
    for (name, path) in files(&rank) {
        let mut text = fs::read(&path).unwrap();
        let is_csv = name.ends_with(".csv");
        let from = if is_csv { row_ends(&text)[0] } else { text.len() / 2 };
        // A letter of a cell or of a text; of a key only in a file that has no texts.
        let letter = |before: &[u8]| {
            let found = text[from..]
                .windows(before.len() + 1)
                .position(|bytes| bytes.starts_with(before) && bytes[before.len()].is_ascii_alphabetic());
            found.map(|place| from + place + before.len())
        };
        let at = match is_csv {
            true => from + text[from..].iter().position(u8::is_ascii_alphanumeric).unwrap(),
            false => letter(b": \"").or_else(|| letter(b"\"")).unwrap(),
        };
        text[at] = 0xe9;
        fs::write(&path, &text).unwrap();
        offsets.insert(name, if is_csv { from } else { at });
    }
    let after = read_path(&rank);
    for id in [TableId::HostOp, TableId::Kernel, TableId::MemEvent, TableId::MemSample, TableId::ReportedApi] {
        assert_eq!(before.len(id), after.len(id), "{id:?}");
    }
    for (name, offset) in offsets {
        let reported = reported(&after, &name);
        assert!(
            reported.iter().any(|(code, at, _)| code == "wrong-encoding" && *at == Some(offset as i64)),
            "{name} at {offset}: {reported:?}"
        );
    }
}
