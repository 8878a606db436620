//! What the numbers mean.
//!
//! One file per analysis. Each returns plain data and [`Finding`]s; nothing here prints.

mod finding;
pub mod health;
pub mod overview;

pub use finding::{Finding, Severity};
