//! `trace_view.json` and `msprof_*.json`: the timeline of a rank.
//!
//! Reading is two passes. [`scan`] finds the events and notes where their arguments are; it knows
//! JSON, not Ascend. When all metadata has been seen, [`interpret`] turns events into rows and reads
//! just the arguments it has columns for.

pub(crate) mod args;
pub(crate) mod counters;
pub(crate) mod document;
pub(crate) mod event;
pub(crate) mod flows;
pub(crate) mod host_ops;
mod interpret;
pub(crate) mod lanes;
pub mod layers;
mod line;
pub(crate) mod read;
pub(crate) mod scan;
pub(crate) mod split;
pub(crate) mod text;
mod wanted;
mod write;

pub use event::{Dialect, Events};
pub use read::{Summary, read, read_in, read_some};
pub use split::{Release, scan_in};
pub use text::Cursor;
pub use write::{TraceWriter, write};
