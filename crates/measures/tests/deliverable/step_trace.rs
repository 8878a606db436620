//! How the time of a step divides, in the arithmetic of each framework.

use npuscope_formats::trace_json;
use npuscope_measures::deliverable::step_trace_text;
use npuscope_tables::table::reported_step::Row;
use npuscope_tables::table::step;
use npuscope_tables::{Framework, Interner, Ns, RankPieces, RankTables};

/// Two steps: the first computes, receives (half hidden) and computes; the second computes.
fn two_steps() -> RankTables {
    let names = [(10, "Python"), (20, "CANN"), (30, "Ascend Hardware"), (40, "Overlap Analysis"), (50, "HCCL")];
    let mut events: Vec<String> = names
        .iter()
        .map(|(pid, name)| {
            format!(r#"{{"ph":"M","name":"process_name","pid":{pid},"tid":0,"args":{{"name":"{name}"}}}}"#)
        })
        .collect();
    let mut slice = |pid: u32, tid: u32, start: u32, end: u32, more: &str| {
        let dur = end - start;
        events.push(format!(r#"{{"ph":"X","pid":{pid},"tid":{tid},"ts":"{start}.000","dur":{dur},{more}}}"#));
    };
    slice(10, 7, 1000, 2000, r#""cat":"cpu_op","name":"ProfilerStep#1","args":{}"#);
    slice(10, 7, 2001, 3000, r#""cat":"cpu_op","name":"ProfilerStep#2","args":{}"#);
    let launches = [(1100, 1500, 1700), (1200, 1800, 2100), (2100, 2500, 2600)];
    for (call, start, end) in launches {
        slice(20, 9, call, call + 2, r#""name":"AscendCL@aclnnMul","args":{}"#);
        slice(30, 2, start, end, r#""name":"Mul","args":{"Task Type":"AI_CORE","Stream Id":2}"#);
        slice(40, 1, start, end, r#""name":"Computing","args":{}"#);
    }
    slice(50, 1, 1600, 1750, r#""name":"hcom_receive__1_0_1","args":{}"#);
    slice(40, 2, 1600, 1750, r#""name":"Communication","args":{}"#);
    slice(40, 3, 1700, 1750, r#""name":"Communication(Not Overlapped)","args":{}"#);
    slice(40, 4, 1750, 1800, r#""name":"Free","args":{}"#);
    slice(40, 4, 2100, 2500, r#""name":"Free","args":{}"#);
    for (id, (call, start, _)) in launches.into_iter().enumerate() {
        for (phase, pid, tid, ts) in [("s", 20, 9, call), ("f", 30, 2, start)] {
            events.push(format!(
                r#"{{"ph":"{phase}","cat":"HostToDevice","name":"HostToDevice","id":"{id}","pid":{pid},"tid":{tid},"ts":"{ts}.000"}}"#
            ));
        }
    }
    let mut pieces = RankPieces::default();
    trace_json::read(format!("[{}]", events.join(",")).as_bytes(), "trace_view.json", 1, &mut pieces);
    pieces.finish()
}

/// Computing, exposed, overlapped, communication, free, stage, bubble, exposed without receiving, preparing.
fn figures(row: &Row) -> [f64; 9] {
    row.figures().map(Option::unwrap)
}

#[test]
fn an_interval_belongs_to_the_step_it_starts_in() {
    let rows = step_trace_text(&two_steps(), Framework::TorchNpu, &mut Interner::default());
    assert_eq!(
        rows.iter().map(figures).collect::<Vec<_>>(),
        [
            [500.0, 50.0, 100.0, 150.0, 50.0, 450.0, 150.0, 0.0, 500.0],
            [100.0, 0.0, 0.0, 0.0, 0.0, 100.0, 0.0, 0.0, 499.0],
        ]
    );
}

#[test]
fn mindspore_cuts_free_time_at_the_step_and_counts_the_stage_over_communication() {
    let mut tables = two_steps();
    tables.clear(npuscope_tables::TableId::Step);
    let mut steps = npuscope_tables::RankBuilder::default();
    for (id, start, end) in [(1, 1_500_000, 2_200_000), (2, 2_200_000, 3_000_000)] {
        steps.step.push(step::Row { id: Some(id), start: Ns(start), end: Ns(end) });
    }
    let rows = step_trace_text(&tables.with(steps), Framework::MindSpore, &mut Interner::default());
    assert_eq!(
        rows.iter().map(figures).collect::<Vec<_>>(),
        [
            [500.0, 50.0, 100.0, 150.0, 150.0, 0.0, 150.0, -100.0, 0.0],
            [100.0, 0.0, 0.0, 0.0, 300.0, 0.0, 0.0, 0.0, 300.0],
        ]
    );
}
