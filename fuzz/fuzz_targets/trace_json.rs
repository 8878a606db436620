//! Any bytes as a trace: stretches and threads change no number of rows, and what was read is read again
//! from what is written of it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use npuscope_formats::trace_json;
use npuscope_fuzz::lengths;
use npuscope_tables::Framework;
use npuscope_tables::{RankPieces, RankTables, TableId};

fn read(bytes: &[u8], stretches: usize, threads: usize) -> (u64, RankTables) {
    let mut pieces = RankPieces::default();
    let summary = trace_json::read_in(bytes, "trace_view.json", stretches, threads, &mut pieces);
    (summary.events, pieces.finish())
}

fuzz_target!(|bytes: &[u8]| {
    let (events, tables) = read(bytes, 1, 1);
    let (split_events, split) = read(bytes, 3, 2);
    assert_eq!(events, split_events);
    assert_eq!(lengths(&tables), lengths(&split));
    let mut text = Vec::new();
    trace_json::write(&mut text, &tables, Framework::TorchNpu).unwrap();
    let (_, again) = read(&text, 1, 1);
    // A lane of nothing but a wrong name is not worth an event.
    let facts = |tables: &RankTables| {
        lengths(tables).into_iter().filter(|(table, _)| *table != TableId::Lane).collect::<Vec<_>>()
    };
    assert_eq!(facts(&tables), facts(&again));
});
