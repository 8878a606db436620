//! CPU time and heap.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, with a note of how much is in use and how much was at most.
pub struct CountingAllocator;

// SAFETY: every call is passed on to the system's allocator unchanged; only numbers are kept beside.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let live = LIVE.fetch_add(size, Ordering::Relaxed) + size - layout.size();
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// What a piece of work took.
#[derive(Clone, Copy)]
pub struct Cost {
    /// CPU seconds of all threads of this process.
    pub cpu: f64,
    /// Bytes of heap at most, above what was in use before.
    pub heap: usize,
}

/// Does the work once to warm up and then `times` times; the median of the CPU times.
pub fn measure<T>(times: usize, mut work: impl FnMut() -> T) -> Cost {
    drop(work());
    let mut costs: Vec<Cost> = (0..times)
        .map(|_| {
            let before = LIVE.load(Ordering::Relaxed);
            PEAK.store(before, Ordering::Relaxed);
            let start = cpu_seconds();
            let result = work();
            let cpu = cpu_seconds() - start;
            let heap = PEAK.load(Ordering::Relaxed) - before;
            drop(result);
            Cost { cpu, heap }
        })
        .collect();
    costs.sort_by(|a, b| a.cpu.total_cmp(&b.cpu));
    costs[costs.len() / 2]
}

fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists on every Unix and `time` is a place to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
