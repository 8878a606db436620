//! Errors say what is wrong in the user's language: English, and Chinese without English sentences.

use std::collections::BTreeSet;
use std::fs;

use npuscope_messages::Language;
use npuscope_testing::{COMMANDS, english_sentence};

use crate::program::{Sandbox, ran};

// Texts of other libraries are arguments of our sentences, in English in every language, where there are too many to
// translate: the syntax and the types of TOML and JSON (toml, serde), the syntax of YAML, what DataFusion says of a query
// beyond what `datafusion_error.rs` of the engine knows, and what SQLite says of a database. They are not listed here.

/// What is wrong, the exit code, and what English says of it. Runs where `job` is a job of four ranks.
const SITUATIONS: &[(&[&str], i32, &str)] = &[
    // Found by clap.
    (&["bogus"], 2, "unrecognized subcommand 'bogus'"),
    (&["doctr", "job"], 2, "a similar subcommand exists: 'doctor'"),
    (&["info"], 2, "required arguments were not provided"),
    (&["info", "job", "--nonsense"], 2, "npuscope info has no option --nonsense"),
    (&["info", "job", "--formt", "json"], 2, "did you mean '--format'?"),
    (&["info", "job", "--format", "xml"], 2, "[possible values: text, json]"),
    (&["info", "job", "--format"], 2, "a value is required for '--format <FORMAT>'"),
    (&["info", "job", "more"], 2, "unexpected argument 'more' found"),
    (&["sql", "job", "SELECT 1", "--max-rows", "many"], 2, "expected a whole number"),
    (&["view", "job", "--port", "70000"], 2, "must be from 0 to 65535"),
    (&["view", "job", "--listen", "here"], 2, "expected an IP address"),
    (&["dynamic", "set", "cfg", "--off", "--start", "3"], 2, "cannot be used with"),
    (&["dynamic", "set", "cfg", "--start", "3", "--start", "4"], 2, "cannot be used multiple times"),
    // Values of options.
    (&["sql", "job", "SELECT 1", "--memory-limit", "4 apples"], 2, "expected a size such as 512MiB or 4GiB"),
    (&["sql", "job", "SELECT 1", "--timeout", "soon"], 2, "expected a time such as 500ms, 30s, 5m or 1h"),
    (&["convert", "job", "--to", "db", "-o", "out", "--ranks", "a"], 2, "expected numbers and ranges such as 0,3-7"),
    (&["show", "job", "steps", "--range", "now"], 2, "expected a time range such as 1.5s..2.25s"),
    (&["show", "job", "steps", "--range", "1..2.5"], 2, "2.5 needs a unit"),
    (&["show", "job", "steps", "--range", "1h..2h"], 2, "h is not a unit of time; use s, ms, us or ns"),
    (&["show", "job", "steps", "--range", "2s..1s"], 2, "the range ends before it begins"),
    (&["show", "job", "operators", "--set", "group"], 2, "expected NAME=VALUE"),
    (&["dynamic", "set", "cfg", "--start", "0"], 2, "expected a step number from 1, or next"),
    // Paths.
    (&["doctor", "nowhere"], 2, "no such file or directory: nowhere"),
    (&["info", "empty"], 2, "no profile in empty; expected ASCEND_PROFILER_OUTPUT or FRAMEWORK directories"),
    (&["report", "nowhere", "-o", "out.html"], 2, "no such file or directory: nowhere"),
    (&["view", "nowhere"], 2, "no such file or directory: nowhere"),
    (&["parse", "empty"], 2, "no raw data in empty; expected directories that contain FRAMEWORK"),
    (&["parse", "notes.txt"], 2, "notes.txt is not a directory"),
    (&["dynamic", "status", "empty"], 2, "no such file: empty/profiler_config.json"),
    (&["config", "check", "nowhere.yaml"], 2, "cannot read nowhere.yaml: no such file or directory"),
    (&["synth", "-o", "job"], 2, "job is not an empty directory; empty it or choose another path"),
    (&["synth", "-o", "new", "--scenario", "empty"], 2, "no .toml file in empty"),
    (&["sql", "job", "SELECT 1", "-o", "no/where.csv"], 2, "cannot write no/where.csv: no such file or directory"),
    (&["convert", "job", "--to", "db", "-o", "notes.txt/out"], 2, "cannot write notes.txt/out: not a directory"),
    (&["report", "job", "-o", ".."], 2, "-o must name a file"),
    // What the profile does not have.
    (
        &["convert", "job", "--to", "db", "-o", "out", "--ranks", "9"],
        2,
        "the selected ranks do not exist; the profile has ranks 0-3",
    ),
    (&["cluster", "-d", "job", "-m", "slow_rank", "-o", "out", "--rank_list", "9"], 2, "the profile has ranks 0-3"),
    (
        &["cluster", "-d", "job", "-m", "hccl_sum", "-o", "out", "--step_id", "99"],
        2,
        "step 99 does not exist; the profile has steps",
    ),
    (&["cluster", "-d", "job", "-m", "cluster_compare_baseline", "-o", "out"], 2, "needs a baseline; add --bp DIR"),
    (&["show", "job", "weather"], 2, "there is no view weather; npuscope show job lists the views"),
    (&["show", "job", "steps", "--range", "step:99"], 2, "step 99 does not exist; the profile has steps 10-11"),
    (&["show", "job", "steps", "--range", "step:98..99"], 2, "steps 98-99 do not exist"),
    (&["show", "job", "steps", "--range", "100s..200s"], 2, "--range selects nothing: the profile covers"),
    (&["convert", "job", "--to", "db", "-o", "out", "--range", "step:11"], 2, "--range needs --to perfetto"),
    (
        &["info", "memory_record.csv"],
        2,
        "no step times recorded; npuscope doctor memory_record.csv says what is missing",
    ),
    (&["sql", "job", r"\d kernels"], 2, r"there is no table kernels; \tables lists the tables"),
    (&["sql", "job", r"\nonsense"], 2, r"unknown command \nonsense; use \tables, \d TABLE or \functions"),
    (&["glossary", "confidense"], 2, "there is no term confidense; did you mean confidence?"),
    (&["glossary", "weather"], 2, "there is no term weather; npuscope glossary lists all terms"),
    // Queries, views and jobs to simulate.
    (&["sql", "job", "SELEC 1"], 2, "at line 1, column 1: expected an SQL statement, found SELEC"),
    (&["sql", "job", ""], 2, "the query is empty"),
    (&["sql", "job", "SELECT * FROM kernels"], 2, r"the query '\tables' lists the tables"),
    (&["sql", "job", "SELECT op_typ FROM kernel"], 2, r"the query '\d kernel' lists its columns"),
    (&["sql", "job", "DROP TABLE kernel"], 2, "a query can only read; DROP TABLE is not allowed"),
    (&["show", "job", "steps", "--step", "99"], 2, "step 99"),
    (&["show", "job", "stages"], 2, "mark the stages with"),
    (&["show", "job", "operators", "--set", "unknown=1"], 2, "; parameters of operators: group"),
    (&["show", "job", "gap", "--rank", "0"], 2, "this view needs a point in time; on the command line, add --at TIME"),
    (&["synth", "-o", "new", "--tp", "0"], 2, "tp must be at least 1"),
    (&["synth", "-o", "new", "--fault", "slow-rank"], 2, "slow-rank@5:1.5"),
    (&["synth", "-o", "new", "--fault", "gc@0:-1"], 2, "the strength (ms per micro-batch) must be at least 0, not -1"),
    (
        &["synth", "-o", "new", "--scenario", "level.toml"],
        2,
        "level.toml: level must be one of none, level0, level1, level2, not \"level7\"",
    ),
    (&["synth", "-o", "new", "--scenario", "type.toml"], 2, "type.toml: layers must be a whole number, not a string"),
    (&["sql", "job", "SELECT CAST('abc' AS BIGINT)"], 2, "cannot convert 'abc' to Int64"),
    (&["show", "job", "gap", "--rank", "0", "--at", "100s"], 2, "--at is outside the profile, which ends at "),
    (&["show", "job", "steps", "--step", "98"], 2, "step 98 does not exist; the profile has steps 10-11"),
    (&["synth", "-o", "new", "--scenario", "key.toml"], 2, "key.toml: unknown key stpes; did you mean steps?"),
    // The viewer.
    (&["view", "job", "--token", "short"], 2, "--token must have at least 16 letters and digits"),
    (&["view", "job", "--listen", "0.0.0.0"], 2, "other machines can reach this address; set a token with --token"),
    (
        &["view", "job", "--listen", "203.0.113.7", "--token", "abcdefghijklmnop"],
        2,
        "203.0.113.7 is not an address of this machine",
    ),
    (&["dynamic", "set", "cfg", "--start", "next", "--stop", "9"], 2, "--start next does not support --stop"),
];

