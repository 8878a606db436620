//! Whatever the events of a trace are, reading and writing keeps them, on any number of threads.

mod common {
    pub mod any_json;
    pub mod hostile;
    pub mod microseconds;
    pub mod rows;
}

use std::collections::BTreeMap;

use common::any_json::{any_json, spelled};
use common::hostile::hostile;
use common::microseconds::microseconds;
use common::rows::rows;
use npuscope_formats::trace_json;
use npuscope_tables::Framework;
use npuscope_tables::table::{comm_op, comm_task, host_op, overlap, task};
use npuscope_tables::{Ns, RankPieces, RankTables, TableId};
use npuscope_testing::events;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// An event of a trace: its members but for times, and its times.
#[derive(Clone, Debug)]
struct TraceEvent {
    members: Value,
    time: Option<Ns>,
    /// Microseconds.
    duration: Option<String>,
}

/// Where an event is: a process, its name and label, and a thread.
type Place = (Value, &'static str, Option<&'static str>);

fn processes() -> Vec<Place> {
    vec![
        (json!(100), "Python", Some("CPU")),
        (json!("a \"process\""), "MindSpore", Some("CPU")),
        (json!(200), "something else", None),
        (json!(300), "CANN", Some("CPU")),
        (json!(400), "Ascend Hardware", Some("NPU 3")),
        (json!(500), "Communication", Some("NPU 3")),
        (json!(600), "Overlap Analysis", Some("NPU 3")),
        (json!(700), "HBM", Some("NPU 3")),
        (json!(-1), "Python GC", Some("CPU")),
    ]
}

/// A part of a trace: an event, or an arrow whose id is its number among the parts.
#[derive(Clone, Debug)]
enum Part {
    Event(TraceEvent),
    Flow { kind: &'static str, name: Option<String>, text_id: Option<String>, starts: Vec<Ns>, ends: Vec<Ns> },
    Unknown(char),
}

fn args(keys: &'static [&'static str], right: BoxedStrategy<Value>) -> BoxedStrategy<Map<String, Value>> {
    let value = prop_oneof![3 => Just(None), 3 => right.prop_map(Some), 1 => any_json().prop_map(Some)];
    let known = vec(value, keys.len()).prop_map(|values| {
        keys.iter().zip(values).filter_map(|(key, value)| Some(((*key).to_owned(), value?))).collect::<Map<_, _>>()
    });
    let odd = btree_map(hostile().prop_map(|key| format!("x{key}")), any_json(), 0..3);
    (known, odd).prop_map(|(known, odd)| known.into_iter().chain(odd).collect()).boxed()
}

fn all_args(lists: Vec<BoxedStrategy<Map<String, Value>>>) -> BoxedStrategy<Map<String, Value>> {
    lists.prop_map(|lists| lists.into_iter().flatten().collect()).boxed()
}

fn ints() -> BoxedStrategy<Value> {
    prop_oneof![(-5i64..5).prop_map(Value::from), any::<i64>().prop_map(Value::from)].boxed()
}

fn texts() -> BoxedStrategy<Value> {
    hostile().prop_map(Value::from).boxed()
}

/// A slice on one of the threads of a process.
fn slice(
    pid: Value,
    name: impl Strategy<Value = String> + 'static,
    category: impl Strategy<Value = Option<&'static str>> + 'static,
    args: BoxedStrategy<Option<Map<String, Value>>>,
) -> BoxedStrategy<Part> {
    (name, category, args, 1i64..3, any::<i64>(), microseconds())
        .prop_map(move |(name, category, args, tid, time, duration)| {
            let mut members = json!({"ph": "X", "name": name, "pid": pid, "tid": tid});
            if let Some(category) = category {
                members["cat"] = category.into();
            }
            if let Some(mut args) = args {
                if args.contains_key("Thread Id") {
                    args.insert("Thread Id".to_owned(), tid.into());
                }
                members["args"] = args.into();
            }
            Part::Event(TraceEvent { members, time: Some(Ns(time)), duration: Some(duration) })
        })
        .boxed()
}

/// Only host slices distinguish no arguments from empty ones.
fn some_args(args: BoxedStrategy<Map<String, Value>>) -> BoxedStrategy<Option<Map<String, Value>>> {
    args.prop_map(|args| Some(args).filter(|args| !args.is_empty())).boxed()
}

