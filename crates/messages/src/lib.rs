//! Sentences as data.
//!
//! An analysis, a reader or a check does not write sentences. It returns a [`Message`]: an id with typed arguments. The
//! catalogs (`catalog/en.ftl`, `catalog/zh.ftl`, in the syntax of Project Fluent) have a sentence per id and language,
//! and the terminal, JSON, the pages and the report render it from there.
//!
//! A crate declares its messages with [`messages!`], which makes a function of each, so that a wrong argument does not
//! compile. [`check`] compares the declared messages with the catalogs; the test `catalog` of the command line runs it
//! for all crates and fails if a message lacks an entry, a language or an argument, or if an entry has no message.
//! [`io_error`] has the sentences for errors of the system, which every crate meets, and [`severity`] the words for
//! severities.
//!
//! ```
//! use npuscope_messages::{Decimal, Language, messages};
//!
//! messages! {
//!     /// A step takes longer than before.
//!     "example" => step_is_slow(steps: u64, times: Decimal<2>),
//! }
//!
//! let message = step_is_slow(3, Decimal(1.5));
//! assert_eq!(message.to_string(), "3 steps take 1.50x as long as before");
//! assert_eq!(message.text(Language::Chinese), "3 个 step 的耗时是之前的 1.50 倍");
//! assert_eq!(step_is_slow(1, Decimal(2.0)).to_string(), "1 step takes 2.00x as long as before");
//! ```

mod argument;
mod catalog;
pub mod check;
mod declare;
pub mod documentation;
pub mod io;
mod json;
mod language;
mod message;
mod po;
mod ranges;
pub mod severity;
mod size;

pub use argument::{Argument, Decimal, Documentation};
pub use declare::Declared;
pub use io::{io_error, verbatim};
pub use language::Language;
pub use message::Message;
pub use ranges::ranges;
pub use size::size;
