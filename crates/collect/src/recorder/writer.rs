//! The thread that takes records from all queues and writes them to files.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use npuscope_formats::framework::events::{Counter, Mark, Range};
use npuscope_formats::framework::records::{GcRecord, Hash, MemoryUsage, OpRange, PythonCall, scope};
use npuscope_formats::framework::tlv::HEADER;
use npuscope_formats::framework::{self, events::RESIDENT_MEMORY};
use npuscope_messages::io_error;

use super::budget::{Budget, Kept};
use super::clock;
use super::event::{Event, Memory, Op};
use super::files::Files;
use super::info::{InfoFile, Summary};
use super::names::Name;
use super::shared::Shared;
use crate::messages;

/// How long the writer rests when much came, and when little did.
const REST: Duration = Duration::from_millis(1);
const LONG_REST: Duration = Duration::from_millis(20);

/// Records that are little.
const FEW: u64 = 1000;

/// What is encoded is written when it is as much, or a part of the budget that is small enough to notice in time how
/// little is left; or when it is as old.
const FLUSH_BYTES: u64 = 256 << 10;
const FLUSH_SHARE: u64 = 64;
const FLUSH_AFTER: Duration = Duration::from_millis(50);

/// How often the resident memory is looked at, and the clocks are written down.
const MEMORY_EVERY: Duration = Duration::from_millis(20);
const CLOCKS_FIRST: Duration = Duration::from_millis(100);
const CLOCKS_EVERY: Duration = Duration::from_secs(1);

/// Chunks that are taken of a queue before the others have their turn.
const TURN: usize = 64;

/// The number of open ranges that are remembered.
const MAX_OPEN: usize = 1 << 20;

/// The files that records are written to.
const FILES: [&str; 6] = [
    framework::OP_RANGE,
    framework::MEMORY_USAGE,
    framework::GC_RECORD,
    framework::PYTHON_TRACER_HASH,
    framework::PYTHON_TRACER_FUNC,
    framework::EVENTS,
];
const OPS: usize = 0;
const MEMORY: usize = 1;
const COLLECTIONS: usize = 2;
const FUNCTIONS: usize = 3;
const CALLS: usize = 4;
const EVENTS: usize = 5;

/// The key of the text that returns refer to.
const EXIT_KEY: u64 = 0;

/// Calls of a thread that are not over.
#[derive(Default)]
struct Frames {
    /// Whose beginning was recorded.
    recorded: u64,
    /// Those above them whose beginning was not.
    skipped: u64,
}

/// What begun a range.
struct Begun {
    time: i64,
    tid: u64,
    message: Name,
    domain: Name,
}

pub struct Writer {
    shared: Arc<Shared>,
    files: Files,
    info: InfoFile,
    budget: Budget,
    looks_at_memory: bool,
    pid: u64,
    /// What is encoded and not yet written, per file, and how many records that is.
    encoded: [Vec<u8>; FILES.len()],
    waiting: [u64; FILES.len()],
    texts: Vec<Arc<str>>,
    /// Functions whose name is written.
    functions: HashSet<u32>,
    begun: HashMap<u64, Begun>,
    /// Ends that came before their beginnings, which another thread's queue has.
    ended: HashMap<u64, (i64, u64)>,
    /// By thread.
    frames: HashMap<u64, Frames>,
    resident: u64,
    /// Records that were taken from the queues.
    taken: u64,
    records: u64,
    given_up: u64,
    lost: u64,
}

impl Writer {
    pub fn new(shared: Arc<Shared>, files: Files, info: InfoFile, budget: Budget, looks_at_memory: bool) -> Self {
        Self {
            shared,
            files,
            info,
            budget,
            looks_at_memory,
            pid: u64::from(std::process::id()),
            encoded: Default::default(),
            waiting: Default::default(),
            texts: Vec::new(),
            functions: HashSet::new(),
            begun: HashMap::new(),
            ended: HashMap::new(),
            frames: HashMap::new(),
            resident: 0,
            taken: 0,
            records: 0,
            given_up: 0,
            lost: 0,
        }
    }

