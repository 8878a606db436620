//! `cluster` against what msprof-analyze printed, text against databases, and against faults that were put in.

mod communication;
mod communication_bottleneck;
mod compat;
mod computational_op_masking;
mod export_summary;
mod extracts;
mod filter_db;
mod formats;
mod free_analysis;
mod hand_made;
mod kept;
mod kineto;
mod modules;
mod mstx2commop;
mod on_host;
mod p2p_pairing;
mod rank_files;
mod rows;
mod sums;
mod support;
mod unmarked;
