//! `diagnostic`: what reading ran into.

use crate::{RankTables, Str};

table! {
    Diagnostic = "diagnostic", About;
    /// One row per thing that was missing, torn, skipped or repaired while reading.
    pub struct Row {
        /// error, warning or info.
        pub severity: Str,
        /// What kind of defect, for example cut-file.
        pub code: Str,
        /// File, relative to the rank's directory.
        pub file: Option<Str>,
        /// Byte where it shows.
        pub offset: Option<i64> as "B",
        /// What is wrong and what was done about it.
        pub message: Str,
    }
}

names! {
    /// How much was lost.
    pub enum Severity {
        /// Nothing was lost.
        Info = "info",
        /// Something could not be read, the rest could.
        Warning = "warning",
        /// A whole file could not be read.
        Error = "error",
    }
}

names! {
    /// Every kind of defect there is.
    pub enum Code {
        /// A file of a directory of several ranks that names none of them; skipped.
        AmbiguousFile = "whose-file",
        /// A value of another kind than its column; left out.
        BadCell = "bad-cell",
        /// A line that is no row of the table; left out.
        BadRow = "bad-row",
        /// The file ends in the middle; what stands before is kept.
        CutFile = "cut-file",
        /// Recording incomplete: the process was killed or is still running.
        CutRecording = "cut-recording",
        /// Pages of a database that cannot be read; the rest is kept.
        DamagedDatabase = "damaged-database",
        /// Packed text that does not unpack; what stands before is kept.
        DamagedGzip = "damaged-gzip",
        /// A table of a database that cannot be read, or not to its end.
        DamagedTable = "damaged-table",
        /// Ids that stand for no name in the database.
        DanglingId = "dangling-id",
        /// Another profile of a rank that is there already; skipped.
        DuplicateRank = "duplicate-rank",
        /// No table of the database has rows.
        EmptyDatabase = "empty-database",
        /// The file is empty.
        EmptyFile = "empty-file",
        /// Bytes that belong to nothing; skipped.
        Garbage = "garbage",
        /// Rows of a Kineto trace that have no place in the form written.
        LeftInTrace = "left-in-trace",
        /// A row with more cells than the header; the surplus is left out.
        LongRow = "long-row",
        /// Further defects of a file, counted instead of listed.
        MoreDefects = "more-defects",
        /// A trace without the moment its times count from.
        NoBaseTime = "no-base-time",
        /// Records without the clock that their times need.
        NoClock = "no-clock",
        /// The files do not name their rank.
        NoRank = "no-rank",
        /// An event without a time; left out.
        NoTime = "no-time",
        /// The file is no SQLite database.
        NotADatabase = "not-a-database",
        /// The file is no trace.
        NotATrace = "not-a-trace",
        /// The file has no header line.
        NotCsv = "not-csv",
        /// Rows that point to rows which are not there; left out.
        OrphanRows = "orphan-rows",
        /// A device recorded in a form that is not read.
        RawOnly = "raw-only",
        /// A rank that got another number, because its own is taken.
        RenumberedRank = "renumbered-rank",
        /// Files that were not read, because the database has the same.
        SameInDatabase = "same-in-database",
        /// A database that was not read, because the trace has the same.
        SameInTrace = "same-in-trace",
        /// A row with fewer cells than the header; the missing ones are null.
        ShortRow = "short-row",
        /// Two columns whose contents the writer had exchanged; put right.
        SwappedColumns = "swapped-columns",
        /// A link that leads back to where it is; not followed.
        SymlinkLoop = "symlink-loop",
        /// Directories nested deeper than is searched.
        TooDeep = "too-deep",
        /// More text than fits in memory; cut.
        TooLong = "too-long",
        /// More distinct text than a rank holds; the rest reads as empty.
        TooMuchText = "too-much-text",
        /// Further rows with another number of cells than the header, counted.
        UnevenRows = "uneven-rows",
        /// A file of no known kind; skipped.
        UnknownFile = "unknown-file",
        /// An event of a kind that is not read; left out.
        UnknownPhase = "unknown-phase",
        /// Starts without an end, or ends without a start; left out.
        UnmatchedMarks = "unmatched-marks",
        /// A file or directory that the system does not let us read.
        Unreadable = "unreadable",
        /// A database whose write-ahead log holds changes that are not read.
        WalNotRead = "wal-not-read",
        /// A table without the columns that its name promises.
        WrongColumns = "wrong-columns",
        /// Text that is not UTF-8.
        WrongEncoding = "wrong-encoding",
    }
}

impl Row {
    /// How much was lost. Only words of the enums are ever written; any other is damage itself.
    pub fn severity(&self, tables: &RankTables) -> Severity {
        Severity::from_name(tables.text(self.severity)).unwrap_or(Severity::Error)
    }

    /// Whether something was lost.
    pub fn is_loss(&self, tables: &RankTables) -> bool {
        self.severity(tables) != Severity::Info
    }

    /// What kind of defect it is.
    pub fn code(&self, tables: &RankTables) -> Code {
        Code::from_name(tables.text(self.code)).unwrap_or(Code::Garbage)
    }

    pub fn is(&self, code: Code, tables: &RankTables) -> bool {
        tables.text(self.code) == code.name()
    }
}
