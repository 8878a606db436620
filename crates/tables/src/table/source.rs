//! `source`: what was read.

use crate::Str;

table! {
    Source = "source", About;
    /// One row per file or database table that was read, with its columns in order.
    pub struct Row {
        /// File, relative to the rank's directory; a database table as file#table.
        pub file: Str,
        /// What it is, for example trace, kernel_details or db.
        pub kind: Str,
        /// Size of the file.
        pub bytes: Option<i64> as "B",
        /// Events or rows in it.
        pub rows: Option<i64>,
        /// Columns in order, as a JSON array.
        pub columns: Option<Str>,
        /// Columns nothing was read from, as a JSON array.
        pub unread: Option<Str>,
        /// How a csv file spells its lines where that is not how they are written, as a JSON object: line ends, the
        /// header, rows by number, and a last line without a line end.
        pub spelling: Option<Str>,
    }
}
