//! From the records of a directory to rows.

use hashbrown::HashMap;
use npuscope_measures::link::STEP_PREFIX;
use npuscope_tables::table::counter;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::{ConnectionId, Ns, RankBuilder, RankTables, Span, Str, TableId};
use serde_json::Value;

use super::clock::Clock;
use super::events::{self, Event};
use super::memory::Allocations;
use super::records::{GcRecord, Hash, MemoryUsage, OpMark, OpRange, PythonCall};
use super::tlv::{Record, Records};
use super::{python, queue};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::kineto;
use crate::lanes::{self, Lanes};
use crate::messages;
use crate::trace_json::host_ops::HostOps;

/// What stands between the tensors and the frames of an operator in a record, and in the tables.
const BETWEEN: (&str, &str) = (";", ";\r\n");

/// Reads the files of a `FRAMEWORK` directory, one after the other, in any order but for the settings, which come
/// first: they have the clock.
pub struct Reader {
    clock: Option<Clock>,
    lanes: Lanes,
    rank: RankBuilder,
    host_ops: HostOps,
    marks: Vec<queue::Mark>,
    calls: Vec<python::Call>,
    /// What the numbers of functions stand for.
    names: HashMap<u64, Str>,
    allocations: Allocations,
    /// Operators mark steps.
    has_steps: bool,
    /// The first and the last moment of any record.
    window: Option<(Ns, Ns)>,
}

/// What was read of a file.
#[derive(Debug, Default)]
pub struct Outcome {
    pub rows: u64,
    pub diagnostics: Vec<Diagnostic>,
}

/// What all files together have.
pub struct Finished {
    pub rank: RankBuilder,
    /// To be added when it is known how operators nest.
    pub allocations: Allocations,
    pub diagnostics: Vec<Diagnostic>,
}

impl Default for Reader {
    fn default() -> Self {
        Reader {
            clock: None,
            lanes: Lanes::new(0),
            rank: RankBuilder::default(),
            host_ops: HostOps::default(),
            marks: Vec::new(),
            calls: Vec::new(),
            names: HashMap::new(),
            allocations: Allocations::default(),
            has_steps: false,
            window: None,
        }
    }
}

impl Reader {
    /// Takes the clock from the settings of the profiler.
    pub fn settings(&mut self, bytes: &[u8]) {
        self.clock = serde_json::from_slice::<Value>(bytes).ok().as_ref().and_then(Clock::of).or(self.clock);
    }

    /// Reads the file that is called `kind`, one of [`super::READ`]; `file` is what messages call it.
    pub fn read(&mut self, kind: &str, bytes: &[u8], file: &str) -> Outcome {
        let mut outcome = match kind {
            super::OP_RANGE => self.op_ranges(bytes, file),
            super::OP_MARK => self.each(bytes, file, Reader::op_mark),
            super::MEMORY_USAGE => self.each(bytes, file, Reader::memory_usage),
            super::GC_RECORD => self.each(bytes, file, Reader::gc_record),
            super::PYTHON_TRACER_FUNC => self.each(bytes, file, Reader::python_call),
            super::PYTHON_TRACER_HASH => self.each(bytes, file, Reader::hash),
            super::EVENTS => self.each(bytes, file, Reader::event),
            _ => Outcome::default(),
        };
        if self.clock.is_none() && outcome.rows > 0 {
            let message = messages::no_clock();
            outcome.diagnostics.push(Diagnostic::new(Severity::Warning, Code::NoClock, file, message));
            self.clock = Some(Clock::default());
        }
        outcome
    }

    fn each<'a, T: Record<'a>>(&mut self, bytes: &'a [u8], file: &str, take: fn(&mut Reader, T)) -> Outcome {
        let mut records = Records::<T>::new(bytes);
        let mut rows = 0;
        for record in records.by_ref() {
            take(self, record);
            rows += 1;
        }
        Outcome { rows, diagnostics: diagnostics_of(&records, rows, file) }
    }

    fn time(&mut self, count: i64) -> Ns {
        let time = self.clock.unwrap_or_default().time(count);
        let (first, last) = self.window.unwrap_or((time, time));
        self.window = Some((first.min(time), last.max(time)));
        time
    }

