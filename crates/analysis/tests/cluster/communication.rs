//! The modes about communication give what a simulated job did.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use npuscope_analysis::cluster::recipes::communication_time_sum;
use npuscope_analysis::cluster::{self, Export, Options};
use npuscope_formats::output::Output;
use npuscope_measures::deliverable::communication_matrix;
use npuscope_store::{OpenOptions, Store};
use npuscope_synth::{Format, Group, GroupKind, Job, JobConfig, Layout, simulate, write_job};
use npuscope_tables::Interner;
use npuscope_tables::table::comm_op;
use npuscope_tables::{Framework, Rank};
use npuscope_testing::json;
use tempfile::TempDir;

use crate::support::{Rows, Run, Value, assert_same, database, run};

/// A job, as text and as databases.
struct Written {
    job: Job,
    text: TempDir,
    db: TempDir,
}

/// Two stages of two data-parallel pairs.
fn dense() -> &'static Written {
    static JOB: OnceLock<Written> = OnceLock::new();
    JOB.get_or_init(|| write(&config(2, 1, 2, 2)))
}

fn config(tp: usize, cp: usize, dp: usize, pp: usize) -> JobConfig {
    JobConfig { tp, cp, dp, pp, layers: 2, steps: 2, micro_batches: 2, ..JobConfig::default() }
}

fn write(config: &JobConfig) -> Written {
    let job = simulate(config).unwrap();
    let form = |form| {
        let directory = tempfile::tempdir().unwrap();
        write_job(&job, form, &Output::new(directory.path()).unwrap(), |_| {}).unwrap();
        directory
    };
    let (text, db) = (form(Format::Text), form(Format::Db));
    Written { job, text, db }
}

/// A copy that can be damaged.
fn copy(from: &Path) -> TempDir {
    let to = tempfile::tempdir().unwrap();
    for rank in rank_directories(from) {
        copy_directory(&rank, &to.path().join(rank.file_name().unwrap()));
    }
    to
}

fn copy_directory(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_directory(&entry.path(), &target);
        } else if entry.file_name() != "trace_view.json" {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// By rank.
fn rank_directories(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut directories: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    directories.sort_by_key(|path| path.file_name().unwrap().to_str().unwrap().rsplit('_').nth(2).unwrap().to_owned());
    directories
}

fn ask(path: &Path, mode: &str, export: Export) -> Run {
    run(path, mode, None, &Options { export: Some(export), ..Options::default() }).unwrap()
}

/// Rows of one table, by column.
struct Table(Rows);

impl Table {
    fn of(run: &Run, name: &str) -> Table {
        let mut tables = database(run.written.database.as_deref().unwrap());
        Table(tables.remove(name).unwrap_or_else(|| panic!("no {name}")))
    }

    fn rows(&self) -> impl Iterator<Item = Record<'_>> {
        self.0.1.iter().map(|values| Record { columns: &self.0.0, values })
    }
}

struct Record<'a> {
    columns: &'a [String],
    values: &'a [Value],
}

impl Record<'_> {
    fn value(&self, column: &str) -> &Value {
        &self.values[self.columns.iter().position(|name| name == column).unwrap()]
    }

    fn number(&self, column: &str) -> f64 {
        match self.value(column) {
            Value::Number(number) => *number,
            other => panic!("{column} is {other:?}"),
        }
    }

    fn text(&self, column: &str) -> String {
        match self.value(column) {
            Value::Text(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Null => String::new(),
        }
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1.0)
}

fn groups(job: &Job) -> BTreeMap<String, Group> {
    let layout = Layout::of(&job.config);
    let all = (0..layout.ranks()).flat_map(|rank| layout.groups(rank, &job.config));
    all.map(|group| (group.hash.clone(), group)).collect()
}

/// The hash as tests see it in results: a number, or its text.
fn key(hash: &str) -> String {
    hash.parse::<f64>().unwrap().to_string()
}

