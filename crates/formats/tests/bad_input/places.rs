//! Ranks that are there twice, in several formats, in odd places or behind links.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_store::discover::discover;
use npuscope_synth::Format;
use npuscope_tables::table::{diagnostic, host_op, lane, rank};
use npuscope_tables::{LaneId, Rank, RankTables, TableId};
use npuscope_testing::entries;

use super::job::{facts, job, rank_directory, read, read_path};

#[test]
fn a_broken_window_of_a_rank_leaves_the_others_whole() {
    let job = job(Format::Text);
    let (rank, other) = (rank_directory(job.path(), 0), rank_directory(job.path(), 1));
    let copy = job.path().join("node0000_100000_20270101000000000_ascend_pt");
    fs::remove_dir_all(&other).unwrap();
    copy_directory(&rank, &copy);
    fs::write(copy.join(OUTPUT_DIRECTORY).join("trace_view.json"), "[]").unwrap();
    let profile = discover(job.path()).unwrap();
    assert_eq!(profile.ranks.iter().map(|rank| rank.rank).collect::<Vec<_>>(), [Rank(0)]);
    let windows: Vec<_> = profile.ranks[0].windows().map(|window| window.directory.clone()).collect();
    assert_eq!(windows, [rank.clone(), copy.clone()]);
    let (tables, alone) = (read(&profile, 0), read_path(&rank));
    assert_eq!(tables.len(TableId::HostOp), alone.len(TableId::HostOp));
    assert_eq!(tables.len(TableId::Kernel), 2 * alone.len(TableId::Kernel));
}

