//! Of the real captures, every file, column and event is in the tables.

use std::collections::BTreeMap;

use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_store::discover::discover;
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_tables::table::{comm_op, comm_task, counter, diagnostic, flow, host_op, lane, overlap, source, task};
use npuscope_tables::{LaneId, RankTables, Table};
use npuscope_testing::captures;

type Lane = (i64, i64);

#[test]
fn no_file_is_unknown_and_no_column_unread() {
    for (name, path) in captures("text").into_iter().chain(captures("db")) {
        let tables = read_rank(&discover(&path).unwrap().ranks[0], ReadOptions::default());
        // Databases of that age have two columns in each other's place, which is reported as information.
        let is_problem = |row: &diagnostic::Row| tables.text(row.code) != "swapped-columns";
        let reported = |row: diagnostic::Row| tables.text(row.message).to_owned();
        let diagnostics: Vec<String> = tables.rows().filter(is_problem).map(reported).collect();
        assert_eq!(diagnostics, Vec::<String>::new(), "{name}");
        for row in tables.rows::<source::Row>() {
            assert_eq!(tables.opt_text(row.unread), None, "{name} {}", tables.text(row.file));
        }
    }
}

#[test]
fn every_lane_of_a_trace_has_as_many_slices_as_before() {
    for (name, path) in captures("text") {
        let tables = read_rank(&discover(&path).unwrap().ranks[0], ReadOptions { threads: 2, ..Default::default() });
        let mut lanes: BTreeMap<Lane, usize> = BTreeMap::new();
        let (mut flow_ends, mut counters) = (0, 0);
        let trace = std::fs::read(path.join(OUTPUT_DIRECTORY).join("trace_view.json")).unwrap();
        for event in serde_json::from_slice::<Vec<serde_json::Value>>(&trace).unwrap() {
            let id = |key: &str| event[key].as_i64().unwrap();
            match event["ph"].as_str().unwrap() {
                "X" => *lanes.entry((id("pid"), id("tid"))).or_default() += 1,
                "C" => counters += event["args"].as_object().unwrap().keys().filter(|key| *key != "acc_id").count(),
                "s" | "f" => flow_ends += 1,
                phase => assert_eq!(phase, "M", "{name}"),
            }
        }
        let mut read = BTreeMap::new();
        count::<host_op::Row>(&tables, |row| Some(row.lane), &mut read);
        count::<task::Row>(&tables, |row| Some(row.lane), &mut read);
        count::<comm_op::Row>(&tables, |row| Some(row.lane), &mut read);
        count::<comm_task::Row>(&tables, |row| row.lane, &mut read);
        count::<overlap::Row>(&tables, |row| Some(row.lane), &mut read);
        assert_eq!(lanes, read, "{name}");
        let ends = |row: flow::Row| {
            usize::from(row.src_time.is_some() && row.branch != Some(true)) + usize::from(row.dst_time.is_some())
        };
        assert_eq!(flow_ends, tables.rows().map(ends).sum::<usize>(), "{name}");
        assert_eq!(counters, tables.rows::<counter::Row>().count(), "{name}");
    }
}

/// Adds the rows of a table to those of their lanes.
fn count<R: Table>(tables: &RankTables, lane_of: impl Fn(&R) -> Option<LaneId>, counts: &mut BTreeMap<Lane, usize>) {
    let lanes: BTreeMap<LaneId, Lane> = tables.rows::<lane::Row>().map(|row| (row.lane, (row.pid, row.tid))).collect();
    for row in tables.rows::<R>() {
        if let Some(lane) = lane_of(&row) {
            *counts.entry(lanes[&lane]).or_default() += 1;
        }
    }
}
