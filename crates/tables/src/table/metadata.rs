//! `metadata`: settings and notes of a run.

use crate::Str;

table! {
    Metadata = "metadata", About;
    /// One row per key of the profile's settings and notes: profiler_info, profiler_metadata, META_DATA.
    pub struct Row {
        /// File or database table the key is from.
        pub file: Str,
        /// Key.
        pub key: Str,
        /// Value, as JSON.
        pub value: Str,
    }
}
