//! Raw directories: what is read of them, and that deliverables parsed from them say the same.

use std::fs;
use std::path::Path;

use npuscope_formats::framework;
use npuscope_formats::framework::records::OpRange;
use npuscope_formats::source::RankSource;
use npuscope_store::discover::{Profile, discover, discover_raw};
use npuscope_store::messages;
use npuscope_store::parse::{self, Export, parse};
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_tables::Framework;
use npuscope_tables::table::{
    counter, diagnostic, flow, host_op, lane, mem_event, mem_sample, rank, reported_operator, reported_step, step,
};
use npuscope_tables::{ConnectionId, LaneId, Ns, Rank, RankTables, TableId};
use serde_json::json;

use crate::raw::{RawDirectory, SHIFT};

const NAME: &str = "node1_4711_20261115185652123_ascend_pt";

fn read(path: &Path) -> RankTables {
    let Profile { ranks, .. } = discover(path).unwrap();
    assert_eq!(ranks.len(), 1);
    read_rank(&ranks[0], ReadOptions::default())
}

fn parse_all(path: &Path, export: Option<Export>) -> Vec<parse::Parsed> {
    let raw = discover_raw(path).unwrap();
    raw.iter().map(|raw| parse(raw, export, ReadOptions::default()).unwrap()).collect()
}

/// The lane as layer, process and thread.
fn lane_of(tables: &RankTables, number: LaneId) -> String {
    let row = tables.rows::<lane::Row>().find(|row| row.lane == number).unwrap();
    format!("{} {} {}", tables.text(row.layer), row.pid, row.tid)
}

/// Host slices with what all formats can hold.
fn host_ops(tables: &RankTables) -> Vec<String> {
    let text = |id| tables.opt_text(id).unwrap_or("-").to_owned();
    let parents: Vec<String> = tables.rows::<host_op::Row>().map(|row| tables.text(row.name).to_owned()).collect();
    let rows = tables.rows::<host_op::Row>().map(|row| {
        format!(
            "{} {} | {} {:?} {} | {:?} {} | {:?} {:?} {:?} | {} {} {} | {} {} {}",
            tables.text(row.kind),
            tables.text(row.name),
            lane_of(tables, row.lane),
            row.start,
            row.duration.ns(),
            row.depth,
            row.parent.map_or("-", |parent| &parents[parent as usize]),
            row.connection_id,
            row.sequence,
            row.forward_thread,
            text(row.shapes),
            text(row.dtypes),
            text(row.stack),
            text(row.domain),
            text(row.event_type),
            json_of(&text(row.args)),
        )
    });
    let mut rows: Vec<String> = rows.collect();
    rows.sort();
    rows
}

