//! Lanes to tracks on which slices do nothing but nest.

use std::collections::BTreeSet;

/// The sub-tracks of a lane. Slices come in order of begin, of two with one begin the longer first; each goes
/// into an open slice that can hold it, on the first track that has one, or else onto the first track where nothing
/// is open. So what nests stays together, and a call tree is not torn by a range that crosses it.
///
/// To find the fewest tracks possible is to colour a circle graph, which is NP-hard. A slice opens a new track
/// here only if it crosses a slice on every other.
///
/// ```
/// use npuscope_formats::perfetto::packing::SubTracks;
/// let mut tracks = SubTracks::default();
/// let mut place = |begin, end| {
///     while tracks.close_one(begin).is_some() {}
///     tracks.open(end)
/// };
/// assert_eq!(place(0, 10), 0);
/// assert_eq!(place(2, 4), 0); // inside
/// assert_eq!(place(5, 15), 1); // beyond the end of the first
/// assert_eq!(place(11, 14), 1); // inside that
/// assert_eq!(place(15, 15), 0);
/// ```
#[derive(Default)]
pub struct SubTracks {
    /// Ends of the slices that are open on each track, the innermost last.
    open: Vec<Vec<i64>>,
    ends: Ends,
    /// The end of the innermost slice of each track that has one, and the track.
    innermost: BTreeSet<(i64, usize)>,
    /// Tracks on which nothing is open.
    free: BTreeSet<usize>,
}

impl SubTracks {
    /// Closes the slice with the earliest end, if that is at `time` or before, and gives its track and end.
    pub fn close_one(&mut self, time: i64) -> Option<(usize, i64)> {
        let &(end, track) = self.innermost.first().filter(|(end, _)| *end <= time)?;
        self.innermost.pop_first();
        let open = self.open.get_mut(track)?;
        open.pop();
        self.ends.set(track, open.last().copied());
        match open.last() {
            Some(&around) => self.innermost.insert((around, track)),
            None => self.free.insert(track),
        };
        Some((track, end))
    }

    /// Opens a slice that ends at `end` and gives its track. What ends by its begin has been closed before.
    pub fn open(&mut self, end: i64) -> usize {
        let track = self.ends.first(end).or_else(|| self.free.pop_first()).unwrap_or(self.open.len());
        if let Some(&covered) = self.open.get(track).and_then(|open| open.last()) {
            self.innermost.remove(&(covered, track));
        }
        self.innermost.insert((end, track));
        self.ends.set(track, Some(end));
        match self.open.get_mut(track) {
            Some(open) => open.push(end),
            None => self.open.push(vec![end]),
        }
        track
    }
}

/// The end of the innermost slice of each track, as a tree: the first track that can hold a slice is found
/// in as many steps as the tree is high.
#[derive(Default)]
struct Ends {
    /// How many tracks there is room for, a power of two.
    tracks: usize,
    /// The root is 1, the children of `n` are `2 n` and `2 n + 1`; the last half are the tracks. A node has the
    /// latest end below it.
    nodes: Vec<Option<i64>>,
}

impl Ends {
    fn at(&self, node: usize) -> Option<i64> {
        self.nodes.get(node).copied().flatten()
    }

    fn put(&mut self, node: usize, end: Option<i64>) {
        if let Some(known) = self.nodes.get_mut(node) {
            *known = end;
        }
    }

    fn set(&mut self, track: usize, end: Option<i64>) {
        if track >= self.tracks {
            self.grow(track);
        }
        let mut node = self.tracks + track;
        self.put(node, end);
        while node > 1 {
            node /= 2;
            self.put(node, self.at(2 * node).max(self.at(2 * node + 1)));
        }
    }

    fn grow(&mut self, track: usize) {
        let known = self.nodes.split_off(self.tracks.min(self.nodes.len()));
        self.tracks = (track + 1).next_power_of_two();
        self.nodes.clear();
        self.nodes.resize(self.tracks, None);
        self.nodes.extend(known);
        self.nodes.resize(2 * self.tracks, None);
        for node in (1..self.tracks).rev() {
            self.put(node, self.at(2 * node).max(self.at(2 * node + 1)));
        }
    }

    /// The first track whose innermost slice ends at `end` or later.
    fn first(&self, end: i64) -> Option<usize> {
        let holds = |node: usize| self.at(node) >= Some(end);
        let mut node = 1;
        if !holds(node) {
            return None;
        }
        while node < self.tracks {
            node = if holds(2 * node) { 2 * node } else { 2 * node + 1 };
        }
        Some(node - self.tracks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tracks of slices that are given as begin and end.
    fn place(slices: impl IntoIterator<Item = (i64, i64)>) -> Vec<usize> {
        let mut tracks = SubTracks::default();
        let place = |(begin, end)| {
            while tracks.close_one(begin).is_some() {}
            tracks.open(end)
        };
        slices.into_iter().map(place).collect()
    }

    #[test]
    fn many_slices_that_all_cross_have_a_track_each() {
        // Looking at every track for every slice would take minutes, and the test would be ended.
        const SLICES: i64 = 100_000;
        let tracks = place((0..SLICES).map(|n| (n, n + SLICES)));
        assert!(tracks.iter().copied().eq(0..tracks.len()));
    }

    #[test]
    fn the_first_track_that_can_hold_a_slice_has_it() {
        let mut seed = 1_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i64::try_from((seed >> 33) % below).unwrap()
        };
        let mut slices: Vec<(i64, i64)> = (0..2000).map(|_| random(500)).map(|begin| (begin, begin + 1)).collect();
        slices.iter_mut().for_each(|slice| slice.1 += random(100));
        slices.sort_by_key(|&(begin, end)| (begin, -end));
        let mut open: Vec<Vec<i64>> = Vec::new();
        let expected: Vec<usize> = slices
            .iter()
            .map(|&(begin, end)| {
                open.iter_mut().for_each(|track| track.retain(|end| *end > begin));
                let around = open.iter().position(|track| track.last().is_some_and(|last| *last >= end));
                let track = around.or_else(|| open.iter().position(Vec::is_empty)).unwrap_or(open.len());
                open.resize(open.len().max(track + 1), Vec::new());
                open[track].push(end);
                track
            })
            .collect();
        assert_eq!(place(slices), expected);
    }
}
