//! Any bytes as a raw file of a `FRAMEWORK` directory, the first of them saying which: no byte is lost count of, and
//! what follows from the records can be added.
#![no_main]

use libfuzzer_sys::fuzz_target;
use npuscope_formats::framework::{self, Finished, READ, Reader};
use npuscope_measures::link;
use npuscope_tables::TableId;

const SETTINGS: &[u8] = br#"{"start_info": {"syscnt_enable": true, "freq": 99.5, "start_cnt": 7, "start_monotonic": 9},
    "end_info": {"collectionTimeEnd": 1700000000000000000, "MonotonicTimeEnd": 1000}}"#;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let kind = READ[usize::from(*first) % READ.len()];
    let mut reader = Reader::default();
    if *first < 128 {
        reader.settings(SETTINGS);
    }
    // No record is shorter than the header of a frame.
    let outcome = reader.read(kind, bytes, "file");
    assert!(outcome.rows <= bytes.len() as u64 / 6);
    let Finished { rank, allocations, .. } = reader.finish(&[]);
    let mut tables = rank.finish();
    assert!(tables.len(TableId::HostOp) as u64 <= outcome.rows);
    link::nest_host_ops(&mut tables);
    let tables = link::with_more(tables, |tables, more| framework::allocations(tables, allocations, more));
    assert!(tables.len(TableId::MemEvent) <= tables.len(TableId::MemSample));
    // The settings may be anything, too.
    Reader::default().settings(bytes);
});
