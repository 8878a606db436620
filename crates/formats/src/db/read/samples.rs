//! Steps, kinds of device time, memory and counters.

use npuscope_measures::device_time::device_time;
use npuscope_measures::intervals::union;
use npuscope_tables::table::{mem_event, mem_sample, overlap};
use npuscope_tables::{LaneId, Ns, RankBuilder, Span, TableId};

use super::DbReader;
use crate::db::cell::ReadContext;
use crate::db::counters::{self, RankParts};
use crate::db::host_counters::{HostSampleRow, NPUSCOPE_COUNTER};
use crate::db::layouts;
use crate::lanes::{self, Lanes};
use crate::trace_json::layers;

impl DbReader<'_> {
    pub(super) fn steps_and_overlap(&mut self, rank: &mut RankBuilder) {
        let RankBuilder { strings, step, overlap: overlaps, .. } = rank;
        self.table(self.selection.has(TableId::Step), &layouts::STEP_TIME, strings, |row, _| step.push(*row));
        let mut lanes = std::mem::replace(&mut self.lanes, Lanes::new(0));
        self.table(
            self.needed.overlap,
            &layouts::OVERLAP_ANALYSIS,
            strings,
            |row: &mut layouts::OverlapRow, context| {
                let kind = usize::try_from(row.kind).ok().and_then(|kind| overlap::Kind::ALL.get(kind).copied());
                row.interval.lane = overlap_lane(&mut lanes, row.interval.device.unwrap_or_default(), row.kind);
                row.interval.kind = context.strings.intern(kind.map_or("other", overlap::Kind::name));
                overlaps.push(row.interval);
            },
        );
        if self.needed.overlap && self.database.table("OVERLAP_ANALYSIS").is_none() {
            let device = self.only_device();
            let computing = union(std::mem::take(&mut self.computing));
            let communication = union(std::mem::take(&mut self.communication));
            for (kind, interval) in device_time(&computing, &communication) {
                overlaps.push(overlap::Row {
                    lane: overlap_lane(&mut lanes, device, kind as i64),
                    kind: strings.intern(kind.name()),
                    device: Some(device),
                    start: Ns(interval.start),
                    duration: Span::from_ns(interval.end - interval.start),
                    args: None,
                });
            }
        }
        self.lanes = lanes;
    }

    pub(super) fn memory(&mut self, rank: &mut RankBuilder) {
        let RankBuilder { strings, mem_event: events, mem_sample: samples, .. } = rank;
        let (wants_events, wants_samples) =
            (self.selection.has(TableId::MemEvent), self.selection.has(TableId::MemSample));
        self.table(wants_samples, &layouts::MEMORY_RECORD, strings, |row: &mut mem_sample::Row, context| {
            row.kind = context.strings.intern("allocator");
            samples.push(*row);
        });
        self.table(wants_samples, &layouts::NPU_MODULE_MEM, strings, |row: &mut mem_sample::Row, context| {
            row.kind = context.strings.intern("module");
            samples.push(*row);
        });
        self.table(wants_samples, &layouts::NPU_OP_MEM, strings, |row: &mut mem_sample::Row, context| {
            row.kind = context.strings.intern("operator");
            samples.push(*row);
        });
        self.table(wants_events, &layouts::OP_MEMORY, strings, |row: &mut mem_event::Row, context| {
            row.kind = context.strings.intern("operator");
            if row.stream_ptr.is_none() && row.start_active.is_none() {
                // Text calls what CANN allocated for itself by this prefix.
                let name = format!("cann::{}", context.strings.get(row.name));
                row.name = context.strings.intern(&name);
            }
            events.push(*row);
        });
    }

    pub(super) fn counters(&mut self, rank: &mut RankBuilder) {
        for (table, spec) in counters::TABLES {
            self.known.push(table.table);
            // The memory of the process is sampled together with counters.
            let has_memory = table.table == counters::NPU_MEM.table && self.selection.has(TableId::MemSample);
            if !self.needed.counters && !has_memory {
                continue;
            }
            let mut context = ReadContext::new(&mut rank.strings, self.words);
            let mut parts = RankParts { counter: &mut rank.counter, mem_sample: &mut rank.mem_sample };
            let read = counters::read(self.database, table, spec, &mut self.lanes, &mut context, &mut parts);
            self.dangling += context.dangling;
            self.outcomes.extend(read.map(|outcome| (table.table.to_owned(), outcome)));
        }
        let mut lanes = std::mem::replace(&mut self.lanes, Lanes::new(0));
        let RankBuilder { strings, counter, .. } = &mut *rank;
        self.table(self.needed.counters, &NPUSCOPE_COUNTER, strings, |row: &mut HostSampleRow, _| {
            row.counter(lanes.host_counters(row.process)).into_iter().for_each(|row| counter.push(row));
        });
        self.lanes = lanes;
        if !self.needed.counters {
            return;
        }
        for table in counters::PLAIN.iter().filter_map(|name| self.database.table(name)) {
            counters::read_plain(self.database, table, &mut self.lanes, rank);
        }
    }
}

/// The lane of one kind of a device's time; kinds are numbered as the database does.
fn overlap_lane(lanes: &mut Lanes, device: i64, kind: i64) -> LaneId {
    let known = usize::try_from(kind).ok().and_then(|kind| overlap::Kind::ALL.get(kind).copied());
    let name = known.map(|kind| layers::overlap_name(kind).to_owned());
    lanes.device_layer(lanes::OVERLAP, device, kind, || name)
}
