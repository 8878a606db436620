//! Collectives that the host ran: of gloo and MPI, in jobs without a device.
//!
//! PyTorch writes them as ranges of the thread that ran them, `gloo:all_reduce`, with the shapes of the input and without
//! the group. The call that started one is an operator, `c10d::allreduce_`, of another thread; nothing ties the two.

use std::collections::{HashMap, VecDeque};

use npuscope_measures::communication::{host_operation, runs_on_host};
use npuscope_measures::link::{group_hash, set_values};
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::{comm_op, flow, task};
use npuscope_tables::{ConnectionId, Interner, Ns, RankTables, TableId};
use serde_json::Value;

use super::interpret::TENSORS;

/// The group that collectives of the host belong to: the only one that a rank communicates in on the host. Where there
/// are several, no event says which it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostGroup {
    pub name: String,
    pub size: Option<i64>,
}

impl HostGroup {
    /// From the member `distributedInfo` of a trace, which lists the groups of the rank. Older versions list none: then
    /// it is that of all ranks, whose number is 0.
    pub fn of(distributed_info: &Value) -> Option<HostGroup> {
        let is_of_host = |backend: Option<&Value>| {
            let backend = backend.and_then(Value::as_str).unwrap_or_default();
            npuscope_measures::communication::HOST_BACKENDS.iter().any(|word| backend.contains(word))
        };
        let Some(groups) = distributed_info.get("pg_config").and_then(Value::as_array) else {
            let size = distributed_info.get("world_size").and_then(Value::as_i64);
            return is_of_host(distributed_info.get("backend")).then(|| HostGroup { name: "0".to_owned(), size });
        };
        let mut groups = groups.iter().filter(|group| is_of_host(group.get("backend_config")));
        let first = groups.next()?;
        // Groups of the same ranks are one to whoever waits in them.
        if !groups.all(|group| group.get("ranks").is_some() && group.get("ranks") == first.get("ranks")) {
            return None;
        }
        let name = match first.get("pg_name")? {
            Value::String(name) => name.clone(),
            number => number.to_string(),
        };
        Some(HostGroup { name, size: first.get("pg_size").and_then(Value::as_i64) })
    }

    /// Writes the group into an operation.
    pub fn fill(&self, operation: &mut comm_op::Row, strings: &mut Interner) {
        operation.group_name = Some(strings.intern(&self.name));
        operation.group_hash = Some(strings.intern(&group_hash(&self.name)));
        operation.rank_size = self.size;
    }
}

/// The operation that a range is, if a backend of the host ran it; on no lane yet.
pub fn host_collective(range: &host_op::Row, strings: &mut Interner) -> Option<comm_op::Row> {
    let name = strings.get(range.name);
    if !runs_on_host(name) {
        return None;
    }
    let op_type = host_operation(name);
    let shapes = range.shapes.map(|text| strings.get(text)).unwrap_or_default();
    let types = range.dtypes.map(|text| strings.get(text)).unwrap_or_default();
    let dtype = types.split(TENSORS).map(element_type).find(|word| !word.is_empty()).map(str::to_owned);
    let count = elements(shapes, types);
    let row = comm_op::Row {
        start: range.start,
        duration: range.duration,
        name: range.name,
        op_type: op_type.map(|word| strings.intern(word)),
        dtype: dtype.map(|word| strings.intern(&word)),
        count,
        ..comm_op::Row::default()
    };
    Some(row)
}

/// The number of elements of all tensors: none without shapes, which are an option of the recording.
fn elements(shapes: &str, types: &str) -> Option<i64> {
    let is_tensor = |word: &str| !element_type(word).is_empty();
    let mut count: Option<i64> = None;
    for (shape, _) in shapes.split(TENSORS).zip(types.split(TENSORS)).filter(|(_, word)| is_tensor(word)) {
        let mut sizes = shape.split(',').filter(|size| !size.is_empty()).map(|size| size.trim().parse::<i64>().ok());
        let of_tensor = sizes.try_fold(1i64, |product, size| product.checked_mul(size?))?;
        count = Some(count.unwrap_or_default().checked_add(of_tensor)?);
    }
    count
}

/// The type of elements, from C++'s name of it, in the words that Kineto has for NCCL.
fn element_type(word: &str) -> &str {
    match word {
        "float" => "Float",
        "double" => "Double",
        "c10::Half" => "Half",
        "c10::BFloat16" => "BFloat16",
        "long int" | "long" => "Long",
        "int" => "Int",
        "short int" | "short" => "Short",
        "unsigned char" => "Byte",
        "signed char" => "Char",
        "bool" => "Bool",
        // What is no tensor.
        "Scalar" | "ScalarList" | "TensorList" | "GenericList" | "None" => "",
        other => other,
    }
}

