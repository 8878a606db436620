//! Any bytes as a database: reading it again tells the same.
#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;
use npuscope_formats::db;
use npuscope_formats::discover::SourceFile;
use npuscope_formats::file_kind::FileKind;
use npuscope_fuzz::lengths;
use npuscope_tables::RankBuilder;

fuzz_target!(|bytes: &[u8]| {
    let mut file = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
    file.write_all(bytes).unwrap();
    let source = SourceFile { name: "x.db".to_owned(), kind: FileKind::ProfilerDb, bytes: bytes.len() as u64 };
    let read = || {
        let mut rank = RankBuilder::default();
        let found = db::read_file(file.path(), &source, &mut rank);
        (found, lengths(&rank.finish()))
    };
    assert_eq!(read(), read());
});
