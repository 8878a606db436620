//! The forms of a result hold the same rows.

use std::io::{Cursor, Write};
use std::process::Stdio;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::ipc::reader::StreamReader;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;

use crate::program::{Sandbox, ran};

fn json(batches: &[RecordBatch]) -> Vec<Value> {
    let mut writer = arrow::json::ArrayWriter::new(Vec::new());
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    match writer.into_inner() {
        text if text.is_empty() => Vec::new(),
        text => serde_json::from_slice(&text).unwrap(),
    }
}

fn output(sandbox: &Sandbox, query: &str, format: &str) -> Vec<u8> {
    sandbox.bytes(&["sql", "job", query, "--format", format])
}

fn arrow(bytes: &[u8]) -> (SchemaRef, Vec<Value>) {
    let reader = StreamReader::try_new(bytes, None).unwrap();
    let schema = reader.schema();
    (schema, json(&reader.map(Result::unwrap).collect::<Vec<_>>()))
}

fn parquet(bytes: &[u8]) -> (SchemaRef, Vec<Value>) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let schema = builder.schema().clone();
    (schema, json(&builder.build().unwrap().map(Result::unwrap).collect::<Vec<_>>()))
}

/// Text read back in the types the result has.
fn csv(bytes: Vec<u8>, schema: &SchemaRef) -> Vec<Value> {
    let fields = schema.fields().iter().map(|field| match field.data_type() {
        DataType::Utf8View => Field::new(field.name(), DataType::Utf8, true),
        other => Field::new(field.name(), other.clone(), true),
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let reader = arrow::csv::ReaderBuilder::new(schema).with_header(true).build(Cursor::new(bytes)).unwrap();
    json(&reader.map(Result::unwrap).collect::<Vec<_>>())
}

#[test]
fn every_form_holds_the_same_rows() {
    let sandbox = Sandbox::with_job();
    for (query, expected_rows) in [
        (
            "SELECT rank, op_type, count(*) AS n, sum(duration) AS total, avg(duration) AS mean FROM kernel GROUP BY 1, 2 ORDER BY 1, 2",
            None,
        ),
        ("SELECT rank, name, start, duration, shapes FROM host_op ORDER BY rank, start, name", None),
        (r#"SELECT 'a,"b'' c' AS quoted, 1.5 AS float, true AS truth, NULL AS nothing"#, Some(1)),
        ("SELECT name, start FROM kernel WHERE rank = 99", Some(0)),
    ] {
        let from_json: Vec<Value> = serde_json::from_slice(&output(&sandbox, query, "json")).unwrap();
        match expected_rows {
            Some(rows) => assert_eq!(from_json.len(), rows, "{query}"),
            None => assert!(from_json.len() > 10, "{query}"),
        }
        let (schema, from_arrow) = arrow(&output(&sandbox, query, "arrow"));
        assert_eq!(from_arrow, from_json, "{query}");
        let (parquet_schema, from_parquet) = parquet(&output(&sandbox, query, "parquet"));
        assert_eq!(from_parquet, from_json, "{query}");
        assert_eq!(parquet_schema.fields().len(), schema.fields().len(), "{query}");
        assert_eq!(csv(output(&sandbox, query, "csv"), &schema), from_json, "{query}");
    }
}

#[test]
fn a_file_holds_what_stdout_would() {
    let sandbox = Sandbox::with_job();
    let query = "SELECT rank, start, name FROM kernel ORDER BY 1, 2";
    for format in ["table", "csv", "json", "arrow", "parquet"] {
        let ran = sandbox.run(&["sql", "job", query, "--format", format, "-o", "result"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{format}");
        assert_eq!(std::fs::read(sandbox.path("result")).unwrap(), output(&sandbox, query, format), "{format}");
    }
    let ran = sandbox.run(&["sql", "job", "SELECT 1 / 0 FROM kernel", "-o", "failed"]);
    assert_eq!(ran.code, 2);
    let names = std::fs::read_dir(sandbox.path("")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().all(|name| !name.contains("failed")), "nothing half written is left");
}

#[test]
fn a_table_shows_some_rows_and_says_how_many_there_are() {
    let sandbox = Sandbox::with_job();
    let ran = sandbox.run(&["sql", "job", "SELECT name FROM kernel", "--max-rows", "3"]);
    assert_eq!(ran.stdout.lines().count(), 4);
    let rows: usize = sandbox.sql("job", "SELECT count(*) AS n FROM kernel").lines().nth(1).unwrap().parse().unwrap();
    assert_eq!(ran.stderr, format!("note: 3 of {rows} rows shown; --max-rows N shows more, --format csv shows all\n"));
}

#[test]
fn reports_are_json_too() {
    let sandbox = Sandbox::with_slow_rank();
    let report = |command: &str| -> Value {
        serde_json::from_slice(&sandbox.bytes(&[command, "job", "--format", "json"])).unwrap()
    };
    let info = report("info");
    assert_eq!(info["ranks"].as_array().unwrap().len(), 4);
    assert_eq!(info["findings"][0]["id"], "slow-compute-rank");
    assert_eq!(info["findings"][0]["ranks"], serde_json::json!([3]));
    let doctor = report("doctor");
    assert_eq!(doctor["ranks"][2]["steps"], serde_json::json!([10, 11]));
    let kernels = sandbox.sql("job", "SELECT count(*) AS n FROM kernel WHERE rank = 2");
    assert_eq!(format!("n\n{}\n", doctor["ranks"][2]["rows"]["kernel"]), kernels);
}

#[test]
fn two_runs_at_once_share_a_cold_cache() {
    let sandbox = Sandbox::with_job();
    let query = "SELECT rank, sum(duration) AS total FROM kernel GROUP BY rank ORDER BY rank";
    let start = || {
        let mut command = sandbox.command(&["sql", "job", query, "--format", "csv"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let runs = [start(), start(), start()].map(|child| ran(child.wait_with_output().unwrap()));
    let expected = sandbox.sql("job", query);
    assert_eq!(expected.lines().count(), 5);
    for ran in runs {
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, expected.as_str(), ""));
    }
}

#[test]
fn no_command_touches_the_cache_when_it_is_off() {
    let sandbox = Sandbox::with_job();
    let query = "SELECT rank, sum(duration) AS total FROM kernel GROUP BY rank ORDER BY rank";
    let expected = sandbox.sql("job", query);
    std::fs::remove_dir_all(sandbox.path("cache")).unwrap();
    let commands: [&[&str]; 7] = [
        &["sql", "job", query, "--format", "csv"],
        &["doctor", "job"],
        &["info", "job"],
        &["diagnose", "job"],
        &["cluster", "-d", "job", "-o", "modes"],
        &["report", "job", "-o", "report.html"],
        &["convert", "job", "--to", "db", "-o", "db"],
    ];
    for (number, command) in commands.iter().enumerate() {
        let flag = [*command, &["--no-cache"]].concat();
        let ran = sandbox.run(&flag);
        assert_eq!(ran.code, 0, "{flag:?}: {}", ran.stderr);
        if number == 0 {
            assert_eq!((ran.stdout, ran.stderr), (expected.clone(), String::new()));
        }
        assert!(!sandbox.path("cache").exists(), "{flag:?}");
    }
    let mut by_variable = sandbox.command(commands[0]);
    let output = by_variable.env("NPUSCOPE_NO_CACHE", "1").output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    assert!(!sandbox.path("cache").exists());
}

#[test]
fn a_damaged_cache_is_a_warning_and_the_same_answer() {
    let sandbox = Sandbox::with_job();
    let query = "SELECT rank, sum(duration) AS total FROM kernel GROUP BY rank ORDER BY rank";
    let expected = sandbox.sql("job", query);
    let ask = || sandbox.run(&["sql", "job", query, "--format", "csv"]);
    let columns = crate::program::files(&sandbox.path("cache"));
    let path = columns.iter().find(|path| path.ends_with("kernel.arrow")).unwrap();
    let mut bytes = std::fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(path, bytes).unwrap();
    let ran = ask();
    assert_eq!((ran.code, &ran.stdout), (0, &expected));
    assert!(
        ran.stderr.starts_with("warning: the cache at ") && ran.stderr.ends_with("it will be rebuilt\n"),
        "{}",
        ran.stderr
    );
    let ran = ask();
    assert_eq!((ran.code, ran.stdout, ran.stderr), (0, expected, String::new()));
}

#[test]
fn a_query_comes_from_stdin_too() {
    let sandbox = Sandbox::with_job();
    std::fs::write(sandbox.path("query.sql"), "SELECT count(DISTINCT rank) AS ranks FROM task\n").unwrap();
    let query = std::fs::File::open(sandbox.path("query.sql")).unwrap();
    let output = sandbox.command(&["sql", "job", "-", "--format", "csv"]).stdin(query).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "ranks\n4\n");
}

#[test]
fn a_plan_is_printed_as_the_tree_it_is() {
    let sandbox = Sandbox::with_job();
    let ran = sandbox.run(&["sql", "job", "EXPLAIN SELECT count(*) FROM kernel"]);
    assert!(ran.stdout.lines().any(|line| line.trim_start().starts_with("DataSourceExec:")), "{}", ran.stdout);
}

#[test]
fn the_ending_of_the_output_file_chooses_the_form_and_a_file_has_all_rows() {
    let sandbox = Sandbox::with_job();
    let written = |name: &str| {
        let ran = sandbox.run(&["sql", "job", "SELECT start FROM task", "--max-rows", "1", "-o", name]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
        std::fs::read(sandbox.path(name)).unwrap()
    };
    let rows = written("tasks.csv").iter().filter(|&&byte| byte == b'\n').count() - 1;
    assert!(rows > 1);
    assert_eq!(written("tasks.txt").iter().filter(|&&byte| byte == b'\n').count() - 1, rows);
    assert!(written("tasks.parquet").starts_with(b"PAR1"));
    assert!(written("tasks.json").starts_with(b"["));
}
