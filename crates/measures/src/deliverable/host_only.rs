//! The steps of a job that had no device.

use hashbrown::HashMap;
use npuscope_tables::table::diagnostic::Code;
use npuscope_tables::table::reported_bandwidth::Row as Bandwidth;
use npuscope_tables::table::reported_step::Row;
use npuscope_tables::table::{comm_op, diagnostic, reported_comm, step};
use npuscope_tables::{Interner, RankTables, Str, TableId};

use super::communication::step_in_file;
use super::us;
use crate::communication::{bytes, device_operations, is_point_to_point, runs_on_host};
use crate::link::group_hash as group_hash_of;

/// Whether any row is of a device.
pub fn has_device(tables: &RankTables) -> bool {
    [TableId::Task, TableId::Kernel, TableId::Overlap].iter().any(|&table| !tables.is_empty(table))
        || device_operations(tables).next().is_some()
}

/// Whether a device was recorded, in a form that is not read: then nobody knows whether it was busy.
pub fn is_device_unread(tables: &RankTables) -> bool {
    tables.rows::<diagnostic::Row>().any(|row| row.is(Code::RawOnly, tables))
}

/// Time and size of the operations that the host ran, as summaries of communication. Their names are numbered within
/// a step, since PyTorch gives one name to all of a kind; ranks count alike. When data moved and when an operation waited
/// for other ranks is not known.
pub fn host_operations(tables: &RankTables, strings: &mut Interner) -> (Vec<reported_comm::Row>, Vec<Bandwidth>) {
    let steps: Vec<step::Row> = tables.rows().collect();
    let on_host = |op: &comm_op::Row| runs_on_host(tables.text(op.name));
    let mut operations: Vec<comm_op::Row> = tables.rows::<comm_op::Row>().filter(on_host).collect();
    operations.sort_by_key(|op| (op.start, op.op));
    let mut counts: HashMap<(String, Str, Option<Str>), usize> = HashMap::new();
    let (mut times, mut sizes) = (Vec::new(), Vec::new());
    for op in operations {
        let step = step_in_file(&steps, op.start);
        let number = counts.entry((step.clone(), op.name, op.group_name)).or_default();
        let text = tables.text(op.name);
        let name = strings.intern(&format!("{text}__{number}"));
        *number += 1;
        let kind = if is_point_to_point(text) { "p2p" } else { "collective" };
        let (step, kind) = (Some(strings.intern(&step)), Some(strings.intern(kind)));
        let group_hash = tables.opt_text(op.group_hash).map(str::to_owned);
        let group_hash = group_hash.or_else(|| tables.opt_text(op.group_name).map(group_hash_of));
        let group_hash = group_hash.map(|hash| strings.intern(&hash));
        times.push(reported_comm::Row {
            step,
            kind,
            name,
            group_hash,
            start: Some(op.start.us()),
            elapse: Some(op.duration.fractional_ns() / 1e6),
            ..reported_comm::Row::default()
        });
        #[expect(clippy::cast_precision_loss, reason = "sizes are below 2^53")]
        let size = bytes(tables, &op).map(|bytes| bytes as f64 / 1e6);
        let transport = strings.intern(text.split(':').next().unwrap_or_default());
        let transit_size = size;
        sizes.extend(size.map(|_| Bandwidth {
            step,
            kind,
            name,
            group_hash,
            transport,
            transit_size,
            ..Bandwidth::default()
        }));
    }
    (times, sizes)
}

/// A row for each step where no device did anything: all of it is free, from its start on the host to its end, and
/// that is its stage too.
pub fn host_only_steps(tables: &RankTables, strings: &mut Interner) -> Vec<Row> {
    let steps = tables.rows::<step::Row>().map(|step| {
        let length = us(step.end.since(step.start).max(0));
        Row {
            device: None,
            step: step.id.map(|id| strings.intern(&id.to_string())),
            computing: Some(0.0),
            communication_not_overlapped: Some(0.0),
            overlapped: Some(0.0),
            communication: Some(0.0),
            free: Some(length),
            stage: Some(length),
            bubble: Some(0.0),
            communication_not_overlapped_exclude_receive: Some(0.0),
            preparing: Some(0.0),
        }
    });
    steps.collect()
}
