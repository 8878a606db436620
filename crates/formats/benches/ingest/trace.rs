//! `trace_view.json` into tables, beside what others need just to step over it.

use std::borrow::Cow;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::Path;

use npuscope_formats::trace_json::{self, Dialect};
use npuscope_synth::{JobConfig, simulate};
use npuscope_tables::Framework;
use npuscope_tables::{Interner, Ns, RankPieces, Selection, Span, TableId};
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};

use crate::measure::{Cost, measure};

const TIMES: usize = 5;

pub fn run(directory: &Path) {
    let megabytes: usize = std::env::var("NPUSCOPE_BENCH_MB").ok().and_then(|v| v.parse().ok()).unwrap_or(220);
    let path = directory.join("trace_view.json");
    write_trace(&path, megabytes);
    let file = File::open(&path).expect("the trace that was just written");
    // SAFETY: the file is ours and nobody writes to it.
    let bytes = unsafe { memmap2::Mmap::map(&file) }.expect("a mapping of the trace");
    let size = bytes.len() as f64 / 1e6;
    let events = trace_json::scan_in(&bytes, 1, 1, 1, Dialect::Ascend, Selection::ALL, &|| {})
        .0
        .iter()
        .map(|e| e.len())
        .sum::<usize>();
    println!("\ntrace_view.json, {size:.0} MB, {events} events, one thread; median of {TIMES}\n");
    println!("  {:<52} {:>8} {:>9} {:>10}", "", "MB/CPU s", "of serde", "heap/file");

    let serde = measure(TIMES, || serde_stream(&bytes));
    let line = |name: &str, cost: Cost| {
        let (speed, ratio) = (size / cost.cpu, serde.cpu / cost.cpu);
        println!("  {name:<52} {speed:>8.0} {ratio:>8.2}x {:>10.3}", cost.heap as f64 / bytes.len() as f64);
    };
    line(
        "npuscope: events, args as byte ranges",
        measure(TIMES, || trace_json::scan_in(&bytes, 1, 1, 1, Dialect::Ascend, Selection::ALL, &|| {})),
    );
    line("npuscope: all tables, args in typed columns", measure(TIMES, || read(&bytes, 1)));
    line("npuscope: all tables, two threads", measure(TIMES, || read(&bytes, 2)));
    line("serde_json, borrowed typed stream", serde);
    line("sonic-rs, borrowed typed stream", measure(TIMES, || sonic_stream(&bytes)));
    line("simd-json, 8 MB pieces to tape", measure(TIMES, || simd_pieces(&bytes)));
    line("floor: count newlines", measure(TIMES, || memchr::memchr_iter(b'\n', &bytes).count()));

    let (one, two) = (read(&bytes, 1).finish(), read(&bytes, 2).finish());
    let same = TableId::ALL.iter().all(|&table| one.batches(table) == two.batches(table))
        && one.strings().array() == two.strings().array();
    println!(
        "\n  bars: events at least 1.5x serde_json, heap at most 0.35x the file; two threads give the same rows: {same}"
    );
}

/// A trace of at least that many megabytes: one rank of a simulated job, as many steps as it takes.
fn write_trace(path: &Path, megabytes: usize) {
    let steps = |steps| {
        let config = JobConfig { tp: 2, pp: 1, dp: 1, layers: 32, steps, ..JobConfig::default() };
        simulate(&config).expect("a right config").rank(0)
    };
    let write = |steps_count| {
        let file = File::create(path).expect("a file for the trace");
        let mut out = BufWriter::new(file);
        trace_json::write(&mut out, &steps(steps_count), Framework::TorchNpu).expect("room for the trace");
        out.flush().expect("room for the trace");
        std::fs::metadata(path).expect("the trace").len() as usize
    };
    let one = write(1);
    write((megabytes * 1_000_000).div_ceil(one) + 1);
}

