//! Causes of idle device time: what a gap was waiting for.
//!
//! A gap ends with the next work on the device. If the host launched that work after the gap began, the host is the
//! cause: its activity during the gap decides which cause it is. If the work was launched in time, it waited: a
//! communication operation for other ranks, other work for another stream.

use std::borrow::Cow;
use std::cmp::Reverse;

use npuscope_formats::timeline::{Arrows, Lanes, Slices};
use npuscope_measures::busy::Busy;
use npuscope_measures::intervals::{Interval, union};
use npuscope_tables::RankTables;
use npuscope_tables::table::lane::Layer;
use npuscope_tables::table::overlap;
use serde::Serialize;

/// What a gap was waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "GapCause"))]
pub enum Cause {
    /// The host did something else than launching.
    HostBusy,
    /// The host waited for the device.
    HostSync,
    /// The host waited for the next batch.
    Data,
    /// Python collected garbage.
    Gc,
    /// The host launched late and was not seen to do anything.
    QueueEmpty,
    /// The next work is a communication operation, and other ranks were not ready for it.
    WaitingForRank,
    /// The next work was launched in time and waited for another stream.
    WaitingForStream,
    /// Nothing is recorded before.
    Start,
    /// Nothing is recorded after.
    End,
    Unknown,
}

impl Cause {
    pub const ALL: [Cause; 10] = [
        Cause::HostBusy,
        Cause::HostSync,
        Cause::Data,
        Cause::Gc,
        Cause::QueueEmpty,
        Cause::WaitingForRank,
        Cause::WaitingForStream,
        Cause::Start,
        Cause::End,
        Cause::Unknown,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Cause::HostBusy => "host_busy",
            Cause::HostSync => "host_sync",
            Cause::Data => "data",
            Cause::Gc => "gc",
            Cause::QueueEmpty => "queue_empty",
            Cause::WaitingForRank => "waiting_for_rank",
            Cause::WaitingForStream => "waiting_for_stream",
            Cause::Start => "start",
            Cause::End => "end",
            Cause::Unknown => "unknown",
        }
    }
}

/// A gap, and what shows its cause.
#[derive(Clone, Debug)]
pub struct Gap {
    pub begin: i64,
    pub end: i64,
    pub cause: Cause,
    /// What ran next, where it is known.
    pub next: Option<u32>,
    /// Slices that show the cause, the most specific first.
    pub places: Vec<u32>,
}

/// The slices of a rank on their lanes, by numbers.
pub trait Timeline {
    /// Lanes are numbered from 0.
    fn lanes(&self) -> usize;
    fn layer(&self, lane: usize) -> Layer;
    fn span(&self) -> Option<Interval>;
    fn extent(&self, slice: u32) -> Interval;
    fn lane_of(&self, slice: u32) -> usize;
    fn name(&self, slice: u32) -> Cow<'_, str>;
    /// Whether the profile says by this slice that the device was free.
    fn is_free(&self, slice: u32) -> bool;
    /// The slice that is open at a time on a lane, of several the one that began last.
    fn open_at(&self, lane: usize, time: i64) -> Option<u32>;
    /// The slices of a lane that have a part in `begin..end`, each with its depth.
    fn open_in(&self, lane: usize, begin: i64, end: i64) -> Vec<(u32, u32)>;
    /// The latest end of slices of a lane that began before a time.
    fn end_before(&self, lane: usize, time: i64) -> Option<i64>;
    /// The first slice of a lane that begins at a time or later.
    fn first_from(&self, lane: usize, time: i64) -> Option<u32>;
    /// The call of the host that launched a slice of the device.
    fn launch_of(&self, slice: u32) -> Option<u32>;
}

/// Share of the wait that a slice of the host must cover to be its cause.
const LEAST_COVERED: f64 = 0.3;

/// Slices that are named for a cause.
const MOST_PLACES: usize = 3;

/// The gap on a lane of the device at a time; `None` if something runs there, or the lane is another.
pub fn gap_on_lane(timeline: &impl Timeline, lane: usize, time: i64) -> Option<Gap> {
    if !matches!(timeline.layer(lane), Layer::Hardware | Layer::Communication | Layer::Overlap) {
        return None;
    }
    let (begin, end) = match timeline.open_at(lane, time) {
        // Time that the profile marks as free is a gap, too.
        Some(slice) => {
            timeline.is_free(slice).then(|| timeline.extent(slice)).map(|gap| (Some(gap.start), Some(gap.end)))?
        }
        None => {
            let after = timeline.first_from(lane, time).map(|slice| timeline.extent(slice).start);
            (timeline.end_before(lane, time), after)
        }
    };
    let is_stream = matches!(timeline.layer(lane), Layer::Hardware | Layer::Communication);
    explain(timeline, begin, end, is_stream.then_some(lane))
}

