//! Times in the unit of msprof-analyze's tables.

use std::iter::Sum;
use std::ops::Sub;

use npuscope_formats::result::Cell;
use serde::{Deserialize, Serialize};

use crate::cluster::statistics;

/// A time that is added up and compared in microseconds, as msprof-analyze does it: the last digits of sums, means and
/// differences depend on the unit in which they are made, and tables are to have them as pandas has. Others take
/// [`ns`](Microseconds::ns).
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Microseconds(f64);

impl Microseconds {
    pub fn of_ns(ns: f64) -> Microseconds {
        Microseconds(ns / 1000.0)
    }

    /// Of a number of microseconds, as files have it.
    pub(super) fn of_us(us: f64) -> Microseconds {
        Microseconds(us)
    }

    pub fn ns(self) -> f64 {
        self.0 * 1000.0
    }

    /// How many microseconds, as files have it.
    pub(super) fn us(self) -> f64 {
        self.0
    }

    /// The greater of two times.
    pub fn max(self, other: Microseconds) -> Microseconds {
        Microseconds(self.0.max(other.0))
    }

    /// [`statistics::sum`].
    pub fn compensated_sum(times: impl Iterator<Item = Microseconds>) -> Microseconds {
        Microseconds(statistics::sum(times.map(|time| time.0)))
    }

    /// `None` of nothing.
    pub fn mean(times: impl ExactSizeIterator<Item = Microseconds>) -> Option<Microseconds> {
        let count = times.len();
        (count > 0).then(|| Microseconds(times.map(|time| time.0).sum::<f64>() / count as f64))
    }

    /// How many times as long as another; `None` if that took no time.
    pub fn ratio(self, other: Microseconds) -> Option<f64> {
        (other.0 != 0.0).then(|| self.0 / other.0)
    }
}

impl Sub for Microseconds {
    type Output = Microseconds;

    fn sub(self, other: Microseconds) -> Microseconds {
        Microseconds(self.0 - other.0)
    }
}

impl Sum for Microseconds {
    fn sum<I: Iterator<Item = Microseconds>>(times: I) -> Microseconds {
        Microseconds(times.map(|time| time.0).sum())
    }
}

impl From<Microseconds> for Cell {
    fn from(time: Microseconds) -> Cell {
        time.0.into()
    }
}
