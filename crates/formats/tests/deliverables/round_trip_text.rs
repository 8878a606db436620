//! Text read into the tables and written again is the same text: every event, cell and setting.

use std::path::Path;

use npuscope_formats::output::Output;
use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_formats::text::write_rank;
use npuscope_store::discover::discover;
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_synth::{Format, Level};
use npuscope_testing::{assert_same_json, captures, csv, entries, events, json, shared};

use crate::simulated;

/// Reads the rank at `source` and writes it into `target`.
fn rewrite(source: &Path, target: &Path) {
    let profile = discover(source).unwrap();
    let rank = &profile.ranks[0];
    let tables = read_rank(rank, ReadOptions { threads: 2, ..ReadOptions::default() });
    write_rank(tables, rank.rank, &Output::new(target).unwrap()).unwrap();
}

/// Every csv file of `source` is the same in `target`, byte for byte.
fn assert_same_bytes(source: &Path, target: &Path) {
    let files = entries(&source.join(OUTPUT_DIRECTORY));
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "csv")) {
        let read = |path: &Path| String::from_utf8(std::fs::read(path).unwrap()).unwrap();
        let (before, after) = (read(file), read(&target.join(file.strip_prefix(source).unwrap())));
        for (number, (a, b)) in before.split('\n').zip(after.split('\n')).enumerate() {
            assert_eq!(a, b, "{} line {}", file.display(), number + 1);
        }
        assert_eq!(before.len(), after.len(), "{}", file.display());
    }
}

/// Compares every file of `source` with its namesake in `target`; numbers may differ by `tolerance` of themselves.
fn compare(source: &Path, target: &Path, tolerance: f64) {
    let mut files: Vec<_> = entries(source).into_iter().filter(|p| p.is_file()).collect();
    files.extend(entries(&source.join(OUTPUT_DIRECTORY)));
    assert!(!files.is_empty());
    for file in files {
        let written = target.join(file.strip_prefix(source).unwrap());
        let shown = file.display();
        match file.extension().unwrap().to_str().unwrap() {
            _ if file.ends_with("trace_view.json") => {
                let (before, after) = (events(&file), events(&written));
                for (a, b) in before.iter().zip(&after) {
                    assert_eq!(a, b, "{shown}");
                }
                assert_eq!(before.len(), after.len(), "{shown}");
            }
            "json" => assert_same_json(&json(&file), &json(&written), &shown.to_string()),
            "csv" => {
                let (mut before, after) = (csv(&file), csv(&written));
                assert_eq!(before.0, after.0, "{shown}");
                // A row that lacks a cell says nothing for certain and is left out.
                before.1.retain(|row| row.len() == before.0.len());
                for (row, (a, b)) in before.1.iter().zip(&after.1).enumerate() {
                    let near = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_near(a, b, tolerance));
                    assert!(near, "{shown} row {row}: {a:?} became {b:?}");
                }
                assert_eq!(before.1.len(), after.1.len(), "{shown}");
            }
            other => panic!("{shown}: no comparison for {other}"),
        }
    }
}

fn is_near(a: &str, b: &str, tolerance: f64) -> bool {
    let close = |a: f64, b: f64| (a - b).abs() <= tolerance * a.abs();
    a == b || a.parse().is_ok_and(|a| b.parse().is_ok_and(|b| close(a, b)))
}

#[test]
fn real_captures_survive() {
    for (_, source) in captures("text") {
        let target = tempfile::tempdir().unwrap();
        rewrite(&source, target.path());
        compare(&source, target.path(), 0.0);
        assert_same_bytes(&source, target.path());
    }
}

#[test]
fn older_captures_survive() {
    for source in shared("data/npu/older").into_iter().flat_map(|p| entries(&p)) {
        let target = tempfile::tempdir().unwrap();
        rewrite(&source, target.path());
        // A spreadsheet has cut the digits of some of these files, and sizes are whole bytes.
        compare(&source, target.path(), 1e-8);
    }
}

#[test]
fn simulated_jobs_survive() {
    assert_jobs_survive(Level::Level1);
}

#[test]
fn simulated_jobs_of_level0_survive() {
    assert_jobs_survive(Level::Level0);
}

#[test]
fn simulated_jobs_of_level2_survive() {
    assert_jobs_survive(Level::Level2);
}

fn assert_jobs_survive(level: Level) {
    let (_directory, ranks) = simulated::ranks_at(level, Format::Text);
    for (_, source) in ranks {
        let target = tempfile::tempdir().unwrap();
        rewrite(&source, target.path());
        compare(&source, target.path(), 0.0);
        assert_same_bytes(&source, target.path());
    }
}
