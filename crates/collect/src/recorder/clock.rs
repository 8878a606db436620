//! The clock of the recorder: the processor's counter where it runs evenly, else the kernel's.
//!
//! Reading the counter takes a third of the time that asking the kernel takes. Its frequency is measured
//! against the kernel's raw monotonic clock between the start of a recording and the last look, so that
//! times are exact at both and straight between. Wall time is looked at once per look and never enters a
//! record: setting the wall clock bends nothing.

/// A moment on every clock.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// What records hold.
    pub count: i64,
    /// The kernel's raw monotonic clock.
    pub monotonic_ns: i64,
    /// Since the epoch.
    pub unix_ns: i64,
}

/// What the recorder counts, now.
#[inline(always)]
pub fn now() -> i64 {
    if counts_ticks() { ticks() } else { monotonic_ns() }
}

/// Whether [`now`] is in ticks of the processor; nanoseconds else.
#[inline(always)]
pub fn counts_ticks() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::sync::atomic::{AtomicU8, Ordering};
        // 0: not looked yet, 1: ticks, 2: nanoseconds.
        static KIND: AtomicU8 = AtomicU8::new(0);
        match KIND.load(Ordering::Relaxed) {
            0 => {
                let runs_evenly = has_even_counter();
                KIND.store(if runs_evenly { 1 } else { 2 }, Ordering::Relaxed);
                runs_evenly
            }
            kind => kind == 1,
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        cfg!(target_arch = "aarch64")
    }
}

/// Counters of x86 run at one speed only if the processor says so.
#[cfg(target_arch = "x86_64")]
#[cold]
fn has_even_counter() -> bool {
    use std::arch::x86_64::__cpuid;
    const EXTENDED: u32 = 0x8000_0000;
    const POWER: u32 = 0x8000_0007;
    const INVARIANT: u32 = 1 << 8;
    #[allow(unused_unsafe)]
    // SAFETY: every processor of this architecture has the instruction.
    unsafe {
        __cpuid(EXTENDED).eax >= POWER && __cpuid(POWER).edx & INVARIANT != 0
    }
}

#[inline(always)]
fn ticks() -> i64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reading the counter has no precondition.
    unsafe {
        std::arch::x86_64::_rdtsc() as i64
    }
    #[cfg(target_arch = "aarch64")]
    {
        let count: i64;
        // SAFETY: the register is readable by every process.
        unsafe { std::arch::asm!("mrs {}, cntvct_el0", out(reg) count, options(nomem, nostack)) };
        count
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        monotonic_ns()
    }
}

fn monotonic_ns() -> i64 {
    read(libc::CLOCK_MONOTONIC_RAW)
}

fn read(clock: libc::clockid_t) -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a place for the answer.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

impl Moment {
    pub fn now() -> Self {
        // The tightest of a few looks: the thread may be interrupted between two clocks.
        let mut best: Option<(i64, Self)> = None;
        for _ in 0..5 {
            let before = monotonic_ns();
            let (count, unix_ns) = (now(), read(libc::CLOCK_REALTIME));
            let after = monotonic_ns();
            let monotonic_ns = if counts_ticks() { before + (after - before) / 2 } else { count };
            if best.is_none_or(|(width, _)| after - before < width) {
                best = Some((after - before, Self { count, monotonic_ns, unix_ns }));
            }
        }
        best.map_or(Self { count: 0, monotonic_ns: 0, unix_ns: 0 }, |(_, moment)| moment)
    }

    /// Counts per microsecond between this moment and a later one.
    pub fn megahertz(&self, later: &Moment) -> f64 {
        if !counts_ticks() || later.monotonic_ns <= self.monotonic_ns {
            return 1000.0;
        }
        (later.count - self.count) as f64 / (later.monotonic_ns - self.monotonic_ns) as f64 * 1000.0
    }
}

/// Counts of [`now`] in a millisecond, measured for two of them: good for thresholds.
pub fn counts_per_ms() -> f64 {
    let start = Moment::now();
    std::thread::sleep(std::time::Duration::from_millis(2));
    start.megahertz(&Moment::now()) * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_and_the_kernel_agree() {
        let start = Moment::now();
        std::thread::sleep(std::time::Duration::from_millis(30));
        let middle = Moment::now();
        std::thread::sleep(std::time::Duration::from_millis(30));
        let end = Moment::now();
        let frequency = start.megahertz(&end);
        let computed = start.monotonic_ns + ((middle.count - start.count) as f64 * (1000.0 / frequency)) as i64;
        assert!((computed - middle.monotonic_ns).abs() < 20_000, "{} ns apart", computed - middle.monotonic_ns);
    }

    #[test]
    fn the_clock_does_not_run_backwards() {
        let mut last = now();
        for _ in 0..10_000 {
            let next = now();
            assert!(next >= last);
            last = next;
        }
    }
}
