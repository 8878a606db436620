//! What the numbers mean.
//!
//! One file per analysis. Each returns plain data and [`Finding`]s; nothing here prints.

pub mod cluster;
pub mod communication;
pub mod diagnose;
mod finding;
pub mod health;
pub mod job_step;
pub mod layout;
pub mod overview;

pub use finding::{Evidence, Finding, Severity};
