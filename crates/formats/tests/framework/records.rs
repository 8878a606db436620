//! The bytes of raw FRAMEWORK records, field by field, and what is read of them when they are cut or damaged.

use npuscope_formats::framework::events::{Counter, Event, Mark, Range};
use npuscope_formats::framework::mindspore::{MemoryChange, RuntimeRange, Shapes};
use npuscope_formats::framework::records::{GcRecord, Hash, MemoryUsage, OpMark, OpRange, ParamTensors, PythonCall};
use npuscope_formats::framework::tlv::{Lost, MAX_TEXT, Record, Records};
use proptest::prelude::*;

/// Bytes written as in a hex dump.
fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn encoded(encode: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    encode(&mut out);
    out
}

fn decoded<'a, T: Record<'a>>(bytes: &'a [u8]) -> Vec<T> {
    let mut records = Records::new(bytes);
    let all = records.by_ref().collect();
    assert_eq!((records.lost(), records.skipped()), (None, 0));
    all
}

const OP_RANGE: OpRange<'static> = OpRange {
    start: 0x0102_0304_0506_0708,
    end: 0x0102_0304_0506_0809,
    sequence: -1,
    pid: 0x1122,
    start_tid: 0x3344,
    end_tid: 0x5566,
    forward_tid: 0x7788,
    scope: 7,
    is_async: true,
    name: "aten::mm",
    input_dtypes: Some("float;int"),
    input_shapes: Some("2,3;;"),
    input_tensors: Some("T"),
    input_tensor_lists: Some("L"),
    input_scalars: Some("S"),
    stack: Some("a.py(1): f"),
    modules: Some("M"),
    extra_args: Some("k:v"),
};

