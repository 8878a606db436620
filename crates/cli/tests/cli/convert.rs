//! Another form, the same job.

use std::fs::{self, File};

use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::program::{Sandbox, files};

#[test]
fn a_converted_profile_has_the_same_overview() {
    let sandbox = Sandbox::with_slow_rank();
    let expected = sandbox.run(&["info", "job"]);
    for form in ["text", "db"] {
        let ran = sandbox.run(&["convert", "job", "--to", form, "-o", form]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
        assert_eq!(ran.stderr, format!("note: 4 ranks written to {form}\n"));
        let info = sandbox.run(&["info", form]);
        assert_eq!(info.stdout.replace(&format!("sql {form} "), "sql job "), expected.stdout, "{form}");
    }
    let ran = sandbox.run(&["convert", "db", "--to", "text", "-o", "text again"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let info = sandbox.run(&["info", "text again"]);
    assert_eq!(info.stdout.replace("sql text again ", "sql job "), expected.stdout);
}

#[test]
fn parquet_has_every_row_of_every_table() {
    let sandbox = Sandbox::with_job();
    assert_eq!(sandbox.run(&["convert", "job", "--to", "parquet", "-o", "out"]).code, 0);
    let mut tables: Vec<String> = files(&sandbox.path("out"))
        .iter()
        .map(|file| file.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    tables.dedup();
    assert!(tables.len() > 15);
    for table in tables {
        let expected = sandbox.sql("job", &format!("SELECT rank, count(*) FROM {table} GROUP BY rank ORDER BY rank"));
        let counted = files(&sandbox.path("out").join(&table)).into_iter().enumerate().map(|(rank, path)| {
            assert!(path.ends_with(format!("rank_{rank}.parquet")), "{}", path.display());
            let rows =
                SerializedFileReader::new(File::open(path).unwrap()).unwrap().metadata().file_metadata().num_rows();
            format!("{rank},{rows}\n")
        });
        assert_eq!(counted.collect::<String>(), expected.split_once('\n').unwrap().1, "{table}");
    }
}

#[test]
fn only_the_ranks_asked_for_are_written() {
    let sandbox = Sandbox::with_job();
    let ran = sandbox.run(&["convert", "job", "--to", "db", "-o", "some", "--ranks", "0,2-3"]);
    assert_eq!(ran.stderr, "note: 3 ranks written to some\n");
    assert_eq!(sandbox.sql("some", "SELECT DISTINCT rank FROM task ORDER BY rank"), "rank\n0\n2\n3\n");
}

#[test]
fn nothing_is_written_over() {
    let sandbox = Sandbox::with_job();
    for form in ["text", "db", "parquet", "perfetto"] {
        assert_eq!(sandbox.run(&["convert", "job", "--to", form, "-o", form]).code, 0);
        let ran = sandbox.run(&["convert", "job", "--to", form, "-o", form]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains("already exists"), "{}", ran.stderr);
    }
}

/// Whether a trace names a process of the rank.
fn shows(trace: &[u8], rank: usize) -> bool {
    let name = format!("rank {rank} · ");
    trace.windows(name.len()).any(|window| window == name.as_bytes())
}

#[test]
fn a_perfetto_trace_has_the_ranks_and_the_window_asked_for() {
    let sandbox = Sandbox::with_job();
    let convert = |output: &str, options: &[&str]| {
        let arguments = [&["convert", "job", "--to", "perfetto", "-o", output], options].concat();
        let ran = sandbox.run(&arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{arguments:?}: {}", ran.stderr);
        ran.stderr
    };
    let trace = |name: &str| fs::read(sandbox.path(name)).unwrap();
    assert_eq!(convert("all", &[]), "note: 4 ranks written to all/profile.perfetto-trace\n");
    let all = trace("all/profile.perfetto-trace");
    assert!((0..4).all(|rank| shows(&all, rank)));

    assert_eq!(convert("some.pftrace", &["--ranks", "1,3"]), "note: 2 ranks written to some.pftrace\n");
    let some = trace("some.pftrace");
    assert_eq!([0, 1, 2, 3].map(|rank| shows(&some, rank)), [false, true, false, true]);
    convert("one.perfetto-trace", &["--rank", "1"]);
    assert!(trace("one.perfetto-trace").len() < some.len());

    let first = "SELECT least((SELECT min(start) FROM host_op), (SELECT min(start) FROM overlap), \
        (SELECT min(start) FROM task), (SELECT min(time) FROM counter))";
    let start = sandbox.sql("job", first);
    let start: i64 = start.lines().nth(1).unwrap().parse().unwrap();
    let absolute = format!("{start}..{}", start + 50_000_000);
    convert("absolute.pftrace", &["--range", &absolute]);
    convert("relative.pftrace", &["--range", "0ms..50ms"]);
    assert_eq!(trace("absolute.pftrace"), trace("relative.pftrace"));
    assert!(trace("relative.pftrace").len() < all.len());

    convert("step.pftrace", &["--range", "step:11"]);
    convert("steps.pftrace", &["--range", "step:10..11"]);
    assert!(trace("step.pftrace").len() < trace("steps.pftrace").len());
}

#[test]
fn a_window_that_is_none_is_refused() {
    let sandbox = Sandbox::with_job();
    for (range, words) in [
        ("5", "expected a time range"),
        ("1..2.5", "needs a unit"),
        ("2s..1s", "ends before it begins"),
        ("1000s..1001s", "the profile covers"),
        ("1..2", "the profile covers"),
        ("step:99", "step 99 does not exist; the profile has steps 10-11"),
        ("step:98..99", "steps 98-99 do not exist"),
    ] {
        let ran = sandbox.run(&["convert", "job", "--to", "perfetto", "-o", "out", "--range", range]);
        assert_eq!(ran.code, 2, "{range}: {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{range}: {}", ran.stderr);
        assert!(!sandbox.path("out").exists(), "{range}");
    }
    let ran = sandbox.run(&["convert", "job", "--to", "db", "-o", "out", "--range", "1s..2s"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--range needs --to perfetto"), "{}", ran.stderr);
}

#[test]
fn a_gpu_job_becomes_files_of_an_npu_too() {
    let sandbox = Sandbox::with_gpu_job();
    let kernels = "SELECT rank, op_type, sum(duration) AS ns FROM kernel GROUP BY 1, 2 ORDER BY 1, 2";
    let expected = "rank,op_type,ns\n0,allreduce,200000\n0,aten::mm,600000\n1,allreduce,200000\n1,aten::mm,1000000\n";
    assert_eq!(sandbox.sql("job", kernels), expected);
    let others = [
        r#"SELECT rank, id, start, "end" FROM step ORDER BY 1, 2"#,
        "SELECT rank, name, start, duration FROM comm_op ORDER BY 1, 3",
        "SELECT rank, name, start, duration FROM host_op WHERE kind IN ('op', 'cann') AND name NOT LIKE 'ProfilerStep%' ORDER BY 1, 3",
    ];
    for form in ["text", "db"] {
        let ran = sandbox.run(&["convert", "job", "--to", form, "-o", form]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(sandbox.sql(form, kernels), expected, "{form}");
        for query in others {
            assert_eq!(sandbox.sql(form, query), sandbox.sql("job", query), "{form}");
        }
        assert_eq!(sandbox.run(&["info", form]).code, 0);
    }
    assert_eq!(sandbox.run(&["convert", "job", "--to", "parquet", "-o", "out"]).code, 0);
}

#[test]
fn rows_that_npu_files_cannot_hold_are_reported() {
    let sandbox = Sandbox::with_gpu_job();
    let trace = sandbox.path("job/node1_0.pt.trace.json");
    let text = fs::read_to_string(&trace).unwrap();
    let overhead = r#""traceEvents": [{"ph": "X", "cat": "overhead", "name": "Activity Buffer", "pid": 77, "tid": 77, "ts": 1, "dur": 2},"#;
    fs::write(&trace, text.replace(r#""traceEvents": ["#, overhead)).unwrap();
    let ran = sandbox.run(&["convert", "job", "--to", "text", "-o", "text"]);
    assert_eq!(ran.code, 0);
    let note = "note: rank 0: the deliverables of an NPU cannot hold all of a PyTorch trace; omitted: 1 other host event; --to parquet keeps all of it";
    assert!(ran.stderr.starts_with(note), "{}", ran.stderr);
}
