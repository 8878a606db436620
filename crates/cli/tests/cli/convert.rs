//! Another form, the same job.

use std::fs::File;

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
    for form in ["text", "db", "parquet"] {
        assert_eq!(sandbox.run(&["convert", "job", "--to", form, "-o", form]).code, 0);
        let ran = sandbox.run(&["convert", "job", "--to", form, "-o", form]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains("is there already"), "{}", ran.stderr);
    }
}

#[test]
fn a_gpu_job_becomes_parquet_and_nothing_else() {
    let sandbox = Sandbox::with_gpu_job();
    for form in ["text", "db"] {
        let ran = sandbox.run(&["convert", "job", "--to", form, "-o", form]);
        assert_eq!((ran.code, ran.stderr.contains("--to parquet keeps all of it")), (2, true), "{}", ran.stderr);
        assert!(files(&sandbox.path(form)).is_empty());
    }
    assert_eq!(sandbox.run(&["convert", "job", "--to", "parquet", "-o", "out"]).code, 0);
    let query = "SELECT rank, op_type, sum(duration) AS ns FROM kernel GROUP BY 1, 2 ORDER BY 1, 2";
    let expected = "rank,op_type,ns\n0,allreduce,200000\n0,aten::mm,600000\n1,allreduce,200000\n1,aten::mm,1000000\n";
    assert_eq!(sandbox.sql("job", query), expected);
}
