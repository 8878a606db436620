//! Levels of detail of a row: at each, slices too short to be seen are drawn as one bar.
//!
//! A bar stands for slices that follow each other on the row, so it is known by the first of them: it ends where the next
//! bar begins. Its times are those of its slices, and nothing but two numbers is kept of it.

/// Times of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub begin: i64,
    pub end: i64,
}

/// A bar as it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptBar {
    /// The first of its slices.
    pub first: u32,
    /// The longest of them.
    pub longest: u32,
}

/// The bars of a row at a level. Slices shorter than 2^level ns that begin in one interval of that length are one bar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    pub level: u32,
    pub bars: Vec<KeptBar>,
}

/// No trace is longer than 2^62 ns.
const MAX_LEVEL: u32 = 62;

/// The levels of a row above that of its slices, which are numbered from `first` on and follow each other without
/// overlap. A level with more than half the bars of the one below is not kept: it is drawn from that.
pub fn levels(first: u32, slices: &[Extent]) -> Vec<Level> {
    let of_slice = |(slice, extent): (u32, &Extent)| Bar {
        extent: *extent,
        kept: KeptBar { first: slice, longest: slice },
        longest: extent.end - extent.begin,
    };
    let mut below: Vec<Bar> = (first..).zip(slices).map(of_slice).collect();
    let mut levels = Vec::new();
    let mut above: Vec<Bar> = Vec::new();
    for level in 1..MAX_LEVEL {
        if below.len() < 2 {
            break;
        }
        above.clear();
        if merge(&below, level, &mut above) {
            levels.push(Level { level, bars: above.iter().map(|bar| bar.kept).collect() });
            std::mem::swap(&mut below, &mut above);
        }
    }
    levels
}

#[derive(Clone, Copy)]
struct Bar {
    extent: Extent,
    kept: KeptBar,
    longest: i64,
}

/// Puts the bars of a level into `above`; `false` as soon as they are more than half of those below.
fn merge(below: &[Bar], level: u32, above: &mut Vec<Bar>) -> bool {
    let is_short = |extent: Extent| extent.end - extent.begin < 1 << level;
    for bar in below {
        let is_full = above.len() * 2 >= below.len();
        match above.last_mut() {
            Some(last)
                if last.extent.begin >> level == bar.extent.begin >> level
                    && is_short(last.extent)
                    && is_short(bar.extent) =>
            {
                last.extent.end = bar.extent.end;
                if bar.longest > last.longest {
                    (last.longest, last.kept.longest) = (bar.longest, bar.kept.longest);
                }
            }
            _ if is_full => return false,
            _ => above.push(*bar),
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(lengths: &[(i64, i64)]) -> Vec<Extent> {
        let mut time = 0;
        let extents = lengths.iter().map(|&(gap, length)| {
            let begin = time + gap;
            time = begin + length;
            Extent { begin, end: time }
        });
        extents.collect()
    }

    proptest! {
        #![proptest_config(npuscope_testing::cases(256))]

        #[test]
        fn a_level_has_every_slice_once(lengths in prop::collection::vec((0i64..5000, 1i64..20_000), 0..400)) {
            let slices = row(&lengths);
            let mut below = slices.len();
            for Level { level, bars } in levels(7, &slices) {
                prop_assert!(bars.len() * 2 <= below + 1);
                below = bars.len();
                prop_assert_eq!(bars.first().map(|bar| bar.first), Some(7));
                let ends = bars.iter().skip(1).map(|bar| bar.first).chain([7 + slices.len() as u32]);
                for (bar, end) in bars.iter().zip(ends) {
                    let of_bar = &slices[bar.first as usize - 7..end as usize - 7];
                    let longest = slices[bar.longest as usize - 7];
                    prop_assert!(of_bar.iter().all(|slice| slice.end - slice.begin <= longest.end - longest.begin));
                    // What is drawn as one could not be seen apart.
                    let length = of_bar.last().unwrap().end - of_bar[0].begin;
                    prop_assert!(of_bar.len() == 1 || length <= 2 << level, "{} at {}", length, level);
                }
            }
        }
    }

    #[test]
    fn the_bars_in_view_do_not_grow_with_the_row() {
        for slices in [1_000, 100_000] {
            let slices = row(&vec![(30, 70); slices]);
            let whole = slices.last().unwrap().end;
            let level = 63 - (whole as u64 / 1920).leading_zeros();
            let levels = levels(0, &slices);
            let drawn = levels.iter().rev().find(|kept| kept.level <= level);
            assert!(drawn.map_or(slices.len(), |kept| kept.bars.len()) < 8 * 1920);
        }
    }
}
