//! What a rank was busy with, as a strip: for the map of the whole timeline and for lanes that are folded.

use npuscope_measures::intervals::Interval;
use npuscope_tables::table::overlap::Kind;

use super::Timeline;
use npuscope_analysis::device::{intervals, spread};

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
        let span = Interval::new(begin, end);
        for (kind, interval) in self.device.get_or_init(|| intervals(&self.tables)) {
            spread(*interval, span, buckets, |bucket, share| {
                let Some(bucket) = strip.get_mut(bucket) else { return };
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
            });
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
