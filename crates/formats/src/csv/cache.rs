//! `l2_cache.csv` and `soc_pmu.csv`.

use npuscope_tables::table::kernel_cache::Row;

use super::cell::{Int, Real, Text};
use super::{Layout, column};

pub static L2_CACHE: Layout<Row> = Layout {
    kind: "l2_cache",
    columns: &[
        column!(device: Int, "Device_id"; Optional),
        column!(stream: Int, "Stream Id"),
        column!(task_id: Int, "Task Id"),
        column!(hit_rate: Real, "Hit Rate", null "N/A"),
        column!(victim_rate: Real, "Victim Rate", null "N/A"),
        column!(name: Text, "Op Name"),
    ],
    blank: |strings, _| Row { cache: strings.intern("l2"), ..Row::default() },
    implied: &[],
    other: None,
};

pub static SOC_PMU: Layout<Row> = Layout {
    kind: "soc_pmu",
    columns: &[
        column!(device: Int, "Device_id"; Optional),
        column!(stream: Int, "Stream Id"),
        column!(task_id: Int, "Task Id"),
        column!(hit_rate: Real, "TLB Hit Rate", null "N/A"),
        column!(miss_rate: Real, "TLB Miss Rate", null "N/A"),
        column!(name: Text, "Op Name"; Optional),
    ],
    blank: |strings, _| Row { cache: strings.intern("tlb"), ..Row::default() },
    implied: &[],
    other: None,
};
