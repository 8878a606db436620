//! Which operator device work belongs to.

use npuscope_formats::trace_json;
use npuscope_measures::deliverable::operator_details;
use npuscope_tables::table::reported_operator::Row;
use npuscope_tables::{Interner, RankPieces};

fn slice(pid: u32, tid: u32, ts: u32, dur: u32, more: &str) -> String {
    format!(r#"{{"ph":"X","pid":{pid},"tid":{tid},"ts":"{ts}.000","dur":{dur},{more}}}"#)
}

/// An operator with another inside, and two calls that launch: one from each.
fn trace(queue: &str) -> String {
    let process = |pid: u32, name: &str| {
        format!(r#"{{"ph":"M","name":"process_name","pid":{pid},"tid":0,"args":{{"name":"{name}"}}}}"#)
    };
    let arrow = |id: u32, at: u32, to: u32| {
        let end = |ph: &str, pid: u32, tid: u32, ts: u32| {
            format!(
                r#"{{"ph":"{ph}","cat":"HostToDevice","name":"HostToDevice","id":"{id}","pid":{pid},"tid":{tid},"ts":"{ts}.000","bp":"e"}}"#
            )
        };
        [end("s", 20, 9, at), end("f", 30, 2, to)].join(",")
    };
    let op = |ts, dur, name: &str| slice(10, 7, ts, dur, &format!(r#""cat":"cpu_op","name":"{name}","args":{{}}"#));
    let call = |ts| slice(20, 9, ts, 2, r#""name":"AscendCL@aclnnMul","args":{"Mode":"ACL_OP"}"#);
    let task = |ts, dur, kind: &str| {
        slice(30, 2, ts, dur, &format!(r#""name":"Mul","args":{{"Task Type":"{kind}","Stream Id":2,"Task Id":{ts}}}"#))
    };
    let events = [
        process(10, "Python"),
        process(20, "CANN"),
        process(30, "Ascend Hardware"),
        op(1000, 100, "aten::outer"),
        op(1020, 30, "aten::inner"),
        call(1030),
        call(1080),
        task(1200, 5, "AI_CORE"),
        task(1300, 7, "AI_VECTOR_CORE"),
        arrow(1, 1030, 1200),
        arrow(2, 1080, 1300),
    ];
    format!("[{}{queue}]", events.join(","))
}

fn details(trace: &str) -> Vec<(String, [f64; 4])> {
    let mut pieces = RankPieces::default();
    trace_json::read(trace.as_bytes(), "trace_view.json", 1, &mut pieces);
    let tables = pieces.finish();
    let mut strings = Interner::default();
    let rows = operator_details(&tables, &mut strings);
    let strings = strings.finish();
    let figures = |row: &Row| [row.device_self, row.device_total, row.device_self_aicore, row.device_total_aicore];
    rows.iter().map(|row| (strings.get(row.name).to_owned(), figures(row).map(Option::unwrap))).collect()
}

#[test]
fn without_a_queue_device_work_is_of_the_operator_that_was_running() {
    let expected =
        [("aten::outer".to_owned(), [7.0, 12.0, 0.0, 5.0]), ("aten::inner".to_owned(), [5.0, 5.0, 5.0, 5.0])];
    assert_eq!(details(&trace("")), expected);
}

#[test]
fn with_a_queue_device_work_is_of_the_operator_that_enqueued() {
    let enqueue = slice(10, 7, 1005, 1, r#""cat":"enqueue","name":"Enqueue@Mul","args":{"correlation_id":5}"#);
    let dequeue = slice(10, 8, 1029, 60, r#""cat":"dequeue","name":"Dequeue@Mul","args":{"correlation_id":5}"#);
    let expected = [("aten::outer".to_owned(), [12.0, 12.0, 5.0, 5.0]), ("aten::inner".to_owned(), [0.0; 4])];
    assert_eq!(details(&trace(&format!(",{enqueue},{dequeue}"))), expected);
}
