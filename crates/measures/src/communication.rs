//! What the name of a communication operation says, and how much data it has.
//!
//! HCCL names operations `hcom_allReduce__586_0_1`: the verb, two underscores, the last digits of the group's hash and
//! two running numbers. The type of an operation, as databases have it, ends after the first underscore:
//! `hcom_allReduce_`. NCCL and MindSpore have names of their own; what is asked here is answered for them, too.

use npuscope_tables::table::{comm_op, kernel};
use npuscope_tables::{Memo, RankTables};

/// What an operation does, as far as its name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpClass {
    /// Sends or receives.
    PointToPoint,
    /// All to all.
    Exchange,
    /// All take part in one result.
    Collective,
}

impl OpClass {
    /// Of a name or a type. After `hcom_` the verb decides; other names are of the class whose word they contain.
    pub fn of(name: &str) -> OpClass {
        const TRANSFERS: [&str; 4] = ["send", "receive", "recv", "batchsendrecv"];
        let begins_with = |word: &str, text: &str| {
            text.as_bytes().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
        };
        if let Some(verb) = name.strip_prefix("hcom_") {
            return if TRANSFERS.iter().any(|word| begins_with(word, verb)) {
                OpClass::PointToPoint
            } else if begins_with("alltoall", verb) {
                OpClass::Exchange
            } else {
                OpClass::Collective
            };
        }
        let lower = name.to_ascii_lowercase();
        if TRANSFERS.iter().any(|word| lower.contains(word)) {
            OpClass::PointToPoint
        } else if lower.contains("alltoall") || lower.contains("all_to_all") {
            OpClass::Exchange
        } else {
            OpClass::Collective
        }
    }
}

/// Whether the ranks of a collective of this kind may each give or take another number of bytes: in an exchange, in the
/// variants with a count for each rank (`allGatherV`, `reduceScatterV`), and where one rank is the root.
pub fn has_uneven_bytes(kind: &str) -> bool {
    let lower = kind.to_ascii_lowercase();
    let verb = lower.strip_prefix("hcom_").unwrap_or(&lower).trim_end_matches('_');
    let is_rooted = ["broadcast", "scatter", "gather", "reduce"].contains(&verb);
    is_rooted || verb.ends_with('v') || OpClass::of(kind) == OpClass::Exchange
}

/// Whether an operation is between two ranks, by its name or type.
pub fn is_point_to_point(name: &str) -> bool {
    OpClass::of(name) == OpClass::PointToPoint
}

/// Whether the files of a framework count an operation as one between two ranks: `communication.json` lists it under
/// `p2p`, and by HCCL's own names only. [`is_point_to_point`] also knows those of NCCL and MindSpore.
pub fn is_point_to_point_in_files(name: &str) -> bool {
    begins_with_any(name, &["hcom_send", "hcom_receive", "hcom_batchsendrecv"])
}

/// Whether `step_trace_time.csv` and `StepTraceTime` of torch_npu count an operation into the bubble of a pipeline.
pub fn is_receive_in_files(name: &str) -> bool {
    name.starts_with("hcom_receive")
}

/// Whether MindSpore's `step_trace_time.csv` counts an operation into the bubble of a pipeline: as
/// [`is_point_to_point_in_files`], and by MindSpore's names of graph mode (`Send-op12`, `Receive-op13`).
pub fn is_bubble_in_files(name: &str) -> bool {
    is_point_to_point_in_files(name) || begins_with_any(name, &["send-op", "receive-op"])
}

fn begins_with_any(name: &str, prefixes: &[&str]) -> bool {
    let begins_with = |prefix: &&str| {
        name.as_bytes().get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
    };
    prefixes.iter().any(begins_with)
}

/// Which way data goes in an operation between two ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Direction {
    Send,
    Receive,
    /// Several sends and receives at once.
    Batch,
}