fn copy_directory(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for path in entries(from) {
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_directory(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

fn format_of(tables: &RankTables) -> String {
    tables.text(tables.rows::<rank::Row>().next().unwrap().format).to_owned()
}

#[test]
fn a_rank_in_both_forms_is_read_once() {
    let (both, db) = (job(Format::Both), job(Format::Db));
    let both = read_path(&rank_directory(both.path(), 0));
    let db = read_path(&rank_directory(db.path(), 0));
    assert_eq!((format_of(&both).as_str(), format_of(&db).as_str()), ("text+db", "db"));
    for (table, rows) in facts(&db) {
        assert_eq!(facts(&both)[table].len(), rows.len(), "{table}");
    }
    let reported: Vec<_> = both.rows::<diagnostic::Row>().map(|row| both.text(row.code).to_owned()).collect();
    assert_eq!(reported, ["same-in-database"]);
}

#[test]
fn databases_of_several_ranks_may_lie_in_one_directory() {
    let job = job(Format::Db);
    let together = tempfile::tempdir().unwrap();
    for number in 0..2 {
        let name = format!("ascend_pytorch_profiler_{number}.db");
        let source = rank_directory(job.path(), number).join(OUTPUT_DIRECTORY).join(&name);
        fs::copy(source, together.path().join(&name)).unwrap();
    }
    fs::write(together.path().join("trace_view.json"), "[]").unwrap();
    let profile = discover(together.path()).unwrap();
    assert_eq!(profile.ranks.iter().map(|rank| rank.rank.0).collect::<Vec<_>>(), [0, 1]);
    for number in 0..2 {
        let alone = read_path(&rank_directory(job.path(), number));
        assert_eq!(read(&profile, number).len(TableId::Task), alone.len(TableId::Task));
    }
    let diagnostics: Vec<_> =
        profile.job.iter().flat_map(|job| &job.first.diagnostics).map(|p| (p.code.name(), p.file.as_str())).collect();
    assert_eq!(diagnostics, [("whose-file", "trace_view.json")]);
}

#[test]
fn a_stray_file_does_not_hide_the_ranks_below() {
    let job = job(Format::Text);
    fs::write(job.path().join("trace_view.json"), r#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":"1.000","dur":1}]"#)
        .unwrap();
    let profile = discover(job.path()).unwrap();
    assert_eq!(profile.ranks.len(), 3);
}

#[test]
fn slices_of_a_trace_keep_their_lanes_apart() {
    let directory = tempfile::tempdir().unwrap();
    for (number, pid) in [(0, 7), (1, 8)] {
        let name = format!("msprof_slice_{number}_2026010100000{number}.json");
        let slice = format!(
            r#"[{{"ph":"M","name":"process_name","pid":{pid},"tid":0,"args":{{"name":"CANN"}}}},
                {{"ph":"X","name":"slice {pid}","pid":{pid},"tid":1,"ts":"1.000","dur":1,"args":{{}}}}]"#
        );
        fs::write(directory.path().join(name), slice).unwrap();
    }
    let tables = read_path(directory.path());
    let lanes: BTreeMap<LaneId, i64> = tables.rows::<lane::Row>().map(|row| (row.lane, row.pid)).collect();
    let placed: Vec<_> =
        tables.rows::<host_op::Row>().map(|row| (tables.text(row.name).to_owned(), lanes[&row.lane])).collect();
    assert_eq!(placed, [("slice 7".to_owned(), 7), ("slice 8".to_owned(), 8)]);
}

#[test]
fn a_single_file_knows_the_rank_whose_directory_it_lies_in() {
    let job = job(Format::Text);
    let rank = rank_directory(job.path(), 1);
    let profile = discover(&rank.join(OUTPUT_DIRECTORY).join("kernel_details.csv")).unwrap();
    assert_eq!(profile.ranks.iter().map(|rank| rank.rank.0).collect::<Vec<_>>(), [1]);
    assert_eq!(read(&profile, 0).len(TableId::Task), 0);
    assert!(read(&profile, 0).len(TableId::Kernel) > 0);
}

#[test]
fn ranks_may_come_in_different_forms() {
    let (text, db) = (job(Format::Text), job(Format::Db));
    let rank = rank_directory(db.path(), 1);
    fs::remove_dir_all(rank_directory(text.path(), 1)).unwrap();
    copy_directory(&rank, &text.path().join(rank.file_name().unwrap()));
    let profile = discover(text.path()).unwrap();
    let formats: Vec<_> = (0..2).map(|n| (profile.ranks[n].rank, format_of(&read(&profile, n)))).collect();
    assert_eq!(formats, [(Rank(0), "text".to_owned()), (Rank(1), "db".to_owned())]);
    assert_eq!(read(&profile, 0).len(TableId::Kernel), read_path(&rank_directory(db.path(), 0)).len(TableId::Kernel));
}

#[test]
fn links_to_directories_above_are_not_followed() {
    let job = job(Format::Text);
    symlink(job.path(), job.path().join("again")).unwrap();
    fs::create_dir_all(job.path().join("a/b")).unwrap();
    symlink("../..", job.path().join("a/b/up")).unwrap();
    symlink("self", job.path().join("self")).unwrap();
    let profile = discover(job.path()).unwrap();
    assert_eq!(profile.ranks.iter().map(|r| r.rank.0).collect::<Vec<_>>(), [0, 1]);
    assert!(profile.ranks.iter().all(|rank| rank.first.diagnostics.is_empty()));
    let reported: Vec<_> =
        profile.job.unwrap().first.diagnostics.into_iter().map(|p| (p.code.name(), p.file)).collect();
    assert_eq!(reported, [("symlink-loop", "a/b/up".to_owned()), ("symlink-loop", "again".to_owned())]);
}

#[test]
fn a_directory_that_many_links_lead_to_is_looked_into_once() {
    let job = job(Format::Text);
    let names: Vec<String> = (0..12).map(|n| format!("d{n}")).collect();
    for name in &names {
        fs::create_dir(job.path().join(name)).unwrap();
        for other in &names {
            symlink(job.path().join(other), job.path().join(name).join(other)).unwrap();
        }
    }
    symlink(rank_directory(job.path(), 12), job.path().join("d0/latest")).unwrap();
    let profile = discover(job.path()).unwrap();
    assert_eq!(profile.ranks.iter().map(|r| r.rank.0).collect::<Vec<_>>(), [0, 1]);
}
