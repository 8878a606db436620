//! A rank that is written step by step has the deliverables of one that is written whole.

use std::path::{Path, PathBuf};

use npuscope_formats::output::Output;
use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_formats::{db, text};
use npuscope_measures::deliverable;
use npuscope_synth::{Job, JobConfig, View, simulate};
use npuscope_tables::Framework;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::{
    comm_op, comm_task, counter, flow, lane, mem_sample, pipeline_op, reported_operator, sheet, task,
};
use npuscope_tables::{ConnectionId, LaneId, Ns, OpId, Rank, RankBuilder, RankTables, Span, TableId, TaskId};
use npuscope_testing::{database, entries, events};

/// A rank as a whole, and step by step.
fn rank_of(job: &Job) -> (RankTables, Vec<RankTables>) {
    (job.rank(0), job.recording(0, View::Whole).map(RankBuilder::finish).collect())
}

/// Ranks of small jobs, one for each framework and with and without a pipeline.
fn ranks() -> Vec<(RankTables, Vec<RankTables>)> {
    let mut ranks = Vec::new();
    for framework in [Framework::TorchNpu, Framework::MindSpore] {
        for (tp, pp) in [(2, 1), (1, 2)] {
            let config =
                JobConfig { framework, tp, pp, dp: 1, layers: 4, micro_batches: 2, steps: 4, ..Default::default() };
            ranks.push(rank_of(&simulate(&config).unwrap()));
        }
    }
    ranks
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let all = entries(directory).into_iter().chain(entries(&directory.join(OUTPUT_DIRECTORY)));
    let files: Vec<PathBuf> = all.filter(|path| path.is_file()).collect();
    files.iter().map(|path| path.strip_prefix(directory).unwrap().to_owned()).collect()
}

#[test]
fn text_of_chunks_is_the_text_of_the_whole() {
    for (tables, chunks) in ranks() {
        let (whole, chunked) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        text::write_rank(tables, Rank(0), &Output::new(whole.path()).unwrap()).unwrap();
        let mut writer = text::RankWriter::create(&Output::new(chunked.path()).unwrap(), Rank(0)).unwrap();
        chunks.into_iter().for_each(|chunk| writer.append(chunk).unwrap());
        writer.finish().unwrap();
        assert_eq!(files(whole.path()), files(chunked.path()));
        for file in files(whole.path()) {
            let (a, b) = (whole.path().join(&file), chunked.path().join(&file));
            if file.ends_with("trace_view.json") {
                // Tables follow each other within a chunk, so events come in another order.
                let sorted = |path: &Path| {
                    let mut events: Vec<String> = events(path).iter().map(|event| format!("{event:?}")).collect();
                    events.sort();
                    events
                };
                assert_eq!(sorted(&a), sorted(&b));
            } else {
                let lines = |path: &Path| std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect();
                let (a, b): (Vec<String>, Vec<String>) = (lines(&a), lines(&b));
                a.iter().zip(&b).for_each(|(a, b)| assert_eq!(a, b, "{}", file.display()));
                assert_eq!(a.len(), b.len(), "{}", file.display());
            }
        }
    }
}

#[test]
fn databases_of_chunks_have_the_rows_of_the_whole() {
    for (tables, chunks) in ranks() {
        let (whole, chunked) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        db::write_rank(tables, Rank(0), &Output::new(whole.path()).unwrap()).unwrap();
        let mut writer = db::RankWriter::create(&Output::new(chunked.path()).unwrap(), Rank(0)).unwrap();
        chunks.into_iter().for_each(|chunk| writer.append(chunk).unwrap());
        writer.finish().unwrap();
        assert_eq!(files(whole.path()), files(chunked.path()));
        for file in files(whole.path()).into_iter().filter(|file| file.extension().unwrap() == "db") {
            let (a, b) = (whole.path().join(&file), chunked.path().join(&file));
            assert_eq!(database::rows(&a), database::rows(&b), "{}", file.display());
            assert_eq!(numbers(&a), numbers(&b), "{}", file.display());
            let check = database_of(&b).query_row("PRAGMA integrity_check", (), |row| row.get::<_, String>(0));
            assert_eq!(check.unwrap(), "ok");
        }
    }
}

fn database_of(path: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(path).unwrap()
}

/// Keys and times of tables whose rows must come in the order of the whole.
fn numbers(path: &Path) -> Vec<Vec<(i64, i64)>> {
    let database = database_of(path);
    let queries = [
        "SELECT rowid, startNs FROM TASK",
        "SELECT id, connectionId FROM CONNECTION_IDS",
        "SELECT id, startNs FROM OVERLAP_ANALYSIS",
        "SELECT globalTaskId, startNs FROM TASK INDEXED BY TaskIndex ORDER BY startNs, globalTaskId",
    ];
    let tables = queries.iter().filter_map(|query| {
        let mut statement = database.prepare(query).ok()?;
        let rows = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        Some(rows.map(Result::unwrap).collect())
    });
    tables.collect()
}

