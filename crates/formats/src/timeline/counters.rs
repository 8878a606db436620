//! Samples of counters, as counter tracks.

use hashbrown::HashMap;
use npuscope_measures::intervals::Interval;
use npuscope_tables::table::counter;
use npuscope_tables::{RankTables, Str, TableView};

use super::lanes::Lanes;
use super::slices::around;

/// A counter: one series of one instance, in one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Counter {
    /// Index into the lanes.
    pub lane: usize,
    name: Str,
    series: Str,
    instance: Option<i64>,
    pub unit: Option<Str>,
}

impl Counter {
    /// The counter of a sample.
    pub fn of(sample: &counter::Row, lanes: &Lanes) -> Counter {
        let counter::Row { name, series, instance, unit, .. } = *sample;
        Counter { lane: lanes.index(Some(sample.lane)), name, series, instance, unit }
    }

    /// The name, the series where there are several, the instance where there is one.
    pub fn text(&self, tables: &RankTables) -> String {
        let mut text = tables.text(self.name).to_owned();
        let series = tables.text(self.series);
        if !series.is_empty() {
            text.push_str(" · ");
            text.push_str(series);
        }
        if let Some(instance) = self.instance {
            text.push_str(&format!(" #{instance}"));
        }
        text
    }
}

/// The time from the first to the last sample.
pub fn time_span(tables: &RankTables) -> Option<Interval> {
    let times = tables.rows::<counter::Row>().map(|row| row.time.0.max(0));
    times.map(|time| Interval::new(time, time)).reduce(around)
}

#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Index into the counters.
    pub counter: usize,
    pub time: i64,
    pub value: f64,
    /// Where its row is.
    pub batch: usize,
    pub row: usize,
}

/// Counters of a rank, and their samples in order of counter and time.
#[derive(Default)]
pub struct Counters {
    pub list: Vec<Counter>,
    pub samples: Vec<Sample>,
}

impl Counters {
    /// The samples within `window`.
    pub fn of(tables: &RankTables, lanes: &Lanes, window: Option<Interval>) -> Counters {
        let mut counters = Counters::default();
        let mut numbers: HashMap<Counter, usize> = HashMap::new();
        let rows = tables.views::<counter::Row>().enumerate();
        let rows = rows.flat_map(|(batch, (view, rows))| (0..rows).map(move |at| (batch, at, view.row(at))));
        for (batch, at, row) in rows {
            if window.is_some_and(|window| row.time.0 < window.start || row.time.0 >= window.end) {
                continue;
            }
            let counter = Counter::of(&row, lanes);
            let number = *numbers.entry(counter).or_insert_with(|| {
                counters.list.push(counter);
                counters.list.len() - 1
            });
            // Perfetto has no times before 1970.
            counters.samples.push(Sample {
                counter: number,
                time: row.time.0.max(0),
                value: row.value,
                batch,
                row: at,
            });
        }
        counters.samples.sort_by_key(|sample| (sample.counter, sample.time));
        counters
    }
}