/// Ties collectives of the host to the calls that started them, by connection ids that the trace has not: calls of a
/// kind start operations of that kind in their order.
pub fn link_host_collectives(tables: &mut RankTables) {
    let operations: Vec<comm_op::Row> = tables.rows().collect();
    let mut started: Vec<usize> =
        (0..operations.len()).filter(|&at| operations.get(at).is_some_and(|op| is_unlinked(tables, op))).collect();
    if started.is_empty() {
        return;
    }
    started.sort_by_key(|&at| operations.get(at).map(|op| op.start));
    let mut calls: HashMap<&'static str, VecDeque<(Ns, usize)>> = HashMap::new();
    let mut connections: Vec<Option<ConnectionId>> = Vec::with_capacity(tables.len(TableId::HostOp));
    for (at, row) in tables.rows::<host_op::Row>().enumerate() {
        connections.push(row.connection_id);
        let name = tables.text(row.name);
        let is_call = row.connection_id.is_none() && tables.text(row.kind) == Kind::Op.name();
        if let Some(operation) = host_operation(name).filter(|_| is_call && !runs_on_host(name)) {
            calls.entry(operation).or_default().push_back((row.start, at));
        }
    }
    calls.values_mut().for_each(|calls| calls.make_contiguous().sort_unstable());
    let mut ids: Vec<Option<ConnectionId>> = operations.iter().map(|op| op.connection_id).collect();
    let mut next = first_free(tables, &connections);
    for at in started {
        let Some(operation) = operations.get(at) else { continue };
        let calls = tables.opt_text(operation.op_type).and_then(|kind| calls.get_mut(kind));
        let is_before =
            |calls: &&mut VecDeque<(Ns, usize)>| calls.front().is_some_and(|(call, _)| *call <= operation.start);
        let Some((_, call)) = calls.filter(is_before).and_then(VecDeque::pop_front) else { continue };
        if let (Some(of_call), Some(of_operation)) = (connections.get_mut(call), ids.get_mut(at)) {
            (*of_call, *of_operation) = (Some(ConnectionId(next)), Some(ConnectionId(next)));
            next += 1;
        }
    }
    set_values(tables, TableId::HostOp, "connection_id", &connections);
    set_values(tables, TableId::CommOp, "connection_id", &ids);
}

fn is_unlinked(tables: &RankTables, operation: &comm_op::Row) -> bool {
    operation.connection_id.is_none() && runs_on_host(tables.text(operation.name))
}

/// A number above all connection ids and ids of arrows.
fn first_free(tables: &RankTables, connections: &[Option<ConnectionId>]) -> i64 {
    let of_calls = connections.iter().flatten().map(|id| id.0);
    let of_tasks = tables.rows::<task::Row>().filter_map(|row| row.connection_id).map(|id| id.0);
    let of_flows = tables.rows::<flow::Row>().filter_map(|row| row.id);
    of_calls.chain(of_tasks).chain(of_flows).max().unwrap_or_default().max(0).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_group_is_known_where_a_rank_has_one_on_the_host() {
        let group = |name: &str, backend: &str, ranks: &[i64]| json!({"pg_name": name, "backend_config": backend, "pg_size": ranks.len(), "ranks": ranks});
        let of = |groups: &[Value]| HostGroup::of(&json!({"backend": "gloo", "world_size": 4, "pg_config": groups}));
        let world = group("0", "cpu:gloo,cuda:nccl", &[0, 1, 2, 3]);
        let named = |name: &str, size| Some(HostGroup { name: name.to_owned(), size: Some(size) });
        assert_eq!(of(&[world.clone(), group("1", "cuda:nccl", &[0, 1])]), named("0", 4));
        assert_eq!(of(&[world.clone(), group("2", "gloo", &[0, 1, 2, 3])]), named("0", 4));
        assert_eq!(of(&[world, group("2", "gloo", &[0, 1])]), None);
        assert_eq!(of(&[group("1", "cuda:nccl", &[0, 1])]), None);
        assert_eq!(HostGroup::of(&json!({"backend": "gloo", "rank": 1, "world_size": 2})), named("0", 2));
        assert_eq!(HostGroup::of(&json!({"backend": "nccl", "rank": 1, "world_size": 2})), None);
    }

    #[test]
    fn elements_of_tensors_are_counted_and_scalars_are_not() {
        assert_eq!(elements("265224", "float"), Some(265_224));
        assert_eq!(elements("2,3;\r\n4;\r\n", "float;\r\nfloat;\r\nScalar"), Some(10));
        assert_eq!(elements("", "double"), Some(1));
        assert_eq!(elements("", ""), None);
        assert_eq!(elements("0", "float"), Some(0));
    }
}