    /// From `start` to `end`; one that ends before it starts has no length.
    fn span(&mut self, start: i64, end: i64) -> (Ns, Span) {
        let (start, end) = (self.time(start), self.time(end));
        (start, Span::from_ns(end.since(start).max(0)))
    }

    /// Operators in the order in which they began. Records have the order of their ends, so that of two which began
    /// and ended together the later one is around the other.
    fn op_ranges(&mut self, bytes: &[u8], file: &str) -> Outcome {
        let mut records = Records::<OpRange<'_>>::new(bytes);
        let mut order = Vec::new();
        loop {
            let from = records.offset();
            let Some(record) = records.next() else { break };
            order.push((record.start, std::cmp::Reverse(record.end), std::cmp::Reverse(from)));
        }
        order.sort_unstable();
        for (_, _, std::cmp::Reverse(from)) in &order {
            if let Some(record) = bytes.get(*from..).and_then(|bytes| Records::<OpRange<'_>>::new(bytes).next()) {
                self.op_range(&record);
            }
        }
        let rows = order.len() as u64;
        Outcome { rows, diagnostics: diagnostics_of(&records, rows, file) }
    }

    fn op_range(&mut self, record: &OpRange<'_>) {
        let (start, duration) = self.span(record.start, record.end);
        if record.name.contains(STEP_PREFIX) {
            self.has_steps = true;
        }
        let strings = &mut self.rank.strings;
        let mut list = |text: Option<&str>| {
            text.filter(|text| !text.is_empty()).map(|text| strings.intern(&text.replace(BETWEEN.0, BETWEEN.1)))
        };
        let (shapes, dtypes, stack) = (list(record.input_shapes), list(record.input_dtypes), list(record.stack));
        let modules = record.modules.filter(|text| !text.is_empty()).map(|text| strings.intern(text));
        let row = host_op::Row {
            lane: self.lanes.framework(thread(record.pid, record.start_tid)),
            kind: strings.intern(Kind::Op.name()),
            start,
            duration,
            name: strings.intern(record.name),
            sequence: Some(record.sequence),
            forward_thread: i64::try_from(record.forward_tid).ok(),
            shapes,
            dtypes,
            stack,
            modules,
            flops: record.extra_args.and_then(flops),
            ..host_op::Row::default()
        };
        self.host_ops.push(Kind::Op, row);
    }

    fn op_mark(&mut self, record: OpMark<'_>) {
        let mark = queue::Mark {
            time: self.time(record.time),
            category: record.category,
            correlation: ConnectionId(i64::try_from(record.correlation).unwrap_or_default()),
            lane: self.lanes.framework(thread(record.pid, record.tid)),
            name: self.rank.strings.intern(record.name),
        };
        self.marks.push(mark);
    }

    fn memory_usage(&mut self, record: MemoryUsage) {
        let time = self.time(record.time);
        self.allocations.push(time, record, &mut self.rank);
    }

    /// The record does not name the thread: the process id stands for it.
    fn gc_record(&mut self, record: GcRecord) {
        let time = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let (start, duration) = self.span(time(record.start), time(record.end));
        let row = host_op::Row {
            lane: self.lanes.garbage_collection(thread(record.pid, record.pid)),
            kind: self.rank.strings.intern(Kind::Gc.name()),
            start,
            duration,
            name: self.rank.strings.intern("GC"),
            ..host_op::Row::default()
        };
        self.host_ops.push(Kind::Gc, row);
    }

    fn python_call(&mut self, record: PythonCall) {
        let time = self.time(i64::try_from(record.time).unwrap_or(i64::MAX));
        let lane = self.lanes.framework(thread(record.pid, record.tid));
        self.calls.push(python::Call { time, lane, hash: record.hash, tag: record.tag });
    }