    /// Writes until recording stops, then what is left.
    pub fn run(mut self) -> Summary {
        let message = |error: io::Error| messages::recorder_failed(io_error(&error));
        let mut failed = self.work().err().map(message);
        self.look_at_memory();
        let open = self.close_ranges();
        if failed.is_none() {
            failed = self.flush().err().map(message);
        }
        let degraded = std::mem::take(&mut self.budget.degraded);
        let mut summary = Summary {
            records: self.records,
            dropped: self.shared.dropped() + self.lost,
            given_up: self.given_up,
            lost_names: self.shared.names().lost(),
            bytes: self.budget.used(),
            budget: self.budget.total(),
            degraded,
            open_ranges: open,
        };
        if let Err(error) = self.files.finish() {
            failed.get_or_insert(error);
            (summary.records, summary.bytes) = (0, 0);
        } else if let Err(error) = self.info.write_last() {
            failed.get_or_insert(message(error));
        }
        if let Some(error) = failed {
            self.shared.fail(error);
        }
        summary
    }

    fn work(&mut self) -> io::Result<()> {
        let (mut flushed, mut looked) = (Instant::now(), Instant::now());
        let mut next_clocks = Instant::now() + CLOCKS_FIRST;
        self.look_at_memory();
        loop {
            // Before the queues: what was recorded before stopping is in them then.
            let is_stopping = self.shared.is_stopping.load(Ordering::Acquire);
            let before = self.taken;
            for thread in self.shared.queues() {
                // A thread that has stopped recording is emptied; the others take turns.
                let is_last = is_stopping || thread.is_gone.load(Ordering::Acquire);
                for turn in 0.. {
                    let mut taken = Ok(());
                    // SAFETY: this thread is the only one that drains.
                    let has_more = unsafe { thread.queue.drain(|slots| taken = self.take(thread.tid, slots)) };
                    taken?;
                    if !has_more || turn >= TURN && !is_last {
                        break;
                    }
                }
            }
            let now = Instant::now();
            if now - looked >= MEMORY_EVERY {
                looked = now;
                self.look_at_memory();
            }
            if is_stopping || now - flushed >= FLUSH_AFTER {
                flushed = now;
                self.flush()?;
            }
            if is_stopping {
                return Ok(());
            }
            if now >= next_clocks {
                next_clocks = now + CLOCKS_EVERY;
                // They are written at the end again: a place that cannot be written now may be then.
                let _ = self.info.write_meanwhile();
            }
            std::thread::park_timeout(if self.taken - before < FEW { LONG_REST } else { REST });
        }
    }

    fn take(&mut self, tid: u64, mut slots: &[super::queue::Slot]) -> io::Result<()> {
        let mut frames = self.frames.remove(&tid).unwrap_or_default();
        let mut flushed = Ok(());
        while let Some((event, rest)) = Event::read(slots) {
            slots = rest;
            self.taken += 1;
            self.encode(tid, event, self.budget.kept(), &mut frames);
            flushed = flushed.and(self.flush_if_full());
        }
        self.frames.insert(tid, frames);
        flushed
    }

    fn encode(&mut self, tid: u64, event: Event, kept: Kept, frames: &mut Frames) {
        match event {
            Event::Op(op) if op.scope == scope::USER_SCOPE && kept < Kept::Nothing => self.op(tid, &op, kept),
            // What was begun has an end, however little is kept.
            Event::RangeEnd { time, id } if kept >= Kept::StepsOnly => match self.begun.remove(&id) {
                Some(begun) => self.range(id, begun, time, tid),
                None => self.given_up += 1,
            },
            Event::Call { time, function, tag } if kept < Kept::StepsOnly => {
                self.call(tid, time, function, tag, kept, frames);
            }
            _ if kept >= Kept::StepsOnly => self.given_up += 1,
            Event::RangeStart { time, id, message, domain } => match self.ended.remove(&id) {
                Some((end, end_tid)) => self.range(id, Begun { time, tid, message, domain }, end, end_tid),
                None if self.begun.len() < MAX_OPEN => {
                    self.begun.insert(id, Begun { time, tid, message, domain });
                }
                None => self.lost += 1,
            },
            Event::RangeEnd { time, id } => match self.begun.remove(&id) {
                Some(begun) => self.range(id, begun, time, tid),
                None if self.ended.len() < MAX_OPEN => {
                    self.ended.insert(id, (time, tid));
                }
                None => self.lost += 1,
            },
            Event::Mark { time, message, domain } => {
                let (message, domain) = (self.text(message), self.given(domain));
                let mark = Mark { time, pid: self.pid, tid, message: &message, domain: domain.as_deref() };
                mark.encode(&mut self.encoded[EVENTS]);
                self.waiting[EVENTS] += 1;
            }
            Event::Counter { time, name, value } => {
                let name = self.text(name);
                Counter { time, pid: self.pid, value, name: &name }.encode(&mut self.encoded[EVENTS]);
                self.waiting[EVENTS] += 1;
            }
            Event::Collection { start, end } => {
                let record = GcRecord { pid: self.pid, start: start as u64, end: end as u64 };
                record.encode(&mut self.encoded[COLLECTIONS]);
                self.waiting[COLLECTIONS] += 1;
            }
            Event::Op(op) if kept < Kept::NoHostOps => self.op(tid, &op, kept),
            Event::Memory(memory) if kept < Kept::NoHostOps => self.memory(tid, &memory),
            Event::Op(_) | Event::Memory(_) | Event::Call { .. } => self.given_up += 1,
        }
    }

