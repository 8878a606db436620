//! SQLite deliverables: `ascend_pytorch_profiler_*.db`, `ascend_mindspore_profiler_*.db`, `msprof_*.db`,
//! `analysis.db`, `cluster_analysis.db`.
//!
//! Databases are opened read-only and immutable, and their schema is not trusted: columns are found by
//! name, whatever a version or a viewer has added, and tables without a counterpart are kept cell by cell.

mod amend;
mod cell;
mod connections;
mod counters;
mod flows;
mod host_counters;
mod id_set;
mod idle_transports;
mod kernels;
pub(crate) mod layout;
mod layouts;
mod lists;
mod names;
mod needed;
mod pmu;
mod read;
mod sheet;
mod write;

pub use amend::{AmendedDb, data_type_id};
pub use read::{Content, read_bytes, read_file};
pub use write::{RankWriter, write_cluster, write_profiler_db, write_rank};