/// Arguments without the spaces that traces put between them.
fn json_of(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// What databases have no columns for.
fn only_in_text(tables: &RankTables) -> Vec<String> {
    let rows = tables.rows::<host_op::Row>().map(|row| {
        format!(
            "{:?} {:?} {:?} {:?} {:?} {:?}",
            row.start,
            row.python_id,
            row.python_parent_id,
            row.python_module_id,
            row.flops,
            tables.opt_text(row.modules)
        )
    });
    let mut rows: Vec<String> = rows.collect();
    rows.sort();
    rows
}

fn steps(tables: &RankTables) -> Vec<step::Row> {
    tables.rows().collect()
}

fn counters(tables: &RankTables) -> Vec<String> {
    let rows = tables.rows::<counter::Row>().map(|row| {
        let unit = tables.opt_text(row.unit);
        let (name, series) = (tables.text(row.name), tables.text(row.series));
        format!("{:?} {name}/{series} {} {unit:?} {}", row.time, row.value, lane_of(tables, row.lane))
    });
    let mut rows: Vec<String> = rows.collect();
    rows.sort();
    rows
}

fn memory(tables: &RankTables) -> Vec<String> {
    let events = tables.rows::<mem_event::Row>().map(|row| {
        let name = tables.text(row.name).to_owned();
        format!("{name} {:?}", mem_event::Row { kind: Default::default(), name: Default::default(), ..row })
    });
    let samples = tables.rows::<mem_sample::Row>().map(|row| {
        let component = tables.text(row.component).to_owned();
        format!("{component} {:?}", mem_sample::Row { kind: Default::default(), component: Default::default(), ..row })
    });
    events.chain(samples).collect()
}

fn at(ns: i64) -> Ns {
    Ns(SHIFT + ns)
}

#[test]
fn a_raw_directory_is_a_rank_of_its_own() {
    let root = tempfile::tempdir().unwrap();
    RawDirectory::create(root.path(), NAME, Some(3), json!("text")).fill();
    let profile = discover(root.path()).unwrap();
    assert_eq!(profile.ranks.len(), 1);
    assert_eq!((profile.ranks[0].rank, profile.ranks[0].framework()), (Rank(3), Framework::TorchNpu));
    assert!(profile.ranks[0].first.is_raw());
    let tables = read_rank(&profile.ranks[0], ReadOptions::default());
    let row = tables.rows::<rank::Row>().next().unwrap();
    assert_eq!(tables.text(row.format), "raw");
    assert_eq!(tables.opt_text(row.host), Some("node1"));
    assert_eq!(tables.opt_text(row.level), Some("level0"));
    assert_eq!((row.process, row.world_size, row.tp_size), (Some(4711), Some(2), Some(2)));
    assert_eq!((row.start, row.end), (Some(at(100_000)), Some(at(2_100_777))));
}

#[test]
fn any_path_into_a_raw_directory_is_the_rank() {
    let root = tempfile::tempdir().unwrap();
    let raw = RawDirectory::create(root.path(), NAME, Some(0), json!("text")).fill();
    let expected = host_ops(&read(&raw.path));
    for path in ["FRAMEWORK", "FRAMEWORK/torch.op_range"] {
        assert_eq!(host_ops(&read(&raw.path.join(path))), expected, "{path}");
    }
    assert_eq!(discover_raw(&raw.path.join("FRAMEWORK")).unwrap().len(), 1);
}

#[test]
fn steps_are_those_that_the_trainer_counted() {
    let root = tempfile::tempdir().unwrap();
    let raw = RawDirectory::create(root.path(), NAME, Some(0), json!("text")).fill();
    let expected = [
        step::Row { id: Some(5), start: at(100_000), end: at(1_100_000) },
        step::Row { id: Some(6), start: at(1_100_000), end: at(2_100_777) },
    ];
    assert_eq!(steps(&read(&raw.path)), expected);
}

#[test]
fn python_calls_nest_and_are_closed_at_the_borders() {
    let root = tempfile::tempdir().unwrap();
    let raw = RawDirectory::create(root.path(), NAME, Some(0), json!("text")).fill();
    let tables = read(&raw.path);
    let calls: Vec<_> = tables
        .rows::<host_op::Row>()
        .filter(|row| tables.text(row.kind) == "python")
        .map(|row| {
            let end = row.start.plus(row.duration.ns());
            (tables.text(row.name).to_owned(), row.start, end, row.python_id, row.python_parent_id)
        })
        .collect();
    let call = |name: &str, start, end, id, parent| (name.to_owned(), at(start), at(end), Some(id), Some(parent));
    let expected = [
        call("train.py(30): main", 100_000, 2_100_777, 1, 0),
        call("model.py(12): forward", 150_000, 320_000, 2, 1),
        call("nn.Module: Linear_0", 160_000, 310_000, 3, 2),
        call("<built-in function mm>", 170_000, 180_000, 4, 3),
        call("model.py(12): forward", 1_900_000, 2_100_777, 5, 1),
    ];
    assert_eq!(calls, expected);
}

#[test]
fn the_operator_that_ends_later_in_the_file_is_around_the_other() {
    let root = tempfile::tempdir().unwrap();
    let raw = RawDirectory::create(root.path(), NAME, Some(0), json!("text")).fill();
    fs::remove_file(raw.path.join("FRAMEWORK").join(framework::PYTHON_TRACER_FUNC)).unwrap();
    let tables = read(&raw.path);
    let names: Vec<String> = tables.rows::<host_op::Row>().map(|row| tables.text(row.name).to_owned()).collect();
    let mm = tables.rows::<host_op::Row>().find(|row| tables.text(row.name) == "aten::mm").unwrap();
    assert_eq!((mm.depth, names[mm.parent.unwrap() as usize].as_str()), (Some(2), "aten::linear"));
}

#[test]
fn the_two_ends_of_the_queue_are_slices_with_an_arrow() {
    let root = tempfile::tempdir().unwrap();
    let raw = RawDirectory::create(root.path(), NAME, Some(0), json!("text")).fill();
    let tables = read(&raw.path);
    let of = |kind: &str| {
        let row = tables.rows::<host_op::Row>().find(|row| tables.text(row.kind) == kind).unwrap();
        (tables.text(row.name).to_owned(), row.start, row.duration.ns(), row.connection_id)
    };
    assert_eq!(of("enqueue"), ("Enqueue@Mm".to_owned(), at(210_000), 10_000, Some(ConnectionId(40))));
    assert_eq!(of("dequeue"), ("Dequeue@Mm".to_owned(), at(230_000), 30_000, Some(ConnectionId(40))));
    let [arrow] = tables.rows::<flow::Row>().collect::<Vec<_>>()[..] else { panic!("one arrow") };
    assert_eq!((arrow.id, arrow.src_time, arrow.dst_time), (Some(40), Some(at(210_000)), Some(at(230_000))));
    assert!(tables.rows::<diagnostic::Row>().any(|row| tables.text(row.code) == "unmatched-marks"));
}

#[test]
fn an_allocation_has_its_life_and_the_operator_that_made_it() {
    let root = tempfile::tempdir().unwrap();
    let raw = RawDirectory::create(root.path(), NAME, Some(0), json!("text")).fill();
    let tables = read(&raw.path);
    let events: Vec<mem_event::Row> = tables.rows().collect();
    assert_eq!(events.len(), 2);
    assert_eq!(tables.text(events[0].name), "aten::mm");
    assert_eq!((events[0].start, events[0].release), (Some(at(250_000)), Some(at(400_000))));
    assert_eq!((events[0].active_release, events[0].bytes), (Some(at(410_000)), Some(4 << 20)));
    assert_eq!((events[1].release, events[1].start_allocated), (None, Some(12 << 20)));
    assert_eq!(tables.len(TableId::MemSample), 4);
}

#[test]
fn text_and_databases_have_what_the_raw_files_did() {
    for export in [Export::TEXT, Export::DB, Export::BOTH] {
        let root = tempfile::tempdir().unwrap();
        let raw = RawDirectory::create(root.path(), NAME, Some(0), json!(["text"])).fill();
        let before = read(&raw.path);
        let parsed = parse_all(root.path(), Some(export));
        assert_eq!(parsed, [parse::Parsed { export, diagnostics: vec![], notes: vec![] }]);
        let after = read(&raw.path);
        assert!(!discover(root.path()).unwrap().ranks[0].first.is_raw());
        assert_eq!(host_ops(&after), host_ops(&before), "{export:?}");
        assert_eq!(steps(&after), steps(&before), "{export:?}");
        assert_eq!(counters(&after), counters(&before), "{export:?}");
        assert_eq!(memory(&after), memory(&before), "{export:?}");
        if export == Export::TEXT {
            assert_eq!(only_in_text(&after), only_in_text(&before));
        }
        let identity = |tables: &RankTables| {
            let row = tables.rows::<rank::Row>().next().unwrap();
            (row.process, row.world_size, tables.opt_text(row.host).map(str::to_owned), row.start, row.end)
        };
        assert_eq!(identity(&after), identity(&before), "{export:?}");
    }
}

#[test]
fn a_step_without_a_device_is_free_from_start_to_end() {
    for (name, export) in
        [(NAME, Export::TEXT), (NAME, Export::DB), ("node1_1_20261115185652123_ascend_ms", Export::TEXT)]
    {
        let root = tempfile::tempdir().unwrap();
        let raw = RawDirectory::create(root.path(), name, Some(0), json!("text")).fill();
        parse_all(root.path(), Some(export));
        let tables = read(&raw.path);
        let rows: Vec<_> = tables
            .rows::<reported_step::Row>()
            .map(|row| {
                let step = tables.opt_text(row.step).map(str::to_owned);
                (step, row.computing, row.communication, row.free, row.stage)
            })
            .collect();
        let row = |step: &str, us| (Some(step.to_owned()), Some(0.0), Some(0.0), Some(us), Some(us));
        assert_eq!(rows, [row("5", 1000.0), row("6", 1000.777)], "{name} {export:?}");
        assert_eq!(tables.len(TableId::ReportedOperator) > 0, export == Export::TEXT);
        if export == Export::TEXT {
            let details: Vec<_> = tables.rows::<reported_operator::Row>().collect();
            let mm = details.iter().find(|row| tables.text(row.name) == "aten::mm").unwrap();
            assert_eq!((mm.host_total, mm.device_total), (Some(100.0), Some(0.0)));
        }
    }
}

#[test]
fn what_is_written_is_what_the_recording_asked_for() {
    for (asked, export, trace, db) in [
        (json!("text"), Export::TEXT, true, false),
        (json!(["db"]), Export::DB, false, true),
        (json!(["ExportType.Text", "ExportType.Db"]), Export::BOTH, true, true),
        (json!(null), Export::TEXT, true, false),
    ] {
        let root = tempfile::tempdir().unwrap();
        let raw = RawDirectory::create(root.path(), NAME, Some(2), asked).fill();
        assert_eq!(parse_all(root.path(), None)[0].export, export);
        let output = raw.path.join("ASCEND_PROFILER_OUTPUT");
        assert_eq!(output.join("trace_view.json").exists(), trace);
        assert_eq!(output.join("operator_details.csv").exists(), trace);
        assert_eq!(output.join("ascend_pytorch_profiler_2.db").exists(), db);
        assert_eq!(fs::read(output.join("analyse.done")).unwrap(), b"");
        let left: Vec<_> = fs::read_dir(&raw.path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(!left.iter().any(|name| name.to_string_lossy().contains(".part")), "{left:?}");
    }
}

#[test]
fn a_rank_that_nobody_numbered_stays_without_a_number() {
    let root = tempfile::tempdir().unwrap();
    for name in ["a_1_20261115185652123_ascend_pt", "b_2_20261115185652124_ascend_pt"] {
        RawDirectory::create(root.path(), name, None, json!("db")).fill();
    }
    assert_eq!(discover(root.path()).unwrap().ranks.len(), 2);
    parse_all(root.path(), None);
    let parsed = discover(root.path()).unwrap();
    assert_eq!(parsed.ranks.iter().map(|rank| rank.rank.0).collect::<Vec<_>>(), [0, 1]);
    assert!(parsed.ranks.iter().all(|rank| !rank.first.is_raw()));
}

#[test]
fn every_recording_of_a_rank_is_parsed() {
    let root = tempfile::tempdir().unwrap();
    let names = ["a_1_20261115185652123_ascend_pt", "a_1_20261115185752123_ascend_pt"];
    let directories = names.map(|name| RawDirectory::create(root.path(), name, Some(0), json!("text")).fill());
    assert_eq!(parse_all(root.path(), None).len(), 2);
    assert!(directories.iter().all(|raw| raw.path.join("ASCEND_PROFILER_OUTPUT/trace_view.json").exists()));
    let again = discover_raw(root.path()).unwrap();
    assert!(again.len() == 2 && again.iter().all(|raw| raw.is_parsed));
}

#[test]
fn deliverables_that_are_there_are_read_and_an_unfinished_directory_is_not() {
    let root = tempfile::tempdir().unwrap();
    let raw = RawDirectory::create(root.path(), NAME, Some(0), json!("text")).fill();
    fs::create_dir(raw.path.join("ASCEND_PROFILER_OUTPUT")).unwrap();
    assert!(discover(root.path()).unwrap().ranks[0].first.is_raw());
    assert!(!discover_raw(root.path()).unwrap()[0].is_parsed);
    parse_all(root.path(), None);
    // What is reported now is what the deliverables say.
    raw.file(framework::OP_RANGE, |_| ());
    assert_eq!(steps(&read(&raw.path)).len(), 2);
}

#[test]
fn a_file_that_is_cut_keeps_what_is_before_and_is_reported() {
    let root = tempfile::tempdir().unwrap();
    let raw = RawDirectory::create(root.path(), NAME, Some(0), json!("text")).fill();
    let path = raw.path.join("FRAMEWORK").join(framework::OP_RANGE);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
    let tables = read(&raw.path);
    assert_eq!(steps(&tables).iter().map(|step| step.id).collect::<Vec<_>>(), [Some(5)]);
    let cut = tables.rows::<diagnostic::Row>().find(|row| tables.text(row.code) == "cut-file").unwrap();
    assert_eq!(tables.opt_text(cut.file), Some("FRAMEWORK/torch.op_range"));
    let mut last = Vec::new();
    OpRange { name: "ProfilerStep#6", ..OpRange::default() }.encode(&mut last);
    assert_eq!(cut.offset, i64::try_from(bytes.len() - last.len()).ok());
    let parsed = parse_all(root.path(), None);
    let text = parsed[0].diagnostics[0].to_string();
    assert!(text.starts_with("FRAMEWORK/torch.op_range: the file is cut off inside a record"), "{text}");
}

#[test]
fn a_directory_without_a_record_is_an_error_and_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    let raw = RawDirectory::create(root.path(), NAME, Some(0), json!("text"));
    raw.file(framework::OP_RANGE, |out| out.extend_from_slice(b"nonsense"));
    let found = discover_raw(root.path()).unwrap();
    let error = parse(&found[0], None, ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("no record in"), "{error}");
    assert!(!raw.path.join("ASCEND_PROFILER_OUTPUT").exists());
}

#[test]
fn ticks_become_times_by_the_frequency_of_the_counter() {
    let root = tempfile::tempdir().unwrap();
    let raw = RawDirectory::create(root.path(), NAME, Some(0), json!("text"));
    raw.settings(
        Some(0),
        json!("text"),
        json!({"syscnt_enable": true, "freq": 50.0, "start_cnt": 1000, "start_monotonic": 7_000}),
    );
    raw.file(framework::OP_RANGE, |out| {
        OpRange { start: 1100, end: 1150, pid: 1, start_tid: 1, name: "ProfilerStep#1", ..OpRange::default() }
            .encode(out);
    });
    assert_eq!(steps(&read(&raw.path)), [step::Row { id: Some(1), start: at(9_000), end: at(10_000) }]);
}

#[test]
fn without_a_clock_times_stand_as_they_are_and_it_is_reported() {
    let root = tempfile::tempdir().unwrap();
    let raw = RawDirectory::create(root.path(), NAME, Some(0), json!("text")).fill();
    fs::write(raw.path.join("profiler_info_0.json"), "{}").unwrap();
    let tables = read(&raw.path);
    assert_eq!(steps(&tables)[0].start, Ns(100_000));
    let reported = tables.rows::<diagnostic::Row>().filter(|row| tables.text(row.code) == "no-clock").count();
    assert_eq!(reported, 1);
}

#[test]
fn a_directory_that_is_named_for_mindspore_is_parsed_the_same() {
    for export in [Export::TEXT, Export::DB] {
        let root = tempfile::tempdir().unwrap();
        let name = "node1_4711_20261115185652123_ascend_ms";
        let raw = RawDirectory::create(root.path(), name, Some(0), json!("text")).fill();
        let before = read(&raw.path);
        assert_eq!(Framework::of(&before), Framework::MindSpore);
        parse_all(root.path(), Some(export));
        let after = read(&raw.path);
        assert_eq!(Framework::of(&after), Framework::MindSpore);
        assert_eq!(host_ops(&after), host_ops(&before), "{export:?}");
        assert_eq!(steps(&after), steps(&before), "{export:?}");
        assert_eq!(counters(&after), counters(&before), "{export:?}");
    }
}

#[test]
fn a_device_that_is_not_read_is_not_taken_for_an_idle_one() {
    let root = tempfile::tempdir().unwrap();
    let raw = RawDirectory::create(root.path(), NAME, Some(0), json!("text")).fill();
    fs::create_dir_all(raw.path.join("PROF_000001_20261115185652123_ABC/device_0")).unwrap();
    let tables = read(&raw.path);
    assert!(tables.rows::<diagnostic::Row>().any(|row| tables.text(row.code) == "raw-only"));
    assert_eq!((tables.len(TableId::Step), tables.len(TableId::ReportedStep)), (2, 0));
    let output = raw.path.join("ASCEND_PROFILER_OUTPUT");
    let refused = |path: &Path| {
        let found = discover_raw(path).unwrap();
        parse(&found[0], Some(Export::BOTH), ReadOptions::default()).unwrap_err().to_string()
    };
    assert!(refused(root.path()).contains("raw PROF data is not supported yet"));
    assert!(!output.exists());
    // Those of the profiler stay.
    fs::create_dir(&output).unwrap();
    fs::write(output.join("step_trace_time.csv"), "theirs").unwrap();
    refused(root.path());
    assert_eq!(fs::read_to_string(output.join("step_trace_time.csv")).unwrap(), "theirs");
    assert_eq!(fs::read_dir(&raw.path).unwrap().count(), 5);
}

#[test]
fn windows_of_a_process_are_one_rank_and_all_are_read() {
    let root = tempfile::tempdir().unwrap();
    let recorded = |name: &str| RawDirectory::create(root.path(), name, None, json!("text")).fill();
    let newer = recorded("a_1_20261115185752123_ascend_pt");
    let older = recorded("a_1_20261115185652123_ascend_pt");
    let profile = discover(root.path()).unwrap();
    assert_eq!(profile.ranks.len(), 1);
    let windows: Vec<_> = profile.ranks[0].windows().map(|w| (w.window.0, w.directory.clone())).collect();
    assert_eq!(windows, [(0, older.path), (1, newer.path)]);
    let tables = read_rank(&profile.ranks[0], ReadOptions::default());
    let alone = read_rank(&RankSource::new(Rank(0), profile.ranks[0].first.clone()), ReadOptions::default());
    assert_eq!(tables.len(TableId::HostOp), 2 * alone.len(TableId::HostOp));
    assert_eq!(tables.rows::<rank::Row>().count(), 1);
    // Another process is another rank, and so is one of that number elsewhere; the windows of dynamic profiling
    // are not elsewhere.
    recorded("a_2_20261115185752123_ascend_pt");
    recorded("rank0_start5_stop6/a_2_20261115185852123_ascend_pt");
    recorded("elsewhere/a_1_20261115185852123_ascend_pt");
    assert_eq!(discover(root.path()).unwrap().ranks.len(), 3);
}

#[test]
fn a_lone_process_needs_no_rank_and_several_do() {
    let root = tempfile::tempdir().unwrap();
    RawDirectory::create(root.path(), NAME, None, json!("text")).fill();
    let reported = || {
        let profile = discover(root.path()).unwrap();
        profile
            .ranks
            .iter()
            .map(|rank| rank.first.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect())
            .collect::<Vec<Vec<_>>>()
    };
    assert_eq!(reported(), [Vec::<&str>::new()]);
    RawDirectory::create(root.path(), "node2_1_20261115185652123_ascend_pt", None, json!("text")).fill();
    assert_eq!(reported(), [["no-rank"], ["no-rank"]]);
}

#[test]
fn a_recording_that_was_not_ended_is_reported_before_and_after_it_is_parsed() {
    let root = tempfile::tempdir().unwrap();
    let raw = RawDirectory::create(root.path(), NAME, Some(0), json!("text")).fill();
    fs::remove_file(raw.path.join("profiler_metadata.json")).unwrap();
    let is_reported = || {
        let tables = read(&raw.path);
        let mut rows = tables.rows::<diagnostic::Row>();
        rows.any(|row| tables.text(row.code) == "cut-recording" && row.message(&tables) == messages::cut_recording())
    };
    assert!(is_reported());
    let parsed = parse_all(root.path(), None);
    assert_eq!(parsed[0].diagnostics, [messages::cut_recording()]);
    assert!(is_reported());
    raw.metadata(&json!({}));
    assert!(!is_reported());
}
