//! Recomputed from the tables of the real databases, `StepTraceTime` equals the file.

use npuscope_measures::deliverable;
use npuscope_store::discover::discover;
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_tables::Interner;
use npuscope_tables::table::reported_step;
use npuscope_testing::captures;

#[test]
fn step_trace_time_has_the_same_values() {
    for (name, path) in captures("db") {
        let tables = read_rank(&discover(&path).unwrap().ranks[0], ReadOptions::default());
        let mut strings = Interner::default();
        let derived = deliverable::step_trace_db(&tables, &mut strings);
        let reported: Vec<reported_step::Row> = tables.rows().collect();
        assert_eq!((derived.len(), reported.len()), (1, 1), "{name}");
        for (mut derived, reported) in derived.into_iter().zip(reported) {
            assert_eq!(derived.step.map(|s| strings.get(s)), tables.opt_text(reported.step), "{name}");
            derived.step = reported.step;
            assert_eq!(derived, reported, "{name}");
        }
    }
}
