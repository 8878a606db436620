//! What a rank was busy with, as a strip: for the map of the whole timeline and for lanes that are folded.

use npuscope_formats::intervals::{Interval, union};
use npuscope_formats::overlap::device_time;
use npuscope_tables::table::overlap::Kind;
use npuscope_tables::table::{comm_op, kernel, overlap};
use npuscope_tables::{Ns, RankTables, Span};

use super::Timeline;

/// Shares of a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Busy {
    pub computing: f64,
    /// Communication with computing beside it.
    pub overlapped: f64,
    /// Communication with none.
    pub exposed: f64,
}

impl Timeline {
    /// What the rank was busy with in each of `buckets` equal parts of a stretch of time.
    pub fn strip(&self, begin: i64, end: i64, buckets: usize) -> Vec<Busy> {
        let mut strip = vec![Busy::default(); buckets];
        let length = (end.saturating_sub(begin)).max(1) as f64 / buckets.max(1) as f64;
        for (kind, interval) in device_intervals(&self.tables) {
            let (from, to) = (interval.start.max(begin), interval.end.min(end));
            let place = |time: i64| (time - begin) as f64 / length;
            let mut at = if from < to { place(from) } else { continue };
            let until = place(to);
            for bucket in strip.iter_mut().skip(at as usize) {
                let border = (at.floor() + 1.0).min(until);
                let share = border - at;
                match kind {
                    Kind::Computing => bucket.computing += share,
                    Kind::Communication => bucket.overlapped += share,
                    // What is exposed is told as communication, too.
                    Kind::ExposedCommunication => {
                        bucket.exposed += share;
                        bucket.overlapped -= share;
                    }
                    Kind::Free => {}
                }
                at = border;
                if at >= until {
                    break;
                }
            }
        }
        strip
    }

    /// [`Timeline::strip`] as pages read it: three 32-bit reals a part, little-endian.
    pub fn strip_bytes(&self, begin: i64, end: i64, buckets: usize) -> Vec<u8> {
        let strip = self.strip(begin, end, buckets);
        let shares = strip.iter().flat_map(|busy| [busy.computing, busy.overlapped, busy.exposed]);
        shares.flat_map(|share| (share as f32).to_le_bytes()).collect()
    }
}

/// How the time of the device divides: as the profile says, else as its kernels and communications do.
fn device_intervals(tables: &RankTables) -> Vec<(Kind, Interval)> {
    let told = tables
        .rows::<overlap::Row>()
        .filter_map(|row| Some((Kind::from_name(tables.text(row.kind))?, interval(row.start, row.duration))));
    let told: Vec<(Kind, Interval)> = told.collect();
    if !told.is_empty() {
        return told;
    }
    let communication = tables.rows::<comm_op::Row>().map(|row| interval(row.start, row.duration));
    let communication = union(communication.collect());
    let computing = tables
        .rows::<kernel::Row>()
        .filter(|row| !tables.opt_text(row.core).is_some_and(npuscope_analysis::communication::is_communication_core));
    let computing = union(computing.map(|row| interval(row.start, row.duration)).collect());
    device_time(&computing, &communication)
}

fn interval(start: Ns, duration: Span) -> Interval {
    Interval::new(start.0, start.0.saturating_add(duration.ns()))
}
