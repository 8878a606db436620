//! Traces of PyTorch's own profiler, Kineto: what GPU and CPU jobs write, `*.pt.trace.json` and others.
//!
//! The same JSON as an Ascend trace, scanned by the same scanner, with other words: an object with
//! settings around the list of events, slices distinguished by category instead of by process, times that
//! may count from a base, memory as marks in time. Often packed with gzip. One file is one rank.

mod allocations;
mod announced;
mod collectives;
mod fit;
mod gzip;
mod host_collectives;
mod info;
mod interpret;
mod launches;
mod memory;
mod operators;
mod probe;
mod read;
mod settings;
mod stacks;
mod words;

pub use allocations::allocations;
pub(crate) use fit::fit;
pub use fit::{Unfit, finished, to_torch_npu};
pub use gzip::{Unpacked, unpack};
pub use host_collectives::link_host_collectives;
pub use info::{process_in_name, rank_info};
pub use launches::name_launchers;
pub(crate) use operators::Operators;
pub use probe::{Probe, probe, rank_in_name};
pub use read::{read, read_in};
pub use stacks::fill_stacks;

/// The word in `metadata.file` for what stands around the list of events.
pub const SETTINGS: &str = "kineto";
