//! Damaged, foreign and misplaced files: each is reported, and none is in the way of what can be read.

#[path = "../common/rows.rs"]
mod rows;

mod database;
mod files;
mod job;
mod places;
mod summaries;
mod trace;