#[test]
fn a_writer_that_is_dropped_leaves_no_files() {
    let (tables, _) = ranks().remove(0);
    let directory = tempfile::tempdir().unwrap();
    let out = Output::new(directory.path()).unwrap();
    let mut text = text::RankWriter::create(&out, Rank(0)).unwrap();
    text.append(tables.clone()).unwrap();
    let mut db = db::RankWriter::create(&out, Rank(0)).unwrap();
    db.append(tables).unwrap();
    assert!(!entries(&directory.path().join(OUTPUT_DIRECTORY)).is_empty());
    drop((text, db));
    assert_eq!(files(directory.path()), Vec::<PathBuf>::new());
}

/// Writes the databases of a rank in chunks, and gives the profiler's.
fn written(directory: &Path, chunks: impl IntoIterator<Item = RankBuilder>) -> rusqlite::Connection {
    let mut writer = db::RankWriter::create(&Output::new(directory).unwrap(), Rank(0)).unwrap();
    chunks.into_iter().for_each(|chunk| writer.append(chunk.finish()).unwrap());
    writer.finish().unwrap();
    database_of(&directory.join(OUTPUT_DIRECTORY).join("ascend_pytorch_profiler_0.db"))
}

#[test]
fn an_operation_of_a_later_chunk_needs_no_transport_of_its_own() {
    let chunk = |op: OpId, has_transport: bool| {
        let mut rank = RankBuilder::default();
        let start = Ns(1000 * op.0);
        let name = rank.strings.intern("hcom_allReduce__586_0_1");
        rank.comm_op.push(comm_op::Row { op, start, duration: Span::new(10, None), name, ..Default::default() });
        let transport = has_transport.then(|| rank.strings.intern("SDMA"));
        let name = rank.strings.intern("Memcpy");
        rank.comm_task.push(comm_task::Row { op: Some(op), start, name, transport, ..Default::default() });
        rank.finish()
    };
    let rows = |chunk, carried: &mut deliverable::Carried| {
        deliverable::complete(chunk, deliverable::Target::Db(Framework::TorchNpu), carried).len(TableId::ReportedComm)
    };
    let mut carried = deliverable::Carried::default();
    assert_eq!(rows(chunk(OpId(0), false), &mut carried), 0);
    assert_eq!(rows(chunk(OpId(1), true), &mut carried), 2);
    assert_eq!(rows(chunk(OpId(2), false), &mut carried), 2);
}

#[test]
fn a_queue_of_an_earlier_chunk_is_one_of_all() {
    let chunk = |kind: Option<Kind>| {
        let mut rank = RankBuilder::default();
        let slice = |kind: Kind, start, rank: &mut RankBuilder| {
            let (kind, name) = (rank.strings.intern(kind.name()), rank.strings.intern("a"));
            let (start, duration) = (Ns(start), Span::new(100, None));
            rank.host_op.push(host_op::Row { kind, name, start, duration, ..Default::default() });
        };
        slice(Kind::Op, 0, &mut rank);
        kind.into_iter().for_each(|kind| slice(kind, 10, &mut rank));
        let name = rank.strings.intern("k");
        let start = Ns(200);
        rank.task.push(task::Row {
            lane: LaneId(1),
            start,
            duration: Span::new(5000, None),
            name,
            ..Default::default()
        });
        let kind = rank.strings.intern("HostToDevice");
        let (src, dst) = ((Some(LaneId(0)), Some(Ns(50))), (Some(LaneId(1)), Some(start)));
        let (src_lane, src_time, dst_lane, dst_time) = (src.0, src.1, dst.0, dst.1);
        rank.flow.push(flow::Row { kind, src_lane, src_time, dst_lane, dst_time, ..Default::default() });
        rank.finish()
    };
    let device_time = |chunk, carried: &mut deliverable::Carried| {
        let tables = deliverable::complete(chunk, deliverable::Target::Text(Framework::TorchNpu), carried);
        tables.rows::<reported_operator::Row>().next().unwrap().device_self
    };
    let mut carried = deliverable::Carried::default();
    assert_eq!(device_time(chunk(None), &mut carried), Some(5.0));
    assert_eq!(device_time(chunk(Some(Kind::Dequeue)), &mut carried), Some(0.0));
    assert_eq!(device_time(chunk(None), &mut carried), Some(0.0));
}

