//! The engine on simulated jobs.

mod answers;
mod cache;
mod depth;
mod job;
mod limits;
mod memory;
mod plan;
