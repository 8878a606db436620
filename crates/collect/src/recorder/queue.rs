//! A queue between the thread that records and the thread that writes.
//!
//! One producer, one consumer, no lock: chunks of slots in a chain. The producer fills the last chunk and
//! hangs a new one on it when it is full; the consumer empties the first and gives it back. All chunks of a
//! recording together stay below a limit; what comes beyond it is dropped and counted, never waited for.

use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The unit of a queue: records are one or several.
pub type Slot = [u64; 4];

/// Slots of a chunk: 64 KiB.
const SLOTS: usize = 2048;

/// Bytes that a chunk takes.
pub const CHUNK_BYTES: usize = size_of::<Chunk>();

/// Chunks that are kept for later use.
const MAX_SPARE: usize = 64;

struct Chunk {
    slots: [UnsafeCell<Slot>; SLOTS],
    /// Slots that are complete; only ever grows while the chunk is in a queue.
    filled: AtomicU32,
    next: AtomicPtr<Chunk>,
}

/// Where chunks come from: bounded, with some kept for later use.
pub struct Pool {
    spare: Mutex<Vec<Box<Chunk>>>,
    in_use: AtomicUsize,
    most: usize,
}

impl Pool {
    /// A pool of chunks that limits their total bytes.
    pub fn new(bytes: usize) -> Self {
        Self { spare: Mutex::default(), in_use: AtomicUsize::new(0), most: (bytes / CHUNK_BYTES).max(2) }
    }