#[test]
fn totals_are_the_sums_of_operations() {
    let written = dense();
    let run = ask(written.text.path(), "communication_time_sum", Export::Db);
    let table = Table::of(&run, "ClusterCommunicationTime");
    let mut sums: BTreeMap<(String, String, String), [f64; 3]> = BTreeMap::new();
    let place = |row: &Record<'_>| (row.text("step"), row.text("rank_id"), row.text("group_name"));
    let times = ["elapsed_time", "transit_time", "wait_time"];
    for row in table.rows().filter(|row| row.text("hccl_op_name") != "Total Op Info") {
        let sum = sums.entry(place(&row)).or_default();
        sum.iter_mut().zip(times).for_each(|(sum, time)| *sum += row.number(time));
        let (transit, wait) = (row.number("transit_time"), row.number("wait_time"));
        let ratio = if transit + wait == 0.0 { 0.0 } else { wait / (transit + wait) };
        assert!((row.number("wait_time_ratio") - ratio).abs() < 1e-4);
    }
    let totals: Vec<Record<'_>> = table.rows().filter(|row| row.text("hccl_op_name") == "Total Op Info").collect();
    assert_eq!(totals.len(), sums.len());
    for row in totals {
        let sum = sums[&place(&row)];
        assert!(sum.iter().zip(times).all(|(sum, time)| close(*sum, row.number(time))), "{:?}", place(&row));
    }
}

#[test]
fn rows_are_the_totals_in_ns_and_bytes() {
    let written = dense();
    let run = ask(written.text.path(), "communication_time_sum", Export::Db);
    let cache = tempfile::tempdir().unwrap();
    let store = Store::open(written.text.path(), OpenOptions::new(cache.path())).unwrap();
    let options = Options::default();
    let sums = communication_time_sum::rows(&cluster::Job::new(&store, None, &options)).unwrap();
    let is_total = |row: &Record<'_>| row.text("hccl_op_name") == "Total Op Info";
    let table = Table::of(&run, "ClusterCommunicationTime");
    let mut of_file: Vec<[f64; 3]> = table
        .rows()
        .filter(is_total)
        .map(|row| [row.number("elapsed_time") * 1e6, row.number("wait_time") * 1e6, row.number("wait_time_ratio")])
        .collect();
    let mut found: Vec<[f64; 3]> = sums
        .times
        .iter()
        .map(|time| [time.elapsed, time.wait, (time.wait_ratio().unwrap_or_default() * 1e4).round() / 1e4])
        .collect();
    for list in [&mut of_file, &mut found] {
        list.sort_by(|a, b| a.partial_cmp(b).unwrap());
    }
    assert_eq!(found.len(), of_file.len());
    assert!(found.iter().flatten().zip(of_file.iter().flatten()).all(|(a, b)| close(*a, *b)));
    let table = Table::of(&run, "ClusterCommunicationBandwidth");
    let packets: f64 = table.rows().filter(is_total).map(|row| row.number("count")).sum();
    let bytes: f64 =
        table.rows().filter(is_total).map(|row| row.number("package_size") * 1e6 * row.number("count")).sum();
    let of_rows = || sums.transports.iter().flat_map(|transport| &transport.packets);
    assert!(close(of_rows().map(|packets| packets.count).sum(), packets));
    assert!(close(of_rows().map(|packets| packets.bytes * packets.count).sum(), bytes));
    let groups = Table::of(&run, "CommunicationGroupMapping");
    assert_eq!(groups.rows().count(), sums.groups.len());
}

#[test]
fn operations_last_as_long_as_they_did() {
    let written = dense();
    let run = ask(written.text.path(), "communication_time_sum", Export::Db);
    let table = Table::of(&run, "ClusterCommunicationTime");
    for rank in 0..written.job.config.ranks() {
        let tables = written.job.rank(rank);
        let truth: f64 = tables.rows::<comm_op::Row>().map(|op| op.duration.ns() as f64 / 1e6).sum();
        let of_rank = table.rows().filter(|row| row.number("rank_id") == rank as f64);
        let found: f64 = of_rank
            .filter(|row| row.text("hccl_op_name") != "Total Op Info")
            .map(|row| row.number("elapsed_time"))
            .sum();
        assert!(close(found, truth), "rank {rank}: {found} of {truth}");
    }
}

