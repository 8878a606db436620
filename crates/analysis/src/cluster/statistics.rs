//! Sums, means and quantiles, to the last bit as pandas and numpy have them.

use npuscope_formats::result::Cell;
use serde::{Deserialize, Serialize};

/// `a / b` with four digits; 0 where `b` is.
pub fn ratio(a: f64, b: f64) -> f64 {
    if b.abs() < 1e-15 { 0.0 } else { npuscope_tables::number::round(a / b, 4) }
}

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
    let (a, b) = (sorted[below], sorted[(below + 1).min(last)]);
    let share = place - below as f64;
    if share < 0.5 { a + (b - a) * share } else { b - (b - a) * (1.0 - share) }
}

/// The middle of some values; not a number if there are none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    quantile(&sorted, 0.5)
}

/// Count, mean, deviation, quartiles and sum of some values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub count: usize,
    pub mean: f64,
    /// Of a sample; not a number for one value.
    pub deviation: f64,
    pub min: f64,
    pub q1: f64,
    pub median: f64,
    pub q3: f64,
    pub max: f64,
    pub sum: f64,
}

impl Summary {
    /// Of values in the order in which they are to be added.
    pub fn of(values: &[f64]) -> Summary {
        let total = sum(values.iter().copied());
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Summary {
            count: values.len(),
            mean: total / values.len() as f64,
            deviation: deviation(values.iter().copied()),
            min: sorted.first().copied().unwrap_or(f64::NAN),
            q1: quantile(&sorted, 0.25),
            median: quantile(&sorted, 0.5),
            q3: quantile(&sorted, 0.75),
            max: sorted.last().copied().unwrap_or(f64::NAN),
            sum: total,
        }
    }

    /// Count, mean, deviation, minimum, quartiles, maximum, sum.
    pub fn cells(&self) -> [Cell; 9] {
        let Summary { count, mean, deviation, min, q1, median, q3, max, sum } = *self;
        let [mean, deviation, min, q1, median, q3, max, sum] =
            [mean, deviation, min, q1, median, q3, max, sum].map(Cell::from);
        [count.into(), mean, deviation, min, q1, median, q3, max, sum]
    }
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