fn read(bytes: &[u8], threads: usize) -> RankPieces {
    let mut pieces = RankPieces::default();
    trace_json::read(bytes, "trace_view.json", threads, &mut pieces);
    pieces
}

/// The columns that the others fill, the same that the scanner fills.
#[derive(Default)]
struct Columns {
    names: Interner,
    rows: Vec<(Ns, Span, u32, u32, u8, i64, i64)>,
    ids: usize,
    args: usize,
}

/// An event whose `args` and `id` are stepped over and kept as raw text.
macro_rules! event {
    ($name:ident, $raw:ty) => {
        #[derive(Deserialize)]
        struct $name<'a> {
            #[serde(borrow)]
            ph: Cow<'a, str>,
            #[serde(borrow, default)]
            name: Cow<'a, str>,
            #[serde(borrow, default)]
            cat: Option<Cow<'a, str>>,
            #[serde(default)]
            pid: i64,
            #[serde(default)]
            tid: i64,
            #[serde(borrow, default)]
            ts: Option<Cow<'a, str>>,
            #[serde(default)]
            dur: Option<f64>,
            #[serde(borrow, default)]
            id: Option<$raw>,
            #[serde(borrow, default)]
            args: Option<$raw>,
        }

        impl $name<'_> {
            fn push(&self, columns: &mut Columns, args: usize) {
                let time = self.ts.as_deref().and_then(|ts| Ns::parse_us(ts.as_bytes())).unwrap_or_default();
                let us = self.dur.unwrap_or_default();
                let duration = Span::new((us * 1000.0).round() as i64, Some(us));
                let name = columns.names.intern(&self.name).0;
                let category = columns.names.intern(self.cat.as_deref().unwrap_or_default()).0;
                let phase = self.ph.as_bytes().first().copied().unwrap_or_default();
                columns.rows.push((time, duration, name, category, phase, self.pid, self.tid));
                columns.ids += usize::from(self.id.is_some());
                columns.args += args;
            }
        }
    };
}

event!(SerdeEvent, &'a serde_json::value::RawValue);
event!(SonicEvent, sonic_rs::LazyValue<'a>);

/// An array of events, one after the other.
struct Stream<'c>(&'c mut Columns);

impl<'de> Visitor<'de> for Stream<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut events: A) -> Result<(), A::Error> {
        while let Some(event) = events.next_element::<SerdeEvent<'de>>()? {
            event.push(self.0, event.args.map_or(0, |args| args.get().len()));
        }
        Ok(())
    }
}

fn serde_stream(bytes: &[u8]) -> Columns {
    let mut columns = Columns::default();
    serde_json::Deserializer::from_slice(bytes).deserialize_seq(Stream(&mut columns)).expect("a trace");
    columns
}

fn sonic_stream(bytes: &[u8]) -> Columns {
    let mut columns = Columns::default();
    for event in sonic_rs::to_array_iter(bytes) {
        let event = event.expect("a trace");
        let event: SonicEvent<'_> = sonic_rs::from_str(event.as_raw_str()).expect("an event");
        event.push(&mut columns, event.args.as_ref().map_or(0, |args| args.as_raw_str().len()));
    }
    columns
}

/// simd-json wants to write into its input and holds a tape of all of it: fed in pieces of whole events.
fn simd_pieces(bytes: &[u8]) -> usize {
    const PIECE: usize = 8 << 20;
    let (mut at, mut events) = (1, 0);
    while at < bytes.len() - 1 {
        let end = match bytes.get(at + PIECE..).and_then(|rest| memchr::memmem::find(rest, b"}, {\"")) {
            Some(step) => at + PIECE + step + 1,
            None => bytes.len() - 1,
        };
        let mut piece = vec![b'['];
        piece.extend_from_slice(&bytes[at..end]);
        piece.push(b']');
        let tape = simd_json::to_tape(&mut piece).expect("a piece of a trace");
        events += black_box(tape.as_value().as_array().map_or(0, |array| array.len()));
        at = end + 2;
    }
    events
}
