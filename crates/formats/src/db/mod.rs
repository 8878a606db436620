//! SQLite deliverables: `ascend_pytorch_profiler_*.db`, `ascend_mindspore_profiler_*.db`, `msprof_*.db`,
//! `analysis.db`, `cluster_analysis.db`.
//!
//! Databases are opened read-only and immutable, and their schema is not trusted: columns are found by
//! name, whatever a version or a viewer has added, and tables without a counterpart are kept cell by cell.

mod cell;
mod counters;
mod flows;
pub(crate) mod layout;
mod layouts;
mod names;
mod open;
mod pmu;
mod read;
mod sheet;
mod sink;
mod write;
mod write_names;

pub use read::read_file;
pub use write::{write_cluster, write_rank};
