use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::directory::{MARKER, temporary_directory};
use super::*;
use npuscope_tables::table::{host_op, step};
use npuscope_tables::{BATCH_ROWS, Ns, RankBuilder, Span, TableId};

fn sample(rows: i64) -> RankTables {
    let mut rank = RankBuilder::default();
    rank.step.push(step::Row { id: Some(7), start: Ns(0), end: Ns(10) });
    for i in 0..rows {
        let name = rank.strings.intern(&format!("op{}", i % 100));
        let shapes = (i % 3 == 0).then(|| rank.strings.intern("2,3"));
        let duration = Span::parse_us(format!("{}.12345", i % 50).as_bytes()).unwrap();
        rank.host_op.push(host_op::Row { start: Ns(i * 10), duration, name, shapes, ..Default::default() });
    }
    rank.finish()
}

#[test]
fn strings_survive_the_cache() {
    let directory = tempfile::tempdir().unwrap();
    let tables = sample(BATCH_ROWS as i64 + 500);
    let cached = Cache::new(directory.path()).store("k", &tables).unwrap().tables().unwrap();
    let rows: Vec<_> = tables.rows::<host_op::Row>().collect();
    assert_eq!(cached.rows::<host_op::Row>().collect::<Vec<_>>(), rows);
    let names = |t: &RankTables| t.rows::<host_op::Row>().map(|r| t.text(r.name).to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&cached), names(&tables));
}

#[test]
fn segments_have_the_time_they_cover() {
    let directory = tempfile::tempdir().unwrap();
    let cached = Cache::new(directory.path()).store("k", &sample(BATCH_ROWS as i64 + 2)).unwrap();
    let times: Vec<_> = cached.segments(TableId::HostOp).iter().map(|s| s.time.unwrap()).collect();
    let last = BATCH_ROWS as i64 * 10;
    assert_eq!(times, [(0, last - 10), (last, last + 10)]);
}

#[test]
fn a_cut_cache_is_not_opened_and_is_written_anew() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path());
    cache.store("k", &sample(10)).unwrap();
    let file = directory.path().join("k/host_op.arrow");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    assert!(Cache::new(directory.path()).open("k").is_none());
    cache.store("k", &sample(10)).unwrap();
    assert_eq!(cache.open("k").unwrap().rows(TableId::HostOp), 10);
}

/// Names below a directory, sorted, without those of `skip`.
fn names(directory: &Path, skip: &[&str]) -> Vec<String> {
    let names = fs::read_dir(directory).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| !skip.contains(&name.as_str())).collect();
    names.sort();
    names
}

fn bytes_of(directory: &Path) -> u64 {
    fs::read_dir(directory).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum()
}

fn age(path: &Path, hours: u64) {
    let then = SystemTime::now() - Duration::from_secs(hours * 3600);
    File::open(path).unwrap().set_modified(then).unwrap();
}

#[test]
fn trim_removes_the_least_recently_used_entry_first() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path());
    for key in ["a", "b"] {
        cache.store(key, &sample(10)).unwrap();
        cache.store_extract(key, "x", b"small").unwrap();
    }
    for old in ["b", "extracts-a"] {
        age(&directory.path().join(old).join(MARKER), 1);
    }
    let kept = ["a", "extracts-b"].map(|entry| bytes_of(&directory.path().join(entry))).iter().sum();
    cache.trim(kept).unwrap();
    assert_eq!(names(directory.path(), &["CACHEDIR.TAG"]), ["a", "extracts-b"]);
    assert!(cache.open("a").is_some() && cache.open("b").is_none());
    assert!(cache.extract("a", "x").is_none() && cache.extract("b", "x").is_some());
}

#[test]
fn reading_an_extract_counts_as_use() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path());
    for key in ["a", "b"] {
        cache.store_extract(key, "x", b"small").unwrap();
        age(&directory.path().join(format!("extracts-{key}")).join(MARKER), 1);
    }
    cache.extract("a", "x").unwrap();
    cache.trim(bytes_of(&directory.path().join("extracts-a"))).unwrap();
    assert_eq!(names(directory.path(), &["CACHEDIR.TAG"]), ["extracts-a"]);
}

#[test]
fn nothing_temporary_remains_after_a_write() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path());
    cache.store("k", &sample(10)).unwrap();
    cache.store("k", &sample(10)).unwrap();
    cache.store_extract("k", "x", b"").unwrap();
    assert_eq!(names(directory.path(), &[]), ["CACHEDIR.TAG", "extracts-k", "k"]);
    assert_eq!(names(&directory.path().join("extracts-k"), &[MARKER]).len(), 1);
}