fn host_slice() -> BoxedStrategy<Part> {
    let pids = select(vec![json!(100), json!("a \"process\""), json!(200), json!(-1)]);
    pids.prop_flat_map(|pid| {
        let ints = args(
            &[
                "Sequence number",
                "Fwd thread id",
                "correlation_id",
                "Python id",
                "Python parent id",
                "Python module id",
                "flops",
            ],
            ints(),
        );
        let texts =
            args(&["Input Dims", "Input type", "Call stack", "Module Hierarchy", "event_type", "domain"], texts());
        let category = select(vec![
            None,
            Some("cpu_op"),
            Some("enqueue"),
            Some("dequeue"),
            Some("python_function"),
            Some("GC"),
            Some("odd \"one\""),
        ]);
        slice(pid, hostile(), category, prop::option::of(all_args(vec![ints, texts])).boxed())
    })
    .boxed()
}

fn cann_slice() -> BoxedStrategy<Part> {
    let levels = select(vec![
        ("acl", "AscendCL"),
        ("node", "Node"),
        ("runtime", "Runtime"),
        ("communication", "Communication"),
        ("odd", "odd"),
    ]);
    let whole = (levels, hostile(), args(&["id", "item_id", "Mode"], texts()), any::<u32>()).prop_map(
        |((level, prefix), api, mut args, connection)| {
            args.retain(|key, value| key.starts_with('x') || value.is_string());
            args.entry("id").or_insert(api.clone().into());
            args.insert("level".to_owned(), level.into());
            args.insert("Thread Id".to_owned(), Value::Null);
            args.insert("connection_id".to_owned(), connection.into());
            (format!("{prefix}@{api}"), Some(args))
        },
    );
    let keys = all_args(vec![args(&["Mode", "id", "item_id"], texts()), args(&["connection_id"], ints())]);
    let without_level = (hostile(), some_args(keys));
    prop_oneof![whole, without_level]
        .prop_flat_map(|(name, args)| slice(json!(300), Just(name), Just(None), Just(args).boxed()))
        .boxed()
}

fn device_slice() -> BoxedStrategy<Part> {
    let task = all_args(vec![
        args(
            &[
                "Model Id",
                "Physic Stream Id",
                "Task Id",
                "Batch Id",
                "Subtask Id",
                "connection_id",
                "size(B)",
                "bandwidth(GB/s)",
            ],
            ints(),
        ),
        args(&["Task Type", "operation"], texts()),
    ]);
    let op_args = || {
        vec![
            args(&["rank_size", "connection_id", "model id", "count"], ints()),
            args(&["data_type", "alg_type", "relay", "retry"], texts()),
        ]
    };
    let piece_args = || {
        vec![
            args(
                &["stream id", "task id", "context id", "size(Byte)", "duration estimated(us)", "bandwidth(GB/s)"],
                ints(),
            ),
            args(&["notify_id", "data type", "link type"], texts()),
        ]
    };
    let piece =
        (all_args([op_args(), piece_args()].concat()), texts(), texts(), select(vec![0i64, 7, 4_294_967_295]), ints());
    let piece = piece.prop_map(|(mut args, kind, transport, src, dst)| {
        args.extend(
            [
                ("task type", kind),
                ("transport type", transport),
                ("src rank", src.into()),
                ("dst rank", json!(dst.as_i64().unwrap() >> 8)),
            ]
            .map(|(key, value)| (key.to_owned(), value)),
        );
        Some(args)
    });
    prop_oneof![
        slice(json!(400), hostile(), Just(None), some_args(task.clone())),
        slice(json!(700), hostile(), Just(None), some_args(task)),
        slice(json!(500), hostile(), Just(None), some_args(all_args([op_args(), piece_args()].concat()))),
        slice(json!(500), hostile(), Just(None), piece.boxed()),
        slice(
            json!(600),
            select(vec!["Computing", "Communication", "Communication(Not Overlapped)", "Free", "odd"])
                .prop_map(str::to_owned),
            Just(None),
            prop::option::of(args(&[], ints())).boxed()
        ),
    ]
    .boxed()
}

fn counter() -> BoxedStrategy<Part> {
    let key = prop_oneof![select(vec!["KB", "MHz", "Read(MB/s)", "Read", "value"]).prop_map(str::to_owned), hostile()];
    let value = prop_oneof![(-1i64 << 50..1 << 50).prop_map(Value::from), (-1e9..1e9).prop_map(|n: f64| json!(n))];
    let members = (hostile(), btree_map(key, value, 1..4), prop::option::of(0i64..100));
    members
        .prop_map(|(name, mut args, instance)| {
            if let Some(instance) = instance {
                args.insert("acc_id".to_owned(), instance.into());
            }
            let members = json!({"ph": "C", "name": name, "pid": 700, "tid": 0, "args": args});
            Part::Event(TraceEvent { members, time: None, duration: None })
        })
        .boxed()
}

