//! How the time of a device divides between computing, communication and nothing.

use npuscope_tables::table::overlap::Kind;

use crate::intervals::{Interval, gaps, subtract, union};

/// The intervals of each kind, in order of start: computing, communication, communication that no
/// computing covers, and the gaps where there is neither. Both arguments must be unions.
pub fn device_time(computing: &[Interval], communication: &[Interval]) -> Vec<(Kind, Interval)> {
    let exposed = subtract(communication, computing);
    let free = gaps(&union([computing, communication].concat()));
    let kinds = [
        (Kind::Computing, computing),
        (Kind::Communication, communication),
        (Kind::ExposedCommunication, &exposed),
        (Kind::Free, &free),
    ];
    let mut all: Vec<_> = kinds.into_iter().flat_map(|(kind, list)| list.iter().map(move |&i| (kind, i))).collect();
    all.sort_by_key(|(kind, interval)| (interval.start, *kind));
    all
}
