//! Compares files of ranks that modes write: csv files, and what is new in copies of databases.

use std::path::Path;

use crate::support::{Rows, assert_same, csv, rows_of};

/// What modes add to a database. Ids of strings and operations differ from run to run of the peer, so strings are
/// compared.
const ADDED: &[(&str, &str)] = &[
    (
        "COMMUNICATION_OP",
        "SELECT n.value, c.startNs, c.endNs, c.connectionId, g.value, c.relay, c.retry, c.dataType, c.count, t.value \
         FROM COMMUNICATION_OP c LEFT JOIN STRING_IDS n ON n.id = c.opName LEFT JOIN STRING_IDS g ON g.id = c.groupName \
         LEFT JOIN STRING_IDS t ON t.id = c.opType",
    ),
    ("COMMUNICATION_OP.opConnectionId", "SELECT opId, opConnectionId FROM COMMUNICATION_OP"),
    ("StepTaskInfo", "SELECT * FROM StepTaskInfo"),
];

/// Fails where a csv file differs, or what was added to a database.
pub fn assert_same_file(ours: &Path, theirs: &Path, what: &str) {
    if theirs.extension().is_some_and(|e| e == "csv") {
        return assert_same(&csv(ours), &csv(theirs), what);
    }
    for (name, query) in ADDED {
        match (rows_of(ours, query), rows_of(theirs, query)) {
            (Some(ours), Some(theirs)) => assert_same(&ours, &theirs, &format!("{what} {name}")),
            (ours, theirs) => assert_eq!(ours.map(len), theirs.map(len), "{what}: one has no {name}"),
        }
    }
}

fn len(rows: Rows) -> usize {
    rows.1.len()
}