#[test]
fn transports_are_summed_once_per_operation() {
    let run = ask(dense().text.path(), "communication_time_sum", Export::Db);
    let table = Table::of(&run, "ClusterCommunicationBandwidth");
    type Place = (String, String, String, String);
    let place = |row: &Record<'_>| -> Place {
        (row.text("step"), row.text("rank_id"), row.text("group_name"), row.text("band_type"))
    };
    let mut sizes: BTreeMap<Place, BTreeMap<String, f64>> = BTreeMap::new();
    let mut packets: BTreeMap<Place, f64> = BTreeMap::new();
    let is_total = |row: &Record<'_>| row.text("hccl_op_name") == "Total Op Info";
    for row in table.rows().filter(|row| !is_total(row)) {
        sizes.entry(place(&row)).or_default().insert(row.text("hccl_op_name"), row.number("transit_size"));
        *packets.entry(place(&row)).or_default() += row.number("count");
    }
    let mut total_packets: BTreeMap<Place, f64> = BTreeMap::new();
    for row in table.rows().filter(is_total) {
        let size: f64 = sizes[&place(&row)].values().sum();
        assert!(close(size, row.number("transit_size")), "{:?}", place(&row));
        *total_packets.entry(place(&row)).or_default() += row.number("count");
    }
    assert_eq!(packets, total_packets);
}

/// MB by group, global source and target, from the ranks' own pieces of communication.
fn moved(job: &Job, missing: &[usize]) -> BTreeMap<(String, i64, i64), f64> {
    let groups = groups(job);
    let mut moved = BTreeMap::new();
    for rank in (0..job.config.ranks()).filter(|rank| !missing.contains(rank)) {
        let tables = job.rank(rank);
        let mut strings = Interner::default();
        let links = communication_matrix(&tables, &mut strings);
        for link in links.iter().filter(|link| strings.get(link.name).ends_with("-total")) {
            let group = &groups[strings.get(link.group_hash.unwrap())];
            let end = |end: Option<npuscope_tables::Str>| {
                let number: usize = strings.get(end.unwrap()).parse().unwrap();
                i64::try_from(group.ranks[number]).unwrap()
            };
            let place = (key(&group.hash), end(link.src_rank), end(link.dst_rank));
            *moved.entry(place).or_default() += link.transit_size.unwrap();
        }
    }
    moved
}

fn matrix_totals(run: &Run) -> BTreeMap<(String, i64, i64), f64> {
    let table = Table::of(run, "ClusterCommunicationMatrix");
    let mut totals = BTreeMap::new();
    for row in table.rows().filter(|row| row.text("hccl_op_name") == "Total Op Info") {
        let place = (row.text("group_name"), row.number("src_rank") as i64, row.number("dst_rank") as i64);
        *totals.entry(place).or_default() += row.number("transit_size");
    }
    totals
}

fn assert_moved(run: &Run, truth: &BTreeMap<(String, i64, i64), f64>) {
    let found = matrix_totals(run);
    assert_eq!(found.keys().collect::<Vec<_>>(), truth.keys().collect::<Vec<_>>());
    for (place, size) in truth {
        assert!(close(found[place], *size), "{place:?}: {} of {size}", found[place]);
    }
}

#[test]
fn links_have_the_bytes_that_went_over_them() {
    let written = dense();
    for path in [written.text.path(), written.db.path()] {
        assert_moved(&ask(path, "communication_matrix_sum", Export::Db), &moved(&written.job, &[]));
    }
}

#[test]
fn links_of_mindspore_are_the_same_from_either_form() {
    let written = write(&JobConfig { framework: Framework::MindSpore, steps: 1, ..config(1, 1, 2, 2) });
    let rows =
        |path: &Path| Table::of(&ask(path, "communication_matrix_sum", Export::Db), "ClusterCommunicationMatrix");
    let (text, db) = (rows(written.text.path()), rows(written.db.path()));
    assert_same(&text.0, &db.0, "matrix");
    assert!(text.rows().any(|row| row.text("hccl_op_name").ends_with("-top1")));
}

