//! Tables to packets.

use std::borrow::Cow;
use std::io::{self, Write};
use std::iter::Peekable;

use npuscope_measures::intervals::Interval;
use npuscope_tables::{Rank, RankTables};

use super::annotations::Annotator;
use super::flows::{Anchor, anchors};
use super::ids::{FileIds, Interned};
use super::packing::SubTracks;
use super::proto::{Message, clock_snapshot, counter, event, interned, packet, process, thread, trace, track};
use crate::timeline::{Arrows, Counter, Counters, Kernels, Lanes, Slice, SliceName, Slices};

/// What was written of a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub slices: u64,
    /// Samples of counters.
    pub samples: u64,
    /// Arrows between slices.
    pub flows: u64,
    /// Arrows left out because there is no slice at one of their ends.
    pub loose_flows: u64,
    /// Arrows left out because the profile itself has but one end of them.
    pub half_flows: u64,
}

impl Summary {
    #[must_use]
    pub fn plus(self, other: Summary) -> Summary {
        Summary {
            slices: self.slices + other.slices,
            samples: self.samples + other.samples,
            flows: self.flows + other.flows,
            loose_flows: self.loose_flows + other.loose_flows,
            half_flows: self.half_flows + other.half_flows,
        }
    }
}

/// Writes a trace, rank by rank. What it holds in memory is a few words per slice of the rank at hand.
pub struct Writer<W> {
    out: W,
    ids: FileIds,
    is_started: bool,
}

impl<W: Write> Writer<W> {
    pub fn new(out: W) -> Writer<W> {
        Writer { out, ids: FileIds::default(), is_started: false }
    }

    /// Adds a rank: every slice that intersects `window`, whole, the samples and arrows within it.
    pub fn rank(&mut self, rank: Rank, tables: &RankTables, window: Option<Interval>) -> io::Result<Summary> {
        let lanes = Lanes::of(tables);
        let slices = Slices::of(tables, &lanes, window);
        let arrows = Arrows::of(tables, &slices.list, &lanes, window);
        let anchors = anchors(&arrows.list, &slices.list, &mut self.ids);
        let counters = Counters::of(tables, &lanes, window);
        let times = slices.list.iter().map(|s| s.begin).chain(counters.samples.iter().map(|s| s.time));
        let first = times.min();
        let start_of_file = first.filter(|_| !self.is_started);
        self.is_started |= first.is_some();
        let mut writer = RankWriter::new(self, rank, tables, &lanes);
        writer.start(start_of_file)?;
        writer.slices(&slices, &anchors)?;
        writer.counters(&counters)?;
        Ok(Summary {
            slices: slices.list.len() as u64,
            samples: counters.samples.len() as u64,
            flows: arrows.list.len() as u64,
            loose_flows: arrows.loose,
            half_flows: arrows.halves,
        })
    }

    /// Gives back what was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

/// A process that has a track.
#[derive(Clone, Copy)]
struct ProcessTrack {
    uuid: u64,
    pid: i32,
}

struct RankWriter<'a, W> {
    out: &'a mut W,
    ids: &'a mut FileIds,
    rank: Rank,
    tables: &'a RankTables,
    lanes: &'a Lanes,
    sequence: u64,
    /// Place of the rank's first process among those of the file.
    first_place: i32,
    /// Tracks of the processes, as far as they were needed.
    processes: Vec<Option<ProcessTrack>>,
    kernels: Kernels,
    annotator: Annotator<'a>,
    names: Interned<SliceName>,
    categories: Interned<&'static str>,
    /// The event at hand, the texts it is the first to use, and the packet around both.
    event: Message,
    fresh: Message,
    packet: Message,
}

impl<'a, W: Write> RankWriter<'a, W> {
    fn new(writer: &'a mut Writer<W>, rank: Rank, tables: &'a RankTables, lanes: &'a Lanes) -> Self {
        RankWriter {
            out: &mut writer.out,
            rank,
            tables,
            lanes,
            sequence: writer.ids.sequence(),
            first_place: writer.ids.places(lanes.processes.len()),
            ids: &mut writer.ids,
            processes: vec![None; lanes.processes.len()],
            kernels: Kernels::of(tables),
            annotator: Annotator::new(tables),
            names: Interned::new(interned::NAMES),
            categories: Interned::new(interned::CATEGORIES),
            event: Message::default(),
            fresh: Message::default(),
            packet: Message::default(),
        }
    }

