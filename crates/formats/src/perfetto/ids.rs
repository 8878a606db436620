//! Numbers that stand for things: tracks, processes and arrows of the file, texts of a sequence.

use std::borrow::Cow;
use std::hash::Hash;

use hashbrown::{HashMap, HashSet};

use super::proto::{Message, interned};

/// Numbers that no two things in a file share.
#[derive(Default)]
pub struct FileIds {
    track: u64,
    flow: u64,
    sequence: u64,
    place: i32,
    pids: HashSet<i32>,
    spare_pids: i32,
}

/// Beyond what Linux gives to processes.
const FIRST_SPARE_PID: i32 = 1 << 22;

impl FileIds {
    pub fn track(&mut self) -> u64 {
        self.track += 1;
        self.track
    }

    pub fn flow(&mut self) -> u64 {
        self.flow += 1;
        self.flow
    }

    pub fn sequence(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    /// The first of `count` places in the order of processes.
    pub fn places(&mut self, count: usize) -> i32 {
        let first = self.place;
        self.place = self.place.saturating_add(i32::try_from(count).unwrap_or(i32::MAX));
        first
    }

    /// `wanted`, or another number where that is taken (ranks of several hosts) or has more than the 31 bits
    /// that Perfetto has for it (layers of CANN).
    pub fn pid(&mut self, wanted: i64) -> i32 {
        let mut pid = i32::try_from(wanted).ok().filter(|&pid| pid > 0);
        loop {
            match pid {
                Some(pid) if self.pids.insert(pid) => return pid,
                _ => {
                    pid = Some(FIRST_SPARE_PID.wrapping_add(self.spare_pids));
                    self.spare_pids = self.spare_pids.wrapping_add(1);
                }
            }
        }
    }
}

/// Texts of a packet sequence that were given a number, by what they were made of.
pub struct Interned<K> {
    ids: HashMap<K, u64>,
    /// Field of `InternedData` they are written in.
    field: u64,
}

impl<K: Hash + Eq> Interned<K> {
    pub fn new(field: u64) -> Interned<K> {
        Interned { ids: HashMap::new(), field }
    }

    /// The number of a text. A new one is added to `fresh`, which has to be written with the event or before.
    pub fn id<'a>(&mut self, key: K, fresh: &mut Message, text: impl FnOnce() -> Cow<'a, str>) -> u64 {
        let next = self.ids.len() as u64 + 1;
        *self.ids.entry(key).or_insert_with(|| {
            fresh.message(self.field, |entry| {
                entry.uint(interned::ID, next);
                entry.text(interned::TEXT, &text());
            });
            next
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_keeps_its_id_where_it_can() {
        let mut ids = FileIds::default();
        let given = [7, 8, 7, 1 << 40, 0].map(|wanted| ids.pid(wanted));
        assert_eq!(given, [7, 8, FIRST_SPARE_PID, FIRST_SPARE_PID + 1, FIRST_SPARE_PID + 2]);
    }
}
