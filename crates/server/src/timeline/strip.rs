//! How busy a rank's device was, as a strip: for the map of the whole timeline and for lanes that are folded.

use npuscope_analysis::occupancy::{Occupancy, occupancy};
use npuscope_measures::busy::Busy;
use npuscope_measures::intervals::Interval;

use super::Timeline;

impl Timeline {
    /// How busy the device was in each of `buckets` equal parts of a stretch of time.
    pub fn strip(&self, begin: i64, end: i64, buckets: usize) -> Vec<Occupancy> {
        let busy = self.busy.get_or_init(|| Busy::of(&self.tables));
        occupancy(busy, Interval::new(begin, end), buckets)
    }

    /// [`Timeline::strip`] as pages read it: three 32-bit reals a part, little-endian: computing, overlapped and
    /// exposed communication.
    pub fn strip_bytes(&self, begin: i64, end: i64, buckets: usize) -> Vec<u8> {
        let strip = self.strip(begin, end, buckets);
        let shares = strip.iter().flat_map(|part| [part.computing, part.overlapped(), part.exposed]);
        shares.flat_map(|share| (share as f32).to_le_bytes()).collect()
    }
}
