//! The AI Core metrics that are columns of `kernel`, by their names in `TASK_PMU_INFO`.

use npuscope_tables::table::kernel::Row;

macro_rules! metrics {
    ($($field:ident,)+) => {
        /// The names, in the order in which they are written.
        pub const NAMES: &[&str] = &[$(stringify!($field),)+];

        /// The place of a metric in a kernel; `None` for metrics without a column.
        pub fn place<'a>(row: &'a mut Row, name: &str) -> Option<&'a mut Option<f64>> {
            match name {
                $(stringify!($field) => Some(&mut row.$field),)+
                _ => None,
            }
        }
    };
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
