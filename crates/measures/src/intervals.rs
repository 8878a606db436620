//! Sets of half-open intervals on a line.

/// `start..end`, in any unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Interval {
    pub start: i64,
    pub end: i64,
}

impl Interval {
    pub fn new(start: i64, end: i64) -> Interval {
        Interval { start, end: end.max(start) }
    }

    /// From start to end, at most the largest number: files of any bytes may name the ends of time.
    pub fn length(self) -> i64 {
        self.end.saturating_sub(self.start)
    }

    /// From the earlier start to the later end.
    #[must_use]
    pub fn hull(self, other: Interval) -> Interval {
        Interval { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// The intervals as a sorted list without overlaps; those that touch become one.
pub fn union(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.sort_unstable();
    let mut united: Vec<Interval> = Vec::with_capacity(intervals.len());
    for interval in intervals {
        match united.last_mut() {
            Some(last) if interval.start <= last.end => last.end = last.end.max(interval.end),
            _ => united.push(interval),
        }
    }
    united
}

/// What of `from` is in none of `what`. Both must be unions.
pub fn subtract(from: &[Interval], what: &[Interval]) -> Vec<Interval> {
    let mut left = Vec::new();
    let mut next = 0;
    for &Interval { mut start, end } in from {
        while what.get(next).is_some_and(|w| w.end <= start) {
            next += 1;
        }
        for cut in what.iter().skip(next).take_while(|w| w.start < end) {
            if start < cut.start {
                left.push(Interval { start, end: cut.start });
            }
            start = start.max(cut.end);
        }
        if start < end {
            left.push(Interval { start, end });
        }
    }
    left
}

/// What is in both. Both must be unions.
pub fn intersect(a: &[Interval], b: &[Interval]) -> Vec<Interval> {
    a.iter().flat_map(|interval| clip(b, *interval)).collect()
}

/// The holes between the intervals of a union.
pub fn gaps(union: &[Interval]) -> Vec<Interval> {
    union.iter().zip(union.iter().skip(1)).map(|(a, b)| Interval { start: a.end, end: b.start }).collect()
}

/// What of a union lies inside `window`.
pub fn clip(union: &[Interval], window: Interval) -> Vec<Interval> {
    let first = union.partition_point(|interval| interval.end <= window.start);
    let inside = union.iter().skip(first).take_while(|interval| interval.start < window.end);
    inside.map(|i| Interval { start: i.start.max(window.start), end: i.end.min(window.end) }).collect()
}

/// How long the intervals of a union are together.
pub fn total(intervals: &[Interval]) -> i64 {
    intervals.iter().map(|i| i.length()).fold(0, i64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points(intervals: &[Interval]) -> Vec<bool> {
        (0..64).map(|p| intervals.iter().any(|i| i.start <= p && p < i.end)).collect()
    }

    fn some_intervals() -> impl Strategy<Value = Vec<Interval>> {
        let interval = (0i64..60, 0i64..10).prop_map(|(start, length)| Interval::new(start, (start + length).min(63)));
        prop::collection::vec(interval, 0..12)
    }

    proptest! {
        #![proptest_config(npuscope_testing::cases(256))]

        #[test]
        fn a_union_covers_what_its_parts_cover(a in some_intervals()) {
            let united = union(a.clone());
            prop_assert_eq!(points(&united), points(&a));
            prop_assert!(united.windows(2).all(|w| w[0].end < w[1].start));
        }

        #[test]
        fn a_difference_covers_what_only_the_first_covers(a in some_intervals(), b in some_intervals()) {
            let (a, b) = (union(a), union(b));
            let expected: Vec<bool> = points(&a).iter().zip(points(&b)).map(|(&a, b)| a && !b).collect();
            prop_assert_eq!(points(&subtract(&a, &b)), expected);
        }

        #[test]
        fn an_intersection_covers_what_both_cover(a in some_intervals(), b in some_intervals()) {
            let (a, b) = (union(a), union(b));
            let expected: Vec<bool> = points(&a).iter().zip(points(&b)).map(|(&a, b)| a && b).collect();
            prop_assert_eq!(points(&intersect(&a, &b)), expected);
        }

        #[test]
        fn a_union_and_its_gaps_fill_its_extent(a in some_intervals()) {
            let united = union(a);
            let extent = united.first().zip(united.last()).map_or(0, |(first, last)| last.end - first.start);
            prop_assert_eq!(total(&united) + total(&gaps(&united)), extent);
        }
    }
}
