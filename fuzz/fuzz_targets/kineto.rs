//! Any bytes as a trace of PyTorch's profiler, packed or not: stretches and threads change no number of rows, and
//! what follows from the rows can be added.
#![no_main]

use libfuzzer_sys::fuzz_target;
use npuscope_formats::kineto;
use npuscope_fuzz::lengths;
use npuscope_measures::link;
use npuscope_tables::{RankPieces, RankTables, TableId};

fn read(bytes: &[u8], stretches: usize, threads: usize) -> (u64, RankTables) {
    let mut pieces = RankPieces::default();
    let summary = kineto::read_in(bytes, "trace.json", stretches, threads, &mut pieces);
    (summary.events, pieces.finish())
}

fuzz_target!(|bytes: &[u8]| {
    let (events, mut tables) = read(bytes, 1, 1);
    let (split_events, split) = read(bytes, 3, 2);
    assert_eq!(events, split_events);
    assert_eq!(lengths(&tables), lengths(&split));
    link::number_rows(&mut tables);
    link::nest_host_ops(&mut tables);
    kineto::name_launchers(&mut tables);
    let samples = tables.len(TableId::MemSample);
    let tables = link::with_more(tables, kineto::allocations);
    assert!(tables.len(TableId::MemEvent) <= samples);
});
