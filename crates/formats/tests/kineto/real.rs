//! Traces of PyTorch's profiler: of the real ones every event and argument is in the tables.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

use flate2::read::GzDecoder;
use npuscope_formats::trace_json::layers;
use npuscope_store::discover::discover;
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_tables::Framework;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{comm_op, counter, diagnostic, flow, host_op, kernel, lane, metadata, rank, source, task};
use npuscope_tables::{ConnectionId, LaneId, RankTables, TableId, TaskId};
use npuscope_testing::shared;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

const NAMES: [&str; 4] = ["alexnet", "amd", "nccl_data", "ns_res"];

/// An event as serde_json reads it; numbers that must stay exact as their text.
#[derive(Deserialize)]
struct Event {
    ph: String,
    name: String,
    #[serde(default)]
    cat: String,
    pid: Value,
    tid: Value,
    ts: Box<RawValue>,
    dur: Option<Box<RawValue>>,
    #[serde(default)]
    args: Map<String, Value>,
}

#[derive(Deserialize)]
struct File {
    #[serde(rename = "traceEvents")]
    events: Vec<Event>,
    #[serde(rename = "baseTimeNanoseconds", default)]
    base: i64,
    #[serde(flatten)]
    settings: Map<String, Value>,
}

/// Nanoseconds of decimal microseconds with at most three decimals.
fn ns(text: &RawValue) -> i64 {
    let (whole, rest) = text.get().split_once('.').unwrap_or((text.get(), ""));
    format!("{whole}{rest:0<3}").parse().unwrap()
}

/// The real traces, as read by us and by serde_json, once for all tests.
fn traces() -> &'static [(&'static str, RankTables, File)] {
    static TRACES: OnceLock<Vec<(&'static str, RankTables, File)>> = OnceLock::new();
    TRACES.get_or_init(|| {
        let read = |name: &&'static str| {
            let path = shared(&format!("data/gpu/{name}.json.gz"))?;
            let mut text = String::new();
            GzDecoder::new(std::fs::File::open(&path).unwrap()).read_to_string(&mut text).unwrap();
            Some((*name, read_path(&path), serde_json::from_str(&text).unwrap()))
        };
        NAMES.iter().filter_map(read).collect()
    })
}

fn read_path(path: &Path) -> RankTables {
    let profile = discover(path).unwrap();
    assert_eq!(profile.ranks[0].framework(), Framework::Kineto);
    read_rank(&profile.ranks[0], ReadOptions { threads: 2, ..ReadOptions::default() })
}

/// A slice with all its arguments, as the file has it or as the tables do.
#[derive(Debug, PartialEq)]
struct Slice {
    name: String,
    lane: (String, String),
    start: i64,
    duration: i64,
    args: BTreeMap<String, Value>,
}

#[test]
fn nothing_is_wrong_with_the_real_traces() {
    for (name, tables, _) in traces() {
        let reported: Vec<&str> = tables.rows::<diagnostic::Row>().map(|row| tables.text(row.message)).collect();
        // Of two, the trace does not say which rank it is of.
        let is_known = |text: &&&str| !text.starts_with("rank unknown (no ");
        assert_eq!(reported.iter().filter(is_known).count(), 0, "{name}: {reported:?}");
        for row in tables.rows::<source::Row>() {
            assert_eq!((tables.text(row.kind), tables.opt_text(row.unread)), ("kineto", None), "{name}");
        }
    }
}

#[test]
fn every_slice_is_there_with_its_time_and_all_its_arguments() {
    for (name, tables, file) in traces() {
        let mut expected: BTreeMap<String, Vec<Slice>> = BTreeMap::new();
        for event in file.events.iter().filter(|event| event.ph == "X") {
            expected.entry(event.cat.clone()).or_default().push(Slice {
                name: event.name.clone(),
                lane: (id(&event.pid), id(&event.tid)),
                start: file.base + ns(&event.ts),
                duration: ns(event.dur.as_ref().unwrap()),
                args: event.args.iter().map(|(key, value)| (key.clone(), in_tables(&event.cat, key, value))).collect(),
            });
        }
        let read = slices(tables);
        assert_eq!(expected.keys().collect::<Vec<_>>(), read.keys().collect::<Vec<_>>(), "{name}");
        for (category, slices) in &expected {
            assert_eq!(slices.len(), read[category].len(), "{name} {category}");
            for (a, b) in slices.iter().zip(&read[category]) {
                assert_eq!(a, b, "{name} {category}");
            }
            let sum = |slices: &[Slice]| slices.iter().map(|slice| slice.duration).sum::<i64>();
            assert_eq!(sum(slices), sum(&read[category]), "{name} {category}");
        }
    }
}

