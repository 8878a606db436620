//! The thread that takes records from all queues and writes them to files.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use npuscope_formats::framework::events::{Counter, Mark, Range};
use npuscope_formats::framework::records::{GcRecord, Hash, MemoryUsage, OpRange, PythonCall, scope};
use npuscope_formats::framework::{self};

use super::budget::{Budget, Kept};
use super::clock;
use super::event::{Event, Memory, Op};
use super::files::Files;
use super::info::{InfoFile, Summary};
use super::names::Name;
use super::shared::Shared;

/// How long the writer rests when much came, and when little did.
const REST: Duration = Duration::from_millis(1);
const LONG_REST: Duration = Duration::from_millis(20);

/// Records that are little.
const FEW: u64 = 1000;

/// What is encoded is written when it is as much, or as old.
const FLUSH_BYTES: usize = 256 << 10;
const FLUSH_AFTER: Duration = Duration::from_millis(50);

/// How often the resident memory is looked at, and the clocks are written down.
const MEMORY_EVERY: Duration = Duration::from_millis(20);
const CLOCKS_EVERY: Duration = Duration::from_secs(1);

/// Ranges that are begun and not ended are remembered up to so many.
const MAX_OPEN: usize = 1 << 20;

/// The counter of resident memory.
pub const RESIDENT_MEMORY: &str = "Resident memory";

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
    /// What is encoded and not yet written, per file.
    encoded: [Vec<u8>; FILES.len()],
    texts: Vec<Arc<str>>,
    /// Functions whose name is written.
    functions: HashSet<u32>,
    begun: HashMap<u64, Begun>,
    /// Ends that came before their beginnings, which another thread's queue has.
    ended: HashMap<u64, (i64, u64)>,
    resident: u64,
    records: u64,
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
            texts: Vec::new(),
            functions: HashSet::new(),
            begun: HashMap::new(),
            ended: HashMap::new(),
            resident: 0,
            records: 0,
            lost: 0,
        }
    }

    /// Writes until recording stops, then what is left.
    pub fn run(mut self) -> Summary {
        let mut failed = self.work().err();
        let open = self.close_ranges();
        if failed.is_none() {
            failed = self.flush().err();
        }
        if let Err(error) = self.info.write() {
            failed.get_or_insert(error);
        }
        let degraded = std::mem::take(&mut self.budget.degraded);
        let mut summary = Summary {
            records: self.records,
            dropped: self.shared.dropped() + self.lost,
            lost_names: self.shared.names().lost(),
            bytes: self.budget.used(),
            budget: self.budget.total(),
            degraded,
            open_ranges: open,
        };
        if let Err(error) = self.files.finish() {
            failed.get_or_insert(error);
            summary.bytes = 0;
        }
        if let Some(error) = failed {
            self.shared.fail(error.to_string());
        }
        summary
    }

    fn work(&mut self) -> io::Result<()> {
        let (mut flushed, mut looked, mut told) = (Instant::now(), Instant::now(), Instant::now());
        loop {
            // Before the queues: what was recorded before stopping is in them then.
            let is_stopping = self.shared.is_stopping.load(Ordering::Acquire);
            let before = self.records;
            for thread in self.shared.queues() {
                // SAFETY: this thread is the only one that drains.
                unsafe { thread.queue.drain(|slots| self.take(thread.tid, slots)) };
                self.flush_if_full()?;
            }
            let now = Instant::now();
            if self.looks_at_memory && now - looked >= MEMORY_EVERY {
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
            if now - told >= CLOCKS_EVERY {
                told = now;
                self.info.write()?;
            }
            std::thread::park_timeout(if self.records - before < FEW { LONG_REST } else { REST });
        }
    }

    fn take(&mut self, tid: u64, mut slots: &[super::queue::Slot]) {
        let kept = self.shared.kept();
        while let Some((event, rest)) = Event::read(slots) {
            slots = rest;
            self.encode(tid, event, kept);
        }
    }

    fn encode(&mut self, tid: u64, event: Event, kept: Kept) {
        match event {
            Event::Op(op) if op.scope == scope::USER_SCOPE && kept < Kept::Nothing => self.op(tid, &op, kept),
            _ if kept >= Kept::StepsOnly => {}
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
                self.records += 1;
            }
            Event::Counter { time, name, value } => {
                let name = self.text(name);
                Counter { time, pid: self.pid, value, name: &name }.encode(&mut self.encoded[EVENTS]);
                self.records += 1;
            }
            Event::Collection { start, end } => {
                let record = GcRecord { pid: self.pid, start: start as u64, end: end as u64 };
                record.encode(&mut self.encoded[COLLECTIONS]);
                self.records += 1;
            }
            Event::Call { time, function, tag } if kept < Kept::NoStacks => self.call(tid, time, function, tag),
            Event::Op(op) if kept < Kept::NoHostOps => self.op(tid, &op, kept),
            Event::Memory(memory) if kept < Kept::NoHostOps => self.memory(tid, &memory),
            _ => {}
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
        self.records += 1;
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
        self.records += 1;
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
        self.records += 1;
    }

    fn call(&mut self, tid: u64, time: i64, function: Name, tag: u8) {
        let is_return = tag & 1 == 1;
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
        self.records += 1;
    }

    /// Ends what nobody ended, now.
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
        let Some(resident) = resident_bytes() else {
            self.looks_at_memory = false;
            return;
        };
        if resident != self.resident && self.shared.kept() < Kept::StepsOnly {
            self.resident = resident;
            let counter = Counter { time: clock::now(), pid: self.pid, value: resident as f64, name: RESIDENT_MEMORY };
            counter.encode(&mut self.encoded[EVENTS]);
            self.records += 1;
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
        if self.encoded.iter().map(Vec::len).sum::<usize>() >= FLUSH_BYTES { self.flush() } else { Ok(()) }
    }

    /// Writes what is encoded, names of functions before calls of them.
    fn flush(&mut self) -> io::Result<()> {
        for (name, bytes) in FILES.into_iter().zip(&mut self.encoded) {
            if bytes.is_empty() {
                continue;
            }
            let info = &self.info;
            let now = || info.unix_ns(clock::now());
            if self.budget.fits(bytes.len() as u64) {
                self.files.append(name, bytes)?;
                self.budget.spend(bytes.len() as u64, now);
            } else {
                self.budget.exhaust(now);
            }
            bytes.clear();
        }
        self.shared.keep(self.budget.kept());
        Ok(())
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