#[test]
fn links_to_a_missing_rank_keep_its_number() {
    let written = dense();
    for with_metadata in [true, false] {
        let root = copy(written.text.path());
        let ranks = rank_directories(root.path());
        fs::remove_dir_all(&ranks[3]).unwrap();
        if !with_metadata {
            ranks
                .iter()
                .filter(|rank| rank.exists())
                .for_each(|rank| fs::remove_file(rank.join("profiler_metadata.json")).unwrap());
        }
        let run = ask(root.path(), "communication_matrix_sum", Export::Db);
        let truth = moved(&written.job, &[3]);
        let found = matrix_totals(&run);
        assert!(found.keys().any(|(_, _, dst)| *dst == 3));
        // Without metadata, the missing rank of a pair is unknown.
        let pairs: BTreeSet<String> = groups(&written.job)
            .values()
            .filter(|group| !with_metadata && group.ranks.len() == 2 && group.ranks.contains(&3))
            .map(|group| key(&group.hash))
            .collect();
        let known: BTreeMap<_, _> = truth.into_iter().filter(|((group, ..), _)| !pairs.contains(group)).collect();
        let found: BTreeMap<_, _> = found.into_iter().filter(|((group, ..), _)| !pairs.contains(group)).collect();
        assert_eq!(found.keys().collect::<Vec<_>>(), known.keys().collect::<Vec<_>>(), "metadata {with_metadata}");
        assert!(run.notes.iter().any(|note| note.contains("not in the profile: 3")), "{:?}", run.notes);
        assert_eq!(run.notes.iter().any(|note| note.contains("left out")), !with_metadata, "{:?}", run.notes);
    }
}

#[test]
fn groups_have_their_ranks_and_names() {
    let written = dense();
    let truth = groups(&written.job);
    for path in [written.text.path(), written.db.path()] {
        let run = ask(path, "communication_group_map", Export::Db);
        let table = Table::of(&run, "CommunicationGroupMapping");
        assert_eq!(table.rows().count(), truth.len());
        for row in table.rows() {
            let group = truth.values().find(|group| key(&group.hash) == row.text("group_name")).unwrap();
            assert_eq!(row.text("pg_name"), group.kind.name());
            assert_eq!(row.text("group_id"), group.name);
            assert_eq!(row.text("rank_set"), format!("{:?}", group.ranks));
            assert_eq!(row.text("type") == "p2p", group.kind == GroupKind::Pipeline);
        }
    }
}

#[test]
fn stages_are_as_slow_as_their_slowest_rank_with_and_without_metadata() {
    let written = dense();
    let bare = copy(written.db.path());
    for rank in rank_directories(bare.path()) {
        fs::remove_file(rank.join("profiler_metadata.json")).unwrap();
        for entry in fs::read_dir(rank.join("ASCEND_PROFILER_OUTPUT")).unwrap().map(|entry| entry.unwrap().path()) {
            let connection = rusqlite::Connection::open(&entry).unwrap();
            let _ = connection.execute("DELETE FROM META_DATA", ());
        }
    }
    for path in [written.text.path(), written.db.path(), bare.path()] {
        let run = ask(path, "all", Export::Db);
        let table = Table::of(&run, "ClusterStepTraceTime");
        let stages: Vec<Record<'_>> = table.rows().filter(|row| row.text("type") == "stage").collect();
        assert_eq!(stages.len(), 2 * written.job.config.steps);
        for stage in stages {
            let ranks = if stage.text("index") == "[0, 1, 2, 3]" { 0..4 } else { 4..8 };
            assert_eq!(stage.text("index"), format!("{:?}", ranks.clone().collect::<Vec<_>>()));
            for column in ["computing", "free", "stage"] {
                let of_stage = table.rows().filter(|row| {
                    row.text("type") == "rank"
                        && row.text("step") == stage.text("step")
                        && ranks.contains(&(row.number("index") as i64))
                });
                let most = of_stage.map(|row| row.number(column)).fold(f64::MIN, f64::max);
                assert_eq!(stage.number(column), most);
            }
        }
    }
}

