//! `communication_matrix_sum`: what went over the links between ranks.
//!
//! Reads `reported_link` and the metadata; gives `ClusterCommunicationMatrix` as
//! [`communication_matrix`](super::communication_matrix) defines it.

use std::sync::Arc;

use super::communication::{Wanted, matrix_table, notes, read};
use crate::cluster::{Answer, Failure, Job, Mode};

pub const MODE: Mode = Mode {
    name: "communication_matrix_sum",
    folder: "CommMatrixSum",
    about: "What went over the links between ranks",
    run,
};

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let reported = Arc::new(read(job, Wanted { steps: false, operations: false, links: true })?);
    let table = matrix_table(&reported);
    if table.is_empty() {
        let hint = "collect at level1 or above, on more than one NPU";
        return Err(Failure::missing(MODE.name, "communication links", hint));
    }
    Ok(Answer { tables: vec![table], notes: notes(&reported), ..Answer::default() })
}
