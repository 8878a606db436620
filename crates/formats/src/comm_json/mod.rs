//! `communication.json` and `communication_matrix.json`.
//!
//! Both nest step, then `p2p` or `collective`, then operation. CANN's own files of these names have
//! no step and no class. What is an operation follows from its content, so either depth is read.

mod read;
mod write;

pub use read::{Outcome, read_communication, read_matrix};
pub use write::CommWriter;

const TIME_INFO: &str = "Communication Time Info";
const BANDWIDTH_INFO: &str = "Communication Bandwidth Info";
const SIZE_DISTRIBUTION: &str = "Size Distribution";
