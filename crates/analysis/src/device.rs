//! How the time of a device divides between computing, communication and nothing.

use npuscope_measures::deliverable::is_communication;
use npuscope_measures::device_time::device_time;
use npuscope_measures::intervals::{Interval, union};
use npuscope_tables::column::CellView;
use npuscope_tables::table::overlap::Kind;
use npuscope_tables::table::{comm_op, kernel, overlap};
use npuscope_tables::{RankTables, TableId};

/// The intervals of a rank as the profile tells them; else as they follow from its kernels and communications.
pub fn intervals(tables: &RankTables) -> Vec<(Kind, Interval)> {
    let told = told(tables);
    if told.is_empty() { derived(tables) } else { told }
}

/// The intervals that the profile tells.
pub fn told(tables: &RankTables) -> Vec<(Kind, Interval)> {
    let mut told = Vec::with_capacity(tables.len(TableId::Overlap));
    for (view, rows) in tables.views::<overlap::Row>() {
        for row in 0..rows {
            let start = view.start.get(row);
            let end = start.plus(view.duration.get(row).ns());
            let kind = Kind::from_name(tables.text(view.kind.get(row)));
            told.extend(kind.map(|kind| (kind, Interval::new(start.0, end.0))));
        }
    }
    told
}

/// The intervals that follow from kernels and communications.
pub fn derived(tables: &RankTables) -> Vec<(Kind, Interval)> {
    let (mut computing, mut communication) = (Vec::new(), Vec::new());
    for kernel in tables.rows::<kernel::Row>() {
        let interval = Interval::new(kernel.start.0, kernel.start.plus(kernel.duration.ns()).0);
        match is_communication(tables, &kernel) {
            true => communication.push(interval),
            false => computing.push(interval),
        }
    }
    for op in tables.rows::<comm_op::Row>() {
        communication.push(Interval::new(op.start.0, op.start.plus(op.duration.ns()).0));
    }
    device_time(&union(computing), &union(communication))
}

/// Tells of each of `buckets` equal parts of a span that an interval reaches into what share of it the interval takes.
pub fn spread(interval: Interval, span: Interval, buckets: usize, mut tell: impl FnMut(usize, f64)) {
    let (start, end) = (interval.start.max(span.start), interval.end.min(span.end));
    if start >= end {
        return;
    }
    let length = (span.end as f64 - span.start as f64) / buckets as f64;
    let place = |time: i64| (time - span.start) as f64 / length;
    let (from, to) = (place(start), place(end));
    let last = (to.ceil() as usize).min(buckets);
    for bucket in from as usize..last {
        tell(bucket, to.min((bucket + 1) as f64) - from.max(bucket as f64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_spread_over_the_buckets_it_reaches_into() {
        let span = Interval::new(100, 164);
        let told = |interval| {
            let mut told = Vec::new();
            spread(interval, span, 4, |bucket, share| told.push((bucket, share)));
            told
        };
        assert_eq!(told(Interval::new(90, 120)), [(0, 1.0), (1, 0.25)]);
        assert_eq!(told(Interval::new(156, 300)), [(3, 0.5)]);
        assert_eq!(told(Interval::new(150, 150)), []);
        assert_eq!(told(Interval::new(300, 400)), []);
    }
}
