//! `api_statistic.csv`: CANN API time.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use indexmap::IndexMap;
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::number::round;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::reported_api::Row;
use npuscope_tables::{Interner, RankTables, Span};

/// One row per level and API, by name and level. Durations are rounded to three decimals before they
/// are summed, and their sum before it is divided; the variance is that of the population, summed in the
/// order of the calls up to [`MOST_KEPT`] of them and exactly from there on.
pub fn api_statistic(tables: &RankTables, strings: &mut Interner) -> Vec<Row> {
    let mut statistic = ApiStatistic::default();
    statistic.add(tables);
    statistic.rows(strings)
}

/// [`api_statistic`] of a rank that comes in chunks.
#[derive(Default)]
pub struct ApiStatistic {
    /// By name and level.
    groups: IndexMap<(String, String), Group, FixedState>,
}

/// As many calls of an API are kept to sum their variance as the peers do. Of more the order no longer
/// shows in three decimals.
const MOST_KEPT: usize = 1 << 16;

/// The calls of one API.
#[derive(Default)]
struct Group {
    count: i64,
    total: f64,
    min: Option<f64>,
    max: Option<f64>,
    /// The durations, as long as they are few.
    kept: Vec<f64>,
    /// Rounded durations are whole nanoseconds, so their sum and that of their squares are exact.
    total_ns: i128,
    squares: i128,
}

impl Group {
    fn add(&mut self, duration: Span) {
        let (us, ns) = rounded(duration);
        self.count += 1;
        self.total += us;
        self.min = Some(self.min.map_or(us, |min| min.min(us)));
        self.max = Some(self.max.map_or(us, |max| max.max(us)));
        if self.kept.len() < MOST_KEPT {
            self.kept.push(us);
        }
        self.total_ns += i128::from(ns);
        self.squares = self.squares.saturating_add(i128::from(ns) * i128::from(ns));
    }

    /// In us², about `mean`.
    #[expect(clippy::cast_precision_loss, reason = "rounded once")]
    fn variance(&self, mean: f64) -> f64 {
        let count = i128::from(self.count);
        if self.kept.len() as i128 == count {
            return self.kept.iter().map(|us| (us - mean) * (us - mean)).sum::<f64>() / count as f64;
        }
        let deviation = count.saturating_mul(self.squares) - self.total_ns.saturating_mul(self.total_ns);
        deviation as f64 / (count * count) as f64 / 1e6
    }
}

/// A duration to three decimals, in us and in ns.
#[expect(clippy::cast_possible_truncation, reason = "rounded to a whole number")]
fn rounded(duration: Span) -> (f64, i64) {
    if duration.exact_us().is_none() && duration.ns().unsigned_abs() < 1 << 52 {
        return (duration.us(), duration.ns());
    }
    let us = round(duration.us(), 3);
    (us, (us * 1000.0).round() as i64)
}

impl ApiStatistic {
    pub fn add(&mut self, tables: &RankTables) {
        let mut kinds = Memo::default();
        let mut known = HashMap::with_hasher(FixedState::default());
        for (view, rows) in tables.views::<host_op::Row>() {
            for row in 0..rows {
                let kind = view.kind.get(row);
                if !kinds.get(kind, || tables.text(kind) == Kind::Cann.name()) {
                    continue;
                }
                let Some(level) = view.level.get(row) else { continue };
                let name = view.name.get(row);
                let at = *known.entry((level, name)).or_insert_with(|| {
                    let key = (tables.text(name).to_owned(), tables.text(level).to_owned());
                    let group = self.groups.entry(key);
                    let at = group.index();
                    group.or_default();
                    at
                });
                if let Some((_, group)) = self.groups.get_index_mut(at) {
                    group.add(view.duration.get(row));
                }
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of calls")]
    pub fn rows(&self, strings: &mut Interner) -> Vec<Row> {
        let mut groups: Vec<_> = self.groups.iter().collect();
        groups.sort_by_key(|(key, _)| *key);
        let rows = groups.into_iter().map(|((name, level), group)| {
            let total = round(group.total, 3);
            let mean = total / group.count as f64;
            Row {
                device: None,
                level: strings.intern(level),
                name: strings.intern(name),
                total: Some(total),
                count: Some(group.count),
                avg: Some(round(mean, 3)),
                min: group.min,
                max: group.max,
                variance: Some(round(group.variance(mean), 3)),
            }
        });
        rows.collect()
    }
}
