//! Why nothing ran: what a gap on a lane of the device was waiting for.

use std::cmp::Reverse;

use npuscope_tables::table::lane::Layer;
use npuscope_tables::table::overlap;
use serde::Serialize;

use super::levels::Extent;
use super::{ShownSlice, Timeline};

/// What a gap was waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
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
    /// What comes next is a communication, for which other ranks were not ready.
    WaitingForRank,
    /// What comes next was launched in time and waited for another stream.
    WaitingForStream,
    /// Nothing is recorded before.
    Start,
    /// Nothing is recorded after.
    End,
    Unknown,
}

/// A gap, and what shows its cause.
#[derive(Clone, Debug)]
pub struct Gap {
    pub begin: i64,
    pub end: i64,
    pub cause: Cause,
    /// What ran next, where it is known.
    pub next: Option<u32>,
    /// Slices that show the cause, the most telling first.
    pub places: Vec<u32>,
}

/// Part of the wait that a slice of the host must cover to be its cause.
const TELLING: f64 = 0.3;

/// Slices that are named for a cause.
const MOST_PLACES: usize = 3;

impl Timeline {
    /// The gap on a lane of the device at a time; `None` if something runs there, or the lane is another.
    pub fn gap(&self, lane: usize, time: i64) -> Option<Gap> {
        if !matches!(self.layer(lane), Layer::Hardware | Layer::Communication | Layer::Overlap) {
            return None;
        }
        let Extent { begin, end } = self.gap_at(lane, time)?;
        let mut gap = Gap { begin, end, cause: Cause::Unknown, next: None, places: Vec::new() };
        if begin == i64::MIN || end == i64::MAX {
            gap.cause = if begin == i64::MIN { Cause::Start } else { Cause::End };
            let span = self.span()?;
            (gap.begin, gap.end) = (begin.max(span.start), end.min(span.end));
            return Some(gap);
        }
        let Some(next) = self.next_on_device(lane, end) else { return Some(gap) };
        gap.next = Some(next);
        let launch = self.launch_of(next);
        match launch.and_then(|launch| self.slice(launch)) {
            Some(launch) if launch.begin > begin => {
                (gap.cause, gap.places) = self.host_cause(begin, launch.begin.min(end));
                gap.places.push(launch.id);
            }
            launch => {
                let is_meeting = self.slice(next).is_some_and(|next| self.is_communication(&next));
                if is_meeting {
                    (gap.cause, gap.places) = (Cause::WaitingForRank, vec![next]);
                } else if let Some(before) = self.ended_before(next, begin, end) {
                    (gap.cause, gap.places) = (Cause::WaitingForStream, vec![before]);
                }
                gap.places.extend(launch.map(|launch| launch.id));
            }
        }
        Some(gap)
    }

    /// From the end of what was before to the begin of what is after; time that is told to be free is a gap, too.
    fn gap_at(&self, lane: usize, time: i64) -> Option<Extent> {
        if let Some(slice) = self.slice_at(lane, time) {
            let (batch, row) = self.batch_of(slice)?;
            let is_free =
                batch.category() == "overlap" && batch.kind_text(row, &self.tables) == Some(overlap::Kind::Free.name());
            return is_free.then(|| self.extent(slice));
        }
        let rows = self.rows(lane);
        let before = rows.clone().filter_map(|row| self.slices_in(row, i64::MIN, time).next_back());
        let after = rows.filter_map(|row| {
            let slices = self.slices_of_row(row);
            let first = super::first_where(slices.clone(), |slice| self.extent(slice).begin >= time);
            (first < slices.end).then_some(first)
        });
        let begin = before.map(|slice| self.extent(slice).end).max().unwrap_or(i64::MIN);
        let end = after.map(|slice| self.extent(slice).begin).min().unwrap_or(i64::MAX);
        Some(Extent { begin, end })
    }

    fn layer(&self, lane: usize) -> Layer {
        self.lanes.list.get(lane).map_or(Layer::Other, |lane| lane.layer)
    }

    fn lanes_of(&self, layers: &[Layer]) -> impl Iterator<Item = usize> {
        (0..self.lanes.list.len()).filter(move |lane| layers.contains(&self.layer(*lane)))
    }

