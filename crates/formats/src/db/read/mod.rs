//! Reading a database: its tables into ours.
//!
//! [`host`], [`tasks`], [`communication`] and [`samples`] read the tables of the profiler, [`analysis`] those of
//! analyses, [`kept`] all others; [`outcome`] says what was read.

mod analysis;
mod communication;
mod host;
mod kept;
mod outcome;
mod samples;
mod tasks;

use std::ops::ControlFlow;
use std::path::Path;

use npuscope_measures::intervals::Interval;
use npuscope_sqlite::Database;
use npuscope_tables::{Interner, RankBuilder, Selection, TableId};

use crate::db::cell::ReadContext;
use crate::db::flows::Flows;
use crate::db::layout::{self, Layout, Only, Outcome};
use crate::db::names::Words;
use crate::db::needed::Needed;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lanes::Lanes;
use crate::messages;
use crate::regular_file;
use crate::source::SourceFile;

pub use outcome::Content;

/// Reads what is wanted of the database at `path`.
pub fn read_file(path: &Path, file: &SourceFile, selection: Selection, rank: &mut RankBuilder) -> Content {
    if path.with_extension("db-wal").metadata().is_ok_and(|m| m.len() > 0) {
        let message = messages::db_wal_not_read();
        Diagnostic::new(Severity::Warning, Code::WalNotRead, &file.name, message).record(rank);
    }
    let bytes = match crate::map::map(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            let message = messages::unreadable(regular_file::why(&error));
            Diagnostic::new(Severity::Error, Code::Unreadable, &file.name, message).record(rank);
            return Content::default();
        }
    };
    read_some(bytes.as_deref().unwrap_or_default(), path, file, selection, rank)
}

/// Reads a database whose bytes are at hand. Whether any row could be read.
pub fn read_bytes(bytes: &[u8], path: &Path, file: &SourceFile, rank: &mut RankBuilder) -> bool {
    read_some(bytes, path, file, Selection::ALL, rank).rows
}

fn read_some(bytes: &[u8], path: &Path, file: &SourceFile, selection: Selection, rank: &mut RankBuilder) -> Content {
    let diagnostic = |code, message| Diagnostic::new(Severity::Error, code, &file.name, message).at(0);
    if bytes.is_empty() {
        diagnostic(Code::EmptyFile, messages::file_is_empty()).record(rank);
        return Content::default();
    }
    if !bytes.starts_with(b"SQLite format 3\0") {
        diagnostic(Code::NotADatabase, messages::db_not_sqlite()).record(rank);
        return Content::default();
    }
    match Database::open(bytes, path) {
        Ok(database) if database.tables().is_empty() => {
            diagnostic(Code::DamagedDatabase, messages::db_no_table()).record(rank);
            Content::default()
        }
        Ok(database) => {
            let words = Words::read(&database, &mut rank.strings);
            DbReader::new(&database, file, &words, selection).read(rank)
        }
        Err(error) => {
            diagnostic(Code::DamagedDatabase, messages::db_damaged(error.to_string())).record(rank);
            Content::default()
        }
    }
}

struct DbReader<'a> {
    database: &'a Database<'a>,
    file: &'a SourceFile,
    words: &'a Words<'a>,
    selection: Selection,
    needed: Needed,
    lanes: Lanes,
    /// Tables that have a reader, whether or not they were needed.
    known: Vec<&'static str>,
    /// What was read of each table, in order.
    outcomes: Vec<(String, Outcome)>,
    dangling: u64,
    /// Rows that add to rows which are not there: table, the table that lacks them, how many.
    orphans: Vec<(&'static str, &'static str, usize)>,
    /// Whether shapes and types stood in each other's columns.
    swapped: bool,
    computing: Vec<Interval>,
    communication: Vec<Interval>,
}

impl<'a> DbReader<'a> {
    fn new(database: &'a Database<'a>, file: &'a SourceFile, words: &'a Words<'a>, selection: Selection) -> Self {
        let mut reader = DbReader {
            database,
            file,
            words,
            selection,
            needed: Needed::of(selection, database),
            lanes: Lanes::new(0),
            known: Vec::new(),
            outcomes: Vec::new(),
            dangling: 0,
            orphans: Vec::new(),
            swapped: false,
            computing: Vec::new(),
            communication: Vec::new(),
        };
        reader.lanes = Lanes::new(reader.process());
        reader
    }

    /// The id of the training process: layers of the device are numbered by it.
    fn process(&self) -> i64 {
        self.first("TASK", "globalPid")
            .or_else(|| self.first("CANN_API", "globalTid").map(|thread| thread >> 32))
            .or_else(|| self.first("PYTORCH_API", "globalTid").map(|thread| thread >> 32))
            .unwrap_or_default()
    }

    /// The device of a rank whose database names just one; schema 1.0 does not say it of operations.
    fn only_device(&self) -> i64 {
        self.first("RANK_DEVICE_MAP", "deviceId").or_else(|| self.first("TASK", "deviceId")).unwrap_or_default()
    }

    /// The integer in a column of the first row of a table.
    fn first(&self, table: &str, column: &str) -> Option<i64> {
        let table = self.database.table(table)?;
        let index = table.columns.iter().position(|name| name == column)?;
        let mut first = None;
        self.database.scan(table, |row| {
            first = row.integer(index);
            ControlFlow::Break(())
        });
        first
    }

    fn has_column(&self, table: &str, column: &str) -> bool {
        self.database.table(table).is_some_and(|table| table.columns.iter().any(|name| name == column))
    }

    /// Reads a table if it is needed and there, and notes the outcome.
    fn table<R: Default>(
        &mut self,
        is_needed: bool,
        layout: &Layout<R>,
        strings: &mut Interner,
        take: impl FnMut(&mut R, &mut ReadContext<'_>),
    ) {
        self.rows(is_needed, layout, strings, None, take);
    }

    /// [`DbReader::table`], some of its rows.
    fn rows<R: Default>(
        &mut self,
        is_needed: bool,
        layout: &Layout<R>,
        strings: &mut Interner,
        only: Option<Only<'_>>,
        take: impl FnMut(&mut R, &mut ReadContext<'_>),
    ) {
        self.known.push(layout.table);
        if !is_needed {
            return;
        }
        let mut context = ReadContext::new(strings, self.words);
        if let Some(outcome) = layout::read(self.database, layout, &mut context, only, take) {
            self.dangling += context.dangling;
            self.outcomes.push((layout.table.to_owned(), outcome));
        }
    }

    fn read(&mut self, rank: &mut RankBuilder) -> Content {
        let mut flows = Flows::new(self.selection.has(TableId::Flow));
        let frames = self.call_chains(rank);
        let connections = self.connections(rank);
        self.host_calls(rank, &frames, &connections, &mut flows);
        let ops = self.communication_ops(rank, &mut flows);
        self.tasks(rank, ops, &mut flows);
        flows.record(rank);
        self.steps_and_overlap(rank);
        self.memory(rank);
        self.counters(rank);
        self.summaries(rank);
        self.metadata(rank);
        self.other_tables(rank);
        std::mem::replace(&mut self.lanes, Lanes::new(0)).record(rank);
        self.record(rank)
    }
}