    fn range(&mut self, id: u64, begun: Begun, end: i64, end_tid: u64) {
        let (message, domain) = (self.text(begun.message), self.given(begun.domain));
        let range = Range {
            start: begun.time,
            end: end.max(begun.time),
            pid: self.pid,
            start_tid: begun.tid,
            end_tid,
            id,
            message: &message,
            domain: domain.as_deref(),
        };
        range.encode(&mut self.encoded[EVENTS]);
        self.waiting[EVENTS] += 1;
    }

    fn op(&mut self, tid: u64, op: &Op, kept: Kept) {
        let name = self.text(op.name);
        let has_shapes = kept < Kept::NoShapes;
        let shapes = self.given(op.shapes).filter(|_| has_shapes);
        let dtypes = self.given(op.dtypes).filter(|_| has_shapes);
        let stack = self.given(op.stack).filter(|_| kept < Kept::NoStacks);
        let record = OpRange {
            start: op.start,
            end: op.end,
            sequence: op.sequence,
            pid: self.pid,
            start_tid: tid,
            end_tid: tid,
            forward_tid: op.forward_tid,
            scope: op.scope,
            name: &name,
            input_shapes: shapes.as_deref(),
            input_dtypes: dtypes.as_deref(),
            stack: stack.as_deref(),
            ..OpRange::default()
        };
        record.encode(&mut self.encoded[OPS]);
        self.waiting[OPS] += 1;
    }

    fn memory(&mut self, tid: u64, memory: &Memory) {
        let record = MemoryUsage {
            ptr: memory.address,
            time: memory.time,
            alloc_size: memory.size,
            total_allocated: memory.total_allocated,
            total_reserved: memory.total_reserved,
            total_active: memory.total_active,
            stream: memory.stream,
            device_type: memory.device_type,
            device_index: memory.device_index,
            data_type: u8::from(memory.size < 0),
            tid,
            pid: self.pid,
            ..MemoryUsage::default()
        };
        record.encode(&mut self.encoded[MEMORY]);
        self.waiting[MEMORY] += 1;
    }

    fn call(&mut self, tid: u64, time: i64, function: Name, tag: u8, kept: Kept, frames: &mut Frames) {
        let is_return = tag & 1 == 1;
        if kept >= Kept::NoStacks {
            // Calls are not recorded any more, but the returns from those that were are.
            let ends_recorded = is_return && frames.skipped == 0 && frames.recorded > 0;
            frames.skipped = if is_return { frames.skipped.saturating_sub(1) } else { frames.skipped + 1 };
            if !ends_recorded {
                self.given_up += 1;
                return;
            }
        }
        frames.recorded = if is_return { frames.recorded.saturating_sub(1) } else { frames.recorded + 1 };
        let hash = if is_return { EXIT_KEY } else { u64::from(function.0) };
        if self.functions.is_empty() {
            Hash { key: EXIT_KEY, text: PythonCall::EXIT }.encode(&mut self.encoded[FUNCTIONS]);
            self.functions.insert(EXIT_KEY as u32);
        }
        if !is_return && self.functions.insert(function.0) {
            let text = self.text(function);
            Hash { key: hash, text: &text }.encode(&mut self.encoded[FUNCTIONS]);
        }
        PythonCall { time: time as u64, tid, pid: self.pid, hash, tag }.encode(&mut self.encoded[CALLS]);
        self.waiting[CALLS] += 1;
    }