    /// Begins the rank's sequence and, if it is the first, the file, whose first moment is `start_of_file`.
    fn start(&mut self, start_of_file: Option<i64>) -> io::Result<()> {
        if let Some(time) = start_of_file {
            // Times are the host's wall clock; said so, a viewer can show the date.
            self.write(|packet| {
                packet.message(packet::CLOCK_SNAPSHOT, |snapshot| {
                    for clock in [clock_snapshot::BOOTTIME, clock_snapshot::REALTIME] {
                        snapshot.message(clock_snapshot::CLOCKS, |entry| {
                            entry.uint(clock_snapshot::CLOCK_ID, clock);
                            entry.int(clock_snapshot::CLOCK_TIMESTAMP, time);
                        });
                    }
                });
            })?;
            self.describe(|root| {
                root.uint(track::UUID, track::ROOT);
                root.uint(track::PROCESS_ORDERING, track::PROCESSES_EXPLICIT);
                root.uint(track::THREAD_ORDERING, track::THREADS_EXPLICIT);
            })?;
        }
        self.write(|packet| {
            packet.uint(packet::SEQUENCE_FLAGS, packet::STATE_CLEARED);
            packet.uint(packet::IS_FIRST_ON_SEQUENCE, 1);
        })
    }

    fn slices(&mut self, slices: &Slices, anchors: &[Anchor]) -> io::Result<()> {
        let mut anchors = anchors.iter().peekable();
        let mut index = 0;
        for of_lane in slices.list.chunk_by(|a, b| a.lane == b.lane) {
            let mut packing = SubTracks::default();
            let mut tracks: Vec<u64> = Vec::new();
            for slice in of_lane {
                while let Some((track, end)) = packing.close_one(slice.begin) {
                    self.end(tracks.get(track).copied(), end)?;
                }
                let track = packing.open(slice.end);
                let track = match tracks.get(track) {
                    Some(&track) => track,
                    None => {
                        let new = self.sub_track(slice.lane, tracks.first().copied())?;
                        tracks.push(new);
                        new
                    }
                };
                self.begin(slice, index, track, slices, &mut anchors)?;
                index += 1;
            }
            while let Some((track, end)) = packing.close_one(i64::MAX) {
                self.end(tracks.get(track).copied(), end)?;
            }
        }
        Ok(())
    }

