//! `diagnostic`: diagnostics of reading.

use npuscope_messages::{Message, verbatim};

use crate::{RankTables, Str};

table! {
    Diagnostic = "diagnostic", About;
    /// One row per diagnostic of reading: data that was missing, damaged, skipped or repaired.
    pub struct Row {
        /// Severity: `error`, `warning` or `info`.
        pub severity: Str,
        /// Kind of diagnostic, for example `cut-file`.
        pub code: Str,
        /// File, relative to the rank's directory.
        pub file: Option<Str>,
        /// Byte offset in the file.
        pub offset: Option<i64> as "B",
        /// Description of what is wrong and how it was handled, in English.
        pub message: Str,
        /// Message as JSON with its `id` and `arguments`, from which npuscope renders it in other languages; null if unknown.
        pub message_data: Option<Str>,
    }
}

names! {
    /// How much data was lost.
    pub enum Severity {
        /// No data was lost.
        Info = "info",
        /// A part could not be read; the rest was.
        Warning = "warning",
        /// A whole file could not be read.
        Error = "error",
    }
}

names! {
    /// Every kind of diagnostic.
    pub enum Code {
        /// A file in a directory of several ranks that does not name its rank; skipped.
        AmbiguousFile = "whose-file",
        /// A value that does not have the type of its column; skipped.
        BadCell = "bad-cell",
        /// A line that is not a row of the table; skipped.
        BadRow = "bad-row",
        /// A truncated file; the part before the cut is read.
        CutFile = "cut-file",
        /// Recording incomplete: the process was killed or is still running.
        CutRecording = "cut-recording",
        /// Unreadable pages of a database; the rest is read.
        DamagedDatabase = "damaged-database",
        /// Compressed text that cannot be decompressed; the part before the damage is read.
        DamagedGzip = "damaged-gzip",
        /// A table of a database that cannot be read, or only in part.
        DamagedTable = "damaged-table",
        /// Ids that have no name in the database.
        DanglingId = "dangling-id",
        /// No table of the database has rows.
        EmptyDatabase = "empty-database",
        /// The file is empty.
        EmptyFile = "empty-file",
        /// Bytes that are not part of any record; skipped.
        Garbage = "garbage",
        /// Rows of a Kineto trace that the written format cannot hold.
        LeftInTrace = "left-in-trace",
        /// A row with more cells than the header; the surplus cells are skipped.
        LongRow = "long-row",
        /// Further diagnostics of a file, counted instead of listed.
        MoreDiagnostics = "more-diagnostics",
        /// A trace without the base time of its timestamps.
        NoBaseTime = "no-base-time",
        /// Records without the clock information that their times need.
        NoClock = "no-clock",
        /// The directory of a rank without the directories that hold its data; skipped.
        NoOutput = "no-output",
        /// The files do not name their rank.
        NoRank = "no-rank",
        /// An event without a time; skipped.
        NoTime = "no-time",
        /// The file is not an SQLite database.
        NotADatabase = "not-a-database",
        /// The file is not a trace.
        NotATrace = "not-a-trace",
        /// The file has no header line.
        NotCsv = "not-csv",
        /// Rows that refer to missing rows; skipped.
        OrphanRows = "orphan-rows",
        /// Device data in a format that is not supported.
        RawOnly = "raw-only",
        /// A rank that was renumbered because its number is taken.
        RenumberedRank = "renumbered-rank",
        /// Files that were not read because the database has the same data.
        SameInDatabase = "same-in-database",
        /// A database that was not read because the trace has the same data.
        SameInTrace = "same-in-trace",
        /// A row with fewer cells than the header; the missing ones are null.
        ShortRow = "short-row",
        /// Step numbers that repeat or are missing; steps are numbered in the order in which they were recorded.
        StepsByOrder = "steps-by-order",
        /// Two columns that the writer had swapped; repaired.
        SwappedColumns = "swapped-columns",
        /// A symbolic link that leads back to its own directory; not followed.
        SymlinkLoop = "symlink-loop",
        /// Directories nested deeper than the search goes.
        TooDeep = "too-deep",
        /// Text too long for memory; truncated.
        TooLong = "too-long",
        /// More distinct text than a rank can hold; the rest reads as empty.
        TooMuchText = "too-much-text",
        /// Further rows with a different number of cells than the header, counted.
        UnevenRows = "uneven-rows",
        /// A file of an unknown kind; skipped.
        UnknownFile = "unknown-file",
        /// An event of an unsupported kind; skipped.
        UnknownPhase = "unknown-phase",
        /// Starts without an end, or ends without a start; skipped.
        UnmatchedMarks = "unmatched-marks",
        /// A file or directory that the operating system refuses to read.
        Unreadable = "unreadable",
        /// A database whose write-ahead log holds changes that are not read.
        WalNotRead = "wal-not-read",
        /// A table without the columns that its name implies.
        WrongColumns = "wrong-columns",
        /// Text that is not UTF-8.
        WrongEncoding = "wrong-encoding",
    }
}

impl Row {
    /// How much data was lost. Only names of the enum are ever written; any other is damaged data.
    pub fn severity(&self, tables: &RankTables) -> Severity {
        Severity::from_name(tables.text(self.severity)).unwrap_or(Severity::Error)
    }

    /// Whether data was lost.
    pub fn is_loss(&self, tables: &RankTables) -> bool {
        self.severity(tables) != Severity::Info
    }

    /// The kind of diagnostic.
    pub fn code(&self, tables: &RankTables) -> Code {
        Code::from_name(tables.text(self.code)).unwrap_or(Code::Garbage)
    }

    /// What is wrong and what was done about it; the English text where there is nothing to render it from.
    pub fn message(&self, tables: &RankTables) -> Message {
        let data = tables.opt_text(self.message_data).and_then(Message::from_json);
        data.unwrap_or_else(|| verbatim(tables.text(self.message).to_owned()))
    }

    pub fn is(&self, code: Code, tables: &RankTables) -> bool {
        tables.text(self.code) == code.name()
    }
}
