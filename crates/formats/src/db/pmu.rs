//! The AI Core metrics that are columns of `kernel`, by their names in `TASK_PMU_INFO`.

use npuscope_tables::table::kernel::Row;

macro_rules! metrics {
    ($($field:ident,)+) => {
        /// The names, in the order in which they are written.
        pub const NAMES: &[&str] = &[$(stringify!($field),)+];

        const PLACES: &[fn(&mut Row) -> &mut Option<f64>] = &[$(|row| &mut row.$field,)+];
    };
}

/// The number of a metric among [`NAMES`]; `None` for metrics without a column.
pub fn number(name: &str) -> Option<usize> {
    NAMES.iter().position(|known| *known == name)
}

/// Sets the metric of that number.
pub fn set(row: &mut Row, number: usize, value: Option<f64>) {
    if let Some(place) = PLACES.get(number) {
        *place(row) = value;
    }
}

metrics! {
    aic_total_time,
    aic_total_cycles,
    aic_mac_time,
    aic_mac_ratio,
    aic_scalar_time,
    aic_scalar_ratio,
    aic_mte1_time,
    aic_mte1_ratio,
    aic_mte2_time,
    aic_mte2_ratio,
    aic_fixpipe_time,
    aic_fixpipe_ratio,
    aic_icache_miss_rate,
    aiv_total_time,
    aiv_total_cycles,
    aiv_vec_time,
    aiv_vec_ratio,
    aiv_mac_time,
    aiv_mac_ratio,
    aiv_scalar_time,
    aiv_scalar_ratio,
    aiv_mte1_time,
    aiv_mte1_ratio,
    aiv_mte2_time,
    aiv_mte2_ratio,
    aiv_mte3_time,
    aiv_mte3_ratio,
    aiv_icache_miss_rate,
}