    fn begin<'b>(
        &mut self,
        slice: &Slice,
        index: usize,
        track: u64,
        slices: &Slices,
        anchors: &mut Peekable<impl Iterator<Item = &'b Anchor>>,
    ) -> io::Result<()> {
        let Some(batch) = slices.batches.get(slice.batch) else { return Ok(()) };
        let tables = self.tables;
        let (event, fresh) = (&mut self.event, &mut self.fresh);
        let category = batch.category();
        let name = batch.name(slice.row, tables);
        event.uint(event::TYPE, event::BEGIN);
        event.uint(event::TRACK, track);
        event.uint(event::CATEGORIES, self.categories.id(category, fresh, || Cow::Borrowed(category)));
        event.uint(event::NAME, self.names.id(name, fresh, || name.text(tables)));
        while let Some(anchor) = anchors.next_if(|anchor| anchor.slice == index) {
            event.fixed(if anchor.is_target { event::ENDING_FLOWS } else { event::FLOWS }, anchor.flow);
        }
        self.annotator.row(&batch.columns, slice.row, event, fresh);
        if let Some((columns, row)) = batch.task(slice.row).and_then(|task| self.kernels.get(task)) {
            self.annotator.row(columns, row, event, fresh);
        }
        if let Some((start, duration)) = batch.impossible(slice.row) {
            self.annotator.number("start", start, event, fresh);
            self.annotator.number("duration", duration, event, fresh);
        }
        self.write_event(slice.begin)
    }

    fn end(&mut self, track: Option<u64>, time: i64) -> io::Result<()> {
        self.event.uint(event::TYPE, event::END);
        self.event.uint(event::TRACK, track.unwrap_or_default());
        self.write_event(time)
    }

    fn counters(&mut self, counters: &Counters) -> io::Result<()> {
        for samples in counters.samples.chunk_by(|a, b| a.counter == b.counter) {
            let Some(first) = samples.first() else { continue };
            let Some(counter) = counters.list.get(first.counter) else { continue };
            let track = self.counter_track(counter, first.counter)?;
            for sample in samples {
                self.event.uint(event::TYPE, event::COUNTER);
                self.event.uint(event::TRACK, track);
                self.event.real(event::REAL_VALUE, sample.value);
                self.write_event(sample.time)?;
            }
        }
        Ok(())
    }

    /// A track of a lane: the first is its thread, those after it are children of the first with its name, which
    /// viewers show as one.
    fn sub_track(&mut self, lane: usize, first: Option<u64>) -> io::Result<u64> {
        let uuid = self.ids.track();
        let lanes = self.lanes;
        let Some(shown) = lanes.list.get(lane) else { return Ok(uuid) };
        if let Some(first) = first {
            self.describe(|descriptor| {
                descriptor.uint(track::UUID, uuid);
                descriptor.uint(track::PARENT, first);
                descriptor.text(track::NAME, &shown.name);
            })?;
            return Ok(uuid);
        }
        let process = self.process(shown.process)?;
        let place = i64::try_from(lane).unwrap_or(i64::MAX);
        self.describe(|descriptor| {
            descriptor.uint(track::UUID, uuid);
            descriptor.uint(track::PARENT, process.uuid);
            descriptor.int(track::ORDER, place);
            descriptor.message(track::THREAD, |thread| {
                thread.int(thread::PID, process.pid.into());
                thread.int(thread::TID, shown.tid);
                thread.int(thread::SORT_INDEX, place);
                thread.text(thread::NAME, &shown.name);
            });
        })?;
        Ok(uuid)
    }

    fn counter_track(&mut self, counter: &Counter, index: usize) -> io::Result<u64> {
        let uuid = self.ids.track();
        let (tables, lanes) = (self.tables, self.lanes);
        let Some(lane) = lanes.list.get(counter.lane) else { return Ok(uuid) };
        let process = self.process(lane.process)?;
        self.describe(|descriptor| {
            descriptor.uint(track::UUID, uuid);
            descriptor.uint(track::PARENT, process.uuid);
            descriptor.uint(track::ORDER, index as u64);
            descriptor.text(track::NAME, &counter.text(tables));
            descriptor.message(track::COUNTER, |descriptor| match tables.opt_text(counter.unit) {
                Some("B") => descriptor.uint(counter::UNIT, counter::BYTES),
                Some(unit) => descriptor.text(counter::UNIT_NAME, unit),
                None => {}
            });
        })?;
        Ok(uuid)
    }

    fn process(&mut self, index: usize) -> io::Result<ProcessTrack> {
        if let Some(known) = self.processes.get(index).copied().flatten() {
            return Ok(known);
        }
        let lanes = self.lanes;
        let shown = lanes.processes.get(index);
        let pid = self.ids.pid(shown.map_or(0, |process| process.pid));
        let made = ProcessTrack { uuid: self.ids.track(), pid };
        let place = self.first_place.saturating_add(i32::try_from(index).unwrap_or(i32::MAX));
        let rank = self.rank;
        if let Some(shown) = shown {
            self.describe(|descriptor| {
                descriptor.uint(track::UUID, made.uuid);
                descriptor.int(track::ORDER, place.into());
                descriptor.uint(track::CHILD_ORDERING, track::CHILDREN_EXPLICIT);
                descriptor.message(track::PROCESS, |process| {
                    process.int(process::PID, made.pid.into());
                    process.int(process::SORT_INDEX, place.into());
                    process.text(process::NAME, &format!("rank {rank} · {}", shown.name));
                    shown.labels.iter().for_each(|label| process.text(process::LABELS, label));
                });
            })?;
        }
        if let Some(slot) = self.processes.get_mut(index) {
            *slot = Some(made);
        }
        Ok(made)
    }

    fn describe(&mut self, fill: impl FnOnce(&mut Message)) -> io::Result<()> {
        self.write(|packet| packet.message(packet::TRACK_DESCRIPTOR, fill))
    }

    /// Writes the event that was put together, with its texts.
    fn write_event(&mut self, time: i64) -> io::Result<()> {
        let event = std::mem::take(&mut self.event);
        let fresh = std::mem::take(&mut self.fresh);
        let written = self.write(|packet| {
            packet.int(packet::TIMESTAMP, time);
            packet.uint(packet::SEQUENCE_FLAGS, packet::NEEDS_STATE);
            if !fresh.is_empty() {
                packet.raw(packet::INTERNED_DATA, fresh.bytes());
            }
            packet.raw(packet::TRACK_EVENT, event.bytes());
        });
        (self.event, self.fresh) = (event, fresh);
        self.event.clear();
        self.fresh.clear();
        written
    }

    fn write(&mut self, fill: impl FnOnce(&mut Message)) -> io::Result<()> {
        let sequence = self.sequence;
        self.packet.message(trace::PACKET, |packet| {
            packet.uint(packet::SEQUENCE, sequence);
            fill(packet);
        });
        let written = self.out.write_all(self.packet.bytes());
        self.packet.clear();
        written
    }
}
