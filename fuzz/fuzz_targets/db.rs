//! Any bytes as a database: reading it again gives the same.
#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;
use npuscope_formats::db;
use npuscope_formats::file_kind::FileKind;
use npuscope_formats::source::SourceFile;
use npuscope_fuzz::lengths;
use npuscope_tables::table::diagnostic;
use npuscope_tables::{RankBuilder, Table};

fuzz_target!(|bytes: &[u8]| {
    // On disk too, for what is left to SQLite.
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let source = SourceFile { name: "x.db".to_owned(), kind: FileKind::ProfilerDb, bytes: bytes.len() as u64 };
    let read = || {
        let mut rank = RankBuilder::default();
        let found = db::read_bytes(bytes, file.path(), &source, &mut rank);
        let tables = rank.finish();
        assert!(found || !tables.is_empty(diagnostic::Row::ID), "nothing was read and nothing said");
        (found, lengths(&tables))
    };
    assert_eq!(read(), read());
});
