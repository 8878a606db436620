//! Ranks as users write them.

use npuscope_messages::Message;
use npuscope_tables::Rank;

use crate::messages::errors as messages;

const ALL_RANKS: (Rank, Rank) = (Rank(0), Rank(i64::MAX));

/// Ranks given as numbers and ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankList(Vec<(Rank, Rank)>);

impl RankList {
    /// Ranks such as `0,3-7`.
    pub fn parse(text: &str) -> Result<RankList, RankListError> {
        let part = |part: &str| -> Option<(Rank, Rank)> {
            match part.trim().split_once('-') {
                Some((first, last)) => Some((first.parse().ok()?, last.parse().ok()?)),
                None => part.trim().parse().ok().map(|rank| (rank, rank)),
            }
        };
        let parts: Option<Vec<_>> = text.split(',').map(part).collect();
        parts.map(RankList).ok_or(RankListError)
    }

    /// As [`RankList::parse`], or `all`.
    pub fn parse_or_all(text: &str) -> Result<RankList, RankListError> {
        if text == "all" { Ok(RankList(vec![ALL_RANKS])) } else { RankList::parse(text) }
    }

    pub fn contains(&self, rank: Rank) -> bool {
        self.0.iter().any(|&(first, last)| (first..=last).contains(&rank))
    }

    /// Whether it is `all`.
    pub fn is_all(&self) -> bool {
        self.0 == [ALL_RANKS]
    }

    /// Every rank there is in it, in order; `None` where they are too many, or are no ranks.
    pub fn expanded(&self, limit: usize) -> Option<Vec<u32>> {
        let mut ranks = Vec::new();
        for &(first, last) in &self.0 {
            let (first, last) = (u32::try_from(first.0).ok()?, u32::try_from(last.0).ok()?);
            ranks.extend((first..=last).take(limit.saturating_add(1)));
            if ranks.len() > limit {
                return None;
            }
        }
        ranks.sort_unstable();
        ranks.dedup();
        Some(ranks)
    }

    /// The numbers that were given one by one.
    pub fn numbers(&self) -> impl Iterator<Item = Rank> + '_ {
        self.0.iter().filter(|(first, last)| first == last).map(|(first, _)| *first)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct RankListError;

impl RankListError {
    pub fn message(&self) -> Message {
        messages::value_ranks()
    }
}

npuscope_messages::display_message!(RankListError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_read_as_they_are_written() {
        let ranks = RankList::parse("0, 3-5").unwrap();
        assert!([0, 3, 4, 5].iter().all(|&r| ranks.contains(Rank(r))) && !ranks.contains(Rank(1)));
        assert_eq!(RankList::parse("a"), Err(RankListError));
        assert_eq!(RankList::parse("all"), Err(RankListError));
        assert!(RankList::parse_or_all("all").unwrap().is_all());
    }
}