    /// Ends open ranges, now.
    fn close_ranges(&mut self) -> u64 {
        let now = clock::now();
        let mut open: Vec<_> = std::mem::take(&mut self.begun).into_iter().collect();
        open.sort_unstable_by_key(|(id, _)| *id);
        let count = open.len() as u64;
        for (id, begun) in open {
            let tid = begun.tid;
            self.range(id, begun, now, tid);
        }
        count
    }

    fn look_at_memory(&mut self) {
        if !self.looks_at_memory {
            return;
        }
        let Some(resident) = resident_bytes() else {
            self.looks_at_memory = false;
            return;
        };
        if resident != self.resident && self.budget.kept() < Kept::StepsOnly {
            self.resident = resident;
            let counter = Counter { time: clock::now(), pid: self.pid, value: resident as f64, name: RESIDENT_MEMORY };
            counter.encode(&mut self.encoded[EVENTS]);
            self.waiting[EVENTS] += 1;
        }
    }

    fn text(&mut self, name: Name) -> Arc<str> {
        let at = name.0 as usize;
        if at >= self.texts.len() {
            self.texts.extend_from_slice(self.shared.names().since(self.texts.len()));
        }
        self.texts.get(at).cloned().unwrap_or_default()
    }

    /// A text that may be absent.
    fn given(&mut self, name: Name) -> Option<Arc<str>> {
        (name != Name::NONE).then(|| self.text(name))
    }

    fn flush_if_full(&mut self) -> io::Result<()> {
        let encoded = self.encoded.iter().map(Vec::len).sum::<usize>() as u64;
        if encoded >= FLUSH_BYTES.min(self.budget.total() / FLUSH_SHARE) { self.flush() } else { Ok(()) }
    }

    /// Writes what is encoded and fits the budget, names of functions before calls of them.
    fn flush(&mut self) -> io::Result<()> {
        for (at, name) in FILES.into_iter().enumerate() {
            let bytes = std::mem::take(&mut self.encoded[at]);
            let waiting = std::mem::take(&mut self.waiting[at]);
            if bytes.is_empty() {
                continue;
            }
            let info = &self.info;
            let now = || info.unix_ns(clock::now());
            let room = usize::try_from(self.budget.left()).unwrap_or(usize::MAX);
            let (length, records) = match bytes.len() <= room {
                true => (bytes.len(), waiting),
                false => whole_records(at, &bytes, room),
            };
            let (fitting, rest) = bytes.split_at(length);
            self.files.append(name, fitting)?;
            self.budget.spend(length as u64, now);
            self.records += records;
            if !rest.is_empty() {
                self.given_up += waiting.saturating_sub(records);
                self.budget.exhaust(now);
            }
            // The room is used again.
            self.encoded[at] = bytes;
            self.encoded[at].clear();
        }
        self.shared.keep(self.budget.kept());
        Ok(())
    }
}

/// The bytes and the number of the whole records among the first `room` bytes.
fn whole_records(file: usize, bytes: &[u8], room: usize) -> (usize, u64) {
    let (mut length, mut count) = (0, 0);
    loop {
        let record = match file {
            COLLECTIONS => Some(GcRecord::BYTES),
            CALLS => Some(PythonCall::BYTES),
            _ => bytes
                .get(length + 2..length + HEADER)
                .and_then(|field| field.try_into().ok())
                .map(|field| HEADER.saturating_add(u32::from_le_bytes(field) as usize)),
        };
        match record.and_then(|record| length.checked_add(record)) {
            Some(end) if end <= room.min(bytes.len()) => length = end,
            _ => return (length, if file == FUNCTIONS { 0 } else { count }),
        }
        count += 1;
    }
}

/// Bytes of this process that are in memory.
fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
    // SAFETY: no precondition.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    Some(pages * u64::try_from(page).ok()?)
}
