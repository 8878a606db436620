//! The engine on simulated jobs.

mod answers;
mod cache;
mod job;
mod memory;
mod plan;