#[test]
fn what_is_not_ours_survives_a_trim_to_zero() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let write = |path: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "mine").unwrap();
        age(&path, 48);
        age(path.parent().unwrap(), 48);
    };
    let foreign = [
        "thesis.tex",
        "photos/manifest.json",
        "photos/manifest",
        "photos/host_op.arrow",
        "photos/deep/down.txt",
        "0123456789abcdef0123456789abcdef/manifest.json",
        ".npuscope-writing-notes/todo.txt",
        ".writing-1-0/manifest.json",
    ];
    foreign.iter().for_each(|path| write(path));
    let cache = Cache::new(root);
    cache.store("k", &sample(10)).unwrap();
    cache.store_extract("k", "x", b"small").unwrap();
    // Somebody put something into entries of ours.
    for path in ["k/notes.txt", "k/folder/deep.arrow", ".npuscope-writing-0123456789abcdef0123456789abcdef/x.txt"] {
        write(path);
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(root.join("k"), root.join("link")).unwrap();
    cache.trim(0).unwrap();
    assert!(!root.join("CACHEDIR.TAG").exists(), "a directory that is not ours alone is not tagged as a cache");
    for path in foreign.iter().chain(&["k/notes.txt", "k/folder/deep.arrow"]) {
        assert_eq!(fs::read(root.join(path)).unwrap(), b"mine", "{path}");
    }
    assert!(root.join(".npuscope-writing-0123456789abcdef0123456789abcdef/x.txt").exists());
    assert!(cache.open("k").is_none() && !root.join("extracts-k").exists());
    assert_eq!(names(&root.join("k"), &[]), ["folder", "notes.txt"]);
    #[cfg(unix)]
    assert!(fs::symlink_metadata(root.join("link")).is_ok());
}

#[test]
fn a_directory_that_is_not_ours_is_neither_used_nor_removed() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("k")).unwrap();
    fs::write(directory.path().join("k/manifest"), "mine").unwrap();
    let cache = Cache::new(directory.path());
    assert!(cache.open("k").is_none());
    assert!(matches!(cache.store("k", &sample(10)), Err(CacheError::Io { .. })));
    assert_eq!(fs::read(directory.path().join("k/manifest")).unwrap(), b"mine");
    assert_eq!(names(directory.path(), &[]), ["k"]);
}

#[test]
fn temporaries_of_killed_processes_are_removed_once_they_are_old() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path());
    cache.store("k", &sample(10)).unwrap();
    let left_over = |is_old: bool| {
        let path = temporary_directory(directory.path()).unwrap();
        write_rank(&path, "k", &sample(10)).unwrap();
        let in_entry = directory.path().join("k").join(path.file_name().unwrap());
        fs::write(&in_entry, []).unwrap();
        let files = fs::read_dir(&path).unwrap().map(|file| file.unwrap().path()).collect::<Vec<_>>();
        if is_old {
            files.iter().chain([&path, &in_entry]).for_each(|path| age(path, 25));
        }
        (path, in_entry)
    };
    let (old, new) = (left_over(true), left_over(false));
    cache.trim(u64::MAX).unwrap();
    assert!(!old.0.exists() && !old.1.exists());
    assert!(new.0.exists() && new.1.exists());
    assert!(cache.open("k").is_some());
}

#[test]
fn writers_of_one_key_all_go_on_with_one_entry() {
    let directory = tempfile::tempdir().unwrap();
    let expected = sample(500);
    let rows: Vec<_> = expected.rows::<host_op::Row>().collect();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let (rows, expected, root) = (&rows, &expected, directory.path());
            scope.spawn(move || {
                // Each has a cache of its own, as processes have.
                let cache = Cache::new(root);
                for round in 0..10 {
                    let rank = cache.store("k", expected).unwrap();
                    // Some find damage meanwhile.
                    if writer == 0 && round % 3 == 0 {
                        cache
                            .discard("k", &CacheError::damaged(root, npuscope_messages::verbatim("a test".to_owned())));
                    } else if let Ok(tables) = rank.tables() {
                        assert_eq!(&tables.rows::<host_op::Row>().collect::<Vec<_>>(), rows);
                    }
                    cache.store_extract("k", "x", b"small").unwrap();
                    assert_eq!(cache.extract("k", "x").unwrap(), b"small");
                }
            });
        }
    });
    let cache = Cache::new(directory.path());
    cache.store("k", &expected).unwrap().verify().unwrap();
    assert_eq!(names(directory.path(), &[]), ["CACHEDIR.TAG", "extracts-k", "k"]);
}

