//! Levels of detail of a row: at each, slices too short to be seen are drawn as one with their neighbours.

/// Something to draw: a slice, or several that are too close together to be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    pub begin: i64,
    pub end: i64,
    /// The slice; of several the longest.
    pub slice: u32,
    /// How many slices it stands for.
    pub count: u32,
    /// How long the longest of them is.
    pub longest: i64,
}

/// The bars of a row at one level.
#[derive(Clone, Debug, Default)]
struct Level {
    /// Bars shorter than 2^level ns that are in one interval of that length are one.
    level: u32,
    bars: Vec<Bar>,
}

/// All levels of a row, the finest first.
#[derive(Clone, Debug, Default)]
pub struct Pyramid {
    levels: Vec<Level>,
}

/// A level is kept if it has at most this share of the bars of the one below, in tenths: others are drawn from that.
const WORTH_KEEPING: usize = 7;

/// No trace is longer than 2^62 ns.
const MAX_LEVEL: u32 = 62;

impl Pyramid {
    /// Of the slices of a row, in order, none overlapping another.
    pub fn of(bars: Vec<Bar>) -> Pyramid {
        let mut levels = vec![Level { level: 0, bars }];
        for level in 1..MAX_LEVEL {
            let Some(below) = levels.last().filter(|below| below.bars.len() > 1) else { break };
            let bars = merged(&below.bars, level);
            if bars.len() * 10 <= below.bars.len() * WORTH_KEEPING {
                levels.push(Level { level, bars });
            }
        }
        Pyramid { levels }
    }

    /// How many slices there are.
    pub fn slices(&self) -> usize {
        self.levels.first().map_or(0, |level| level.bars.len())
    }

    /// The bars at a level that have a part in `begin..end`.
    pub fn bars(&self, level: u32, begin: i64, end: i64) -> &[Bar] {
        let kept = self.levels.iter().rev().find(|kept| kept.level <= level);
        let bars = kept.map(|kept| kept.bars.as_slice()).unwrap_or_default();
        let first = bars.partition_point(|bar| bar.end.max(bar.begin + 1) <= begin);
        let last = bars.partition_point(|bar| bar.begin < end);
        bars.get(first..last.max(first)).unwrap_or_default()
    }
}

/// Bars of which those shorter than 2^level that begin in one interval of that length are one.
fn merged(bars: &[Bar], level: u32) -> Vec<Bar> {
    let mut merged: Vec<Bar> = Vec::new();
    let is_short = |bar: &Bar| bar.end - bar.begin < 1 << level;
    for bar in bars {
        match merged.last_mut() {
            Some(last) if last.begin >> level == bar.begin >> level && is_short(last) && is_short(bar) => {
                last.end = bar.end;
                last.count += bar.count;
                if bar.longest > last.longest {
                    (last.longest, last.slice) = (bar.longest, bar.slice);
                }
            }
            _ => merged.push(*bar),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(lengths: &[(i64, i64)]) -> Vec<Bar> {
        let mut time = 0;
        let bars = lengths.iter().zip(0..).map(|(&(gap, length), slice)| {
            let begin = time + gap;
            time = begin + length;
            Bar { begin, end: time, slice, count: 1, longest: length }
        });
        bars.collect()
    }

    proptest! {
        #[test]
        fn every_level_has_every_slice(lengths in prop::collection::vec((0i64..5000, 1i64..20_000), 0..400)) {
            let bars = row(&lengths);
            let pyramid = Pyramid::of(bars.clone());
            for level in [0, 3, 8, 13, 20, 40] {
                let shown = pyramid.bars(level, i64::MIN, i64::MAX);
                prop_assert_eq!(shown.iter().map(|bar| bar.count as usize).sum::<usize>(), bars.len());
                prop_assert!(shown.windows(2).all(|pair| pair[0].end <= pair[1].begin));
                // What is drawn as one could not be told apart.
                for bar in shown.iter().filter(|bar| bar.count > 1) {
                    prop_assert!(bar.end - bar.begin <= 2 << level, "{:?} at {}", bar, level);
                }
            }
        }

        #[test]
        fn a_window_has_the_bars_that_reach_into_it(
            lengths in prop::collection::vec((0i64..50, 1i64..200), 1..100), begin in 0i64..10_000, length in 1i64..5000,
        ) {
            let bars = row(&lengths);
            let end = begin + length;
            let expected: Vec<Bar> = bars.iter().copied().filter(|bar| bar.begin < end && bar.end > begin).collect();
            let pyramid = Pyramid::of(bars);
            prop_assert_eq!(pyramid.bars(0, begin, end), expected.as_slice());
        }
    }

    #[test]
    fn the_number_of_bars_in_view_does_not_grow_with_the_row() {
        for slices in [1_000, 100_000] {
            let bars = row(&vec![(30, 70); slices]);
            let whole = bars.last().unwrap().end;
            let level = 63 - (whole as u64 / 1920).leading_zeros();
            assert!(Pyramid::of(bars).bars(level, 0, whole).len() < 4 * 1920);
        }
    }
}
