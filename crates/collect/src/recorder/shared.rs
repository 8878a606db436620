//! What the recording threads and the writing thread share, and the way of a record to its queue.

use std::cell::{Cell, RefCell};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use npuscope_messages::Message;

use super::budget::Kept;
use super::fork::Latch;
use super::names::{Name, Names};
use super::queue::{Pool, Queue, Slot};

/// The recording that is under way; 0 if none is. Every recording has a number of its own.
static RECORDING: AtomicU64 = AtomicU64::new(0);
static NUMBERS: AtomicU64 = AtomicU64::new(0);
/// Threads are numbered through all recordings, so that the id of a range is never given twice.
static THREADS: AtomicU64 = AtomicU64::new(0);
static CURRENT: Latch<Option<Arc<Shared>>> = Latch::new(None);

pub struct Shared {
    number: u64,
    pub pool: Arc<Pool>,
    names: Mutex<Names>,
    threads: Mutex<Vec<Arc<ThreadQueue>>>,
    /// Records of threads that are gone.
    dropped: AtomicU64,
    kept: AtomicU8,
    pub is_stopping: AtomicBool,
    /// Domains that are recorded; all but `exclude` if empty.
    include: Vec<String>,
    exclude: Vec<String>,
    error: Mutex<Option<Message>>,
}

/// The queue of one thread.
pub struct ThreadQueue {
    pub queue: Queue,
    pub tid: u64,
    /// Part of the ids of its ranges.
    number: u64,
    pub is_gone: AtomicBool,
}

/// What a thread knows of its queue without asking: touched by that thread only.
struct Local {
    recording: Cell<u64>,
    queue: Cell<*const ThreadQueue>,
    ranges: Cell<u64>,
}

thread_local! {
    static LOCAL: Local = const { Local { recording: Cell::new(0), queue: Cell::new(ptr::null()), ranges: Cell::new(0) } };
    /// Keeps the queue alive while `LOCAL` points to it.
    static HELD: RefCell<Held> = const { RefCell::new(Held(None)) };
}

struct Held(Option<Arc<ThreadQueue>>);

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(queue) = self.0.take() {
            LOCAL.with(|local| local.recording.set(0));
            queue.is_gone.store(true, Ordering::Release);
        }
    }
}

/// Whether something is being recorded in this process.
#[inline(always)]
pub fn is_on() -> bool {
    RECORDING.load(Ordering::Relaxed) != 0
}

/// The recording under way, 0 if none is: what was looked up for another one is no longer true.
#[inline(always)]
pub fn recording() -> u64 {
    RECORDING.load(Ordering::Relaxed)
}

/// The recording under way.
pub fn current() -> Option<Arc<Shared>> {
    CURRENT.with(|current| current.clone())
}

/// Appends a record to the queue of this thread, if one is under way.
#[inline(always)]
pub fn push<const N: usize>(record: [Slot; N]) {
    with_queue(|queue, _| {
        // SAFETY: the queue is this thread's own.
        unsafe { queue.queue.push(record) }
    });
}

/// Appends what begins a range and gives the range's id; 0 if nothing is recorded.
#[inline(always)]
pub fn push_range(record: impl FnOnce(u64) -> [Slot; 1]) -> u64 {
    let mut id = 0;
    with_queue(|queue, local| {
        let count = local.ranges.get() + 1;
        local.ranges.set(count);
        id = queue.number << 32 | count & 0xffff_ffff;
        // SAFETY: the queue is this thread's own.
        unsafe { queue.queue.push(record(id)) }
    });
    id
}

#[inline(always)]
fn with_queue(use_it: impl FnOnce(&ThreadQueue, &Local)) {
    let recording = RECORDING.load(Ordering::Relaxed);
    if recording == 0 {
        return;
    }
    LOCAL.with(|local| {
        if local.recording.get() == recording || enter(local) {
            // SAFETY: `HELD` keeps the queue alive as long as `recording` is not 0.
            use_it(unsafe { &*local.queue.get() }, local);
        }
    });
}

