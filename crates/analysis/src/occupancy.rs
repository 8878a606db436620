//! How busy the device of a rank was over time: shares of equal stretches.

use npuscope_formats::source::RankSource;
use npuscope_measures::busy::Busy;
use npuscope_measures::intervals::Interval;
use npuscope_store::{Store, StoreError};
use npuscope_tables::{Rank, RankTables, Selection};
use serde::{Deserialize, Serialize};

use crate::extract::{Absent, Analysis, RankData, extracts_by_rank};

/// Shares of a stretch of time, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Occupancy {
    /// Any kernel computed.
    pub computing: f64,
    /// Any operation communicated.
    pub communication: f64,
    /// An operation communicated and no kernel computed.
    pub exposed: f64,
}

impl Occupancy {
    /// Communication with computing beside it: `communication - exposed`.
    pub fn overlapped(&self) -> f64 {
        self.communication - self.exposed
    }
}

/// Equal stretches of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Buckets {
    pub span: Interval,
    pub count: usize,
}

impl Buckets {
    /// Where a bucket begins.
    pub fn begin(&self, bucket: usize) -> i64 {
        let length = i128::from(self.span.end) - i128::from(self.span.start);
        self.span.start + (length * bucket as i128 / self.count.max(1) as i128) as i64
    }

    /// How busy the device of a rank was in each; `None` if it never was.
    fn of(&self, tables: &RankTables) -> Option<Vec<Occupancy>> {
        let busy = Busy::of(tables);
        busy.extent().map(|_| occupancy(&busy, self.span, self.count))
    }
}

impl Analysis for Buckets {
    type Extract = Option<Vec<Occupancy>>;
    const NAME: &'static str = "occupancy";
    const VERSION: u32 = 1;

    fn needs(&self) -> Selection {
        Busy::NEEDS
    }

    fn map(&self, rank: &RankData<'_>) -> Result<Option<Vec<Occupancy>>, Absent> {
        Ok(self.of(&rank.tables))
    }
}

/// How busy the devices of some ranks were in each bucket, without ranks whose device never was. `is_kept` for buckets
/// that are asked for again: those of the whole job or of a step, not of a stretch of time.
pub fn ask(
    store: &Store,
    sources: &[&RankSource],
    buckets: Buckets,
    is_kept: bool,
) -> Result<Vec<(Rank, Vec<Occupancy>)>, StoreError> {
    let of_ranks = match is_kept {
        true => extracts_by_rank(store, sources, &buckets)?,
        false => store.each(sources, Busy::NEEDS, |source, tables| (source.rank, buckets.of(&tables)))?,
    };
    Ok(of_ranks.into_iter().filter_map(|(rank, parts)| Some((rank, parts?))).collect())
}

/// How busy a device was in each of `buckets` equal parts of a span.
pub fn occupancy(busy: &Busy, span: Interval, buckets: usize) -> Vec<Occupancy> {
    let mut parts = vec![Occupancy::default(); buckets];
    let mut add = |list: &[Interval], place: fn(&mut Occupancy) -> &mut f64| {
        for interval in list {
            spread(*interval, span, buckets, |bucket, share| {
                if let Some(part) = parts.get_mut(bucket) {
                    *place(part) = (*place(part) + share).min(1.0);
                }
            });
        }
    };
    add(&busy.computing, |part| &mut part.computing);
    add(&busy.communication, |part| &mut part.communication);
    add(&busy.exposed(), |part| &mut part.exposed);
    parts
}

/// Calls `visit` for each of `buckets` equal parts of a span that an interval reaches into, with the share of the part
/// that the interval covers.
fn spread(interval: Interval, span: Interval, buckets: usize, mut visit: impl FnMut(usize, f64)) {
    let (start, end) = (interval.start.max(span.start), interval.end.min(span.end));
    if start >= end {
        return;
    }
    let length = (span.end as f64 - span.start as f64) / buckets as f64;
    let place = |time: i64| (time - span.start) as f64 / length;
    let (from, to) = (place(start), place(end));
    let last = (to.ceil() as usize).min(buckets);
    for bucket in from as usize..last {
        visit(bucket, to.min((bucket + 1) as f64) - from.max(bucket as f64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_spread_over_the_buckets_it_reaches_into() {
        let span = Interval::new(100, 164);
        let shares = |interval| {
            let mut shares = Vec::new();
            spread(interval, span, 4, |bucket, share| shares.push((bucket, share)));
            shares
        };
        assert_eq!(shares(Interval::new(90, 120)), [(0, 1.0), (1, 0.25)]);
        assert_eq!(shares(Interval::new(156, 300)), [(3, 0.5)]);
        assert_eq!(shares(Interval::new(150, 150)), []);
        assert_eq!(shares(Interval::new(300, 400)), []);
    }
    #[test]
    fn communication_is_overlapped_or_exposed() {
        let busy = Busy {
            computing: vec![Interval::new(0, 60)],
            communication: vec![Interval::new(40, 100)],
            ..Busy::default()
        };
        let parts = occupancy(&busy, Interval::new(0, 200), 2);
        let first = Occupancy { computing: 0.6, communication: 0.6, exposed: 0.4 };
        assert_eq!(parts, [first, Occupancy::default()]);
        assert!((first.overlapped() - 0.2).abs() < 1e-12);
    }
}
