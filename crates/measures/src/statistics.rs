//! Percentiles and histograms of durations.

/// Buckets of a histogram.
pub const HISTOGRAM_BUCKETS: usize = 16;

/// Bucket `i` has durations of `2^(i + HISTOGRAM_FLOOR)` ns and more, up to twice that; the first has all shorter ones,
/// too, and the last all longer ones.
const HISTOGRAM_FLOOR: u32 = 10;

/// How many durations, in ns, are in each bucket.
pub fn histogram(durations: &[i64]) -> [i64; HISTOGRAM_BUCKETS] {
    let mut counts = [0; HISTOGRAM_BUCKETS];
    for duration in durations {
        let power = duration.max(&1).ilog2().saturating_sub(HISTOGRAM_FLOOR) as usize;
        if let Some(count) = counts.get_mut(power.min(HISTOGRAM_BUCKETS - 1)) {
            *count += 1;
        }
    }
    counts
}

/// Percentile: the smallest of ascending durations that at least so many hundredths of all do not exceed. It is a
/// duration that occurs; nothing is interpolated.
pub fn percentile(sorted: &[i64], hundredths: usize) -> Option<i64> {
    sorted.get((sorted.len() * hundredths).div_ceil(100).saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_durations_that_occur() {
        let sorted: Vec<i64> = (1..=10).collect();
        assert_eq!([50, 95, 100].map(|p| percentile(&sorted, p)), [Some(5), Some(10), Some(10)]);
        assert_eq!((percentile(&[7], 50), percentile(&[], 50)), (Some(7), None));
    }

    #[test]
    fn every_duration_is_in_a_bucket() {
        let counts = histogram(&[-1, 0, 1, 2047, 2048, 1 << 25, 1 << 40]);
        assert_eq!((counts[0], counts[1], counts[15], counts.iter().sum::<i64>()), (4, 1, 2, 7));
    }
}