/// The direction of an operation between two ranks, by its name; `None` for collectives.
pub fn direction(name: &str) -> Option<Direction> {
    if !is_point_to_point(name) {
        return None;
    }
    let name = name.to_ascii_lowercase();
    Some(match () {
        () if name.contains("sendrecv") => Direction::Batch,
        () if name.contains("send") => Direction::Send,
        () => Direction::Receive,
    })
}

/// The direction of an operation of a rank: by its type where the source gives one, since NCCL runs all transfers, and
/// exchanges between all, as one kernel; else by its name.
pub fn direction_of(tables: &RankTables, op: &comm_op::Row) -> Option<Direction> {
    // A batch of transfers, or of anything else: its kernel says which.
    let is_batch = |kind: &&str| kind.eq_ignore_ascii_case("coalesced");
    direction(tables.opt_text(op.op_type).filter(|kind| !is_batch(kind)).unwrap_or_else(|| tables.text(op.name)))
}

/// The type of an operation as databases have it, for example `hcom_allReduce_`: as recorded, or from the
/// name `hcom_allReduce__586_0_1`, which has it before two underscores. Traces record names only.
pub fn op_type<'a>(tables: &'a RankTables, op: &comm_op::Row) -> &'a str {
    match tables.opt_text(op.op_type) {
        Some(kind) => kind,
        None => {
            let name = tables.text(op.name);
            host_operation(name).or_else(|| name.find("__").and_then(|at| name.get(..=at))).unwrap_or(name)
        }
    }
}

/// What an operation does, in one lower-case word, from its type or name: `hcom_allReduce__586_0_1` and
/// `hcom_allReduce_` are `allreduce`. Names that HCCL did not give stay as they are, in lower case.
pub fn kind(name: &str) -> String {
    let verb = name.strip_prefix("hcom_").and_then(|rest| {
        let end = rest.find(|letter: char| !letter.is_ascii_alphabetic())?;
        rest.get(..end).filter(|verb| !verb.is_empty() && rest.get(end..).is_some_and(|rest| rest.starts_with('_')))
    });
    verb.unwrap_or(name).to_lowercase()
}

/// The core of the kernel rows that stand for communication operations, as readers name it.
pub const COMMUNICATION_CORE: &str = "COMMUNICATION";

/// Whether a kernel on this core is a communication operation, which `kernel` lists as the one task it is to the
/// scheduler.
pub fn is_communication_core(core: &str) -> bool {
    matches!(core, "HCCL" | COMMUNICATION_CORE)
}

/// Whether the host ran an operation, not a device: those of gloo and of MPI, which PyTorch names `gloo:all_reduce` and
/// `mpi:all_reduce`.
pub fn runs_on_host(name: &str) -> bool {
    HOST_BACKENDS.iter().any(|backend| name.strip_prefix(backend).is_some_and(|rest| rest.starts_with(':')))
}

/// The backends of PyTorch that communicate on the host.
pub const HOST_BACKENDS: [&str; 2] = ["gloo", "mpi"];

/// The operations that a device ran: what the host communicates by itself is no work of a device.
pub fn device_operations(tables: &RankTables) -> impl Iterator<Item = comm_op::Row> + '_ {
    let mut on_host = Memo::default();
    tables.rows::<comm_op::Row>().filter(move |op| !on_host.get(op.name, || runs_on_host(tables.text(op.name))))
}

