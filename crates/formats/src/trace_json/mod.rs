//! `trace_view.json` and `msprof_*.json`: the timeline of a rank.
//!
//! Reading is two passes. [`scan`] finds the events and notes where their arguments are; it knows
//! JSON, not Ascend. When all metadata has been seen, [`interpret`] turns events into rows and reads
//! just the arguments it has columns for.

mod args;
mod document;
mod event;
mod flows;
mod interpret;
mod lanes;
pub mod layers;
mod line;
mod read;
mod scan;
mod split;
mod text;
mod write;

pub use event::Events;
pub use read::{Summary, read, read_in};
pub use split::scan_in;
pub use text::Cursor;
pub use write::{TraceWriter, write};
