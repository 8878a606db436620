//! 0 fine, 1 findings above a threshold, 2 bad usage or input, 3 internal error.

use std::fs::{self, File};

use crate::program::{Sandbox, ran};

/// The run fails with 2 and one line on stderr that contains `words`.
fn assert_refused(sandbox: &Sandbox, arguments: &[&str], words: &str) {
    let ran = sandbox.run(arguments);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}: {}", ran.stderr);
    assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains(words), "{arguments:?}: {}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{arguments:?}: {}", ran.stderr);
}

#[test]
fn findings_fail_only_above_the_threshold() {
    let slow = Sandbox::with_slow_rank();
    let code = |sandbox: &Sandbox, arguments: &[&str]| sandbox.run(arguments).code;
    assert_eq!(code(&slow, &["info", "job"]), 0);
    for severity in ["info", "warning", "critical"] {
        assert_eq!(code(&slow, &["info", "job", "--fail-on", severity]), 1, "{severity}");
    }
    let healthy = Sandbox::with_job();
    assert_eq!(code(&healthy, &["info", "job", "--fail-on", "info"]), 0);
}

#[test]
fn a_finding_still_prints_the_report() {
    let sandbox = Sandbox::with_slow_rank();
    let report = sandbox.run(&["info", "job"]).stdout;
    assert_eq!(sandbox.run(&["info", "job", "--fail-on", "critical"]).stdout, report);
    assert!(report.contains("rank 3 computes"), "{report}");
}

#[test]
fn a_wrong_command_line_is_refused() {
    let sandbox = Sandbox::empty();
    for arguments in [
        &[][..],
        &["bogus"],
        &["info"],
        &["info", ".", "--nonsense"],
        &["info", ".", "--format", "xml"],
        &["sql", ".", "SELECT 1", "--memory-limit", "4 apples"],
        &["convert", ".", "--to", "db", "-o", "out", "--ranks", "a"],
        &["completion", "tcsh"],
    ] {
        let ran = sandbox.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.stderr.contains("--help"), "{arguments:?}: {}", ran.stderr);
    }
    for arguments in [&["--help"][..], &["--version"], &["help", "sql"], &["sql", "--help"]] {
        assert_eq!(sandbox.run(arguments).code, 0, "{arguments:?}");
    }
    let output = sandbox.command(&["doctor", "."]).env("NPUSCOPE_THREADS", "many").output().unwrap();
    assert_eq!(ran(output).stderr, "error: NPUSCOPE_THREADS must be a number, not many\n");
}

#[test]
fn what_is_no_profile_is_refused_in_one_line() {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.path("empty")).unwrap();
    fs::write(sandbox.path("notes.txt"), "no profile").unwrap();
    let commands: [&[&str]; 4] = [&["doctor"], &["info"], &["sql"], &["convert"]];
    for command in commands {
        let rest: &[&str] = match command[0] {
            "sql" => &["SELECT 1"],
            "convert" => &["--to", "db", "-o", "out"],
            _ => &[],
        };
        let arguments = |path| [command, &[path], rest].concat();
        assert_refused(&sandbox, &arguments("nowhere"), "no such file or directory: nowhere");
        assert_refused(&sandbox, &arguments("empty"), "no profile in empty");
        assert_refused(&sandbox, &arguments("notes.txt"), "no profile in notes.txt");
    }
    assert!(!sandbox.path("out").exists());
}

