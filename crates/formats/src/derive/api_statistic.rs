//! `api_statistic.csv`: CANN API time.

use hashbrown::HashMap;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::reported_api::Row;
use npuscope_tables::{Interner, RankTables, Str};

use super::copy;
use crate::number::round;

/// One row per level and API, by name and level. Durations are rounded to three decimals before they
/// are summed, and their sum before it is divided; the variance is that of the population.
#[expect(clippy::cast_precision_loss, reason = "counts of calls")]
pub fn api_statistic(tables: &RankTables, strings: &mut Interner) -> Vec<Row> {
    let mut groups: HashMap<(Str, Str), Vec<f64>> = HashMap::new();
    for row in tables.rows::<host_op::Row>() {
        if tables.text(row.kind) == Kind::Cann.name()
            && let Some(level) = row.level
        {
            groups.entry((level, row.name)).or_default().push(round(row.duration.us(), 3));
        }
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|((level, name), _)| (tables.text(*name), tables.text(*level)));
    groups
        .into_iter()
        .map(|((level, name), durations)| {
            let count = durations.len() as f64;
            let total = round(durations.iter().sum(), 3);
            let mean = total / count;
            let variance = durations.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / count;
            Row {
                device: None,
                level: copy(level, tables, strings),
                name: copy(name, tables, strings),
                total: Some(total),
                count: Some(durations.len() as i64),
                avg: Some(round(mean, 3)),
                min: durations.iter().copied().reduce(f64::min),
                max: durations.iter().copied().reduce(f64::max),
                variance: Some(round(variance, 3)),
            }
        })
        .collect()
}