    fn hash(&mut self, record: Hash<'_>) {
        let text = self.rank.strings.intern(record.text);
        self.names.insert(record.key, text);
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Range(range) => {
                let (start, duration) = self.span(range.start, range.end);
                let (begins, ends) = (thread(range.pid, range.start_tid), thread(range.pid, range.end_tid));
                let mut args = serde_json::Map::new();
                args.insert("rangeId".to_owned(), range.id.into());
                if begins != ends {
                    args.insert("endGlobalTid".to_owned(), ends.into());
                }
                let args = Some(self.rank.strings.intern(&Value::Object(args).to_string()));
                self.mstx(begins, start, duration, "start/end", range.message, range.domain, args);
            }
            Event::Mark(mark) => {
                let time = self.time(mark.time);
                let thread = thread(mark.pid, mark.tid);
                self.mstx(thread, time, Span::from_ns(0), "marker", mark.message, mark.domain, None);
            }
            Event::Counter(sample) => {
                let is_bytes = sample.name == events::RESIDENT_MEMORY;
                let strings = &mut self.rank.strings;
                let name = strings.intern(sample.name);
                let (series, unit) = if is_bytes { ("", Some("B")) } else { ("value", None) };
                let (series, unit) = (strings.intern(series), unit.map(|unit| strings.intern(unit)));
                let lane = self.lanes.host_counters(i64::try_from(sample.pid).unwrap_or_default());
                let time = self.time(sample.time);
                let row = counter::Row { lane, time, name, series, instance: None, value: sample.value, unit };
                self.rank.counter.push(row);
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the columns of a range")]
    fn mstx(
        &mut self,
        thread: i64,
        start: Ns,
        duration: Span,
        event_type: &str,
        message: &str,
        domain: Option<&str>,
        args: Option<Str>,
    ) {
        let strings = &mut self.rank.strings;
        let row = host_op::Row {
            lane: self.lanes.host_layer(lanes::MSTX, thread),
            kind: strings.intern(Kind::Mstx.name()),
            start,
            duration,
            name: strings.intern(message),
            event_type: Some(strings.intern(event_type)),
            domain: Some(strings.intern(domain.unwrap_or(events::DEFAULT_DOMAIN))),
            args,
            ..host_op::Row::default()
        };
        self.host_ops.push(Kind::Mstx, row);
    }

    /// Puts together what several records or files have, with the rows of Kineto's traces that lay beside them.
    pub fn finish(mut self, traces: &[RankTables]) -> Finished {
        let mut diagnostics = Vec::new();
        let unmatched = queue::pair(std::mem::take(&mut self.marks), &mut self.host_ops, &mut self.rank);
        if unmatched > 0 {
            let message = messages::unmatched_marks(unmatched);
            diagnostics.push(Diagnostic::new(Severity::Info, Code::UnmatchedMarks, super::OP_MARK, message));
        }
        let calls = std::mem::take(&mut self.calls);
        if let Some(window) = self.window {
            python::pair(calls, &self.names, window, &mut self.host_ops, &mut self.rank);
        }
        let mut tasks = 0;
        for trace in traces {
            let Reader { has_steps, lanes, host_ops, rank, .. } = &mut self;
            diagnostics.extend(kineto::fit(trace, *has_steps, tasks, lanes, host_ops, rank).diagnostic());
            tasks += trace.len(TableId::Task);
        }
        self.host_ops.append_to(&mut self.rank);
        self.lanes.record(&mut self.rank);
        Finished { rank: self.rank, allocations: self.allocations, diagnostics }
    }
}

/// A thread as lanes have it. Ids of threads have 32 bits on every system that profilers run on.
fn thread(pid: u64, tid: u64) -> i64 {
    i64::try_from(pid & 0x7fff_ffff).unwrap_or_default() << 32 | i64::try_from(tid & 0xffff_ffff).unwrap_or_default()
}

/// The number of operations among the arguments of an operator.
fn flops(args: &str) -> Option<f64> {
    args.split(';').find_map(|pair| pair.split_once(':').filter(|(key, _)| *key == "flops")?.1.trim().parse().ok())
}

/// What could not be read of a file.
fn diagnostics_of<'a, T: Record<'a>>(records: &Records<'a, T>, rows: u64, file: &str) -> Vec<Diagnostic> {
    let warning =
        |code, offset: usize, message| Diagnostic::new(Severity::Warning, code, file, message).at(offset as u64);
    let lost = records.lost();
    let lost = lost.map(|lost| warning(Code::CutFile, lost.offset, messages::record_cut(lost.bytes, rows)));
    let skipped = records.first_skipped();
    let skipped = skipped.map(|offset| warning(Code::Garbage, offset, messages::records_skipped(records.skipped())));
    lost.into_iter().chain(skipped).collect()
}