/// What an operation of the host does, in the words that Kineto has for NCCL: `allreduce` of `gloo:all_reduce`, and of
/// `c10d::allreduce_`, the call that started it. `None` if it is none.
pub fn host_operation(name: &str) -> Option<&'static str> {
    // `reduce` stands at the beginning of `reduce_scatter`.
    const VERBS: [(&str, &str); 11] = [
        ("allreduce", "allreduce"),
        ("allgather", "allgather"),
        ("alltoall", "all_to_all"),
        ("reducescatter", "reduce_scatter"),
        ("reduce", "reduce"),
        ("broadcast", "broadcast"),
        ("gather", "gather"),
        ("scatter", "scatter"),
        ("barrier", "barrier"),
        ("send", "send"),
        ("recv", "recv"),
    ];
    let verb = match name.strip_prefix("c10d::") {
        Some(verb) => verb,
        None if runs_on_host(name) => name.split_once(':')?.1,
        None => return None,
    };
    let verb: String = verb.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let verb = verb.strip_prefix("sparse").or(verb.strip_prefix("monitored")).unwrap_or(&verb);
    VERBS.iter().find(|(start, _)| verb.starts_with(start)).map(|(_, word)| *word)
}

/// Whether a kernel row stands for a communication operation.
pub fn is_communication(tables: &RankTables, row: &kernel::Row) -> bool {
    tables.opt_text(row.core).is_some_and(is_communication_core)
}

/// Bytes of an element, by the names that HCCL, NCCL and PyTorch give to types.
pub fn bytes_of_element(dtype: &str) -> Option<i64> {
    Some(match dtype.to_ascii_uppercase().as_str() {
        "INT8" | "UINT8" | "BYTE" | "CHAR" | "BOOL" => 1,
        "INT16" | "UINT16" | "SHORT" | "FP16" | "BFP16" | "HALF" | "BFLOAT16" => 2,
        "INT32" | "UINT32" | "FP32" | "INT" | "FLOAT" => 4,
        "INT64" | "UINT64" | "FP64" | "LONG" | "DOUBLE" => 8,
        "INT128" => 16,
        _ => return None,
    })
}

/// Bytes of data of an operation: elements times the size of one. `None` where either is not known.
pub fn bytes(tables: &RankTables, op: &comm_op::Row) -> Option<i64> {
    op.count?.checked_mul(tables.opt_text(op.dtype).and_then(bytes_of_element)?)
}

/// Wait ratio: `wait / (wait + transit)`, both in one unit of time: the share of an operation's time, or of many
/// operations' time in all, in which it waited for other ranks rather than moved data. `None` if it did neither.
pub fn wait_ratio(wait: f64, transit: f64) -> Option<f64> {
    let all = wait + transit;
    (all.abs() >= 1e-15).then(|| wait / all)
}

/// Synchronization ratio: `synchronization / (synchronization + transit)`: as [`wait_ratio`], of the waiting before the
/// first data moved.
pub fn synchronization_ratio(synchronization: f64, transit: f64) -> Option<f64> {
    wait_ratio(synchronization, transit)
}

/// Bandwidth in GB/s: `bytes / ns`, of all that moved over the time in which it moved. MB and ms give the same. `None`
/// if that is no time.
pub fn bandwidth(bytes: f64, ns: f64) -> Option<f64> {
    (ns.abs() >= 1e-15).then(|| bytes / ns)
}

/// The engine that moves data over a kind of link: `SDMA` over HCCS, PCIe and SIO, `RDMA` over RoCE; another link is its
/// own engine.
pub fn engine_of_link(link: &str) -> &str {
    match link {
        "HCCS" | "PCIE" | "SIO" => "SDMA",
        "ROCE" => "RDMA",
        other => other,
    }
}

/// Large packet share: `large packets / packets`. `None` of no packets.
pub fn large_packet_share(large: f64, packets: f64) -> Option<f64> {
    (packets.abs() >= 1e-15).then(|| large / packets)
}

/// The group of an operation as people know it: its name, or the hash of it where that is all there is.
pub fn group_of<'a>(tables: &'a RankTables, op: &comm_op::Row) -> &'a str {
    tables.opt_text(op.group_name.or(op.group_hash)).unwrap_or_default()
}

/// Whether a row of a source's summaries is its own sum over operations, `Total Op Info`.
pub fn is_total(name: &str) -> bool {
    name.get(.."total op info".len()).is_some_and(|start| start.eq_ignore_ascii_case("total op info"))
}

