//! The tables of a rank as text, to be compared.

use std::collections::{BTreeMap, BTreeSet};

use arrow::array::AsArray;
use arrow::datatypes::UInt32Type;
use npuscope_tables::table::*;
use npuscope_tables::{LaneId, RankTables, Str, TableId};

/// Rows of the tables as sorted text: every column that both forms hold.
pub fn common(tables: &RankTables) -> BTreeMap<&'static str, Vec<String>> {
    let t = |id: Str| tables.text(id).to_owned();
    let o = |id: Option<Str>| tables.opt_text(id).map(str::to_owned);
    let lanes: BTreeMap<LaneId, lane::Row> = tables.rows::<lane::Row>().map(|row| (row.lane, row)).collect();
    // Process ids of layers differ by version; thread and layer do not.
    let place = |lane: LaneId| (o(lanes[&lane].process).map(|p| p.replace("HCCL", "Communication")), lanes[&lane].tid);
    let mut all = BTreeMap::new();
    let mut add = |name, mut rows: Vec<String>| {
        rows.sort();
        all.insert(name, rows);
    };
    add("step", tables.rows::<step::Row>().map(|r| format!("{r:?}")).collect());
    add(
        "host_op",
        tables
            .rows::<host_op::Row>()
            .filter(|r| t(r.kind) != "other")
            .map(|r| {
                format!(
                    "{:?} {} {} {} {} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                    place(r.lane),
                    t(r.kind),
                    r.start,
                    r.duration.ns(),
                    t(r.name),
                    o(r.level),
                    r.connection_id,
                    r.sequence,
                    r.forward_thread,
                    o(r.shapes),
                    o(r.dtypes),
                    o(r.stack),
                    r.depth,
                    o(r.domain)
                )
            })
            .collect(),
    );
    add(
        "task",
        tables
            .rows::<task::Row>()
            .map(|r| {
                format!(
                    "{:?} {} {} {} {:?} {:?} {:?} {:?} {:?}",
                    place(r.lane),
                    r.start,
                    r.duration.ns(),
                    t(r.name),
                    r.stream,
                    r.task_id,
                    r.subtask_id,
                    r.model_id,
                    r.connection_id
                )
            })
            .collect(),
    );
    // Collectives are no kernels to a database; the duration of a kernel is that of its task.
    let is_collective = |r: &kernel::Row| matches!(o(r.core).as_deref(), Some("HCCL" | "COMMUNICATION"));
    add(
        "kernel",
        tables
            .rows::<kernel::Row>()
            .filter(|r| !is_collective(r))
            .map(|r| {
                format!(
                    "{} {} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                    r.start,
                    t(r.name),
                    o(r.op_type),
                    o(r.core),
                    o(r.input_shapes),
                    o(r.input_dtypes),
                    o(r.input_formats),
                    o(r.output_shapes),
                    o(r.output_dtypes),
                    o(r.output_formats),
                    r.aic_mac_time,
                    r.aiv_vec_ratio
                )
            })
            .collect(),
    );
    add(
        "comm_op",
        tables
            .rows::<comm_op::Row>()
            .map(|r| {
                format!(
                    "{:?} {} {} {} {:?} {:?} {:?} {:?} {:?}",
                    place(r.lane),
                    r.start,
                    r.duration.ns(),
                    t(r.name),
                    o(r.group_hash),
                    o(r.dtype),
                    r.count,
                    o(r.algorithm),
                    r.connection_id
                )
            })
            .collect(),
    );
    add(
        "comm_task",
        tables
            .rows::<comm_task::Row>()
            .map(|r| {
                format!(
                    "{:?} {:?} {} {} {} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                    r.lane.map(place),
                    r.op,
                    r.start,
                    r.duration.ns(),
                    t(r.name),
                    r.plane,
                    r.src_rank,
                    r.dst_rank,
                    o(r.transport),
                    o(r.link),
                    r.bytes,
                    o(r.dtype),
                    o(r.notify_id),
                    r.stream
                )
            })
            .collect(),
    );
    add(
        "overlap",
        tables.rows::<overlap::Row>().map(|r| format!("{} {} {}", t(r.kind), r.start, r.duration.ns())).collect(),
    );
    add(
        "mem_event",
        tables
            .rows::<mem_event::Row>()
            .filter(|r| t(r.kind) == "operator")
            .map(|r| format!("{} {r:?}", t(r.name), r = mem_event::Row { kind: Str(0), name: Str(0), ..r }))
            .collect(),
    );
    add(
        "mem_sample",
        tables
            .rows::<mem_sample::Row>()
            .map(|r| {
                format!(
                    "{} {} {r:?}",
                    t(r.kind),
                    t(r.component),
                    r = mem_sample::Row { kind: Str(0), component: Str(0), ..r }
                )
            })
            .collect(),
    );
    add(
        "counter",
        tables
            .rows::<counter::Row>()
            .map(|r| {
                format!(
                    "{:?} {} {} {} {:?} {:?} {:?}",
                    place(r.lane),
                    r.time,
                    t(r.name),
                    t(r.series),
                    r.instance,
                    r.value,
                    o(r.unit)
                )
            })
            .collect(),
    );
    let flow_kinds = ["async_task_queue", "fwdbwd"];
    add(
        "flow",
        tables
            .rows::<flow::Row>()
            .filter(|r| flow_kinds.contains(&t(r.kind).as_str()))
            .map(|r| {
                format!(
                    "{} {:?} {:?} {:?} {:?} {:?}",
                    t(r.kind),
                    r.id,
                    r.src_lane.map(place),
                    r.src_time,
                    r.dst_lane.map(place),
                    r.dst_time
                )
            })
            .collect(),
    );
    add(
        "reported_comm",
        tables
            .rows::<reported_comm::Row>()
            .filter(|r| !t(r.name).starts_with("Total"))
            .map(|r| {
                format!(
                    "{} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                    t(r.name),
                    o(r.group_hash),
                    r.start,
                    r.elapse,
                    r.transit,
                    r.wait,
                    r.synchronization,
                    r.idle,
                    r.wait_ratio,
                    r.synchronization_ratio
                )
            })
            .collect(),
    );
    add(
        "reported_bandwidth",
        tables
            .rows::<reported_bandwidth::Row>()
            .filter(|r| !t(r.name).starts_with("Total"))
            .map(|r| {
                format!(
                    "{} {} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                    t(r.name),
                    t(r.transport),
                    r.transit_size,
                    r.transit_time,
                    r.bandwidth,
                    r.large_packet_ratio,
                    o(r.package_size),
                    r.count,
                    r.total_duration
                )
            })
            .collect(),
    );
    add(
        "reported_link",
        tables
            .rows::<reported_link::Row>()
            .map(|r| {
                format!(
                    "{} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                    t(r.name),
                    o(r.src_rank),
                    o(r.dst_rank),
                    o(r.transport),
                    r.transit_size,
                    r.transit_time,
                    r.bandwidth,
                    o(r.op_name)
                )
            })
            .collect(),
    );
    add(
        "reported_step",
        tables
            .rows::<reported_step::Row>()
            .map(|r| format!("{:?} {r:?}", o(r.step), r = reported_step::Row { step: None, device: None, ..r }))
            .collect(),
    );
    all
}

/// The distinct texts of a column.
pub fn texts(tables: &RankTables, table: TableId, column: &str) -> BTreeSet<String> {
    let batches = tables.batches(table).iter().filter_map(|batch| batch.column_by_name(column));
    let ids = batches.flat_map(|column| column.as_primitive::<UInt32Type>().iter().flatten().collect::<Vec<_>>());
    ids.map(|id| tables.text(Str(id)).to_owned()).collect()
}
