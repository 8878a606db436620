//! Tables of the pages in the terminal.

use crate::program::Sandbox;

#[test]
fn views_are_listed_and_shown() {
    let sandbox = Sandbox::with_job();
    let listed = sandbox.run(&["show", "job"]);
    assert_eq!((listed.code, listed.stderr.as_str()), (0, ""));
    for view in ["steps", "overall", "operators", "stages", "gap", "collective"] {
        assert!(listed.stdout.lines().any(|line| line.split_whitespace().next() == Some(view)), "{view}");
    }
    let steps = sandbox.run(&["show", "job", "steps", "--rank", "1-2", "--format", "csv"]);
    assert_eq!((steps.code, steps.stderr.as_str()), (0, ""));
    let lines: Vec<&str> = steps.stdout.lines().collect();
    assert!(lines[0].starts_with("rank,step,start,duration,device_time,computing,"), "{}", lines[0]);
    assert_eq!(lines.len(), 1 + 2 * 2);
    assert_eq!(lines[1..].iter().map(|line| &line[..2]).collect::<Vec<_>>(), ["1,", "1,", "2,", "2,"]);
    let one = sandbox.run(&["show", "job", "steps", "--rank", "1", "--step", "11", "--format", "csv"]);
    assert_eq!(one.stdout.lines().count(), 2, "{}", one.stdout);
    // Times are those of SQL.
    let start = sandbox.sql("job", "SELECT min(start) FROM step WHERE rank = 1 AND id = 11");
    assert_eq!(one.stdout.lines().nth(1).unwrap().split(',').nth(2), start.lines().nth(1));
    let grouped = sandbox.run(&["show", "job", "operators", "--set", "group=core", "--set=unknown=1"]);
    assert_eq!(grouped.code, 2);
    assert!(grouped.stderr.contains("there is no parameter unknown; parameters of operators: group"), "{grouped:?}");
    let parts =
        sandbox.run(&["show", "job", "operators", "--set", "group=rank", "--range", "..50ms", "-o", "ranks.json"]);
    assert_eq!(parts.code, 0, "{parts:?}");
    assert!(std::fs::read_to_string(sandbox.path("ranks.json")).unwrap().starts_with(r#"[{"rank":"#));
}

#[test]
fn tables_show_durations_in_their_units_and_files_have_the_numbers() {
    let sandbox = Sandbox::with_job();
    let shown = sandbox.run(&["show", "job", "steps", "--rank", "1", "--step", "11"]);
    let row = shown.stdout.lines().nth(1).unwrap_or_default();
    assert!(row.contains(" ms") || row.contains(" us"), "{}", shown.stdout);
    let csv = sandbox.run(&["show", "job", "steps", "--rank", "1", "--step", "11", "--format", "csv"]);
    let duration = csv.stdout.lines().nth(1).and_then(|line| line.split(',').nth(3)).unwrap_or_default();
    assert!(duration.parse::<i64>().is_ok(), "{}", csv.stdout);
    assert!(!row.contains(duration), "{row}");
    // The same name is a share in one view and a size in another.
    let heat = sandbox.run(&["show", "job", "heat", "--rank", "1"]).stdout;
    assert!(heat.contains(" %") && !heat.contains(" ns"), "{heat}");
    let peak = sandbox.run(&["show", "job", "memory_peak", "--rank", "1"]).stdout;
    assert!(peak.contains("iB") && !peak.contains(" s ") && !peak.contains(" ms "), "{peak}");
}

#[test]
fn what_is_left_out_or_guessed_is_reported() {
    let sandbox = Sandbox::with_job();
    let text = sandbox.run(&["sql", "job", "SELECT 1", "-o", "x.foo"]);
    assert_eq!(text.code, 0, "{text:?}");
    assert!(text.stderr.contains(".foo is no known format, so a text table is written"), "{}", text.stderr);
    assert_eq!(sandbox.run(&["sql", "job", "SELECT 1", "-o", "x.csv"]).stderr, "");
    for arguments in [
        &["report", "job", "-o", "report.html", "--ranks", "0,99"][..],
        &["show", "job", "steps", "--rank", "0,99"],
        &["convert", "job", "--to", "parquet", "-o", "parquet", "--ranks", "0,99"],
        &["cluster", "-d", "job", "-m", "hccl_sum", "-o", "out", "--rank_list", "0,99"],
    ] {
        let ran = sandbox.run(arguments);
        let words = "left out ranks that do not exist: 99; the profile has ranks 0-3";
        assert!(ran.code == 0 && ran.stderr.contains(words), "{arguments:?}: {ran:?}");
    }
}

#[test]
fn the_directory_of_a_rank_without_data_is_reported() {
    let sandbox = Sandbox::with_job();
    std::fs::create_dir(sandbox.path("job/host_7_ascend_pt")).unwrap();
    std::fs::write(sandbox.path("job/host_7_ascend_pt/profiler_metadata.json"), "{}").unwrap();
    let doctor = sandbox.run(&["doctor", "job"]);
    assert!(
        doctor.stdout.contains("host_7_ascend_pt: the directory of a rank has neither ASCEND_PROFILER_OUTPUT"),
        "{}",
        doctor.stdout
    );
}

#[test]
fn what_cannot_be_shown_is_refused_with_a_reason() {
    let sandbox = Sandbox::with_job();
    for (arguments, words) in [
        (&["show", "job", "weather"][..], "there is no view weather"),
        (&["show", "job", "steps", "--rank", "9"], "the selected ranks do not exist"),
        (&["show", "job", "steps", "--step", "99"], "step 99 does not exist"),
        (&["show", "job", "stages"], "mark the stages with"),
        (&["show", "job", "operators", "--set", "group"], "NAME=VALUE"),
        (&["show", "job", "gap", "--rank", "0"], "at"),
    ] {
        let ran = sandbox.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.stderr.contains(words), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn a_gap_and_a_collective_are_explained_at_a_moment() {
    let sandbox = Sandbox::with_slow_rank();
    let longest = "SELECT start + duration / 2 AS at FROM overlap WHERE rank = 0 AND kind = 'free' ORDER BY duration DESC LIMIT 1";
    let at = sandbox.sql("job", longest).lines().nth(1).unwrap().to_owned();
    let gap = sandbox.run(&["show", "job", "gap", "--rank", "0", "--at", &at, "--format", "csv"]);
    assert_eq!((gap.code, gap.stderr.as_str()), (0, ""));
    assert!(gap.stdout.starts_with("rank,begin,end,cause,"), "{}", gap.stdout);
    let read = sandbox.run(&["show", "job", "gap", "--rank", "0", "--at", &at]);
    assert_eq!(read.stderr, "note: data: the host waited for input data: the data loader was too slow\n");
    assert!(gap.stdout.lines().count() > 1 && !gap.stdout.contains("unknown"), "{}", gap.stdout);
    let longest = "SELECT start + duration / 2 AS at FROM comm_op WHERE rank = 2 \
                   AND group_hash IN (SELECT group_hash FROM comm_op WHERE rank = 3) ORDER BY duration DESC LIMIT 1";
    let at = sandbox.sql("job", longest).lines().nth(1).unwrap().to_owned();
    let met = sandbox.run(&["show", "job", "collective", "--rank", "2", "--at", &at, "--format", "csv"]);
    assert_eq!((met.code, met.stderr.as_str()), (0, ""));
    assert!(met.stdout.lines().count() > 2, "{}", met.stdout);
    assert!(met.stdout.lines().last().unwrap().starts_with("3,"), "the slow rank is last: {}", met.stdout);
}

#[test]
fn a_list_is_json_text_in_a_cell_of_csv() {
    let sandbox = Sandbox::with_job();
    let csv = sandbox.sql("job", "SELECT make_array(1, 2) AS list, 7 AS n, make_array('a, b', NULL) AS texts");
    assert_eq!(csv, "list,n,texts\n\"[1,2]\",7,\"[\"\"a, b\"\",null]\"\n");
    let operators = sandbox.run(&["show", "job", "operators", "--format", "csv"]);
    assert_eq!(operators.code, 0, "{operators:?}");
}
