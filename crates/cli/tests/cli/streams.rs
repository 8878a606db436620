//! Results go to stdout and nothing else does; a closed pipe is no error.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::program::{Sandbox, ran};

const MANY: &str = "SELECT a.name, b.start FROM kernel a, kernel b, kernel c";

#[test]
fn a_reader_that_leaves_early_ends_the_query() {
    let sandbox = Sandbox::with_job();
    for format in ["csv", "json", "arrow"] {
        let mut command = sandbox.command(&["sql", "job", MANY, "--format", format]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        assert!(!out.fill_buf().unwrap().is_empty(), "{format}");
        drop(out);
        let ran = ran(child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{format}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let sandbox = Sandbox::with_job();
    for arguments in [
        &["doctor", "job"][..],
        &["info", "job"],
        &["sql", "job", r"\tables"],
        &["sql", "job", "SELECT * FROM kernel"],
        &["sql", "job", "SELECT * FROM kernel", "--format", "parquet"],
        &["completion", "bash"],
        &["--help"],
    ] {
        let mut child = sandbox.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ran = ran(child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
    }
}

#[test]
fn colours_are_only_for_those_who_see_them() {
    let sandbox = Sandbox::with_slow_rank();
    for arguments in [&["doctor", "job"][..], &["info", "job"], &["sql", "job", "SELECT nope FROM kernel"]] {
        let plain = sandbox.run(arguments);
        assert!(!plain.stdout.contains('\x1b') && !plain.stderr.contains('\x1b'), "{arguments:?}");
        let coloured = sandbox.run(&[arguments, &["--color", "always"]].concat());
        assert!(coloured.stdout.contains("\x1b[") || coloured.stderr.contains("\x1b["), "{arguments:?}");
        let never = sandbox.run(&[arguments, &["--color", "never"]].concat());
        assert_eq!((never.stdout, never.stderr), (plain.stdout, plain.stderr), "{arguments:?}");
    }
}

/// Runs the program on a terminal, where `script` can make one.
fn on_a_terminal(sandbox: &Sandbox, arguments: &[&str], no_color: Option<&str>) -> Option<String> {
    let program = sandbox.command(arguments);
    let line = std::iter::once(program.get_program()).chain(program.get_args()).map(|word| word.to_str().unwrap());
    let line = line.collect::<Vec<_>>().join(" ");
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(sandbox.path("")).stdin(Stdio::null());
    script.env("NPUSCOPE_CACHE_DIR", sandbox.path("cache")).env("TERM", "xterm").env_remove("NO_COLOR");
    if let Some(value) = no_color {
        script.env("NO_COLOR", value);
    }
    match script.output() {
        Ok(output) if output.status.success() => Some(String::from_utf8(output.stdout).unwrap()),
        _ => {
            eprintln!("SKIPPED: this test needs `script` of util-linux");
            None
        }
    }
}

#[test]
fn a_terminal_has_colours_unless_they_are_unwanted() {
    let sandbox = Sandbox::with_slow_rank();
    let plain = sandbox.run(&["info", "job"]).stdout;
    let Some(coloured) = on_a_terminal(&sandbox, &["info", "job"], None) else { return };
    assert!(coloured.contains("\x1b[31mcritical\x1b[0m"), "{coloured}");
    for (arguments, no_color) in [(&["info", "job"][..], Some("1")), (&["info", "job", "--color", "never"], None)] {
        let printed = on_a_terminal(&sandbox, arguments, no_color).unwrap();
        assert_eq!(printed.replace("\r\n", "\n"), plain);
    }
    let asked_for = on_a_terminal(&sandbox, &["info", "job", "--color", "always"], Some("1")).unwrap();
    assert!(asked_for.contains("\x1b["), "what is asked for on the command line goes first");
}

#[test]
fn reading_shows_no_bar_where_nobody_sees_it() {
    let sandbox = Sandbox::with_job();
    let ran = sandbox.run(&["--color", "always", "sql", "job", "SELECT count(*) AS n FROM rank", "--format", "csv"]);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("n\n4\n", ""));
}

#[test]
fn diagnostics_go_to_stderr_unless_quiet() {
    let sandbox = Sandbox::with_cut_trace();
    let printed = |arguments: &[&str]| {
        let ran = sandbox.run(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        let lines = ran.stderr.lines().filter(|line| line.contains("npuscope doctor job lists "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    for arguments in [
        &["info", "job"][..],
        &["sql", "job", "SELECT count(*) FROM task", "--format", "csv"],
        &["convert", "job", "--to", "parquet", "-o", "out"],
    ] {
        let lines = printed(arguments);
        assert_eq!(lines.len(), 1, "{arguments:?}");
        assert!(lines[0].starts_with("warning: ") && lines[0].contains(" while reading"), "{lines:?}");
    }
    let quiet = sandbox.run(&["-q", "info", "job"]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
    assert!(
        printed(&["sql", "job", "SELECT count(*) FROM task WHERE rank = 2"]).is_empty(),
        "rank 1 was not asked for"
    );
    let csv = sandbox.sql("job", "SELECT count(DISTINCT rank) AS ranks FROM kernel");
    assert_eq!(csv, "ranks\n4\n");
}

#[test]
fn completion_scripts_name_every_command() {
    let sandbox = Sandbox::empty();
    for shell in ["bash", "zsh", "fish"] {
        let script = String::from_utf8(sandbox.bytes(&["completion", shell])).unwrap();
        for command in ["doctor", "info", "sql", "convert", "synth", "completion", "--cache-dir", "--format"] {
            let word = if shell == "fish" { command.trim_start_matches('-') } else { command };
            assert!(script.contains(word), "{shell} lacks {command}");
        }
    }
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let sandbox = Sandbox::empty();
    assert_eq!(sandbox.run(&["man", "-o", "man"]).code, 0);
    for page in ["npuscope", "npuscope-doctor", "npuscope-info", "npuscope-sql", "npuscope-convert"] {
        let text = std::fs::read_to_string(sandbox.path(&format!("man/{page}.1"))).unwrap();
        assert!(text.contains(".TH ") && text.contains(".SH SYNOPSIS"), "{page}");
    }
}

#[test]
fn a_query_takes_no_more_than_it_may() {
    let sandbox = Sandbox::with_job();
    let ran = sandbox.run(&["sql", "job", MANY, "--format", "csv", "--limit", "5"]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 6), "{}", ran.stderr);
    let count = "SELECT count(*) FROM kernel a, kernel b, kernel c, kernel d WHERE a.start + b.start < c.start";
    let ran = sandbox.run(&["sql", "job", count, "--timeout", "500ms"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("timed out after 500 ms") && ran.stderr.contains("--timeout"), "{}", ran.stderr);
    let window = "SELECT count(*) OVER () AS n, a.start FROM kernel a, kernel b, kernel c";
    let ran = sandbox.run(&["sql", "job", window, "--memory-limit", "32MB"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("32.0 MiB") && ran.stderr.contains("--memory-limit"), "{}", ran.stderr);
    for terms in [500, 5000, 50_000] {
        let sum = format!("SELECT {} AS n", vec!["1"; terms].join("+"));
        let ran = sandbox.run(&["sql", "job", &sum]);
        assert_eq!(ran.code, if terms == 500 { 0 } else { 2 }, "{}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_query_and_leaves_no_file() {
    let sandbox = Sandbox::with_job();
    // The ranks are read once, so that the signal meets the query.
    sandbox.sql("job", "SELECT count(*) FROM kernel");
    for arguments in [
        &["sql", "job", MANY, "-o", "out.csv"][..],
        &["sql", "job", "SELECT sum(a.start) FROM kernel a, kernel b, kernel c, kernel d"],
    ] {
        let mut child = sandbox.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_secs(3));
        let stopped = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(stopped.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{arguments:?}");
        assert!(!sandbox.path("out.csv").exists() && !sandbox.path(".out.csv.part").exists());
    }
}
