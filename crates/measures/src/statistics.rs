//! Sums, means and quantiles, to the last bit as pandas and numpy have them; percentiles and histograms of durations.

/// A compensated sum (Kahan), in the order of the values.
pub fn sum(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut sum = Sum::default();
    values.into_iter().for_each(|value| sum.add(value));
    sum.total()
}

/// A compensated sum (Kahan) that grows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    pub fn add(&mut self, value: f64) {
        let corrected = value - self.lost;
        let next = self.sum + corrected;
        self.lost = (next - self.sum) - corrected;
        self.sum = next;
    }

    pub fn total(self) -> f64 {
        self.sum
    }
}

/// Standard deviation of a sample (n - 1), in one pass (Welford); not a number for fewer than two values.
pub fn deviation(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut count, mut mean, mut squares) = (0.0f64, 0.0f64, 0.0f64);
    for value in values {
        count += 1.0;
        let before = value - mean;
        mean += before / count;
        squares += before * (value - mean);
    }
    if count < 2.0 { f64::NAN } else { (squares / (count - 1.0)).sqrt() }
}

/// Standard deviation of a whole population (n).
pub fn population_deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count).sqrt()
}

/// Quantile `q` of ascending values, between neighbours by straight line.
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = last as f64 * q;
    let below = (place.floor() as usize).min(last);
    let at = |place: usize| sorted.get(place).copied().unwrap_or(f64::NAN);
    let (a, b) = (at(below), at((below + 1).min(last)));
    let share = place - below as f64;
    if share < 0.5 { a + (b - a) * share } else { b - (b - a) * (1.0 - share) }
}

/// [`quantile`] of values in any order.
pub fn quantile_of(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    quantile(&sorted, q)
}

/// The middle of some values; not a number if there are none.
pub fn median(values: &[f64]) -> f64 {
    quantile_of(values, 0.5)
}

/// The mean of some values; 0 if there are none.
pub fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values.into_iter().fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

/// The share of a part: `part / whole`; 0 of nothing.
pub fn share(part: i64, whole: i64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Mean of values weighted by something they have: `sum(value * weight) / sum(weight)`, of those whose value is known.
/// `None` without weight.
pub fn weighted_mean(weighted_sum: f64, weight: f64) -> Option<f64> {
    (weight != 0.0).then(|| weighted_sum / weight)
}

/// How durations in ns spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub count: usize,
    pub total: i64,
    /// `total / count`.
    pub average: f64,
    pub min: i64,
    pub max: i64,
    /// See [`percentile`].
    pub p50: i64,
    pub p95: i64,
    pub p99: i64,
    /// See [`histogram`].
    pub histogram: [i64; HISTOGRAM_BUCKETS],
}

impl Spread {
    /// `None` of no durations.
    pub fn of(mut durations: Vec<i64>) -> Option<Spread> {
        durations.sort_unstable();
        let (count, total) = (durations.len(), durations.iter().fold(0i64, |sum, next| sum.saturating_add(*next)));
        Some(Spread {
            count,
            total,
            average: total as f64 / count as f64,
            min: *durations.first()?,
            max: *durations.last()?,
            p50: percentile(&durations, 50)?,
            p95: percentile(&durations, 95)?,
            p99: percentile(&durations, 99)?,
            histogram: histogram(&durations),
        })
    }
}

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

/// Percentile: the smallest of ascending durations that at least `hundredths` per cent of all do not exceed. It is a
/// duration that occurs; nothing is interpolated.
pub fn percentile(sorted: &[i64], hundredths: usize) -> Option<i64> {
    sorted.get((sorted.len() * hundredths).div_ceil(100).saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_neighbours() {
        let values = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(quantile(&values, 0.0), 1.0);
        assert_eq!(quantile(&values, 0.25), 1.75);
        assert_eq!(quantile(&values, 0.5), 3.0);
        assert_eq!(quantile(&values, 1.0), 8.0);
        assert!(quantile(&[], 0.5).is_nan());
        assert_eq!((median(&[8.0, 1.0, 4.0, 2.0]), median(&[3.0])), (3.0, 3.0));
    }

    #[test]
    fn a_sum_loses_nothing_to_the_order() {
        assert_eq!(sum([1e16, 1.0, 1.0, 1.0, 1.0]), 1e16 + 4.0);
    }

    #[test]
    fn deviations_of_a_sample_and_of_a_population() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(population_deviation(&values), 2.0);
        assert!((deviation(values) - (32.0f64 / 7.0).sqrt()).abs() < 1e-15);
        assert!(deviation([3.0]).is_nan());
    }

    #[test]
    fn percentiles_are_durations_that_occur() {
        let sorted: Vec<i64> = (1..=10).collect();
        assert_eq!([50, 95, 100].map(|p| percentile(&sorted, p)), [Some(5), Some(10), Some(10)]);
        assert_eq!((percentile(&[7], 50), percentile(&[], 50)), (Some(7), None));
    }

    #[test]
    fn a_spread_sums_durations_up() {
        let spread = Spread::of(vec![4, 1, 7]).unwrap();
        assert_eq!((spread.count, spread.total, spread.average), (3, 12, 4.0));
        assert_eq!((spread.min, spread.p50, spread.p99, spread.max), (1, 4, 7, 7));
        assert_eq!(Spread::of(Vec::new()), None);
        assert_eq!((share(1, 4), share(0, 0)), (0.25, 0.0));
        assert_eq!((weighted_mean(6.0, 4.0), weighted_mean(0.0, 0.0)), (Some(1.5), None));
    }

    #[test]
    fn every_duration_is_in_a_bucket() {
        let counts = histogram(&[-1, 0, 1, 2047, 2048, 1 << 25, 1 << 40]);
        assert_eq!((counts[0], counts[1], counts[15], counts.iter().sum::<i64>()), (4, 1, 2, 7));
    }
}