#[test]
fn errors_are_said_in_the_language_of_the_user() {
    let sandbox = Sandbox::with_job();
    fs::create_dir(sandbox.path("empty")).unwrap();
    fs::write(sandbox.path("notes.txt"), "no profile").unwrap();
    fs::write(sandbox.path("level.toml"), "level = 'level7'\n").unwrap();
    fs::write(sandbox.path("key.toml"), "stpes = 3\n").unwrap();
    fs::write(sandbox.path("type.toml"), "layers = 'many'\n").unwrap();
    let memory = sandbox.rank(0).join("ASCEND_PROFILER_OUTPUT/memory_record.csv");
    fs::copy(memory, sandbox.path("memory_record.csv")).unwrap();
    let mut wrong = Vec::new();
    for (arguments, code, sentence) in SITUATIONS {
        let english = sandbox.run(arguments);
        if english.code != *code || !english.stderr.contains(sentence) || !english.stderr.contains("error: ") {
            wrong.push(format!("{arguments:?} in English: {english:?}"));
        }
        let chinese = sandbox.run(&[&["--lang", "zh"], *arguments].concat());
        let found = english_sentence(&chinese.stderr);
        if chinese.code != *code || found.is_some() || !chinese.stderr.contains("错误：") {
            wrong.push(format!("{arguments:?} in Chinese: {found:?} in {chinese:?}"));
        }
        if (english.stdout.as_str(), chinese.stdout.as_str()) != ("", "") {
            wrong.push(format!("{arguments:?} printed to stdout: {english:?} {chinese:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What `english_sentence` takes for a command line.
#[test]
fn the_commands_that_are_no_english_are_those_of_the_program() {
    let command = npuscope::help::command(Language::English);
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    let commands = shown.map(|command| command.get_name().to_owned());
    assert_eq!(commands.collect::<BTreeSet<_>>(), COMMANDS.iter().map(|name| (*name).to_owned()).collect());
}

#[test]
fn errors_of_the_environment_follow_the_locale() {
    let sandbox = Sandbox::empty();
    let run = |arguments: &[&str]| {
        let mut command = sandbox.command(arguments);
        ran(command.env("LC_ALL", "zh_CN.UTF-8").env("NPUSCOPE_THREADS", "many").output().unwrap())
    };
    assert_eq!(run(&["doctor", "."]).stderr, "错误：NPUSCOPE_THREADS 应为数字，而不是 many\n");
    let english = run(&["doctor", ".", "--lang", "en"]).stderr;
    assert_eq!(english, "error: NPUSCOPE_THREADS must be a number, not many\n");
    assert!(run(&["doctr"]).stderr.starts_with("错误：未知命令 'doctr'\n\n是否指 'doctor'？\n\n用法：npuscope "));
}

#[test]
fn notes_headings_and_lists_are_chinese_where_the_language_is() {
    let sandbox = Sandbox::with_job();
    for arguments in [
        &["sql", "job", "SELECT * FROM kernel", "--max-rows", "1"][..],
        &["sql", "job", "SELECT * FROM dataset_op"],
        &["convert", "job", "--to", "perfetto", "-o", "out.pftrace"],
        &["report", "job", "-o", "out.html"],
        &["synth", "-o", "other", "--pp", "1", "--layers", "1", "--micro-batches", "1", "--steps", "1"],
    ] {
        let ran = sandbox.run(&[arguments, &["--lang", "zh"]].concat());
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains("说明："), "{arguments:?}: {ran:?}");
        assert_eq!(english_sentence(&ran.stderr), None, "{arguments:?}: {ran:?}");
    }
    for arguments in
        [&["sql", "job", r"\tables"][..], &["sql", "job", r"\d kernel"], &["show", "job"], &["doctor", "job"]]
    {
        let ran = sandbox.run(&[arguments, &["--lang", "zh"]].concat());
        assert_eq!((ran.code, english_sentence(&ran.stdout)), (0, None), "{arguments:?}: {}", ran.stdout);
    }
}

#[test]
fn help_instead_of_a_missing_command_is_in_the_language_of_the_user() {
    let sandbox = Sandbox::empty();
    for arguments in [&[][..], &["dynamic"], &["config"]] {
        let english = sandbox.run(arguments);
        assert_eq!((english.code, english.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(english.stderr.contains("Usage: npuscope"), "{arguments:?}: {}", english.stderr);
        let chinese = sandbox.run(&[arguments, &["--lang", "zh"]].concat());
        assert_eq!((chinese.code, english_sentence(&chinese.stderr)), (2, None), "{arguments:?}: {}", chinese.stderr);
        assert!(chinese.stderr.contains("用法：npuscope"), "{arguments:?}: {}", chinese.stderr);
    }
}