/// Calls `check` with each file of a directory damaged in turn: every bit of small files, some of each part of large ones.
fn with_damage(directory: &Path, mut check: impl FnMut(&Path)) {
    for name in names(directory, &[MARKER]) {
        let path = directory.join(name);
        let bytes = fs::read(&path).unwrap();
        let step = (bytes.len() * 8 / 150).max(1) | 1;
        for bit in (0..bytes.len() * 8).step_by(step) {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, damaged).unwrap();
            check(&path);
            fs::create_dir_all(directory).unwrap();
            fs::write(&path, &bytes).unwrap();
        }
    }
}

#[test]
fn a_flipped_bit_anywhere_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    Cache::new(directory.path())
        .store("k", &sample(300))
        .unwrap()
        .attach("more", |out| out.write_all(b"data"))
        .unwrap();
    with_damage(&directory.path().join("k"), |path| {
        let read = CachedRank::open(&directory.path().join("k"), "k", &Arc::default()).and_then(|rank| {
            rank.tables()?;
            Ok(rank)
        });
        if path.ends_with("more.kept") {
            assert!(read.unwrap().attached("more").is_none() && !path.exists());
        } else {
            assert!(read.is_err_and(|error| error.is_damage()), "{}", path.display());
        }
    });
    let cache = Cache::new(directory.path());
    assert_eq!(cache.open("k").unwrap().attached("more").unwrap().as_slice(), b"data");
    assert_eq!(cache.take_warnings(), Vec::new());
}

#[test]
fn a_damaged_extract_is_removed() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path());
    assert!(cache.extract("k", "mean/3?a=b").is_none());
    cache.store_extract("k", "mean/3?a=b", &[7; 100]).unwrap();
    assert_eq!(cache.extract("k", "mean/3?a=b").unwrap(), [7; 100]);
    assert!(cache.extract("k", "mean/3?a=c").is_none() && cache.extract("l", "mean/3?a=b").is_none());
    with_damage(&directory.path().join("extracts-k"), |path| {
        assert!(cache.extract("k", "mean/3?a=b").is_none());
        assert!(!path.exists());
        assert_eq!(cache.take_warnings().len(), 1);
    });
    assert_eq!(cache.extract("k", "mean/3?a=b").unwrap(), [7; 100]);
    assert_eq!(cache.take_warnings(), Vec::new());
}

#[test]
fn an_entry_under_the_key_of_another_is_not_taken() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path());
    cache.store("k", &sample(10)).unwrap();
    fs::rename(directory.path().join("k"), directory.path().join("l")).unwrap();
    assert!(cache.open("k").is_none() && cache.open("l").is_none());
    assert_eq!(cache.take_warnings().len(), 1);
    assert!(!directory.path().join("l").exists());
}

#[test]
fn a_segment_is_verified_once() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path());
    let first = cache.store("k", &sample(10)).unwrap();
    first.tables().unwrap();
    let again = cache.open("k").unwrap().table(TableId::HostOp).unwrap().unwrap();
    assert!(again.is_verified(0));
    let other = Cache::new(directory.path()).open("k").unwrap().table(TableId::HostOp).unwrap().unwrap();
    assert!(!other.is_verified(0));
    // A file that was changed is another.
    std::thread::sleep(Duration::from_millis(20));
    let path = directory.path().join("k/host_op.arrow");
    let mut bytes = fs::read(&path).unwrap();
    bytes[300] ^= 1;
    fs::write(&path, bytes).unwrap();
    assert!(first.tables().is_err_and(|error| error.is_damage()));
}

#[test]
fn a_cache_that_is_off_finds_and_stores_nothing() {
    let cache = Cache::off();
    assert!(matches!(cache.store("k", &sample(1)), Err(CacheError::Off)));
    assert!(matches!(cache.store_extract("k", "x", b""), Err(CacheError::Off)));
    assert!(cache.open("k").is_none() && cache.extract("k", "x").is_none());
    cache.trim(0).unwrap();
    assert!(!cache.take_written());
}
