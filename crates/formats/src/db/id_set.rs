//! A set of numbers that mostly follow each other.

use std::collections::BTreeMap;

/// A set of numbers, kept as runs.
#[derive(Default)]
pub struct IdSet {
    /// First and last of each run.
    runs: BTreeMap<i64, i64>,
}

impl IdSet {
    /// Adds a number; whether it is new.
    pub fn insert(&mut self, id: i64) -> bool {
        let before = self.runs.range(..=id).next_back().map(|(&first, &last)| (first, last));
        if before.is_some_and(|(_, last)| id <= last) {
            return false;
        }
        let first = before.filter(|(_, last)| *last + 1 == id).map_or(id, |(first, _)| first);
        // A run that begins right after the number goes on with it.
        let last = id.checked_add(1).and_then(|next| self.runs.remove(&next)).unwrap_or(id);
        self.runs.insert(first, last);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(npuscope_testing::cases(256))]

        #[test]
        fn a_number_is_new_once(ids in prop::collection::vec(prop_oneof![-20i64..20, any::<i64>(), Just(i64::MAX)], 0..80)) {
            let (mut set, mut plain) = (IdSet::default(), BTreeSet::new());
            for id in ids {
                prop_assert_eq!(set.insert(id), plain.insert(id));
            }
        }
    }
}