fn flow() -> BoxedStrategy<Part> {
    let kinds = select(vec!["async_task_queue", "async_npu", "fwdbwd", "HostToDevice", "MsTx", "odd \"kind\""]);
    let times = |range| vec(any::<i64>().prop_map(Ns), range);
    let name_and_id = (prop::option::of(hostile()), prop::option::of(hostile()));
    (kinds, name_and_id, times(0..2usize), times(0..3))
        .prop_map(|(kind, (name, text_id), starts, ends)| Part::Flow { kind, name, text_id, starts, ends })
        .boxed()
}

fn parts() -> BoxedStrategy<Vec<Part>> {
    let unknown = select(vec!['b', 'e', 'i', 'n', 'P']).prop_map(Part::Unknown);
    vec(prop_oneof![4 => host_slice(), 2 => cann_slice(), 4 => device_slice(), 2 => counter(), 2 => flow(), 1 => unknown], 0..24).boxed()
}

/// The events of a trace, metadata first.
fn trace_events(parts: &[Part]) -> Vec<TraceEvent> {
    let metadata = |name: &str, pid: &Value, tid: i64, args: Value| {
        let members = json!({"ph": "M", "name": name, "pid": pid, "tid": tid, "args": args});
        TraceEvent { members, time: None, duration: None }
    };
    let mut events = Vec::new();
    for (pid, name, label) in processes() {
        events.push(metadata("process_name", &pid, 0, json!({"name": name})));
        events.extend(label.map(|label| metadata("process_labels", &pid, 0, json!({"labels": label}))));
        events.push(metadata("process_sort_index", &pid, 0, json!({"sort_index": 7})));
        for tid in 1..3 {
            events.push(metadata("thread_name", &pid, tid, json!({"name": format!("Thread {tid} \"算子\"")})));
            events.push(metadata("thread_sort_index", &pid, tid, json!({"sort_index": tid})));
        }
    }
    for (number, part) in (0i64..).zip(parts) {
        match part {
            Part::Event(event) => {
                // Counters of one time and name are one event.
                let time = event.time.or(Some(Ns(1_736_408_883_688_177_930 + number)));
                events.push(TraceEvent { time, ..event.clone() });
            }
            Part::Flow { kind, name, text_id, starts, ends } => {
                let id = text_id.as_ref().map_or(number.to_string(), |text| format!("{text}-{number}"));
                let implied = match *kind {
                    "async_task_queue" => "enqueue_to_dequeue".to_owned(),
                    "async_npu" => "torch_to_npu".to_owned(),
                    "HostToDevice" => format!("HostToDevice{id}"),
                    "MsTx" => format!("MsTx_{id}"),
                    other => other.to_owned(),
                };
                let is_text = text_id.is_some() || matches!(*kind, "HostToDevice" | "MsTx");
                let id = if is_text { Value::from(id) } else { Value::from(number) };
                let name = name.clone().unwrap_or(implied);
                let mut half = |phase: &str, time: Ns, binds: bool| {
                    let mut members = json!({"ph": phase, "name": name, "cat": kind, "id": id, "pid": 400, "tid": 1});
                    if binds {
                        members["bp"] = "e".into();
                    }
                    events.push(TraceEvent { members, time: Some(time), duration: None });
                };
                starts.iter().for_each(|&time| half("s", time, !matches!(*kind, "HostToDevice" | "MsTx")));
                ends.iter().for_each(|&time| half("f", time, true));
            }
            Part::Unknown(_) => {}
        }
    }
    events
}

/// A trace as text. With `odd`, times are spelled the other way that producers do.
fn trace_text(events: &[TraceEvent], odd: bool, ascii: bool) -> String {
    let events = events.iter().map(|event| {
        let mut text = event.members.to_string();
        text.pop();
        if let Some(time) = event.time {
            text += &if odd { format!(",\"ts\":{time}") } else { format!(",\"ts\":\"{time}\"") };
        }
        if let Some(duration) = &event.duration {
            text += &if odd { format!(",\"dur\":\"{duration}\"") } else { format!(",\"dur\":{duration}") };
        }
        text + "}"
    });
    let events: Vec<String> = events.collect();
    spelled(&format!("[{}]", events.join(if odd { " ,\n" } else { ", " })), ascii)
}

fn read_trace(text: &[u8], stretches: usize, threads: usize) -> (RankTables, trace_json::Summary) {
    let mut pieces = RankPieces::default();
    let summary = trace_json::read_in(text, "trace_view.json", stretches, threads, &mut pieces);
    (pieces.finish(), summary)
}

