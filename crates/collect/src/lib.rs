//! The switches of a profiler, in the words of every trainer.
//!
//! Five styles of configuration turn on the same collection. A [`Setting`] is what is turned on; a
//! [`Dialect`] says how that is written.
//!
//! ```
//! use npuscope_collect::{Dialect, Setting};
//! assert_eq!(Dialect::MindSpeedLlm.spelling(Setting::Memory), Some("--profile-with-memory"));
//! assert_eq!(Dialect::MindSpeedRl.spelling(Setting::Stack), None);
//! ```

mod dialect;

pub use dialect::{Dialect, Setting};