#[cfg(test)]
mod tests {
    use npuscope_tables::RankBuilder;

    use super::*;

    #[test]
    fn only_transfers_have_a_direction() {
        let names = ["hcom_send__539_0_1", "hcom_receive_", "hcom_batchSendRecv__1_0_1", "hcom_allReduce__586_0_1"];
        let found = [Some(Direction::Send), Some(Direction::Receive), Some(Direction::Batch), None];
        assert_eq!(names.map(direction), found);
        assert_eq!(names.map(is_point_to_point), found.map(|direction| direction.is_some()));
        assert_eq!(names.map(is_point_to_point_in_files), found.map(|direction| direction.is_some()));
    }

    #[test]
    fn the_type_of_an_operation_goes_before_its_name() {
        let mut rank = RankBuilder::default();
        let kernel = rank.strings.intern("ncclDevKernel_SendRecv");
        let types = [Some("send"), Some("recv"), Some("coalesced"), Some("all_to_allv"), None];
        for op_type in types {
            let op_type = op_type.map(|text| rank.strings.intern(text));
            rank.comm_op.push(comm_op::Row { name: kernel, op_type, ..comm_op::Row::default() });
        }
        let tables = rank.finish();
        let found: Vec<_> = tables.rows::<comm_op::Row>().map(|op| direction_of(&tables, &op)).collect();
        let [send, receive, batch] = [Direction::Send, Direction::Receive, Direction::Batch].map(Some);
        assert_eq!(found, [send, receive, batch, None, batch]);
    }

    #[test]
    fn operations_of_the_host_are_known_by_their_backend_and_by_the_call_that_starts_them() {
        for (name, operation) in [
            ("gloo:all_reduce", Some("allreduce")),
            ("gloo:sparse_all_reduce", Some("allreduce")),
            ("mpi:reduce_scatter", Some("reduce_scatter")),
            ("mpi:reduce", Some("reduce")),
            ("gloo:all_to_all", Some("all_to_all")),
            ("mpi:recvAnySource", Some("recv")),
            ("c10d::_allgather_base_", Some("allgather")),
            ("c10d::alltoall_base_", Some("all_to_all")),
            ("c10d::monitored_barrier_", Some("barrier")),
            ("gloo:my own range", None),
            ("gloomy:all_reduce", None),
            ("hcom_allReduce__586_0_1", None),
        ] {
            assert_eq!(host_operation(name), operation, "{name}");
        }
        assert!(runs_on_host("gloo:all_reduce") && !runs_on_host("c10d::allreduce_"));
    }

    #[test]
    fn files_know_fewer_names_than_we_do() {
        let names = ["ncclSendRecv", "Receive-op13", "hcom_broadcast_"];
        assert_eq!(names.map(is_point_to_point), [true, true, false]);
        assert_eq!(names.map(is_point_to_point_in_files), [false, false, false]);
        assert_eq!(names.map(is_bubble_in_files), [false, true, false]);
    }

    #[test]
    fn the_kind_is_the_verb() {
        let names = ["hcom_allReduce__586_0_1", "hcom_allReduce_", "hcom_reduceScatter", "AllGather", "hcom__1"];
        assert_eq!(names.map(kind), ["allreduce", "allreduce", "hcom_reducescatter", "allgather", "hcom__1"]);
    }

    #[test]
    fn bytes_may_differ_in_exchanges_variants_with_counts_and_rooted_collectives() {
        for kind in ["hcom_alltoallv_", "hcom_allGatherV_", "hcom_reduceScatterV_", "hcom_broadcast_", "hcom_reduce_"] {
            assert!(has_uneven_bytes(kind), "{kind}");
        }
        for kind in ["hcom_allReduce_", "hcom_allGather_", "hcom_reduceScatter_", "allreduce"] {
            assert!(!has_uneven_bytes(kind), "{kind}");
        }
    }
}