    fn take(&self) -> Option<Box<Chunk>> {
        if self.in_use.fetch_add(1, Ordering::Relaxed) >= self.most {
            self.in_use.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // SAFETY: all-zero bytes are a valid chunk: numbers, and a null pointer.
        Some(spare.unwrap_or_else(|| unsafe { Box::<Chunk>::new_zeroed().assume_init() }))
    }

    fn give_back(&self, chunk: Box<Chunk>) {
        chunk.filled.store(0, Ordering::Relaxed);
        chunk.next.store(ptr::null_mut(), Ordering::Relaxed);
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < MAX_SPARE {
            spare.push(chunk);
        }
        drop(spare);
        self.in_use.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The two ends. The producer's fields are touched by the recording thread only, the consumer's by the
/// writing thread only.
pub struct Queue {
    pool: Arc<Pool>,
    /// Producer: the last chunk, and how many of its slots are taken.
    tail: UnsafeCell<*mut Chunk>,
    taken: UnsafeCell<usize>,
    /// Consumer: the first chunk, and how many of its slots are read.
    head: UnsafeCell<*mut Chunk>,
    read: UnsafeCell<usize>,
    dropped: AtomicU64,
}

// SAFETY: `push` is called by one thread and `drain` by one other, which is what the fields are split for;
// what passes between them passes through `filled` and `next`.
unsafe impl Sync for Queue {}
// SAFETY: the pointers are to chunks that the queue owns.
unsafe impl Send for Queue {}

impl Queue {
    /// None if the pool has no chunk left.
    pub fn new(pool: Arc<Pool>) -> Option<Self> {
        let first = Box::into_raw(pool.take()?);
        Some(Self {
            pool,
            tail: UnsafeCell::new(first),
            taken: UnsafeCell::new(0),
            head: UnsafeCell::new(first),
            read: UnsafeCell::new(0),
            dropped: AtomicU64::new(0),
        })
    }

    /// Appends a record of some slots, whole or not at all.
    ///
    /// # Safety
    /// Only one thread may push.
    #[inline(always)]
    pub unsafe fn push<const N: usize>(&self, record: [Slot; N]) {
        // SAFETY: the caller is the only producer, so nobody else touches `tail` and `taken`; the chunk is
        // alive because the consumer gives a chunk back only after `next` was set.
        unsafe {
            let taken = *self.taken.get();
            if taken + N > SLOTS {
                return self.push_slowly(record);
            }
            let chunk = &**self.tail.get();
            for (slot, value) in chunk.slots.get_unchecked(taken..taken + N).iter().zip(record) {
                *slot.get() = value;
            }
            *self.taken.get() = taken + N;
            chunk.filled.store((taken + N) as u32, Ordering::Release);
        }
    }

    /// # Safety
    /// As of `push`.
    #[cold]
    unsafe fn push_slowly<const N: usize>(&self, record: [Slot; N]) {
        let Some(next) = self.pool.take() else {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        };
        let next = Box::into_raw(next);
        // SAFETY: as in `push`; the new chunk is ours until it hangs on the chain.
        unsafe {
            let chunk = &**self.tail.get();
            *self.tail.get() = next;
            *self.taken.get() = 0;
            chunk.next.store(next, Ordering::Release);
            self.push(record);
        }
    }

    /// Calls `take` with what is complete of the first chunk, whole records only, and returns whether there is another
    /// chunk behind it.
    ///
    /// # Safety
    /// Only one thread may drain.
    pub unsafe fn drain(&self, take: impl FnOnce(&[Slot])) -> bool {
        // SAFETY: the caller is the only consumer; slots below `filled` are complete and not written again; a chunk
        // with a `next` is not touched by the producer any more.
        unsafe {
            let chunk = *self.head.get();
            let slots = &(*chunk).slots;
            // Before `filled`: once there is a next chunk, this one is as full as it gets.
            let next = (*chunk).next.load(Ordering::Acquire);
            let filled = (*chunk).filled.load(Ordering::Acquire) as usize;
            let read = *self.read.get();
            if let Some(slots) = slots.get(read..filled).filter(|slots| !slots.is_empty()) {
                // `UnsafeCell<Slot>` is laid out as `Slot`.
                take(std::slice::from_raw_parts(slots.as_ptr().cast::<Slot>(), slots.len()));
                *self.read.get() = filled;
            }
            if next.is_null() {
                return false;
            }
            *self.head.get() = next;
            *self.read.get() = 0;
            self.pool.give_back(Box::from_raw(chunk));
            true
        }
    }

    /// Records that found no place.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let mut chunk = *self.head.get_mut();
        while !chunk.is_null() {
            // SAFETY: nobody pushes or drains any more; the chain is ours.
            let owned = unsafe { Box::from_raw(chunk) };
            chunk = owned.next.load(Ordering::Relaxed);
            self.pool.give_back(owned);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn what_goes_in_comes_out_in_order() {
        let queue = Arc::new(Queue::new(Arc::new(Pool::new(64 << 20))).unwrap());
        let done = Arc::new(AtomicBool::new(false));
        const RECORDS: u64 = 300_000;
        let producer = {
            let (queue, done) = (queue.clone(), done.clone());
            std::thread::spawn(move || {
                for number in 0..RECORDS {
                    // SAFETY: the only producer.
                    unsafe {
                        match number % 3 {
                            0 => queue.push([[number, 1, 0, 0]]),
                            1 => queue.push([[number, 2, 0, 0], [number; 4]]),
                            _ => queue.push([[number, 3, 0, 0], [number; 4], [number; 4]]),
                        }
                    }
                }
                done.store(true, Ordering::Release);
            })
        };
        let mut expected = 0;
        loop {
            let last = done.load(Ordering::Acquire);
            // SAFETY: the only consumer.
            unsafe {
                while queue.drain(|slots| {
                    let mut rest = slots;
                    while let [[number, slots, ..], ..] = rest {
                        assert_eq!(*number, expected);
                        for slot in &rest[1..*slots as usize] {
                            assert_eq!(*slot, [expected; 4]);
                        }
                        rest = &rest[*slots as usize..];
                        expected += 1;
                    }
                }) {}
            }
            if last {
                break;
            }
        }
        producer.join().unwrap();
        assert_eq!(expected + queue.dropped(), RECORDS);
        assert_eq!(queue.dropped(), 0);
    }

    #[test]
    fn memory_is_bounded_and_losses_are_counted() {
        let pool = Arc::new(Pool::new(4 * CHUNK_BYTES));
        let queue = Queue::new(pool.clone()).unwrap();
        let records = 20 * SLOTS as u64;
        let mut seen = 0;
        // SAFETY: one thread does both.
        unsafe {
            for number in 0..records {
                queue.push([[number; 4]]);
            }
            while queue.drain(|slots| seen += slots.len() as u64) {}
        }
        assert_eq!(seen, 4 * SLOTS as u64);
        assert_eq!(seen + queue.dropped(), records);
        assert!(pool.in_use.load(Ordering::Relaxed) <= 4);
        drop(queue);
        assert_eq!(pool.in_use.load(Ordering::Relaxed), 0);
    }
}