#[test]
fn ranks_are_numbered_along_every_dimension_with_context_parallelism() {
    let written = write(&JobConfig { steps: 1, ..config(2, 2, 2, 1) });
    let layout = Layout::of(&written.job.config);
    let run = ask(written.db.path(), "communication_time", Export::Db);
    let table = Table::of(&run, "ClusterStepTraceTime");
    for row in table.rows().filter(|row| row.text("type") == "rank") {
        let place = layout.place(row.number("index") as usize);
        let found = ["dp_index", "pp_index", "tp_index"].map(|column| row.number(column) as usize);
        assert_eq!(found, [place.data, place.stage, place.tensor]);
    }
    assert_eq!(table.rows().filter(|row| row.text("type") == "rank").count(), layout.ranks());
}

/// Rows of each rank in the tables of `all`.
fn rows_by_rank(run: &Run) -> BTreeMap<(String, i64), usize> {
    let mut counts = BTreeMap::new();
    for (name, column) in [
        ("ClusterCommunicationTime", "rank_id"),
        ("ClusterCommunicationBandwidth", "rank_id"),
        ("ClusterStepTraceTime", "index"),
    ] {
        for row in Table::of(run, name).rows().filter(|row| column == "rank_id" || row.text("type") == "rank") {
            *counts.entry((name.to_owned(), row.number(column) as i64)).or_default() += 1;
        }
    }
    counts
}

#[test]
fn what_is_damaged_costs_its_own_rows_and_is_named() {
    let written = dense();
    let root = copy(written.text.path());
    let whole = rows_by_rank(&ask(root.path(), "all", Export::Db));
    let file = |rank: usize, name: &str| rank_directories(root.path())[rank].join("ASCEND_PROFILER_OUTPUT").join(name);
    let communication = fs::read(file(1, "communication.json")).unwrap();
    fs::write(file(1, "communication.json"), &communication[..communication.len() / 2]).unwrap();
    // Without a trace, steps follow from kernels; the summary of steps is what is left without these.
    fs::remove_file(file(3, "step_trace_time.csv")).unwrap();
    for name in ["step_trace_time.csv", "kernel_details.csv"] {
        fs::remove_file(file(2, name)).unwrap();
    }
    fs::write(file(3, "notes of mine.json"), "{\"no\": [profile").unwrap();
    let run = ask(root.path(), "all", Export::Db);
    let found = rows_by_rank(&run);
    let (cut, lost): (BTreeSet<_>, BTreeSet<_>) = whole
        .iter()
        .filter(|(place, count)| found.get(*place) != Some(*count))
        .map(|(place, _)| place.clone())
        .partition(|place| place.1 == 1);
    assert_eq!(
        cut.iter().map(|place| place.0.as_str()).collect::<Vec<_>>(),
        ["ClusterCommunicationBandwidth", "ClusterCommunicationTime"]
    );
    assert!(cut.iter().all(|place| found[place] > 10), "what is before the cut is kept");
    assert_eq!(lost, BTreeSet::from([("ClusterStepTraceTime".to_owned(), 2)]));
    let of_rank = |rank: i64| run.left_out.iter().filter(move |left| left.rank == Rank(rank));
    assert!(of_rank(1).any(|left| left.file.as_deref().is_some_and(|file| file.ends_with("communication.json"))));
    assert!(of_rank(2).any(|left| left.why.to_string() == "it reports no step times"), "{:?}", run.left_out);
    assert!(run.left_out.iter().all(|left| !left.whole_rank && [1, 2].contains(&left.rank.0)), "{:?}", run.left_out);
}