/// Gives this thread a queue.
#[cold]
fn enter(local: &Local) -> bool {
    let Some(shared) = current() else { return false };
    let Some(queue) = Queue::new(shared.pool.clone()) else {
        shared.dropped.fetch_add(1, Ordering::Relaxed);
        return false;
    };
    let number = THREADS.fetch_add(1, Ordering::Relaxed);
    let queue = Arc::new(ThreadQueue { queue, tid: thread_id(), number, is_gone: AtomicBool::new(false) });
    let pointer = Arc::as_ptr(&queue);
    let held = HELD.try_with(|held| {
        local.recording.set(0);
        if let Some(before) = held.borrow_mut().0.replace(queue.clone()) {
            before.is_gone.store(true, Ordering::Release);
        }
    });
    if held.is_err() {
        // The thread is ending.
        return false;
    }
    lock(&shared.threads).push(queue);
    local.queue.set(pointer);
    local.ranges.set(0);
    local.recording.set(shared.number);
    true
}

/// As the system numbers threads.
pub fn thread_id() -> u64 {
    // SAFETY: no precondition.
    unsafe { libc::syscall(libc::SYS_gettid) as u64 }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Turns recording on; `None` if it is on already.
    pub fn begin(memory: usize, include: Vec<String>, exclude: Vec<String>) -> Option<Arc<Self>> {
        super::fork::watch(forget);
        CURRENT.with(|current| {
            if current.is_some() {
                return None;
            }
            let number = NUMBERS.fetch_add(1, Ordering::Relaxed) + 1;
            let shared = Arc::new(Self {
                number,
                pool: Arc::new(Pool::new(memory)),
                names: Mutex::default(),
                threads: Mutex::default(),
                dropped: AtomicU64::new(0),
                kept: AtomicU8::new(Kept::All as u8),
                is_stopping: AtomicBool::new(false),
                include,
                exclude,
                error: Mutex::default(),
            });
            *current = Some(shared.clone());
            RECORDING.store(number, Ordering::Release);
            Some(shared)
        })
    }

    /// Turns recording off; what is queued can still be drained.
    pub fn pause(&self) {
        let _ = RECORDING.compare_exchange(self.number, 0, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Turns recording off for good.
    pub fn end(&self) {
        self.pause();
        CURRENT.with(|current| {
            if current.as_ref().is_some_and(|current| current.number == self.number) {
                *current = None;
            }
        });
    }

    /// Recording is off because of this; the first one counts.
    pub fn fail(&self, error: Message) {
        self.pause();
        lock(&self.error).get_or_insert(error);
    }

    pub fn error(&self) -> Option<Message> {
        lock(&self.error).clone()
    }

    pub fn name(&self, text: &str) -> Name {
        lock(&self.names).number(text)
    }

    pub fn names(&self) -> MutexGuard<'_, Names> {
        lock(&self.names)
    }

    pub fn records_domain(&self, domain: &str) -> bool {
        let is_in = |list: &[String]| list.iter().any(|other| other == domain);
        if self.include.is_empty() { !is_in(&self.exclude) } else { is_in(&self.include) }
    }

    pub fn kept(&self) -> Kept {
        Kept::from_number(self.kept.load(Ordering::Relaxed))
    }

    pub fn keep(&self, kept: Kept) {
        self.kept.store(kept as u8, Ordering::Relaxed);
    }

    /// The queues of all threads that have recorded something; those of ended threads for the last time.
    pub fn queues(&self) -> Vec<Arc<ThreadQueue>> {
        let mut threads = lock(&self.threads);
        let all = threads.clone();
        threads.retain(|thread| {
            let is_gone = thread.is_gone.load(Ordering::Acquire);
            if is_gone {
                self.dropped.fetch_add(thread.queue.dropped(), Ordering::Relaxed);
            }
            !is_gone
        });
        all
    }

    /// Records that found no place.
    pub fn dropped(&self) -> u64 {
        let living: u64 = lock(&self.threads).iter().map(|thread| thread.queue.dropped()).sum();
        self.dropped.load(Ordering::Relaxed) + living
    }
}

/// In the child of a fork: the writing thread is not there, so nothing is recorded, and the parent's
/// recording is left alone.
fn forget() {
    RECORDING.store(0, Ordering::Release);
    CURRENT.take_over(None);
}