#[test]
fn a_wrong_query_is_refused_with_a_hint() {
    let sandbox = Sandbox::with_job();
    for (query, words) in [
        ("SELEC 1", "syntax error at line 1, column 1: expected an SQL statement, found SELEC"),
        ("", "the query is empty"),
        (
            "SELECT * FROM kernels",
            r"there is no table kernels; did you mean kernel? (the query '\tables' lists the tables)",
        ),
        (
            "SELECT op_typ FROM kernel",
            r"there is no column op_typ in kernel; did you mean op_type? (the query '\d kernel' lists its columns)",
        ),
        ("SELECT k.nope FROM kernel k", r"there is no column nope in k (the query '\d TABLE' lists its columns)"),
        ("SELECT sum(name) FROM kernel", "no function matches sum(Text)"),
        ("SELECT nofunc(name) FROM kernel", "there is no function nofunc"),
        ("SELECT 1 / 0 FROM kernel", "division by zero"),
        ("DROP TABLE kernel", "a query can only read"),
        ("SELECT 1; SELECT 2", "a query is one statement"),
        ("SELECT start, end FROM step", r#"write the column as "end""#),
        ("SELECT op_type, sum(duration) / 2 FROM kernel GROUP BY 1 ORDER BY 2", "give it one with AS"),
        (r"\d kernels", r"there is no table kernels; \tables lists the tables"),
        (r"\nonsense", r"use \tables, \d TABLE or \functions"),
    ] {
        assert_refused(&sandbox, &["sql", "job", query], words);
    }
}

#[test]
fn what_was_not_collected_cannot_be_judged() {
    let sandbox = Sandbox::with_job();
    let memory = sandbox.rank(0).join("ASCEND_PROFILER_OUTPUT/memory_record.csv");
    fs::copy(memory, sandbox.path("memory_record.csv")).unwrap();
    let ran = sandbox.run(&["info", "memory_record.csv", "--quiet"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert_eq!(ran.stderr, "error: no step times recorded; npuscope doctor memory_record.csv says what is missing\n");
}

#[test]
fn strict_fails_where_something_could_not_be_read() {
    let sandbox = Sandbox::with_cut_trace();
    assert_eq!(sandbox.run(&["sql", "job", "SELECT count(*) FROM task"]).code, 0);
    let strict = sandbox.run(&["sql", "job", "SELECT count(*) FROM task", "--strict"]);
    assert_eq!((strict.code, strict.stdout.as_str()), (2, ""));
    assert!(strict.stderr.contains("rank 1") && strict.stderr.contains("trace_view.json"), "{}", strict.stderr);
    assert_eq!(sandbox.run(&["doctor", "job", "--strict"]).code, 2);
    let healthy = Sandbox::with_job();
    assert_eq!(healthy.run(&["doctor", "job", "--strict"]).code, 0);
}

#[test]
fn what_cannot_be_written_is_named() {
    let sandbox = Sandbox::with_job();
    fs::write(sandbox.path("file"), "").unwrap();
    assert_refused(&sandbox, &["sql", "job", "SELECT 1", "-o", "no/where.csv"], "cannot write no/where.csv");
    assert_refused(&sandbox, &["convert", "job", "--to", "db", "-o", "file/out"], "cannot write file/out");
    assert_refused(
        &sandbox,
        &["convert", "job", "--to", "db", "-o", "out", "--ranks", "9"],
        "the selected ranks do not exist",
    );
    assert_refused(&sandbox, &["synth", "-o", "job"], "job is not an empty directory");
    assert_refused(&sandbox, &["synth", "-o", "other", "--tp", "0"], "tp must be at least 1");
}

#[test]
fn a_query_beyond_its_memory_is_refused() {
    let sandbox = Sandbox::with_job();
    let join = "SELECT count(*) FROM host_op a JOIN host_op b ON a.name = b.name";
    let arguments = ["sql", "job", join, "--memory-limit", "16KB"];
    assert_refused(&sandbox, &arguments, "the query exceeds its memory limit of");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_no_fault_of_the_user() {
    let sandbox = Sandbox::with_job();
    for arguments in
        [&["info", "job"][..], &["doctor", "job"], &["sql", "job", "SELECT * FROM kernel", "--format", "csv"]]
    {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let ran = ran(sandbox.command(arguments).stdout(full).output().unwrap());
        assert_eq!(ran.code, 3, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("no space left on the disk"), "{}", ran.stderr);
    }
}