#[test]
fn an_operator_has_58_bytes_of_fields_and_then_its_texts() {
    let golden = hex("01 00  97000000
         0807060504030201 0908060504030201 ffffffffffffffff
         2211000000000000 4433000000000000 6655000000000000 8877000000000000
         07 01
         0200 08000000 6174656e3a3a6d6d
         0300 09000000 666c6f61743b696e74
         0400 05000000 322c333b3b
         0500 01000000 54
         0600 01000000 4c
         0700 01000000 53
         0800 0a000000 612e70792831293a2066
         0900 01000000 4d
         0a00 03000000 6b3a76");
    assert_eq!(encoded(|out| OP_RANGE.encode(out)), golden);
    assert_eq!(decoded::<OpRange>(&golden), [OP_RANGE]);
}

#[test]
fn a_bare_operator_has_its_name_alone() {
    let golden = hex("01 00  41000000
         0100000000000000 0200000000000000 0300000000000000
         0400000000000000 0500000000000000 0600000000000000 0000000000000000
         00 00
         0200 01000000 78");
    let bare =
        OpRange { start: 1, end: 2, sequence: 3, pid: 4, start_tid: 5, end_tid: 6, name: "x", ..OpRange::default() };
    assert_eq!(encoded(|out| bare.encode(out)), golden);
    assert_eq!(decoded::<OpRange>(&golden), [bare]);
}

#[test]
fn a_mark_of_the_queue_has_40_bytes_of_fields_and_a_name() {
    let golden = hex("02 00  30000000
         0100000000000000 0300000000000000 2a00000000000000 0700000000000000 0900000000000000
         0100 02000000 4d6d");
    let mark = OpMark { time: 1, category: OpMark::DEQUEUE_END, correlation: 42, tid: 7, pid: 9, name: "Mm" };
    assert_eq!(encoded(|out| mark.encode(out)), golden);
    assert_eq!(decoded::<OpMark>(&golden), [mark]);
}

#[test]
fn an_allocation_has_77_bytes_of_fields_and_no_text() {
    let golden = hex("03 00  4d000000
         0010000000000000 0200000000000000 00feffffffffffff 0400000000000000 0500000000000000
         0600000000000000 ffffffffffffffff
         14 ff 01 02 01
         0800000000000000 0900000000000000");
    let usage = MemoryUsage {
        ptr: 0x1000,
        time: 2,
        alloc_size: -512,
        total_allocated: 4,
        total_reserved: 5,
        total_active: 6,
        stream: -1,
        device_type: MemoryUsage::NPU,
        device_index: -1,
        component: 1,
        data_type: 2,
        allocator: 1,
        tid: 8,
        pid: 9,
    };
    assert_eq!(encoded(|out| usage.encode(out)), golden);
    assert_eq!(decoded::<MemoryUsage>(&golden), [usage]);
}

#[test]
fn a_collection_of_garbage_has_24_bytes_and_no_frame() {
    let golden = hex("0100000000000000 0200000000000000 0300000000000000");
    let record = GcRecord { pid: 1, start: 2, end: 3 };
    assert_eq!(encoded(|out| record.encode(out)), golden);
    assert_eq!(decoded::<GcRecord>(&golden), [record]);
}

#[test]
fn a_call_of_python_has_33_bytes_and_no_frame() {
    let golden = hex("0100000000000000 0200000000000000 0300000000000000 efcdab8967452301 02");
    let record = PythonCall { time: 1, tid: 2, pid: 3, hash: 0x0123_4567_89ab_cdef, tag: PythonCall::C_CALL };
    assert_eq!(encoded(|out| record.encode(out)), golden);
    assert_eq!(decoded::<PythonCall>(&golden), [record]);
}

#[test]
fn a_hash_has_its_key_and_its_text() {
    let golden = hex("04 00  17000000  0100000000000000  0100 09000000 612e70792837293a66");
    let record = Hash { key: 1, text: "a.py(7):f" };
    assert_eq!(encoded(|out| record.encode(out)), golden);
    assert_eq!(decoded::<Hash>(&golden), [record]);
}

#[test]
fn parameters_have_their_key_and_those_of_module_or_optimizer() {
    let golden = hex("05 00  16000000  0100000000000000  0100 01000000 6d  0200 01000000 6f");
    let record = ParamTensors { key: 1, module: Some("m"), optimizer: Some("o") };
    assert_eq!(encoded(|out| record.encode(out)), golden);
    assert_eq!(decoded::<ParamTensors>(&golden), [record]);
}

#[test]
fn a_user_range_has_48_bytes_of_fields_a_message_and_perhaps_a_domain() {
    let golden = hex("01 01  42000000
         0100000000000000 0200000000000000 0300000000000000 0400000000000000 0500000000000000 0600000000000000
         0100 01000000 61
         0200 05000000 7374616765");
    let range =
        Range { start: 1, end: 2, pid: 3, start_tid: 4, end_tid: 5, id: 6, message: "a", domain: Some("stage") };
    assert_eq!(encoded(|out| range.encode(out)), golden);
    assert_eq!(decoded::<Event>(&golden), [Event::Range(range)]);
    let plain = Range { domain: None, ..range };
    assert_eq!(encoded(|out| plain.encode(out)).len(), golden.len() - 11);
}

#[test]
fn a_user_mark_has_24_bytes_of_fields_a_message_and_perhaps_a_domain() {
    let golden = hex("02 01  1f000000
         0100000000000000 0300000000000000 0400000000000000
         0100 01000000 61");
    let mark = Mark { time: 1, pid: 3, tid: 4, message: "a", domain: None };
    assert_eq!(encoded(|out| mark.encode(out)), golden);
    assert_eq!(decoded::<Event>(&golden), [Event::Mark(mark)]);
}

#[test]
fn a_counter_has_24_bytes_of_fields_and_a_name() {
    let golden = hex("03 01  1f000000
         0100000000000000 0300000000000000 000000000000f83f
         0100 01000000 61");
    let counter = Counter { time: 1, pid: 3, value: 1.5, name: "a" };
    assert_eq!(encoded(|out| counter.encode(out)), golden);
    assert_eq!(decoded::<Event>(&golden), [Event::Counter(counter)]);
}

const RUNTIME_RANGE: RuntimeRange<'static> = RuntimeRange {
    tid: 1,
    flow: RuntimeRange::NO_FLOW,
    step: 3,
    start: 4,
    end: 5,
    pid: -6,
    module: 7,
    event: 8,
    stage: 9,
    level: -1,
    is_graph_data: true,
    is_stage: false,
    is_stack: true,
    name: "n",
    full_name: Some("f"),
    module_graph: Some("m"),
    event_graph: Some("e"),
    custom_info: Some("k:v"),
};

#[test]
fn a_slice_of_mindspore_has_54_bytes_of_fields_and_then_its_texts() {
    let golden = hex("01 00  5b000000
         0100000000000000 ffffffffffffffff 0300000000000000 0400000000000000 0500000000000000
         faffffff 0700 0800 0900 ff 01 00 01
         0d00 01000000 6e
         0e00 01000000 66
         0f00 01000000 6d
         1000 01000000 65
         1100 03000000 6b3a76");
    assert_eq!(encoded(|out| RUNTIME_RANGE.encode(out)), golden);
    assert_eq!(decoded::<RuntimeRange>(&golden), [RUNTIME_RANGE]);
}

#[test]
fn an_allocation_of_mindspore_has_100_bytes_of_fields_and_its_owner() {
    let golden = hex("01 00  6b000000
         ffffffff
         0100000000000000 0200000000000000 0300000000000000 0400000000000000 ffffffffffffffff 0600000000000000
         0700000000000000 0800000000000000 0900000000000000 0a00000000000000 0b00000000000000
         0c000000 01 02 03 04
         0d00 01000000 6f");
    let change = MemoryChange {
        device: -1,
        tid: 1,
        pid: 2,
        time: 3,
        address: 4,
        size: MemoryChange::RELEASED,
        used: 6,
        peak: 7,
        reserved: 8,
        used_by_event: 9,
        eager_free: 10,
        stream_ptr: 11,
        stream: 12,
        from_persistent: 1,
        is_persistent: 2,
        run_mode: 3,
        alloc_type: 4,
        owner: "o",
    };
    assert_eq!(encoded(|out| change.encode(out)), golden);
    assert_eq!(decoded::<MemoryChange>(&golden), [change]);
}

#[test]
fn shapes_of_mindspore_are_texts_alone() {
    let golden = hex("01 00  15000000  0000 01000000 6e  0100 01000000 73  0200 01000000 74");
    let shapes = Shapes { name: "n", input_shapes: Some("s"), input_types: Some("t") };
    assert_eq!(encoded(|out| shapes.encode(out)), golden);
    assert_eq!(decoded::<Shapes>(&golden), [shapes]);
}

#[test]
fn texts_of_unknown_types_are_passed_over_and_what_is_not_utf8_is_not_available() {
    let bytes = hex("04 00  1d000000  0100000000000000  6300 02000000 7878  0100 01000000 ff  0900 00000000");
    assert_eq!(decoded::<Hash>(&bytes), [Hash { key: 1, text: "N/A" }]);
}

#[test]
fn records_of_other_types_and_too_short_ones_are_counted_and_the_next_is_read() {
    let mut bytes = hex("63 00 03000000 010203  04 00 02000000 0102");
    let good = Hash { key: 5, text: "f" };
    good.encode(&mut bytes);
    let mut records = Records::<Hash>::new(&bytes);
    assert_eq!(records.by_ref().collect::<Vec<_>>(), [good]);
    assert_eq!((records.skipped(), records.first_skipped(), records.lost()), (2, Some(0), None));
}

/// Cutting a file of two records anywhere keeps what is whole and reports the rest.
fn assert_cuts<'a, T: Record<'a> + PartialEq + std::fmt::Debug>(bytes: &'a [u8], first: usize) {
    let whole: Vec<T> = Records::new(bytes).collect();
    assert_eq!(whole.len(), 2);
    for end in 0..bytes.len() {
        let mut records = Records::<T>::new(&bytes[..end]);
        let kept: Vec<T> = records.by_ref().collect();
        let count = usize::from(end >= first);
        assert_eq!(kept, whole[..count], "cut at {end}");
        let offset = count * first;
        let lost = (end > offset).then_some(Lost { offset, bytes: end - offset });
        assert_eq!(records.lost(), lost, "cut at {end}");
        assert_eq!((records.skipped(), records.next()), (0, None));
    }
}

#[test]
fn a_file_cut_at_any_byte_keeps_the_records_before() {
    fn twice(encode: impl Fn(&mut Vec<u8>)) -> (Vec<u8>, usize) {
        let mut bytes = encoded(&encode);
        let first = bytes.len();
        encode(&mut bytes);
        (bytes, first)
    }
    let (bytes, first) = twice(|out| OP_RANGE.encode(out));
    assert_cuts::<OpRange>(&bytes, first);
    let (bytes, first) = twice(|out| OpMark { name: "Mm", ..OpMark::default() }.encode(out));
    assert_cuts::<OpMark>(&bytes, first);
    let (bytes, first) = twice(|out| MemoryUsage::default().encode(out));
    assert_cuts::<MemoryUsage>(&bytes, first);
    let (bytes, first) = twice(|out| GcRecord::default().encode(out));
    assert_cuts::<GcRecord>(&bytes, first);
    let (bytes, first) = twice(|out| PythonCall::default().encode(out));
    assert_cuts::<PythonCall>(&bytes, first);
    let (bytes, first) = twice(|out| Hash { key: 1, text: "f" }.encode(out));
    assert_cuts::<Hash>(&bytes, first);
    let (bytes, first) = twice(|out| ParamTensors { key: 1, module: Some("m"), optimizer: None }.encode(out));
    assert_cuts::<ParamTensors>(&bytes, first);
    let (bytes, first) = twice(|out| Range { message: "m", domain: Some("d"), ..Range::default() }.encode(out));
    assert_cuts::<Event>(&bytes, first);
    let (bytes, first) = twice(|out| Mark { message: "m", ..Mark::default() }.encode(out));
    assert_cuts::<Event>(&bytes, first);
    let (bytes, first) = twice(|out| Counter { name: "m", ..Counter::default() }.encode(out));
    assert_cuts::<Event>(&bytes, first);
    let (bytes, first) = twice(|out| RUNTIME_RANGE.encode(out));
    assert_cuts::<RuntimeRange>(&bytes, first);
    let (bytes, first) = twice(|out| MemoryChange { owner: "o", ..MemoryChange::default() }.encode(out));
    assert_cuts::<MemoryChange>(&bytes, first);
    let (bytes, first) = twice(|out| Shapes { name: "n", input_shapes: Some("s"), input_types: None }.encode(out));
    assert_cuts::<Shapes>(&bytes, first);
}

#[test]
fn a_text_that_no_field_can_hold_is_cut_between_characters() {
    let long = "é".repeat(MAX_TEXT);
    let bytes = encoded(|out| Hash { key: 1, text: &format!("a{long}") }.encode(out));
    let [hash] = decoded::<Hash>(&bytes)[..] else { panic!("one record") };
    assert_eq!(hash.text.len(), MAX_TEXT - 1);
    assert!(hash.text.ends_with('é'));
}

fn some_text() -> impl Strategy<Value = Option<String>> {
    proptest::option::of(".{0,20}")
}

proptest! {
    #![proptest_config(npuscope_testing::cases(256))]

    #[test]
    fn what_is_written_of_an_operator_is_read(
        numbers in any::<([i64; 3], [u64; 4], u8, bool)>(),
        name in ".{0,40}",
        texts in proptest::collection::vec(some_text(), 8),
    ) {
        let ([start, end, sequence], [pid, start_tid, end_tid, forward_tid], scope, is_async) = numbers;
        let text = |at: usize| texts[at].as_deref();
        let record = OpRange {
            start, end, sequence, pid, start_tid, end_tid, forward_tid, scope, is_async,
            name: &name,
            input_dtypes: text(0), input_shapes: text(1), input_tensors: text(2), input_tensor_lists: text(3),
            input_scalars: text(4), stack: text(5), modules: text(6), extra_args: text(7),
        };
        let bytes = encoded(|out| { record.encode(out); record.encode(out) });
        prop_assert_eq!(decoded::<OpRange>(&bytes), vec![record, record]);
    }

    #[test]
    fn what_is_written_of_events_is_read(
        [start, end] in any::<[i64; 2]>(), [pid, start_tid, end_tid, id] in any::<[u64; 4]>(), value in -1e300..1e300,
        message in ".{0,40}", domain in some_text(),
    ) {
        let (message, domain) = (message.as_str(), domain.as_deref());
        let events = [
            Event::Range(Range { start, end, pid, start_tid, end_tid, id, message, domain }),
            Event::Mark(Mark { time: start, pid, tid: start_tid, message, domain }),
            Event::Counter(Counter { time: end, pid, value, name: message }),
        ];
        let bytes = encoded(|out| events.iter().for_each(|event| event.encode(out)));
        prop_assert_eq!(decoded::<Event>(&bytes), events);
    }

    #[test]
    fn no_bytes_make_a_reader_fail_or_lose_count(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        fn read<'a, T: Record<'a>>(bytes: &'a [u8]) -> bool {
            let mut records = Records::<T>::new(bytes);
            while records.next().is_some() {}
            records.offset() + records.lost().map_or(0, |lost| lost.bytes) == bytes.len()
        }
        prop_assert!(read::<OpRange>(&bytes) && read::<OpMark>(&bytes) && read::<MemoryUsage>(&bytes));
        prop_assert!(read::<GcRecord>(&bytes) && read::<PythonCall>(&bytes) && read::<Hash>(&bytes));
        prop_assert!(read::<ParamTensors>(&bytes) && read::<Event>(&bytes));
        prop_assert!(read::<RuntimeRange>(&bytes) && read::<MemoryChange>(&bytes) && read::<Shapes>(&bytes));
    }
}