/// A process or thread id as text.
fn id(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// An argument as the tables spell it.
fn in_tables(category: &str, key: &str, value: &Value) -> Value {
    let element = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(list) if list.iter().all(Value::is_number) => {
            list.iter().map(Value::to_string).collect::<Vec<_>>().join(",")
        }
        nested => nested.to_string(),
    };
    let joined = |separator: &str| {
        let elements = value.as_array().unwrap().iter().map(element).collect::<Vec<_>>();
        Value::from(elements.join(separator).replace(", ", ","))
    };
    match key {
        "Input Dims" | "Input type" => joined(";\r\n"),
        "grid" | "block" if category == "kernel" => joined(","),
        "memory bandwidth (GB/s)" => json!(value.as_f64()),
        _ => value.clone(),
    }
}

/// The slices of host and device by category.
fn slices(tables: &RankTables) -> BTreeMap<String, Vec<Slice>> {
    let lanes = lane_ids(tables);
    let mut slices: BTreeMap<String, Vec<Slice>> = BTreeMap::new();
    let text = |text| tables.opt_text(text).map(Value::from);
    let rest = |args| {
        let rest = tables.opt_text(args).map(|text| serde_json::from_str::<Map<String, Value>>(text).unwrap());
        rest.unwrap_or_default().into_iter()
    };
    for row in tables.rows::<host_op::Row>().filter(|row| row.event_type.is_none()) {
        let implied = layers::category_of(Kind::from_name(tables.text(row.kind)).unwrap());
        let columns = [
            ("correlation", row.connection_id.map(|id| Value::from(id.0))),
            ("Sequence number", row.sequence.map(Value::from)),
            ("Fwd thread id", row.forward_thread.map(Value::from)),
            ("Input Dims", text(row.shapes).map(|v| Value::from(v.as_str().unwrap().replace(", ", ",")))),
            ("Input type", text(row.dtypes)),
            ("kernel", text(row.item)),
        ];
        let columns = columns.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        slices.entry(tables.opt_text(row.category).unwrap_or(implied).to_owned()).or_default().push(Slice {
            name: tables.text(row.name).to_owned(),
            lane: lanes[&row.lane].clone(),
            start: row.start.0,
            duration: row.duration.ns(),
            args: columns.chain(rest(row.args)).collect(),
        });
    }
    let kernels: BTreeMap<TaskId, kernel::Row> =
        tables.rows::<kernel::Row>().map(|row| (row.task.unwrap(), row)).collect();
    let collectives: BTreeMap<ConnectionId, comm_op::Row> =
        tables.rows::<comm_op::Row>().map(|row| (row.connection_id.unwrap(), row)).collect();
    assert_eq!(kernels.len(), tables.len(TableId::Kernel));
    for row in tables.rows::<task::Row>() {
        let category = tables.opt_text(row.task_type).unwrap();
        let kernel = kernels.get(&row.task);
        assert_eq!(kernel.is_some(), category == "kernel");
        let collective = kernel.and(row.connection_id).and_then(|id| collectives.get(&id));
        let columns = [
            ("device", row.device.map(Value::from)),
            ("stream", row.stream.map(Value::from)),
            ("correlation", row.connection_id.map(|id| Value::from(id.0))),
            ("bytes", row.bytes.map(Value::from)),
            ("memory bandwidth (GB/s)", row.bandwidth.map(Value::from)),
            ("kind", text(row.operation)),
            ("grid", kernel.and_then(|kernel| text(kernel.grid))),
            ("block", kernel.and_then(|kernel| text(kernel.block))),
            ("Collective name", collective.and_then(|op| text(op.op_type))),
            ("Process Group Name", collective.and_then(|op| text(op.group_name))),
            ("Group size", collective.and_then(|op| op.rank_size).map(Value::from)),
            ("In msg nelems", collective.and_then(|op| op.count).map(Value::from)),
            ("dtype", collective.and_then(|op| text(op.dtype))),
        ];
        let columns = columns.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        // The tables know device and stream from the lane too.
        let known = ["device", "stream"].map(str::to_owned);
        let mut args: BTreeMap<String, Value> =
            columns.chain(rest(row.args)).chain(rest(collective.and_then(|op| op.args))).collect();
        if category == "gpu_user_annotation" {
            args.retain(|key, _| !known.contains(key));
        }
        slices.entry(category.to_owned()).or_default().push(Slice {
            name: tables.text(row.name).to_owned(),
            lane: lanes[&row.lane].clone(),
            start: row.start.0,
            duration: row.duration.ns(),
            args,
        });
    }
    slices
}

fn lane_ids(tables: &RankTables) -> BTreeMap<LaneId, (String, String)> {
    let id = |number: i64, text| tables.opt_text(text).map_or_else(|| number.to_string(), str::to_owned);
    tables.rows::<lane::Row>().map(|row| (row.lane, (id(row.pid, row.pid_text), id(row.tid, row.tid_text)))).collect()
}

