//! Recomputed from the tables of a simulated job, the summaries add up to its events.

use std::collections::BTreeMap;

use npuscope_measures::communication::is_communication;
use npuscope_measures::deliverable::{self, Communication};
use npuscope_synth::{JobConfig, simulate};
use npuscope_tables::Framework;
use npuscope_tables::table::{comm_task, host_op, kernel};
use npuscope_tables::{Interner, RankTables, Str};

/// A rank that computes, meets others in collectives and passes activations on.
fn rank() -> RankTables {
    let config = JobConfig { tp: 2, pp: 2, dp: 1, layers: 4, micro_batches: 2, steps: 3, ..JobConfig::default() };
    simulate(&config).unwrap().rank(1)
}

fn assert_near(a: f64, b: f64, tolerance: f64, what: &str) {
    assert!((a - b).abs() <= tolerance, "{what}: {a} and {b}");
}

#[test]
fn both_definitions_of_step_times_agree() {
    let tables = rank();
    let text = deliverable::step_trace_text(&tables, Framework::TorchNpu, &mut Interner::default());
    let db = deliverable::step_trace_db(&tables, &mut Interner::default());
    assert_eq!((text.len(), db.len()), (3, 3));
    for (text, db) in text.iter().zip(&db) {
        for (part, a, b) in [
            ("computing", text.computing, db.computing),
            ("communication", text.communication, db.communication),
            ("exposed", text.communication_not_overlapped, db.communication_not_overlapped),
            ("overlapped", text.overlapped, db.overlapped),
            ("bubble", text.bubble, db.bubble),
        ] {
            assert_near(a.unwrap(), b.unwrap(), 0.01, part);
        }
        let sum = db.computing.unwrap() + db.communication_not_overlapped.unwrap() + db.free.unwrap();
        assert_near(sum, db.stage.unwrap() + db.bubble.unwrap(), 0.01, "the parts of a step");
    }
}

#[test]
fn operator_types_add_up_to_kernels() {
    let tables = rank();
    let mut strings = Interner::default();
    let rows = deliverable::op_statistic(&tables, &mut strings);
    let mut kernels: BTreeMap<String, (i64, f64)> = BTreeMap::new();
    for row in tables.rows::<kernel::Row>().filter(|row| !is_communication(&tables, row)) {
        let sum = kernels.entry(tables.opt_text(row.op_type).unwrap().to_owned()).or_default();
        *sum = (sum.0 + 1, sum.1 + row.duration.us());
    }
    let mut derived: BTreeMap<String, (i64, f64)> = BTreeMap::new();
    for row in &rows {
        let sum = derived.entry(strings.get(row.op_type).to_owned()).or_default();
        *sum = (sum.0 + row.count.unwrap(), sum.1 + row.total.unwrap());
        assert!(row.min <= row.avg && row.avg <= row.max);
    }
    assert_eq!(derived.keys().collect::<Vec<_>>(), kernels.keys().collect::<Vec<_>>());
    for (op_type, (count, total)) in &kernels {
        assert_eq!(derived[op_type].0, *count, "{op_type}");
        assert_near(derived[op_type].1, *total, 0.001 * *count as f64, op_type);
    }
    assert_near(rows.iter().map(|row| row.ratio.unwrap()).sum(), 100.0, 0.1, "shares");
}

#[test]
fn calls_are_counted_per_level_and_name() {
    let tables = rank();
    let rows = deliverable::api_statistic(&tables, &mut Interner::default());
    let calls = tables.rows::<host_op::Row>().filter(|row| tables.text(row.kind) == "cann" && row.level.is_some());
    let (count, total) = calls.fold((0, 0.0), |(count, total), row| (count + 1, total + row.duration.us()));
    assert_eq!(rows.iter().map(|row| row.count.unwrap()).sum::<i64>(), count);
    assert_near(rows.iter().map(|row| row.total.unwrap()).sum(), total, 0.001 * rows.len() as f64, "time of calls");
}

#[test]
fn links_and_transports_add_up_to_the_pieces() {
    let tables = rank();
    let is = |id: Option<Str>, text: &str| tables.opt_text(id) == Some(text);
    let moved: f64 = tables
        .rows::<comm_task::Row>()
        .filter(|row| is(row.transport, "SDMA") && matches!(tables.text(row.name), "Memcpy" | "Reduce_Inline"))
        .filter_map(|row| row.bytes)
        .sum::<i64>() as f64
        / 1e6;
    assert!(moved > 0.0);
    let mut strings = Interner::default();
    let matrix = deliverable::communication_matrix(&tables, &mut strings);
    let totals = matrix.iter().filter(|row| strings.get(row.name).ends_with("-total"));
    let sum: f64 =
        totals.filter(|row| row.transport.map(|t| strings.get(t)) != Some("RDMA")).filter_map(|r| r.transit_size).sum();
    assert_near(sum, moved, 1e-6 * moved, "links");

    let mut strings = Interner::default();
    let Communication { times, bandwidths } = deliverable::communication(&tables, &mut strings);
    for row in bandwidths.iter().filter(|row| row.bandwidth.is_some_and(|bandwidth| bandwidth > 0.0)) {
        let (size, time) = (row.transit_size.unwrap(), row.transit_time.unwrap());
        assert_near(row.bandwidth.unwrap(), size / time, 1e-4, "bandwidth");
    }
    for row in times.iter().filter(|row| row.transit.is_some()) {
        let parts = row.transit.unwrap() + row.wait.unwrap() + row.idle.unwrap();
        assert_near(parts, row.elapse.unwrap(), 1e-6, "the parts of an operation");
        assert!(row.synchronization.unwrap() <= row.wait.unwrap() + 1e-9);
    }
}
