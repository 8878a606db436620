//! Counter events: one sample for each number among their arguments. Other arguments have no place.

use hashbrown::HashMap;
use npuscope_tables::table::counter;
use npuscope_tables::{LaneId, RankBuilder, Str};

use super::args::{integer, number};
use super::event::Event;
use super::layers;
use super::text::Cursor;
use crate::diagnostic::MAX_UNREAD_KEYS;

/// Reads counter events, and remembers what their keys mean.
#[derive(Default)]
pub struct Counters {
    /// Argument key → series, unit and factor.
    series: HashMap<Vec<u8>, (Str, Option<Str>, f64)>,
    /// The samples of one event, while it is read.
    samples: Vec<(Str, Option<Str>, f64)>,
    /// Keys of the event whose values are no numbers.
    skipped: Vec<String>,
}

impl Counters {
    /// Adds the samples of `event`, whose arguments are under the cursor; how many there are.
    pub fn read(&mut self, mut args: Cursor<'_>, event: &Event, lane: LaneId, rank: &mut RankBuilder) -> usize {
        let mut instance = None;
        self.samples.clear();
        self.skipped.clear();
        let Counters { series: known_series, samples, skipped } = self;
        let strings = &mut rank.strings;
        let _ = args.members(|key, cursor| {
            if key.bytes == b"acc_id"
                && let Some(id) = integer(cursor)
            {
                instance = Some(id);
                return Some(());
            }
            let Some(value) = number(cursor) else {
                skipped.push(String::from_utf8_lossy(&key.unescaped()).into_owned());
                return cursor.skip_value();
            };
            let (series, unit, factor) = match known_series.get(key.bytes) {
                Some(&known) => known,
                None => {
                    let name = String::from_utf8_lossy(&key.unescaped()).into_owned();
                    let (series, unit, factor) = layers::counter_series(&name);
                    let new = (strings.intern(series), unit.map(|u| strings.intern(u)), factor);
                    known_series.insert(key.bytes.to_vec(), new);
                    new
                }
            };
            samples.push((series, unit, value * factor));
            Some(())
        });
        for &(series, unit, value) in &self.samples {
            rank.counter.push(counter::Row { lane, time: event.time, name: event.name, series, instance, value, unit });
        }
        self.samples.len()
    }

    /// Adds to `unread` the arguments of the last event that gave no sample.
    pub fn note_skipped(&mut self, unread: &mut Vec<String>) {
        for key in self.skipped.drain(..) {
            if unread.len() < MAX_UNREAD_KEYS && !unread.contains(&key) {
                unread.push(key);
            }
        }
    }
}