#[test]
fn every_mark_flow_counter_and_name_is_there() {
    for (name, tables, file) in traces() {
        let count = |phase: &str| file.events.iter().filter(|event| event.ph == phase).count();
        let phases: usize = ["X", "M", "C", "s", "f", "i"].iter().map(|phase| count(phase)).sum();
        assert_eq!(phases, file.events.len(), "{name}");
        let marks = tables.rows::<host_op::Row>().filter(|row| tables.opt_text(row.event_type) == Some("instant"));
        let marks: Vec<(&str, i64)> = marks.map(|row| (tables.text(row.name), row.start.0)).collect();
        let expected = file.events.iter().filter(|event| event.ph == "i");
        let expected: Vec<(&str, i64)> =
            expected.map(|event| (event.name.as_str(), file.base + ns(&event.ts))).collect();
        assert_eq!(marks, expected, "{name}");
        assert_eq!(tables.rows::<counter::Row>().count(), count("C"), "{name}");

        let mut starts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
        for row in tables.rows::<flow::Row>() {
            if row.src_time.is_some() && row.branch != Some(true) {
                *starts.entry(tables.text(row.kind)).or_default() += 1;
            }
            if row.dst_time.is_some() {
                *ends.entry(tables.text(row.kind)).or_default() += 1;
            }
        }
        for (phase, read) in [("s", starts), ("f", ends)] {
            let mut expected: BTreeMap<&str, usize> = BTreeMap::new();
            file.events.iter().filter(|e| e.ph == phase).for_each(|e| *expected.entry(&e.cat).or_default() += 1);
            assert_eq!(read, expected, "{name} {phase}");
        }

        let lanes: BTreeMap<(String, String), lane::Row> =
            lane_ids(tables).into_values().zip(tables.rows::<lane::Row>()).collect();
        // Threads are named several times over; the last name counts.
        let metadata = file.events.iter().filter(|event| event.ph == "M");
        let metadata: BTreeMap<_, &Event> = metadata.map(|e| ((&e.name, id(&e.pid), id(&e.tid)), e)).collect();
        for event in metadata.into_values() {
            let row = lanes[&(id(&event.pid), id(&event.tid))];
            let (value, read) = match event.name.as_str() {
                "process_name" => (&event.args["name"], tables.opt_text(row.process).map(Value::from)),
                "process_labels" => (&event.args["labels"], tables.opt_text(row.label).map(Value::from)),
                "process_sort_index" => (&event.args["sort_index"], row.process_sort.map(Value::from)),
                "thread_name" => (&event.args["name"], tables.opt_text(row.thread).map(Value::from)),
                "thread_sort_index" => (&event.args["sort_index"], row.thread_sort.map(Value::from)),
                other => panic!("{name}: {other}"),
            };
            assert_eq!(Some(value), read.as_ref(), "{name} {} {}", event.pid, event.tid);
        }
    }
}

#[test]
fn the_real_traces_say_who_and_where_they_are() {
    for (name, tables, file) in traces() {
        let row = tables.rows::<rank::Row>().next().unwrap();
        let (chip, device, world, start) = match *name {
            "alexnet" => ("NVIDIA A100-PG509-200", 0, None, 1695),
            "amd" => ("AMD Radeon Graphics", 2, None, 1739),
            "nccl_data" => ("NVIDIA A100-PG509-200", 0, Some(2), 1716),
            _ => ("Tesla V100-SXM2-32GB", 0, Some(1), 1712),
        };
        assert_eq!(
            (tables.opt_text(row.chip), row.device, row.world_size),
            (Some(chip), Some(device), world),
            "{name}"
        );
        assert_eq!(row.start.unwrap().0 / 1_000_000_000_000_000, start, "{name}");
        assert_eq!((tables.opt_text(row.framework), tables.text(row.format)), (Some("torch"), "kineto"), "{name}");
        let read: BTreeMap<&str, Value> = tables
            .rows::<metadata::Row>()
            .map(|row| (tables.text(row.key), serde_json::from_str(tables.text(row.value)).unwrap()))
            .filter(|(key, _)| *key != "baseTimeNanoseconds")
            .collect();
        let expected: BTreeMap<&str, Value> =
            file.settings.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
        assert_eq!(read, expected, "{name}");
    }
}

#[test]
fn collectives_and_launchers_of_the_real_traces_are_known() {
    for (name, tables, _) in traces() {
        let kernels = tables.len(TableId::Kernel);
        let known = tables.rows::<kernel::Row>().filter(|row| row.op_type.is_some()).count();
        assert!(known * 100 >= kernels * 95, "{name}: {known} of {kernels}");
        for op in tables.rows::<comm_op::Row>() {
            assert_eq!(*name, "nccl_data");
            assert!(matches!(tables.opt_text(op.op_type), Some("allreduce" | "broadcast")));
            assert_eq!((tables.opt_text(op.group_name), op.rank_size), (Some("0"), Some(2)));
            assert!(op.dtype.is_some());
            assert!(op.count.unwrap() > 0);
        }
        assert_eq!(tables.len(TableId::CommOp), if *name == "nccl_data" { 21 } else { 0 }, "{name}");
    }
}
