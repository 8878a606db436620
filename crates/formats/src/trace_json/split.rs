//! One file on several threads.
//!
//! Workers start at places that look like events. What looks like one may be nested in the arguments
//! of another, so each start is a guess; it is proved when the worker before it, reading on past its
//! own end, finds its next event exactly there. The first start is certain, so by induction all proved
//! ones are. A stretch whose start was wrong is read again from the true place.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use npuscope_tables::Selection;

use super::event::{Dialect, Events};
use super::scan::{End, next_event_like, scan};

/// Called with bytes that were read and are not needed for now: those of a mapped file can leave memory.
pub type Release<'a> = &'a (dyn Fn() + Sync);

/// The events of `bytes` from `start`, in `stretches` stretches if the file has as many events, and how
/// the last one ended. On up to `threads` threads, whose number changes nothing. Counters and flows are left out if
/// they are not wanted. Whenever a stretch is done, `release` is called.
pub fn scan_in(
    bytes: &[u8],
    start: usize,
    stretches: usize,
    threads: usize,
    dialect: Dialect,
    selection: Selection,
    release: Release<'_>,
) -> (Vec<Events>, End) {
    let scan = |(start, stop)| {
        let scanned = scan(bytes, start, stop, dialect, selection);
        release();
        scanned
    };
    let starts = guess_starts(bytes, start, stretches);
    let stops = starts.iter().skip(1).copied().chain([usize::MAX]);
    let ranges: Vec<(usize, usize)> = starts.iter().copied().zip(stops).collect();
    let mut scanned = Vec::new();
    in_order(ranges.clone(), threads, scan, |result| scanned.push(result));
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
            *slot = scan((true_start, stop));
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

/// Gives what `work` makes of every item to `take`, in their order and as soon as it is their turn. The work is
/// done on up to `threads` threads.
pub fn in_order<T: Send, R: Send>(
    items: Vec<T>,
    threads: usize,
    work: impl Fn(T) -> R + Sync,
    mut take: impl FnMut(R),
) {
    if threads <= 1 || items.len() <= 1 {
        return items.into_iter().for_each(|item| take(work(item)));
    }
    let workers = threads.min(items.len());
    let queue = Mutex::new(items.into_iter().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let (done, results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..workers {
            let (done, work, next) = (done.clone(), &work, &next);
            scope.spawn(move || {
                while let Some((index, item)) = next() {
                    // Nobody listens once the receiver has given up; there is nothing left to do then.
                    if done.send((index, work(item))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(done);
        let mut early = BTreeMap::new();
        let mut turn = 0;
        for (index, result) in results {
            early.insert(index, result);
            while let Some(result) = early.remove(&turn) {
                take(result);
                turn += 1;
            }
        }
    });
}
