//! `source`: files and database tables that were read.

use crate::Str;

table! {
    Source = "source", About;
    /// One row per file or database table that was read, with its columns in order.
    pub struct Row {
        /// File, relative to the rank's directory; a database table is written as file#table.
        pub file: Str,
        /// Kind of deliverable, for example `trace`, `kernel_details` or `db`.
        pub kind: Str,
        /// File size.
        pub bytes: Option<i64> as "B",
        /// Number of events or rows.
        pub rows: Option<i64>,
        /// Columns in order, as a JSON array.
        pub columns: Option<Str>,
        /// Columns that were not read, as a JSON array.
        pub unread: Option<Str>,
        /// Differences between the text of a csv file and the text that npuscope writes, as a JSON object: line ends,
        /// header, rows by number, and a last line without a line end.
        pub spelling: Option<Str>,
    }
}
