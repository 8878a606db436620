//! What is read once is not read again, and what is damaged is not believed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use npuscope_engine::Session;
use npuscope_store::cache::Cache;
use npuscope_store::{OpenOptions, Store};
use npuscope_tables::{Selection, TableId, table::kernel};

use crate::job::{Job, open_counted, rows};

const QUESTION: &str = "SELECT rank, op_type, count(*), sum(duration) FROM kernel GROUP BY 1, 2 ORDER BY 1, 2";

/// Every file below a directory with its size and time of change.
fn files(directory: &Path) -> Vec<(PathBuf, u64, SystemTime)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let metadata = fs::metadata(&path).unwrap();
        found.push((path.clone(), if metadata.is_dir() { 0 } else { metadata.len() }, metadata.modified().unwrap()));
        if metadata.is_dir() {
            found.extend(files(&path));
        }
    }
    found.sort();
    found
}

/// The entries of a cache, and whatever else is there but its tag.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(directory).unwrap().map(|e| e.unwrap().path()).collect();
    entries.retain(|entry| !entry.ends_with("CACHEDIR.TAG"));
    entries.sort();
    entries
}

#[test]
fn a_second_session_reads_no_source() {
    let job = Job::eight_ranks();
    let (first, reads) = open_counted(&job);
    let answer = rows(&first, QUESTION);
    assert_eq!(reads.take(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(rows(&first, QUESTION), answer);
    let (second, reads_again) = open_counted(&job);
    assert_eq!(rows(&second, QUESTION), answer);
    assert_eq!((reads.take(), reads_again.take()), (vec![], vec![]));
}

#[test]
fn only_the_ranks_asked_for_are_read() {
    let job = Job::eight_ranks();
    let (session, reads) = open_counted(&job);
    rows(&session, "SELECT count(*) FROM kernel WHERE rank IN (2, 5)");
    assert_eq!(reads.take(), [2, 5]);
    assert_eq!(session.store().loaded().len(), 2);
}

#[test]
fn the_input_is_left_as_it_was() {
    let job = Job::eight_ranks();
    let before = files(&job.path());
    let session = job.open();
    rows(&session, QUESTION);
    session.store().load_all().unwrap();
    assert_eq!(files(&job.path()), before);
    assert_eq!(entries(&job.cache()).len(), 8);
}

#[test]
fn a_changed_file_makes_its_rank_be_read_again() {
    let job = Job::eight_ranks();
    let answer = rows(&job.open(), QUESTION);
    let source = job.open().store().profile().ranks[3].first.clone();
    let kernels = source.files.iter().find(|f| f.name.ends_with("kernel_details.csv")).unwrap();
    let text = fs::read_to_string(source.path(kernels)).unwrap();
    let (rest, _) = text.trim_end().rsplit_once('\n').unwrap();
    fs::write(source.path(kernels), format!("{rest}\n")).unwrap();

    let (session, reads) = open_counted(&job);
    let counts = |answer: &[Vec<String>], rank: &str| -> i64 {
        answer.iter().filter(|row| row[0] == rank).map(|row| row[2].parse::<i64>().unwrap()).sum()
    };
    let changed = rows(&session, QUESTION);
    assert_eq!(reads.take(), [3]);
    assert_eq!(counts(&changed, "3"), counts(&answer, "3") - 1);
    assert_eq!(counts(&changed, "4"), counts(&answer, "4"));
    assert_eq!(entries(&job.cache()).len(), 9);
}

#[test]
fn a_damaged_cache_is_made_anew() {
    type Damage = fn(&mut Vec<u8>);
    let damages: [(&str, Damage); 4] = [
        ("kernel.arrow", |bytes| bytes.truncate(bytes.len() / 2)),
        ("kernel.arrow", |bytes| bytes[..200].fill(0xff)),
        ("strings.arrow", |bytes| bytes.truncate(bytes.len() / 3)),
        ("manifest", |bytes| bytes.truncate(10)),
    ];
    let job = Job::one_rank();
    let answer = rows(&job.open(), QUESTION);
    assert!(!answer.is_empty());
    for (file, damage) in damages {
        let path = entries(&job.cache())[0].join(file);
        let mut bytes = fs::read(&path).unwrap();
        damage(&mut bytes);
        fs::write(&path, bytes).unwrap();
        let (session, reads) = open_counted(&job);
        assert_eq!(rows(&session, QUESTION), answer, "{file}");
        assert_eq!(reads.take(), [0], "{file}");
        let (session, reads) = open_counted(&job);
        assert_eq!(rows(&session, QUESTION), answer, "{file}");
        assert_eq!(reads.take(), Vec::<i64>::new(), "{file} is whole again");
        assert_eq!(entries(&job.cache()).len(), 1);
    }
}

/// Numbers that look random and are the same each time.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    }
}

#[test]
fn flipped_bits_anywhere_in_an_entry_change_no_answer() {
    let job = Job::one_rank();
    let answer = rows(&job.open(), QUESTION);
    let kernels = |ranks: &Store| {
        let sources: Vec<_> = ranks.profile().ranks.iter().collect();
        let read = ranks.each(&sources, Selection::of(&[TableId::Kernel]), |_, tables| {
            tables.rows::<kernel::Row>().map(|row| (row.start, row.duration)).collect::<Vec<_>>()
        });
        read.unwrap()
    };
    let of_kernels = kernels(&Store::open(&job.path(), job.options()).unwrap());
    let entry = entries(&job.cache()).remove(0);
    let mut random = numbers(7);
    for (number, (path, size, _)) in files(&entry).into_iter().enumerate() {
        for round in number..number + 2 {
            let mut bytes = fs::read(&path).unwrap();
            // A bit near the start, where headers are, one anywhere, and then every 97th byte.
            match round % 3 {
                0 => bytes[random(size.min(200) as usize)] ^= 1 << random(8),
                1 => bytes[random(size as usize)] ^= 1 << random(8),
                _ => bytes.iter_mut().skip(random(97)).step_by(97).for_each(|byte| *byte ^= 0x55),
            }
            let is_changed = bytes != fs::read(&path).unwrap();
            fs::write(&path, bytes).unwrap();
            let options = job.options();
            let ranks = Store::open(&job.path(), options.clone()).unwrap();
            if round % 2 == 0 {
                assert_eq!(kernels(&ranks), of_kernels, "{}", path.display());
            }
            let session = Session::open(&job.path(), options).unwrap();
            assert_eq!(rows(&session, QUESTION), answer, "{}", path.display());
            // All tables, which makes the entry anew if the question did not need what is damaged.
            let tables = session.store().load(&session.store().profile().ranks[0]).unwrap().tables().unwrap();
            assert_eq!(tables.rows::<kernel::Row>().count(), of_kernels[0].len());
            let warnings = session.store().take_warnings();
            if is_changed && !path.ends_with("npuscope-cache-entry") {
                assert_eq!(warnings.len(), 1, "{} {warnings:?}", path.display());
                assert_eq!(warnings[0].id(), "store-cache-rebuilt", "{warnings:?}");
            }
            drop((ranks, session));
            job.open().store().load_all().unwrap();
            let (session, reads) = open_counted(&job);
            session.store().load_all().unwrap().iter().for_each(|rank| drop(rank.tables().unwrap()));
            assert_eq!((reads.take(), session.store().take_warnings()), (vec![], vec![]), "it is whole again");
        }
    }
}

#[test]
fn an_entry_that_cannot_be_removed_costs_time_and_no_answer() {
    let job = Job::one_rank();
    let answer = rows(&job.open(), QUESTION);
    let entry = entries(&job.cache()).remove(0);
    // Without its marker it is not ours to remove.
    fs::remove_file(entry.join("npuscope-cache-entry")).unwrap();
    let path = entry.join("kernel.arrow");
    let mut bytes = fs::read(&path).unwrap();
    bytes[1000] ^= 4;
    fs::write(&path, bytes).unwrap();
    let (session, reads) = open_counted(&job);
    for _ in 0..3 {
        assert_eq!(rows(&session, QUESTION), answer);
    }
    assert_eq!(reads.take(), [0], "it is read once and then stays in memory");
    assert!(
        session.store().take_warnings().iter().any(|warning| warning.to_string().contains("kernel.arrow is damaged"))
    );
}

#[test]
fn without_a_cache_nothing_is_read_or_written_there() {
    let job = Job::eight_ranks();
    let answer = rows(&job.open(), QUESTION);
    let before = files(&job.cache());
    let reads = std::sync::Arc::new(crate::job::Reads::default());
    let options = OpenOptions { progress: reads.clone(), threads: 2, ..OpenOptions::without_cache() };
    let session = Session::open(&job.path(), options.clone()).unwrap();
    assert_eq!(rows(&session, QUESTION), answer);
    assert_eq!(rows(&session, QUESTION), answer);
    assert_eq!(reads.take(), [0, 1, 2, 3, 4, 5, 6, 7]);
    let ranks = Store::open(&job.path(), options.clone()).unwrap();
    let sources: Vec<_> = ranks.profile().ranks.iter().collect();
    ranks.each(&sources, Selection::of(&[TableId::Step]), |_, _| ()).unwrap();
    assert_eq!(reads.take(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!((session.store().take_warnings(), ranks.take_warnings()), (vec![], vec![]));
    drop((session, ranks));
    assert_eq!(files(&job.cache()), before);
}

#[test]
fn a_cache_that_is_removed_while_it_is_used_costs_time_and_no_answer() {
    let job = Job::eight_ranks();
    let (session, reads) = open_counted(&job);
    let answer = rows(&session, QUESTION);
    reads.take();
    fs::remove_dir_all(job.cache()).unwrap();
    assert_eq!(rows(&session, QUESTION), answer);
    assert_eq!(reads.take(), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn sessions_that_fill_one_cache_at_once_agree() {
    let job = Job::eight_ranks();
    let ask = || rows(&job.open(), QUESTION);
    let answers = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..3).map(|_| scope.spawn(ask)).collect();
        asking.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(!answers[0].is_empty());
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert_eq!(entries(&job.cache()).len(), 8, "one entry per rank and nothing half written");
}

#[test]
fn a_cache_that_cannot_be_written_costs_no_answer() {
    let job = Job::one_rank();
    let answer = rows(&job.open(), QUESTION);
    let in_the_way = job.path().join("../file");
    fs::write(&in_the_way, "").unwrap();
    let session = Session::open(&job.path(), OpenOptions { cache: Cache::new(in_the_way), ..job.options() }).unwrap();
    assert_eq!(rows(&session, QUESTION), answer);
    let warnings = session.store().take_warnings();
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].id(), "store-rank-not-cached", "{warnings:?}");
}

#[test]
fn a_cache_smaller_than_the_profile_costs_time_and_no_answer() {
    let job = Job::eight_ranks();
    let session = Session::open(&job.path(), OpenOptions { max_cache_bytes: 1, ..job.options() }).unwrap();
    let answer = rows(&session, QUESTION);
    assert_eq!(rows(&session, QUESTION), answer);
    drop(session);
    assert_eq!(entries(&job.cache()), Vec::<PathBuf>::new());
    assert_eq!(rows(&job.open(), QUESTION), answer);
}