/// Start and duration of every slice, to the nanosecond.
fn spans(tables: &RankTables) -> Vec<(Ns, i64)> {
    let mut spans: Vec<(Ns, i64)> = tables.rows::<host_op::Row>().map(|row| (row.start, row.duration.ns())).collect();
    spans.extend(tables.rows::<task::Row>().map(|row| (row.start, row.duration.ns())));
    spans.extend(tables.rows::<comm_op::Row>().map(|row| (row.start, row.duration.ns())));
    spans.extend(tables.rows::<comm_task::Row>().map(|row| (row.start, row.duration.ns())));
    spans.extend(tables.rows::<overlap::Row>().map(|row| (row.start, row.duration.ns())));
    spans.sort();
    spans
}

/// A trace with its metadata in front or, as producers leave it, at the end, and with events of unknown phases.
fn hostile_trace() -> BoxedStrategy<(Vec<Part>, String)> {
    (parts(), any::<bool>(), any::<bool>(), any::<bool>())
        .prop_map(|(parts, odd, ascii, last)| {
            let mut events = trace_events(&parts);
            for (number, part) in (0i64..).zip(&parts) {
                if let Part::Unknown(phase) = part {
                    let members = json!({"ph": phase.to_string(), "name": "[{\"ph\": \"X\"}]", "pid": 100, "tid": 1});
                    events.push(TraceEvent { members, time: Some(Ns(number)), duration: None });
                }
            }
            if last {
                events.reverse();
            }
            let text = trace_text(&events, odd, ascii);
            (parts, text)
        })
        .boxed()
}

fn assert_same_rows(before: &RankTables, after: &RankTables, tables: impl Fn(TableId) -> bool) {
    for &table in TableId::ALL.iter().filter(|&&table| tables(table)) {
        assert_eq!(rows(before, table), rows(after, table), "{table:?}");
    }
}

proptest! {
    #![proptest_config(npuscope_testing::cases(100))]

    #[test]
    fn traces_keep_every_event((parts, text) in hostile_trace(), mindspore: bool) {
        let (tables, summary) = read_trace(text.as_bytes(), 1, 1);
        let unknown = parts.iter().filter(|part| matches!(part, Part::Unknown(_))).count();
        prop_assert!(summary.diagnostics.iter().all(|p| p.code.name() == "unknown-phase"), "{:?}", summary.diagnostics);
        prop_assert_eq!(summary.diagnostics.len(), unknown);
        let directory = tempfile::tempdir().unwrap();
        let [expected, written] = ["expected", "written"].map(|name| directory.path().join(name));
        std::fs::write(&expected, trace_text(&trace_events(&parts), false, false)).unwrap();
        // MindSpore's durations are text, and long ones not the same to a reader of doubles.
        let is_short = |event: &TraceEvent| event.duration.as_ref().is_none_or(|text| text.len() < 16);
        let mindspore = mindspore && trace_events(&parts).iter().all(is_short);
        let framework = if mindspore { Framework::MindSpore } else { Framework::TorchNpu };
        trace_json::write(&mut std::fs::File::create(&written).unwrap(), &tables, framework).unwrap();
        for (a, b) in events(&expected).iter().zip(&events(&written)) {
            prop_assert_eq!(a, b);
        }
        prop_assert_eq!(events(&expected).len(), events(&written).len());
        let (again, _) = read_trace(&std::fs::read(&written).unwrap(), 1, 1);
        prop_assert_eq!(spans(&tables), spans(&again));
    }

    #[test]
    fn stretches_and_threads_do_not_change_what_is_read((_, text) in hostile_trace(), stretches in 1usize..=17, cut in 0.0..2.0) {
        let text = text.as_bytes();
        let text = &text[..text.len().min((text.len() as f64 * cut) as usize)];
        let (one, alone) = read_trace(text, 1, 1);
        let (split, summary) = read_trace(text, stretches, 1);
        prop_assert_eq!((alone.events, &alone.diagnostics), (summary.events, &summary.diagnostics));
        assert_same_rows(&one, &split, |table| table != TableId::HostOp);
        let by_kind = |tables: &RankTables| {
            let mut kinds: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for row in rows(tables, TableId::HostOp) {
                kinds.entry(row.split(' ').nth(1).unwrap().to_owned()).or_default().push(row);
            }
            kinds
        };
        prop_assert_eq!(by_kind(&one), by_kind(&split));
        for threads in [2, 3, 17] {
            let (threaded, _) = read_trace(text, stretches, threads);
            assert_same_rows(&split, &threaded, |_| true);
            prop_assert_eq!(split.strings().array(), threaded.strings().array());
        }
    }
}
