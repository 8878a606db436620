//! Similarity of two texts: the measure of Ratcliff and Obershelp, as Python's `difflib` computes it.

use std::collections::HashMap;

/// From this length on, `difflib` does not begin a block with a letter that is more than a hundredth of a text.
const POPULAR_FROM: usize = 200;

/// Compares texts with one text.
pub struct Similarity {
    text: Vec<char>,
    /// Where each letter stands.
    places: HashMap<char, Vec<usize>>,
    counts: HashMap<char, usize>,
}

impl Similarity {
    /// With `skip_popular`, letters that are frequent in a long text begin no block, as in `difflib`.
    pub fn to(text: &str, skip_popular: bool) -> Similarity {
        let text: Vec<char> = text.chars().collect();
        let mut places: HashMap<char, Vec<usize>> = HashMap::new();
        for (place, letter) in text.iter().enumerate() {
            places.entry(*letter).or_default().push(place);
        }
        let counts = places.iter().map(|(letter, places)| (*letter, places.len())).collect();
        if skip_popular && text.len() >= POPULAR_FROM {
            places.retain(|_, places| places.len() <= text.len() / 100 + 1);
        }
        Similarity { text, places, counts }
    }

    /// 2 x letters in common blocks / letters of both: the longest common block, and what is common to the left and
    /// to the right of it, found in the same way. 1 for equal texts. `None` if it is below `least`.
    pub fn ratio(&self, other: &str, least: f64) -> Option<f64> {
        let other: Vec<char> = other.chars().collect();
        let ratio = |common: usize| match other.len() + self.text.len() {
            0 => 1.0,
            letters => 2.0 * common as f64 / letters as f64,
        };
        let is_enough = |common: usize| ratio(common) >= least;
        // This upper bound is quick to compute.
        if !is_enough(other.len().min(self.text.len())) || !is_enough(self.common_letters(&other)) {
            return None;
        }
        Some(ratio(self.common_blocks(&other))).filter(|ratio| *ratio >= least)
    }

    /// How many letters both have, in whatever order.
    fn common_letters(&self, other: &[char]) -> usize {
        let mut left = self.counts.clone();
        let taken = other.iter().filter(|letter| match left.get_mut(letter) {
            Some(count @ 1..) => {
                *count -= 1;
                true
            }
            _ => false,
        });
        taken.count()
    }

    fn common_blocks(&self, other: &[char]) -> usize {
        let mut common = 0;
        let mut left = vec![(0, other.len(), 0, self.text.len())];
        while let Some((from, until, text_from, text_until)) = left.pop() {
            let (at, text_at, length) = self.longest_block(other, (from, until), (text_from, text_until));
            if length > 0 {
                common += length;
                left.push((from, at, text_from, text_at));
                left.push((at + length, until, text_at + length, text_until));
            }
        }
        common
    }

    /// The longest common block within bounds, of several the first: its places and its length.
    fn longest_block(
        &self,
        other: &[char],
        (from, until): (usize, usize),
        (text_from, text_until): (usize, usize),
    ) -> (usize, usize, usize) {
        let (mut at, mut text_at, mut length) = (from, text_from, 0);
        // Lengths of blocks that end with the letter before, by the place after it.
        let mut before = vec![0; self.text.len() + 1];
        let mut ending = before.clone();
        for (place, letter) in (from..until).zip(&other[from..until]) {
            let there = self.places.get(letter).map(Vec::as_slice).unwrap_or_default();
            let first = there.partition_point(|there| *there < text_from);
            for &there in there[first..].iter().take_while(|there| **there < text_until) {
                let block = before[there] + 1;
                ending[there + 1] = block;
                if block > length {
                    (at, text_at, length) = (place + 1 - block, there + 1 - block, block);
                }
            }
            std::mem::swap(&mut before, &mut ending);
            ending.fill(0);
        }
        while at > from && text_at > text_from && other[at - 1] == self.text[text_at - 1] {
            (at, text_at, length) = (at - 1, text_at - 1, length + 1);
        }
        while at + length < until && text_at + length < text_until && other[at + length] == self.text[text_at + length]
        {
            length += 1;
        }
        (at, text_at, length)
    }
}

/// The candidate that is most similar to a text, if its similarity is at least `least`; of several the last by
/// alphabet.
pub fn closest<'a>(text: &str, candidates: impl Iterator<Item = &'a str>, least: f64) -> Option<&'a str> {
    let similarity = Similarity::to(text, true);
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates {
        let least = best.map_or(least, |(ratio, _)| ratio);
        if let Some(ratio) = similarity.ratio(candidate, least)
            && best.is_none_or(|best| (ratio, candidate) > best)
        {
            best = Some((ratio, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(text: &str, other: &str) -> f64 {
        Similarity::to(text, true).ratio(other, 0.0).unwrap()
    }

    /// Figures of `difflib.SequenceMatcher(None, other, text).ratio()` of Python 3.11.
    #[test]
    fn ratios_are_those_of_difflib() {
        assert_eq!(ratio("", ""), 1.0);
        assert_eq!(ratio("abc", ""), 0.0);
        assert_eq!(ratio("abcd", "bcde"), 0.75);
        assert_eq!(ratio("Attention/Linear", "/Attention/Linear"), 32.0 / 33.0);
        assert_eq!(ratio("tide", "diet"), 0.5);
        assert_eq!(ratio("diet", "tide"), 0.25);
        assert_eq!(ratio("qkv_proj/Linear_12", "qkv_project/ColumnLinear_1"), 34.0 / 44.0);
    }

    #[test]
    fn frequent_letters_of_long_texts_begin_no_block() {
        let [long, other] = ["x", "y"].map(|first| format!("{first}{}", "ab".repeat(120)));
        assert_eq!(ratio(&long, &other), 0.0);
        assert_eq!(ratio(&long, &long), 1.0);
        assert_eq!(Similarity::to(&long, false).ratio(&other, 0.0), Some(480.0 / 482.0));
    }

    #[test]
    fn what_is_not_alike_enough_is_none() {
        assert_eq!(Similarity::to("abcd", true).ratio("bcde", 0.8), None);
        assert_eq!(closest("Linear", ["Lineal", "Lines", "Nothing"].into_iter(), 0.6), Some("Lineal"));
        assert_eq!(closest("Linear", ["Nothing"].into_iter(), 0.6), None);
    }
}
