//! A profile as a native Perfetto trace: several ranks in one file, every slice kept.
//!
//! A rank is a packet sequence. Its processes are named `rank N · …`, its lanes are their threads. Slices
//! that overlap without nesting, which Perfetto would cut or drop, are spread over [`packing::SubTracks`].
//! An arrow is a flow id at the slices it joins, a column of the tables an annotation of the slice.
//!
//! ```
//! use npuscope_formats::perfetto::Writer;
//! use npuscope_tables::Rank;
//! let job = npuscope_synth::simulate(&npuscope_synth::JobConfig { steps: 1, ..Default::default() }).unwrap();
//! let mut writer = Writer::new(Vec::new());
//! let written = writer.rank(Rank(0), &job.rank(0), None).unwrap();
//! assert!(written.slices > 0 && !writer.finish().unwrap().is_empty());
//! ```

mod annotations;
mod flows;
mod ids;
pub mod packing;
mod proto;
mod write;

pub use write::{Summary, Writer};