    /// The slice that ends a gap: the next of the lane, or of any stream if the lane is of none.
    fn next_on_device(&self, lane: usize, end: i64) -> Option<u32> {
        let next_of = |lane: usize| {
            let firsts = self.rows(lane).filter_map(|row| {
                let slices = self.slices_of_row(row);
                let first = super::first_where(slices.clone(), |slice| self.extent(slice).begin >= end);
                (first < slices.end).then(|| (self.extent(first).begin, first))
            });
            firsts.min()
        };
        let is_told = matches!(self.layer(lane), Layer::Hardware | Layer::Communication);
        let next = if is_told { next_of(lane) } else { self.lanes_of(&[Layer::Hardware]).filter_map(next_of).min() };
        next.map(|(_, slice)| slice)
    }

    /// The call of the host that launched a slice of the device.
    fn launch_of(&self, slice: u32) -> Option<u32> {
        let flows = self.flows_of(slice, 0);
        let incoming = flows.iter().filter(|flow| !flow.outgoing);
        let earliest = incoming.min_by_key(|flow| flow.end.begin);
        earliest.map(|flow| flow.end.slice)
    }

    fn is_communication(&self, slice: &ShownSlice) -> bool {
        let name = self.name(slice).to_ascii_lowercase();
        self.layer(slice.lane as usize) == Layer::Communication
            || ["hcom", "notify_wait", "nccl", "allreduce", "alltoall"].iter().any(|part| name.contains(part))
    }

    /// The slice of another stream that ended last before `next` began, within the gap.
    fn ended_before(&self, next: u32, begin: i64, end: i64) -> Option<u32> {
        let own = self.slice(next)?.lane as usize;
        let others = self.lanes_of(&[Layer::Hardware]).filter(|lane| *lane != own);
        let last = others.flat_map(|lane| self.rows(lane)).filter_map(|row| {
            let slice = self.slices_in(row, begin, end).next_back()?;
            Some((self.extent(slice).end, slice))
        });
        last.filter(|(ended, _)| *ended <= end).max().map(|(_, slice)| slice)
    }

    /// What the host did between two times instead of launching.
    fn host_cause(&self, begin: i64, end: i64) -> (Cause, Vec<u32>) {
        let host = [Layer::Framework, Layer::Cann, Layer::Gc, Layer::Mstx, Layer::Other];
        let mut found: Vec<(i64, u32, u32)> = Vec::new();
        for lane in self.lanes_of(&host) {
            for (depth, row) in (0u32..).zip(self.rows(lane)) {
                for slice in self.slices_in(row, begin, end) {
                    let extent = self.extent(slice);
                    // One around all of it, as a step is, tells nothing.
                    if extent.begin < begin && extent.end > end.saturating_add(end - begin) {
                        continue;
                    }
                    found.push((extent.end.min(end) - extent.begin.max(begin), depth, slice));
                }
            }
        }
        let wanted = (end - begin).max(1) as f64 * TELLING;
        found.retain(|(covered, ..)| *covered as f64 >= wanted);
        let cause_of = |slice: u32| {
            let Some(slice) = self.slice(slice) else { return Cause::HostBusy };
            let name = self.name(&slice).to_ascii_lowercase();
            let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
            match () {
                () if self.layer(slice.lane as usize) == Layer::Gc || has(&["gc.collect", "garbage"]) => Cause::Gc,
                () if has(&["dataloader", "data_loader", "next_batch", "dataiter"]) => Cause::Data,
                () if has(&["synchronize", "local_scalar_dense", "aten::item", "streamwait"]) => Cause::HostSync,
                () => Cause::HostBusy,
            }
        };
        // A cause that is told by its name comes before one that is not; of like ones the innermost.
        let rank = |cause: Cause| {
            [Cause::Gc, Cause::Data, Cause::HostSync, Cause::HostBusy].iter().position(|known| *known == cause)
        };
        found.sort_by_key(|&(covered, depth, slice)| (rank(cause_of(slice)), Reverse(depth), Reverse(covered)));
        let Some(&(_, _, first)) = found.first() else { return (Cause::QueueEmpty, Vec::new()) };
        (cause_of(first), found.iter().take(MOST_PLACES).map(|(_, _, slice)| *slice).collect())
    }
}
