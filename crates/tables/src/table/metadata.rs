//! `metadata`: settings and metadata of the profile.

use crate::Str;

table! {
    Metadata = "metadata", About;
    /// One row per key of the profile's settings and metadata: `profiler_info`, `profiler_metadata`, `META_DATA`.
    pub struct Row {
        /// File or database table that has the key.
        pub file: Str,
        /// Key.
        pub key: Str,
        /// Value, as JSON.
        pub value: Str,
    }
}
