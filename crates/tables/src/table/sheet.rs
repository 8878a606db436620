//! `sheet`: cells of files and database tables that have no table of their own.

use crate::Str;

table! {
    Sheet = "sheet", About;
    /// One row per cell of a file or database table that npuscope keeps unchanged because no other table holds it.
    pub struct Row {
        /// File, relative to the rank's directory.
        pub file: Str,
        /// Table within the file, for databases.
        pub sheet: Option<Str>,
        /// Row number, counted from 0.
        pub row: i64,
        /// Column name.
        pub column: Str,
        /// Value, as text; null for SQL NULL.
        pub value: Option<Str>,
        /// Type of the value: `integer`, `real`, `text` or `blob`.
        pub value_type: Option<Str>,
    }
}
