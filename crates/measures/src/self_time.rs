//! The time of a slice without what ran inside it.

use crate::intervals::Interval;

/// Self time of a slice, in ns: its duration less the time in which a slice directly inside it runs,
/// `duration - sum(inside, cut at the slice)`. `inside` are the slices one level deeper, which do not overlap.
pub fn self_time(slice: Interval, inside: impl Iterator<Item = Interval>) -> i64 {
    let covered = inside.map(|inner| inner.end.min(slice.end).saturating_sub(inner.start.max(slice.start)).max(0));
    covered.fold(slice.length(), i64::saturating_sub)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_inside_is_left_out() {
        let inside = [(0, 5), (10, 20), (30, 30), (45, 90)].map(|(start, end)| Interval::new(start, end));
        assert_eq!(self_time(Interval::new(8, 50), inside.into_iter()), 42 - 10 - 5);
        assert_eq!(self_time(Interval::new(8, 50), std::iter::empty()), 42);
    }
}