/// The gap of the whole device at a time: nothing computes or communicates. `None` if something does.
pub fn gap_of_device(timeline: &impl Timeline, busy: &Busy, time: i64) -> Option<Gap> {
    let work = union([busy.computing.as_slice(), &busy.communication].concat());
    let after = work.partition_point(|interval| interval.start <= time);
    let before = after.checked_sub(1).and_then(|at| work.get(at));
    if before.is_some_and(|interval| time < interval.end) {
        return None;
    }
    explain(timeline, before.map(|interval| interval.end), work.get(after).map(|interval| interval.start), None)
}

/// What a gap was waiting for; `None` for a bound is that nothing is recorded there. `lane` is what work comes next on,
/// any stream if there is none.
fn explain(timeline: &impl Timeline, begin: Option<i64>, end: Option<i64>, lane: Option<usize>) -> Option<Gap> {
    let (Some(begin), Some(end)) = (begin, end) else {
        let span = timeline.span()?;
        let cause = if begin.is_none() { Cause::Start } else { Cause::End };
        let (begin, end) = (begin.unwrap_or(span.start), end.unwrap_or(span.end));
        return Some(Gap { begin, end, cause, next: None, places: Vec::new() });
    };
    let mut gap = Gap { begin, end, cause: Cause::Unknown, next: None, places: Vec::new() };
    let first_of = |lane: usize| timeline.first_from(lane, end).map(|slice| (timeline.extent(slice).start, slice));
    let next = match lane {
        Some(lane) => first_of(lane),
        None => lanes_of(timeline, &[Layer::Hardware]).filter_map(first_of).min(),
    };
    let Some((_, next)) = next else { return Some(gap) };
    gap.next = Some(next);
    let launch = timeline.launch_of(next);
    match launch.map(|launch| (launch, timeline.extent(launch).start)) {
        Some((launch, launched)) if launched > begin => {
            (gap.cause, gap.places) = host_cause(timeline, begin, launched.min(end));
            gap.places.push(launch);
        }
        _ => {
            if is_communication(timeline, next) {
                (gap.cause, gap.places) = (Cause::WaitingForRank, vec![next]);
            } else if let Some(before) = ended_before(timeline, next, begin, end) {
                (gap.cause, gap.places) = (Cause::WaitingForStream, vec![before]);
            }
            gap.places.extend(launch);
        }
    }
    Some(gap)
}

fn lanes_of(timeline: &impl Timeline, layers: &[Layer]) -> impl Iterator<Item = usize> {
    (0..timeline.lanes()).filter(move |lane| layers.contains(&timeline.layer(*lane)))
}

fn is_communication(timeline: &impl Timeline, slice: u32) -> bool {
    let name = timeline.name(slice).to_ascii_lowercase();
    timeline.layer(timeline.lane_of(slice)) == Layer::Communication
        || ["hcom", "notify_wait", "nccl", "allreduce", "alltoall"].iter().any(|part| name.contains(part))
}

/// The slice of another stream that ended last before `next` began, within the gap.
fn ended_before(timeline: &impl Timeline, next: u32, begin: i64, end: i64) -> Option<u32> {
    let own = timeline.lane_of(next);
    let others = lanes_of(timeline, &[Layer::Hardware]).filter(|lane| *lane != own);
    let open = others.flat_map(|lane| timeline.open_in(lane, begin, end));
    let ended = open.map(|(_, slice)| (timeline.extent(slice).end, slice)).filter(|(ended, _)| *ended <= end);
    ended.max().map(|(_, slice)| slice)
}

/// The activity of the host between two times, in which it launched nothing.
fn host_cause(timeline: &impl Timeline, begin: i64, end: i64) -> (Cause, Vec<u32>) {
    let host = [Layer::Framework, Layer::Cann, Layer::Gc, Layer::Mstx, Layer::Other];
    let mut found: Vec<(i64, u32, u32)> = Vec::new();
    for lane in lanes_of(timeline, &host) {
        for (depth, slice) in timeline.open_in(lane, begin, end) {
            let extent = timeline.extent(slice);
            // A slice around the whole gap, such as a step, does not show the cause.
            if extent.start < begin && extent.end > end.saturating_add(end - begin) {
                continue;
            }
            found.push((extent.end.min(end) - extent.start.max(begin), depth, slice));
        }
    }
    let wanted = (end - begin).max(1) as f64 * LEAST_COVERED;
    found.retain(|(covered, ..)| *covered as f64 >= wanted);
    let cause_of = |slice: u32| {
        let name = timeline.name(slice).to_ascii_lowercase();
        let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        match () {
            () if timeline.layer(timeline.lane_of(slice)) == Layer::Gc || has(&["gc.collect", "garbage"]) => Cause::Gc,
            () if has(&["dataloader", "data_loader", "next_batch", "dataiter"]) => Cause::Data,
            () if has(&["synchronize", "local_scalar_dense", "aten::item", "streamwait"]) => Cause::HostSync,
            () => Cause::HostBusy,
        }
    };
    // A cause that the name shows comes before others; of equal ones the innermost.
    let rank = |cause: Cause| {
        [Cause::Gc, Cause::Data, Cause::HostSync, Cause::HostBusy].iter().position(|known| *known == cause)
    };
    found.sort_by_key(|&(covered, depth, slice)| (rank(cause_of(slice)), Reverse(depth), Reverse(covered)));
    let Some(&(_, _, first)) = found.first() else { return (Cause::QueueEmpty, Vec::new()) };
    (cause_of(first), found.iter().take(MOST_PLACES).map(|(_, _, slice)| *slice).collect())
}

