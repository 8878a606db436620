//! Whole deliverables, real and simulated: read, written again, recomputed, in parts.

mod captures;
mod chunks;
mod recomputed_db;
mod recomputed_simulated;
mod recomputed_text;
mod round_trip_db;
mod round_trip_text;
mod selection;
#[path = "../simulated/mod.rs"]
mod simulated;
mod text_db_text;
