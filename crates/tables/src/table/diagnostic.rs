//! `diagnostic`: what reading ran into.

use crate::Str;

/// The code of a device that was recorded in a form that is not read.
pub const RAW_ONLY: &str = "raw-only";

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
