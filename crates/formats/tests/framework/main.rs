//! Raw FRAMEWORK files: their records, directories of them, and what stands beside them.

mod content;
mod directories;
mod kineto;
mod raw;
mod records;
