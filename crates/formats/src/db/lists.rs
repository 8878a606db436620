//! Lists by id.

use std::hash::Hash;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Values by id, those of an id in the order they came. All lists lie in one piece of memory.
pub struct ListsById<K, V> {
    /// The first and the last value of each id.
    ends: HashMap<K, (usize, usize), FixedState>,
    /// Every value and which one follows it in its list.
    values: Vec<(V, usize)>,
}

/// No value follows.
const END: usize = usize::MAX;

impl<K, V> Default for ListsById<K, V> {
    fn default() -> Self {
        ListsById { ends: HashMap::default(), values: Vec::new() }
    }
}

impl<K: Eq + Hash, V: Copy> ListsById<K, V> {
    pub fn push(&mut self, id: K, value: V) {
        let at = self.values.len();
        self.values.push((value, END));
        let (_, last) = self.ends.entry(id).or_insert((at, at));
        if let Some((_, next)) = self.values.get_mut(*last).filter(|_| *last != at) {
            *next = at;
        }
        *last = at;
    }

    pub fn has(&self, id: K) -> bool {
        self.ends.contains_key(&id)
    }

    pub fn get(&self, id: K) -> impl Iterator<Item = V> {
        let mut at = self.ends.get(&id).map_or(END, |(first, _)| *first);
        std::iter::from_fn(move || {
            let (value, next) = self.values.get(at)?;
            at = *next;
            Some(*value)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(npuscope_testing::cases(256))]

        #[test]
        fn lists_keep_the_order_of_their_values(pushed in prop::collection::vec((-3i64..3, 0u32..1000), 0..60)) {
            let mut lists = ListsById::default();
            pushed.iter().for_each(|(id, value)| lists.push(*id, *value));
            for id in -4..4 {
                let expected: Vec<u32> = pushed.iter().filter(|(of, _)| *of == id).map(|(_, value)| *value).collect();
                prop_assert_eq!(lists.has(id), !expected.is_empty());
                prop_assert_eq!(lists.get(id).collect::<Vec<u32>>(), expected);
            }
        }
    }
}
