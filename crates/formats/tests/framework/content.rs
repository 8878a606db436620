//! What a small raw directory holds: two steps with operators, Python calls, a queue, memory, garbage collection, user
//! ranges and counters.

use npuscope_formats::framework;
use npuscope_formats::framework::events::{Counter, Event, Mark, Range};
use npuscope_formats::framework::records::{GcRecord, Hash, MemoryUsage, OpMark, OpRange, PythonCall, scope};

use crate::raw::RawDirectory;

const PID: u64 = 4711;
const MAIN: u64 = 4711;
const BACKWARD: u64 = 4720;

impl RawDirectory {
    /// All files, with something of everything.
    pub fn fill(self) -> RawDirectory {
        self.file(framework::OP_RANGE, op_ranges);
        self.file(framework::OP_MARK, op_marks);
        self.file(framework::MEMORY_USAGE, memory);
        self.file(framework::GC_RECORD, |out| GcRecord { pid: PID, start: 1_400_000, end: 1_450_000 }.encode(out));
        self.file(framework::PYTHON_TRACER_FUNC, python_calls);
        self.file(framework::PYTHON_TRACER_HASH, hashes);
        self.file(framework::EVENTS, events);
        self
    }
}

/// In the order of their ends.
fn op_ranges(out: &mut Vec<u8>) {
    let op = |name: &'static str, start: i64, end: i64| OpRange {
        start,
        end,
        sequence: -1,
        pid: PID,
        start_tid: MAIN,
        end_tid: MAIN,
        name,
        ..OpRange::default()
    };
    for step in [0, 1_000_000] {
        let mm = OpRange {
            sequence: 7,
            input_shapes: Some("4,8;8,2;"),
            input_dtypes: Some("float;float;Scalar"),
            stack: Some("model.py(12): forward;train.py(30): main"),
            modules: Some("Net/Linear"),
            extra_args: Some("flops:128"),
            ..op("aten::mm", step + 200_000, step + 300_000)
        };
        mm.encode(out);
        // Begins and ends with the one inside.
        OpRange { sequence: 7, ..op("aten::linear", step + 200_000, step + 300_000) }.encode(out);
        let backward = OpRange {
            sequence: 7,
            forward_tid: MAIN,
            start_tid: BACKWARD,
            end_tid: BACKWARD,
            scope: scope::BACKWARD_FUNCTION,
            ..op("MmBackward0", step + 350_000, step + 500_123)
        };
        backward.encode(out);
    }
    let marker = |name, start, end| OpRange { scope: scope::USER_SCOPE, ..op(name, start, end) };
    marker("ProfilerStep#5", 100_000, 1_100_000).encode(out);
    marker("ProfilerStep#6", 1_100_000, 2_100_777).encode(out);
}

fn op_marks(out: &mut Vec<u8>) {
    let mark = |category, time, tid, correlation| OpMark { time, category, correlation, tid, pid: PID, name: "Mm" };
    mark(OpMark::ENQUEUE_START, 210_000, MAIN, 40).encode(out);
    mark(OpMark::ENQUEUE_END, 220_000, MAIN, 40).encode(out);
    mark(OpMark::DEQUEUE_START, 230_000, BACKWARD, 40).encode(out);
    mark(OpMark::DEQUEUE_END, 260_000, BACKWARD, 40).encode(out);
    // Its start was lost.
    mark(OpMark::DEQUEUE_END, 300_000, MAIN, 41).encode(out);
}

fn memory(out: &mut Vec<u8>) {
    let usage = |time, ptr, size: i64, total: i64, data_type| MemoryUsage {
        ptr,
        time,
        alloc_size: size << 20,
        total_allocated: total << 20,
        total_reserved: 64 << 20,
        total_active: total << 20,
        device_type: MemoryUsage::NPU,
        data_type,
        tid: MAIN,
        pid: PID,
        ..MemoryUsage::default()
    };
    usage(250_000, 0x1000, 4, 4, 0).encode(out);
    usage(260_000, 0x2000, 8, 12, 0).encode(out);
    usage(400_000, 0x1000, -4, 8, 1).encode(out);
    usage(410_000, 0x1000, -4, 8, 2).encode(out);
}

fn python_calls(out: &mut Vec<u8>) {
    let call = |time, hash, tag| PythonCall { time, tid: MAIN, pid: PID, hash, tag };
    let [main, forward, module, native, exit] = [1, 2, 3, 4, 99];
    call(150_000, forward, PythonCall::PY_CALL).encode(out);
    call(160_000, module, PythonCall::PY_CALL).encode(out);
    call(170_000, native, PythonCall::C_CALL).encode(out);
    call(180_000, exit, PythonCall::C_RETURN).encode(out);
    call(310_000, exit, PythonCall::PY_RETURN).encode(out);
    call(320_000, exit, PythonCall::PY_RETURN).encode(out);
    // Never left.
    call(1_900_000, forward, PythonCall::PY_CALL).encode(out);
    // Was running when recording began, and is recorded in the end.
    call(100_000, main, PythonCall::PY_CALL).encode(out);
}

fn hashes(out: &mut Vec<u8>) {
    let texts = [
        (1, "train.py(30): main"),
        (2, "model.py(12): forward"),
        (3, "Linear######140030"),
        (4, "<built-in function mm>"),
        (99, PythonCall::EXIT),
    ];
    texts.iter().for_each(|&(key, text)| Hash { key, text }.encode(out));
}

fn events(out: &mut Vec<u8>) {
    let range = |message, domain, start, end, id| {
        Event::Range(Range { start, end, pid: PID, start_tid: MAIN, end_tid: MAIN, id, message, domain })
    };
    let counter = |name, time, value| Event::Counter(Counter { time, pid: PID, value, name });
    let events = [
        counter("Resident memory", 120_000, 123_457_536.0),
        range("dataloader", None, 110_000, 140_000, 1),
        range("actor_update", Some("stage"), 150_000, 900_000, 2),
        Event::Range(Range {
            start: 160_000,
            end: 500_000,
            pid: PID,
            start_tid: MAIN,
            end_tid: BACKWARD,
            id: 3,
            message: "crossing",
            domain: Some("default"),
        }),
        Event::Mark(Mark { time: 700_000, pid: PID, tid: MAIN, message: "checkpoint", domain: None }),
        counter("loss", 800_000, 2.25),
        counter("loss", 1_800_000, 1.125),
        counter("Resident memory", 1_120_000, 223_457_280.5),
    ];
    events.iter().for_each(|event| event.encode(out));
}
