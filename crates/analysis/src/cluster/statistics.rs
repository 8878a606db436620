//! What tables of msprof-analyze say of some values.

use npuscope_formats::result::Cell;
use serde::{Deserialize, Serialize};

pub use npuscope_measures::statistics::{Sum, deviation, median, population_deviation, quantile, sum};

/// `a / b` with four digits; 0 where `b` is.
pub fn ratio(a: f64, b: f64) -> f64 {
    if b.abs() < 1e-15 { 0.0 } else { npuscope_tables::number::round(a / b, 4) }
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
