//! Memory: the curve of the allocator, and the life of each allocation.

use hashbrown::HashMap;
use npuscope_tables::table::{lane, mem_event, mem_sample};
use npuscope_tables::{LaneId, Ns, RankBuilder, RankTables};

use super::records::MemoryUsage;
use crate::kineto::Operators;

/// What records say happened to the memory.
const ALLOCATED: u8 = 0;
const RELEASED: u8 = 1;

/// Records of [`MemoryUsage`], their times converted.
#[derive(Debug, Default)]
pub struct Allocations {
    records: Vec<(Ns, MemoryUsage)>,
}

impl Allocations {
    /// Notes a record and adds its point on the curve.
    pub fn push(&mut self, time: Ns, record: MemoryUsage, rank: &mut RankBuilder) {
        let is_host = record.device_type == MemoryUsage::CPU;
        let component = match record.component {
            _ if is_host => "CPU",
            0 => "PTA",
            _ => "WORKSPACE",
        };
        let row = mem_sample::Row {
            kind: rank.strings.intern("allocator"),
            component: rank.strings.intern(component),
            time,
            allocated: Some(record.total_allocated),
            reserved: Some(record.total_reserved),
            active: Some(record.total_active),
            stream_ptr: (!is_host && record.stream >= 0).then_some(record.stream),
            device: device(&record),
            ..mem_sample::Row::default()
        };
        rank.mem_sample.push(row);
        self.records.push((time, record));
    }
}

/// The device, where there are several.
fn device(record: &MemoryUsage) -> Option<i64> {
    (record.device_type != MemoryUsage::CPU && record.device_index >= 0).then_some(i64::from(record.device_index))
}

/// Adds a row of `mem_event` for every allocation, by its start, under the operator that was running on the thread.
///
/// A release belongs to the last allocation at its address; memory that is given back to the pool later has been in
/// use until then. A release without an allocation, which was made before recording began, is a row without a start.
pub fn allocations(tables: &RankTables, allocations: Allocations, rank: &mut RankBuilder) {
    if allocations.records.is_empty() {
        return;
    }
    let operators = Operators::of(tables);
    let lanes: HashMap<(i64, i64), LaneId> =
        tables.rows::<lane::Row>().map(|row| ((row.pid, row.tid), row.lane)).collect();
    let mut records = allocations.records;
    records.sort_by_key(|(time, _)| *time);
    let kind = rank.strings.intern("operator");
    let mut rows: Vec<mem_event::Row> = Vec::new();
    let mut open: HashMap<(i8, i8, i64), usize> = HashMap::new();
    for (time, record) in &records {
        let mut blank = || {
            let thread = i64::try_from(record.pid).ok().zip(i64::try_from(record.tid).ok());
            let lane = thread.and_then(|thread| lanes.get(&thread));
            let operator = lane.and_then(|&lane| operators.at(lane, *time)).map(|name| tables.text(name));
            mem_event::Row {
                kind,
                name: rank.strings.intern(operator.unwrap_or_default()),
                bytes: Some(record.alloc_size.saturating_abs()),
                stream_ptr: (record.device_type != MemoryUsage::CPU && record.stream >= 0).then_some(record.stream),
                device: device(record),
                ..mem_event::Row::default()
            }
        };
        let place = (record.device_type, record.device_index, record.ptr);
        if record.data_type == ALLOCATED && record.alloc_size >= 0 {
            open.insert(place, rows.len());
            rows.push(mem_event::Row {
                start: Some(*time),
                start_allocated: Some(record.total_allocated),
                start_reserved: Some(record.total_reserved),
                start_active: Some(record.total_active),
                ..blank()
            });
            continue;
        }
        let known = open.get(&place).copied();
        // PyTorch's own allocator on the host knows only allocations, of negative size when they end.
        if record.data_type <= RELEASED {
            let row = match known.and_then(|at| rows.get_mut(at)) {
                Some(row) => row,
                None => {
                    open.insert(place, rows.len());
                    rows.push(blank());
                    let Some(row) = rows.last_mut() else { continue };
                    row
                }
            };
            row.release = Some(*time);
            row.duration = row.start.map(|start| time.since(start));
            row.release_allocated = Some(record.total_allocated);
            row.release_reserved = Some(record.total_reserved);
            row.release_active = Some(record.total_active);
            if record.device_type == MemoryUsage::CPU {
                open.remove(&place);
            }
        } else if let Some(row) = known.and_then(|at| rows.get_mut(at)) {
            row.active_release = Some(*time);
            row.active_duration = row.start.map(|start| time.since(start));
            open.remove(&place);
        }
    }
    rows.into_iter().for_each(|row| rank.mem_event.push(row));
}
