//! One file on several threads.
//!
//! Workers start at places that look like events. What looks like one may be nested in the arguments
//! of another, so each start is a guess; it is proved when the worker before it, reading on past its
//! own end, finds its next event exactly there. The first start is certain, so by induction all proved
//! ones are. A stretch whose start was wrong is read again from the true place.

use std::thread;

use super::event::Events;
use super::scan::{End, next_event_like, scan};

/// Stretches smaller than this are not worth a thread.
const MIN_STRETCH: usize = 4 << 20;

/// The events of `bytes` from `start`, in stretches, and how the last one ended.
pub fn scan_all(bytes: &[u8], start: usize, threads: usize) -> (Vec<Events>, End) {
    let stretches = threads.min((bytes.len() - start.min(bytes.len())) / MIN_STRETCH).max(1);
    scan_in(bytes, start, stretches)
}

/// [`scan_all`] in exactly `stretches` stretches, if the file has as many events.
pub fn scan_in(bytes: &[u8], start: usize, stretches: usize) -> (Vec<Events>, End) {
    let starts = guess_starts(bytes, start, stretches);
    let stops = starts.iter().skip(1).copied().chain([usize::MAX]);
    let ranges: Vec<(usize, usize)> = starts.iter().copied().zip(stops).collect();
    let mut scanned: Vec<(Events, End)> = match ranges.as_slice() {
        [(start, stop)] => vec![scan(bytes, *start, *stop)],
        ranges => thread::scope(|scope| {
            let workers: Vec<_> =
                ranges.iter().map(|&(start, stop)| scope.spawn(move || scan(bytes, start, stop))).collect();
            // A worker ends by returning: it has no panic to carry over.
            workers.into_iter().filter_map(|w| w.join().ok()).collect()
        }),
    };
    let mut previous = None;
    for (index, &(start, stop)) in ranges.iter().enumerate() {
        let true_start = match previous {
            None => start,
            Some(End::At(at)) => at,
            // The array ended in an earlier stretch: nothing after it counts.
            Some(_) => {
                scanned.truncate(index);
                break;
            }
        };
        let Some(slot) = scanned.get_mut(index) else { break };
        if true_start != start {
            *slot = scan(bytes, true_start, stop);
        }
        previous = Some(slot.1);
    }
    let end = previous.unwrap_or(End::Cut);
    (scanned.into_iter().map(|(events, _)| events).collect(), end)
}

fn guess_starts(bytes: &[u8], start: usize, stretches: usize) -> Vec<usize> {
    let mut starts = vec![start];
    let length = bytes.len().saturating_sub(start);
    for number in 1..stretches {
        let target = start + length / stretches * number;
        if let Some(at) = next_event_like(bytes, target)
            && starts.last().is_some_and(|&last| at > last)
        {
            starts.push(at);
        }
    }
    starts
}
