//! Cut, damaged and odd traces, on any number of threads, and what is not made of one.

use std::fs;

use npuscope_formats::output::{Output, OutputError};
use npuscope_formats::{db, kineto, text};
use npuscope_store::discover::discover;
use npuscope_tables::table::{comm_op, diagnostic, host_op, kernel};
use npuscope_tables::{Rank, RankPieces, RankTables, TableId};
use serde_json::json;

use super::made::{codes, many, packed, put, read_path, two_steps};

#[test]
fn a_cut_trace_keeps_every_event_before_the_cut() {
    let text = many(500).text();
    let cut = text.find("\"op ").map(|first| first + (text.len() - first) / 2).unwrap();
    let text = &text[..cut];
    let whole = text.matches("\"dur\": 0.5, \"args\": {").count();
    let directory = tempfile::tempdir().unwrap();
    for (name, bytes) in [("a.json", text.as_bytes().to_vec()), ("a.json.gz", packed(text.as_bytes()))] {
        let tables = read_path(&put(&directory, name, &bytes));
        let rows = tables.len(TableId::HostOp);
        assert!(rows == whole || rows + 1 == whole, "{rows} of {whole}");
        // The base of the times went with the rest.
        assert_eq!(codes(&tables), ["cut-file", "no-base-time"], "{name}");
        let cut = tables.rows::<diagnostic::Row>().next().unwrap();
        assert_eq!(tables.opt_text(cut.file), Some(name));
        assert!(cut.offset.is_some_and(|offset| offset > 0 && offset < text.len() as i64));
        assert_eq!(cut.message(&tables).id() == "read-gzip-offset", name == "a.json.gz");
    }
}

#[test]
fn damaged_packing_costs_only_what_lies_behind_it() {
    let text = many(20_000).text();
    let whole = packed(text.as_bytes());
    let directory = tempfile::tempdir().unwrap();
    let half = whole.len() / 2;
    let mut damaged = whole.clone();
    damaged[half..half + 500].fill(0xa5);
    for (name, bytes, code) in
        [("cut.json.gz", &whole[..half], "cut-file"), ("damaged.json.gz", &damaged, "damaged-gzip")]
    {
        let tables = read_path(&put(&directory, name, bytes));
        let rows = tables.len(TableId::HostOp);
        assert!((8_000..20_000).contains(&rows), "{name}: {rows}");
        let reported = tables.rows::<diagnostic::Row>().next().unwrap();
        assert_eq!((tables.text(reported.code), tables.opt_text(reported.file)), (code, Some(name)));
        let offset = usize::try_from(reported.offset.unwrap()).unwrap();
        assert!((half..=whole.len()).contains(&offset), "{name}: {offset} of {half}");
    }
}

#[test]
fn a_broken_tail_costs_no_event() {
    let mut trace = two_steps(("cuda_runtime", "cudaLaunchKernel"));
    trace.tail = r#", "traceName" "a", "baseTimeNanoseconds": 5"#.to_owned();
    let tables = trace.read();
    assert_eq!(tables.len(TableId::Kernel), 2);
    assert_eq!(codes(&tables), ["garbage", "no-base-time"]);
}

#[test]
fn times_are_reported_if_the_file_ends_between_the_events_and_their_base() {
    let text = many(20).text();
    let cut = text.rfind(']').unwrap() + 1;
    let directory = tempfile::tempdir().unwrap();
    let tables = read_path(&put(&directory, "a.json", &text.as_bytes()[..cut]));
    assert_eq!(codes(&tables), ["cut-file", "no-base-time"]);
    // Whole, it never had a base; nor has a list that stands alone.
    let whole = [&text[..cut], "}"].concat();
    assert_eq!(codes(&read_path(&put(&directory, "b.json", whole.as_bytes()))), Vec::<&str>::new());
}

#[test]
fn a_list_that_stands_alone_is_a_trace_if_it_is_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let text = format!("[{}]", two_steps(("cuda_runtime", "cudaLaunchKernel")).events.join(","));
    let tables = read_path(&put(&directory, "events.json", text.as_bytes()));
    assert_eq!((tables.len(TableId::Kernel), codes(&tables)), (2, vec![]));
    // Among other files it may be anything.
    assert!(discover(directory.path()).is_err());
}

#[test]
fn neither_stretches_nor_threads_change_the_rows() {
    let mut trace = many(3000);
    for number in 0..500 {
        let group =
            json!({"Process Group Name": (number % 3).to_string(), "correlation": number, "device": 0, "stream": 9});
        trace.slice("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", (0, 9), &format!("{number}"), "0.5", group);
        trace.slice("kernel", "gemm", (0, 7), &format!("{number}"), "0.25", json!({"correlation": number}));
    }
    let text = trace.text();
    let read = |stretches, threads| {
        let mut pieces = RankPieces::default();
        let summary = kineto::read_in(text.as_bytes(), "t", stretches, threads, &mut pieces);
        assert_eq!((summary.events, summary.diagnostics.len()), (4006, 0));
        pieces.finish()
    };
    let one = read(1, 1);
    for (stretches, threads) in [(5, 1), (5, 3)] {
        let many = read(stretches, threads);
        let kernels =
            |tables: &RankTables| tables.rows::<kernel::Row>().map(|row| (row.task, row.start)).collect::<Vec<_>>();
        assert_eq!(kernels(&one), kernels(&many));
        let ops = |tables: &RankTables| {
            let key = |row: comm_op::Row| (row.lane, row.start, tables.opt_text(row.group_name).unwrap().to_owned());
            tables.rows().map(key).collect::<Vec<_>>()
        };
        assert_eq!(ops(&one), ops(&many));
        let host = |tables: &RankTables| {
            let key = |row: host_op::Row| {
                (row.start, tables.text(row.name).to_owned(), tables.opt_text(row.args).map(str::to_owned))
            };
            tables.rows().map(key).collect::<Vec<_>>()
        };
        assert_eq!(host(&one), host(&many));
    }
}

#[test]
fn the_files_of_an_npu_are_not_made_of_a_gpu_trace() {
    let directory = tempfile::tempdir().unwrap();
    let out = || Output::new(directory.path()).unwrap();
    let tables = || two_steps(("cuda_runtime", "cudaLaunchKernel")).read();
    for error in [text::write_rank(tables(), Rank(0), &out()), db::write_rank(tables(), Rank(0), &out())] {
        assert!(matches!(error.unwrap_err(), OutputError::NoPlace { .. }));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
