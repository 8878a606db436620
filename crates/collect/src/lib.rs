//! Collecting: what is recorded when, and the recorder that does it where no other profiler is.
//!
//! A [`CollectConfig`] says what to record; the dialects of the trainers are read into it and written from
//! it by [`dialect`]. A [`Schedule`] says at which step, [`dynamic`] lets a file say so while the job runs,
//! [`recorder`] writes what the host did, [`cann`] drives the device's own profiler where its libraries are.
//!
//! ```
//! use npuscope_collect::{Dialect, Setting};
//! assert_eq!(Dialect::MindSpeedLlm.spelling(Setting::Memory), Some("--profile-with-memory"));
//! assert_eq!(Dialect::MindSpeedRl.spelling(Setting::Stack), None);
//! ```

mod atomic;
pub mod cann;
pub mod config;
pub mod diagnostic;
pub mod dialect;
pub mod dynamic;
pub mod explain;
pub mod host;
pub mod messages;
pub mod recorder;
pub mod schedule;

pub use config::CollectConfig;
pub use diagnostic::{Diagnostic, Severity};
pub use dialect::{Dialect, Setting};
pub use schedule::Schedule;
