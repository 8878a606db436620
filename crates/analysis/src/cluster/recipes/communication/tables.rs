//! The tables of msprof-analyze's built-in modes: its names and units. Figures that are copied from the profile keep
//! the unit and the digits that they have there.

mod groups;
mod hosts;
mod matrix;
pub mod steps;
mod times;

use std::sync::Arc;

use super::Reported;
use crate::cluster::Answer;

pub use groups::{group_mapping, groups_file};
pub use matrix::matrix_table;
pub use times::{bandwidth_table, time_table};

/// What totals are called.
pub const TOTAL: &str = "Total Op Info";

/// All tables of a job.
pub fn tables(reported: &Arc<Reported>) -> Answer {
    let mut tables = vec![group_mapping(reported)];
    if reported.wanted.operations {
        tables.extend([time_table(reported), bandwidth_table(reported)]);
    }
    if reported.wanted.links {
        tables.push(matrix_table(reported));
    }
    tables.push(steps::table(reported));
    tables.extend(hosts::tables(reported));
    Answer::of_tables(tables)
}
