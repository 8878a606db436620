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
        match open.last() {
            Some(&around) => self.innermost.insert((around, track)),
            None => self.free.insert(track),
        };
        Some((track, end))
    }

    /// Opens a slice that ends at `end` and gives its track. What ends by its begin has been closed before.
    pub fn open(&mut self, end: i64) -> usize {
        let mut innermost = self.open.iter().map(|open| open.last().copied());
        let around = innermost.position(|innermost| innermost.is_some_and(|innermost| innermost >= end));
        let track = around.or_else(|| self.free.pop_first()).unwrap_or(self.open.len());
        if let Some(&covered) = self.open.get(track).and_then(|open| open.last()) {
            self.innermost.remove(&(covered, track));
        }
        self.innermost.insert((end, track));
        match self.open.get_mut(track) {
            Some(open) => open.push(end),
            None => self.open.push(vec![end]),
        }
        track
    }
}
