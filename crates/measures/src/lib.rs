//! What each number is: one definition per measure.
//!
//! A number that a user can see and that one rank gives is a function of this crate, with its formula in the doc
//! comment; nothing else computes it. Numbers that need several ranks are in `analysis`.
//!
//! - [`glossary`]: the definitions in the words of users.
//! - [`intervals`]: unions, gaps and differences of stretches of time, which most measures are made of.
//! - [`step`]: how long a step took and how the time of its device divides; [`launch`]: when the host launched work;
//!   [`step_of`]: which step work belongs to.
//! - [`busy`]: when the device was busy, and with what; [`kernel_class`]: what a kernel does.
//! - [`communication`]: what the name of a communication operation says.
//! - [`device_time`]: how the time of a device divides between computing, communication and neither.
//! - [`busiest_unit`]: what kernels are bound by; [`self_time`]: slices without what ran inside them.
//! - [`statistics`]: sums, means, quantiles, percentiles and histograms.
//! - [`link`]: ties between rows that no file states.
//! - [`deliverable`]: the summaries that frameworks write into their files, in the arithmetic of those files.
//!
//! ```
//! use npuscope_measures::intervals::{Interval, subtract, total, union};
//!
//! let computing = union(vec![Interval::new(0, 40), Interval::new(30, 60)]);
//! let communication = union(vec![Interval::new(50, 90)]);
//! assert_eq!(total(&computing), 60);
//! assert_eq!(total(&subtract(&communication, &computing)), 30, "exposed communication");
//! ```
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic))]

/// Raised whenever a measure computes something else from the same rows. Part of every key of the cache.
pub const VERSION: u32 = 3;

pub mod busiest_unit;
pub mod busy;
pub mod communication;
pub mod deliverable;
pub mod device_time;
pub mod glossary;
pub mod intervals;
pub mod kernel_class;
pub mod launch;
pub mod link;
pub mod memory;
pub mod self_time;
pub mod statistics;
pub mod step;
pub mod step_of;