#[test]
fn text_and_databases_in_one_profile_are_all_there() {
    let written = dense();
    let root = copy(written.text.path());
    for rank in [1, 6] {
        let (text, db) = (&rank_directories(root.path())[rank], &rank_directories(written.db.path())[rank]);
        fs::remove_dir_all(text).unwrap();
        copy_directory(db, &root.path().join(db.file_name().unwrap()));
    }
    let run = run(root.path(), "all", None, &Options::default()).unwrap();
    assert_eq!(rows_by_rank(&run), rows_by_rank(&ask(written.db.path(), "all", Export::Db)));
    assert!(run.left_out.is_empty(), "{:?}", run.left_out);
}

#[test]
fn the_form_that_is_asked_for_is_written() {
    let written = dense();
    let names = |run: &Run| {
        let names = run.written.files.iter().map(|file| file.file_name().unwrap().to_str().unwrap().to_owned());
        names.collect::<BTreeSet<_>>()
    };
    let four = [
        "cluster_communication.json",
        "cluster_communication_matrix.json",
        "cluster_step_trace_time.csv",
        "communication_group.json",
    ];
    let four = BTreeSet::from(four.map(str::to_owned));
    let database = BTreeSet::from(["cluster_analysis.db".to_owned()]);
    let by_itself = |path: &Path| run(path, "all", None, &Options::default()).unwrap();
    let (text, db) = (written.text.path(), written.db.path());
    assert_eq!(names(&by_itself(text)), four);
    assert_eq!(names(&by_itself(db)), database);
    assert_eq!(names(&ask(text, "all", Export::Db)), database);
    assert_eq!(names(&ask(db, "all", Export::Text)), four);
}

#[test]
fn files_of_text_are_the_same_from_either_form() {
    let written = dense();
    let (text, db) = (ask(written.text.path(), "all", Export::Text), ask(written.db.path(), "all", Export::Text));
    for name in ["communication_group.json", "cluster_communication.json", "cluster_communication_matrix.json"] {
        assert_eq!(json(&text.output().join(name)), json(&db.output().join(name)), "{name}");
    }
    let lines = |run: &Run| fs::read_to_string(run.output().join("cluster_step_trace_time.csv")).unwrap();
    let steps = lines(&text);
    assert_eq!(steps.matches("\r\n").count(), 1 + (8 + 2) * 2);
    let first = steps.lines().next().unwrap();
    assert!(first.ends_with("Preparing,DP Index,PP Index,TP Index"), "{first}");
    assert_eq!(
        steps.lines().map(key_of_line).collect::<Vec<_>>(),
        lines(&db).lines().map(key_of_line).collect::<Vec<_>>()
    );
    assert!(steps.contains("10,stage,\"(0, 1, 2, 3)\","), "{steps}");
}

/// Step, type and index.
fn key_of_line(line: &str) -> String {
    let end = line.find(")\"").or_else(|| line.match_indices(',').nth(2).map(|(at, _)| at));
    line[..end.unwrap()].to_owned()
}

#[test]
fn totals_of_files_are_the_sums_of_operations() {
    let run = ask(dense().text.path(), "communication_time", Export::Text);
    let file = fs::read(run.output().join("cluster_communication.json")).unwrap();
    let file: serde_json::Value = serde_json::from_slice(&file).unwrap();
    let mut totals = 0;
    for step in file.as_object().unwrap().values().flat_map(|steps| steps.as_object().unwrap().values()) {
        let elapse = |info: &serde_json::Value| info["Communication Time Info"]["Elapse Time(ms)"].as_f64().unwrap();
        let mut sums: BTreeMap<(String, String, bool), f64> = BTreeMap::new();
        for (name, ranks) in step.as_object().unwrap() {
            let (name, group) = name.split_once('@').unwrap();
            for (rank, info) in ranks.as_object().unwrap() {
                *sums.entry((group.to_owned(), rank.clone(), name == "Total Op Info")).or_default() += elapse(info);
            }
        }
        for ((group, rank, _), total) in sums.iter().filter(|((_, _, is_total), _)| *is_total) {
            assert!(close(sums[&(group.clone(), rank.clone(), false)], *total), "{group} {rank}");
            totals += 1;
        }
    }
    assert!(totals > 8);
}