/// The slices of a rank for one question, without an index.
pub struct PlainTimeline<'a> {
    tables: &'a RankTables,
    lanes: Lanes,
    slices: Slices,
    arrows: Arrows,
}

impl<'a> PlainTimeline<'a> {
    pub fn of(tables: &'a RankTables) -> PlainTimeline<'a> {
        let lanes = Lanes::of(tables);
        let slices = Slices::of(tables, &lanes, None);
        let arrows = Arrows::of(tables, &slices.list, &lanes, None);
        PlainTimeline { tables, lanes, slices, arrows }
    }

    pub fn lane_name(&self, slice: u32) -> &str {
        self.lanes.list.get(self.lane_of(slice)).map(|lane| lane.name.as_str()).unwrap_or_default()
    }

    fn of_lane(&self, lane: usize) -> std::ops::Range<usize> {
        let list = &self.slices.list;
        list.partition_point(|slice| slice.lane < lane)..list.partition_point(|slice| slice.lane <= lane)
    }

    /// The slices of a lane that begin before a time, with their numbers.
    fn begun(&self, lane: usize, time: i64) -> impl Iterator<Item = (u32, Interval)> {
        let slices = self.of_lane(lane).filter_map(|at| Some((at as u32, self.slices.list.get(at)?)));
        slices
            .map(|(at, slice)| (at, Interval::new(slice.begin, slice.end)))
            .take_while(move |(_, interval)| interval.start < time)
    }
}

/// Whether a slice is open after `time`; one without length is open for the moment in which it is.
fn reaches_beyond(interval: Interval, time: i64) -> bool {
    interval.end.max(interval.start.saturating_add(1)) > time
}

impl Timeline for PlainTimeline<'_> {
    fn lanes(&self) -> usize {
        self.lanes.list.len()
    }

    fn layer(&self, lane: usize) -> Layer {
        self.lanes.list.get(lane).map_or(Layer::Other, |lane| lane.layer)
    }

    fn span(&self) -> Option<Interval> {
        npuscope_formats::timeline::time_span(self.tables)
    }

    fn extent(&self, slice: u32) -> Interval {
        self.slices.list.get(slice as usize).map_or(Interval { start: 0, end: 0 }, |s| Interval::new(s.begin, s.end))
    }

    fn lane_of(&self, slice: u32) -> usize {
        self.slices.list.get(slice as usize).map_or(0, |slice| slice.lane)
    }

    fn name(&self, slice: u32) -> Cow<'_, str> {
        let found = self.slices.list.get(slice as usize).and_then(|s| Some((self.slices.batches.get(s.batch)?, s.row)));
        found.map(|(batch, row)| batch.name(row, self.tables).text(self.tables)).unwrap_or_default()
    }

    fn is_free(&self, slice: u32) -> bool {
        let found = self.slices.list.get(slice as usize).and_then(|s| Some((self.slices.batches.get(s.batch)?, s.row)));
        found.is_some_and(|(batch, row)| {
            batch.category() == "overlap" && batch.kind_text(row, self.tables) == Some(overlap::Kind::Free.name())
        })
    }

    fn open_at(&self, lane: usize, time: i64) -> Option<u32> {
        let begun = self.begun(lane, time.saturating_add(1));
        begun.filter(|(_, interval)| reaches_beyond(*interval, time)).last().map(|(slice, _)| slice)
    }

    fn open_in(&self, lane: usize, begin: i64, end: i64) -> Vec<(u32, u32)> {
        let mut open: Vec<i64> = Vec::new();
        let mut found = Vec::new();
        for (slice, interval) in self.begun(lane, end) {
            open.retain(|until| *until > interval.start);
            if reaches_beyond(interval, begin) {
                found.push((open.len() as u32, slice));
            }
            open.push(interval.end);
        }
        found
    }

    fn end_before(&self, lane: usize, time: i64) -> Option<i64> {
        self.begun(lane, time).map(|(_, interval)| interval.end).max()
    }

    fn first_from(&self, lane: usize, time: i64) -> Option<u32> {
        let slices = self.of_lane(lane);
        let list = self.slices.list.get(slices.clone())?;
        let first = slices.start + list.partition_point(|slice| slice.begin < time);
        (first < slices.end).then_some(first as u32)
    }

    fn launch_of(&self, slice: u32) -> Option<u32> {
        let incoming = self.arrows.list.iter().filter(|arrow| arrow.target == slice as usize);
        incoming.map(|arrow| arrow.source as u32).min_by_key(|source| self.extent(*source).start)
    }
}