#[test]
fn a_kept_table_that_comes_in_chunks_is_one() {
    let directory = tempfile::tempdir().unwrap();
    let chunk = |columns: &[&str], rows: std::ops::Range<i64>| {
        let mut rank = RankBuilder::default();
        for (row, column) in rows.flat_map(|row| columns.iter().map(move |column| (row, column))) {
            let value = format!("{column}{row}");
            let cell = sheet::Row {
                file: rank.strings.intern("ascend_pytorch_profiler_0.db"),
                sheet: Some(rank.strings.intern("UNHEARD_OF")),
                row,
                column: rank.strings.intern(column),
                value: Some(rank.strings.intern(&value)),
                value_type: Some(rank.strings.intern("text")),
            };
            rank.sheet.push(cell);
        }
        rank
    };
    let database =
        written(directory.path(), [chunk(&["a", "b"], 0..2), chunk(&["a", "b"], 0..1), chunk(&["c", "b"], 4..5)]);
    let mut statement = database.prepare("SELECT a, b, c FROM UNHEARD_OF").unwrap();
    let rows = statement.query_map((), |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?])).unwrap();
    let rows: Vec<[Option<String>; 3]> = rows.map(Result::unwrap).collect();
    let row = |cells: [&str; 3]| cells.map(|cell| (!cell.is_empty()).then(|| cell.to_owned()));
    let expected = [["a0", "b0", ""], ["a1", "b1", ""], ["a0", "b0", ""], ["", "b4", "c4"]];
    assert_eq!(rows, expected.map(row));
}

#[test]
fn samples_of_memory_are_not_mixed_with_counters_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let chunk = |has_counter: bool| {
        let mut rank = RankBuilder::default();
        let process = rank.strings.intern("NPU MEM");
        rank.lane.push(lane::Row { lane: LaneId(7), process: Some(process), ..Default::default() });
        if has_counter {
            let (name, series) = (rank.strings.intern("APP/HBM"), rank.strings.intern("value"));
            rank.counter.push(counter::Row {
                lane: LaneId(7),
                time: Ns(1),
                name,
                series,
                value: 1.0,
                ..Default::default()
            });
        }
        let (kind, component) = (rank.strings.intern("allocator"), rank.strings.intern("APP"));
        rank.mem_sample.push(mem_sample::Row { kind, component, time: Ns(2), reserved: Some(5), ..Default::default() });
        rank
    };
    let database = written(directory.path(), [chunk(true), chunk(false)]);
    let times = database.query_row("SELECT group_concat(timestampNs) FROM NPU_MEM", (), |row| row.get::<_, String>(0));
    assert_eq!(times.unwrap(), "1");
}

#[test]
fn rows_of_pipelines_that_alternate_are_written_once() {
    let directory = tempfile::tempdir().unwrap();
    let mut rank = RankBuilder::default();
    for (pipeline, op) in [("0", 0), ("1", 1), ("0", 2)] {
        let pipeline = Some(rank.strings.intern(pipeline));
        rank.pipeline_op.push(pipeline_op::Row { pipeline, op_id: Some(op), ..Default::default() });
    }
    text::write_rank(rank.finish(), Rank(0), &Output::new(directory.path()).unwrap()).unwrap();
    let lines = |pipeline: i64| {
        let name = format!("minddata_pipeline_raw_{pipeline}.csv");
        std::fs::read_to_string(directory.path().join(OUTPUT_DIRECTORY).join(name)).unwrap().lines().count()
    };
    assert_eq!((lines(0), lines(1)), (3, 2));
}

#[test]
fn databases_that_lack_a_chunk_are_not_finished() {
    let directory = tempfile::tempdir().unwrap();
    let output = directory.path().join(OUTPUT_DIRECTORY);
    let mut writer = db::RankWriter::create(&Output::new(directory.path()).unwrap(), Rank(0)).unwrap();
    std::fs::remove_dir(&output).unwrap();
    assert!(writer.append(RankBuilder::default().finish()).is_err());
    std::fs::create_dir(&output).unwrap();
    assert!(writer.append(RankBuilder::default().finish()).is_err());
    assert!(writer.finish().is_err());
    assert_eq!(files(directory.path()), Vec::<PathBuf>::new());
}

#[test]
fn launches_of_an_earlier_chunk_decide_what_is_connected() {
    let directory = tempfile::tempdir().unwrap();
    let chunk = |start: i64, has_launch: bool| {
        let mut rank = RankBuilder::default();
        let (call, work) = (Ns(start), Ns(start + 200));
        let connection_id = Some(ConnectionId(start));
        let name = rank.strings.intern("a");
        let kind = rank.strings.intern(Kind::Op.name());
        rank.host_op.push(host_op::Row { kind, name, start: call, ..Default::default() });
        if has_launch {
            let (kind, level) = (rank.strings.intern(Kind::Cann.name()), Some(rank.strings.intern("node")));
            rank.host_op.push(host_op::Row { kind, name, level, start: call, connection_id, ..Default::default() });
        }
        rank.task.push(task::Row {
            task: TaskId(start),
            lane: LaneId(1),
            start: work,
            name,
            connection_id,
            ..Default::default()
        });
        let kind = rank.strings.intern("async_npu");
        let (src_lane, src_time, dst_lane, dst_time) = (Some(LaneId(0)), Some(call), Some(LaneId(1)), Some(work));
        rank.flow.push(flow::Row { kind, src_lane, src_time, dst_lane, dst_time, ..Default::default() });
        rank
    };
    let database = written(directory.path(), [chunk(1000, true), chunk(2000, false)]);
    let ids = "SELECT group_concat(connectionId) FROM CONNECTION_IDS";
    assert_eq!(database.query_row(ids, (), |row| row.get::<_, String>(0)).unwrap(), "1000");
}
