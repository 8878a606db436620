//! How durations spread, as columns.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Builder, ListArray, ListBuilder};
use arrow::datatypes::Int64Type;
use npuscope_measures::statistics::{histogram, percentile};

/// The median, the 95th percentile and the histogram of the lists in a column.
pub struct Spread {
    pub p50: ArrayRef,
    pub p95: ArrayRef,
    pub histogram: ArrayRef,
}

impl Spread {
    pub fn of(lists: &ListArray) -> Spread {
        let (mut p50, mut p95) = (Int64Builder::new(), Int64Builder::new());
        let mut counts = ListBuilder::new(Int64Builder::new());
        for list in lists.iter() {
            let values = list.as_ref().and_then(|list| list.as_primitive_opt::<Int64Type>());
            let mut durations: Vec<i64> = values.into_iter().flat_map(|values| values.iter().flatten()).collect();
            durations.sort_unstable();
            p50.append_option(percentile(&durations, 50));
            p95.append_option(percentile(&durations, 95));
            counts.values().append_slice(&histogram(&durations));
            counts.append(true);
        }
        Spread { p50: Arc::new(p50.finish()), p95: Arc::new(p95.finish()), histogram: Arc::new(counts.finish()) }
    }
}
