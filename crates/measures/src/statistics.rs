//! Sums, means and quantiles, to the last bit as pandas and numpy have them.

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
}
