//! `operator_details.csv`: host and device time of every framework operator call.

use npuscope_tables::table::reported_operator::Row;
use npuscope_tables::{Interner, RankTables, Str};

use super::host_work::HostWork;
use super::{copy, us};
use crate::link::STEP_PREFIX;
use crate::memo::Memo;

/// One row per operator call in start order, step markers left out.
///
/// - host total: the call's duration; host self: that minus the durations of the operators inside.
/// - device self: sum of the durations of device slices that the call itself enqueued; device total:
///   of all enqueued while it ran. The AI Core columns count slices whose task type is `AI_CORE`.
pub fn operator_details(tables: &RankTables, strings: &mut Interner) -> Vec<Row> {
    of_operators(tables, &HostWork::of(tables, &mut false), strings)
}

/// [`operator_details`] of work that is known already.
pub fn of_operators(tables: &RankTables, work: &HostWork, strings: &mut Interner) -> Vec<Row> {
    let HostWork { tree, launched } = work;
    let mut copied = Memo::default();
    let mut copy = |id: Str| copied.get(id, || copy(id, tables, strings));
    let mut markers = Memo::default();
    let mut inside = vec![0i64; tree.nodes.len()];
    for node in &tree.nodes {
        if let Some(inside) = node.parent.and_then(|parent| inside.get_mut(parent)) {
            *inside += node.ns;
        }
    }
    let sum = |correlations: &mut dyn Iterator<Item = i64>| {
        let (mut all, mut ai_core) = (0.0, 0.0);
        for launched in correlations.flat_map(|id| launched.of(id)) {
            all += launched.us;
            ai_core += if launched.on_ai_core { launched.us } else { 0.0 };
        }
        (all, ai_core)
    };
    let mut rows = Vec::new();
    for (index, node) in tree.nodes.iter().enumerate() {
        if markers.get(node.name, || tables.text(node.name).contains(STEP_PREFIX)) {
            continue;
        }
        let (device_self, device_self_aicore) = sum(&mut tree.own_correlations(index));
        let (device_total, device_total_aicore) = sum(&mut tree.correlations(node));
        let own = node.ns - inside.get(index).copied().unwrap_or_default();
        rows.push(Row {
            name: copy(node.name),
            shapes: node.shapes.map(&mut copy),
            stack: node.stack.map(&mut copy),
            host_self: Some(us(own)),
            host_total: Some(us(node.ns)),
            device_self: Some(device_self),
            device_total: Some(device_total),
            device_self_aicore: Some(device_self_aicore),
            device_total_aicore: Some(device_total_aicore),
        });
    }
    rows
}

#[cfg(test)]
mod tests {
    use npuscope_tables::RankPieces;

    use super::*;
    use crate::trace_json;

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
            slice(
                30,
                2,
                ts,
                dur,
                &format!(r#""name":"Mul","args":{{"Task Type":"{kind}","Stream Id":2,"Task Id":{ts}}}"#),
            )
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
}
