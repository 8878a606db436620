//! The life of each allocation, put together from the marks at its beginning and its end.

use hashbrown::HashMap;
use npuscope_tables::table::{lane, mem_event, mem_sample};
use npuscope_tables::{LaneId, RankBuilder, RankTables, Str, TableId};

use super::memory::{ALLOCATE, KIND, RELEASE};
use super::operators::Operators;

/// Adds a row of `mem_event` for every allocation, in order of time. A release belongs to the last allocation before
/// it at the same address of the same device; one that has none, since it happened before the profile began, is
/// a row without a start. The name is that of the operator that was running on the thread.
pub fn allocations(tables: &RankTables, rank: &mut RankBuilder) {
    if tables.is_empty(TableId::MemSample) {
        return;
    }
    let operators = Operators::of(tables);
    let lanes: HashMap<i64, LaneId> =
        tables.rows::<lane::Row>().map(|row| (thread_of(row.pid, row.tid), row.lane)).collect();
    let mut samples: Vec<mem_sample::Row> = tables.rows().collect();
    samples.sort_by_key(|sample| sample.time);
    let kind = rank.strings.intern(KIND);
    let mut rows: Vec<mem_event::Row> = Vec::new();
    let mut open: HashMap<(Str, Option<i64>, Option<i64>), usize> = HashMap::new();
    for sample in &samples {
        let mut name = || {
            let operator = sample.thread.and_then(|t| lanes.get(&t)).and_then(|&lane| operators.at(lane, sample.time));
            let name = operator.or(sample.name).unwrap_or_default();
            rank.strings.intern(tables.text(name))
        };
        let place = (sample.component, sample.device, sample.address);
        match tables.opt_text(sample.action) {
            Some(ALLOCATE) => {
                open.insert(place, rows.len());
                rows.push(mem_event::Row {
                    kind,
                    name: name(),
                    bytes: sample.bytes,
                    start: Some(sample.time),
                    start_allocated: sample.allocated,
                    start_reserved: sample.reserved,
                    device: sample.device,
                    ..mem_event::Row::default()
                });
            }
            Some(RELEASE) => {
                let index = open.remove(&place).unwrap_or_else(|| {
                    let (bytes, device) = (sample.bytes, sample.device);
                    rows.push(mem_event::Row { kind, name: name(), bytes, device, ..mem_event::Row::default() });
                    rows.len() - 1
                });
                let Some(row) = rows.get_mut(index) else { continue };
                row.release = Some(sample.time);
                row.duration = row.start.map(|start| sample.time.since(start));
                row.release_allocated = sample.allocated;
                row.release_reserved = sample.reserved;
            }
            _ => {}
        }
    }
    rows.into_iter().for_each(|row| rank.mem_event.push(row));
}

/// A thread as `mem_sample.thread` has it.
pub fn thread_of(pid: i64, tid: i64) -> i64 {
    pid.wrapping_shl(32) | (tid & 0xffff_ffff)
}
