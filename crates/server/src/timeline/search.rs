//! Finding slices by what they are called, how long they are and where.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::{Range, RangeInclusive};

use npuscope_messages::Message;
use npuscope_tables::Rank;

use super::levels::Extent;
use super::{ShownSlice, Timeline, first_where, range};
use crate::messages;

/// What is searched for: words as `matmul`, and conditions as `dur>1ms`, `rank:0-7`, `lane:stream`, `name~matmul`.
///
/// ```
/// use npuscope_server::timeline::search::Wanted;
/// use npuscope_tables::Rank;
/// let wanted = Wanted::parse("matmul dur>1.5ms rank:0-3,8").unwrap();
/// assert_eq!((wanted.longer_than, wanted.name.as_str()), (Some(1_500_000), "matmul"));
/// assert!(wanted.has_rank(Rank(3)) && wanted.has_rank(Rank(8)) && !wanted.has_rank(Rank(4)));
/// assert_eq!(Wanted::parse("Step 3").unwrap().name, "step 3");
/// assert!(Wanted::parse("dur>much").is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Part of the name, in lower case.
    pub name: String,
    /// Part of the lane's name, in lower case.
    pub lane: Option<String>,
    /// In ns.
    pub longer_than: Option<i64>,
    pub shorter_than: Option<i64>,
    ranks: Vec<RangeInclusive<Rank>>,
}

/// Why a text is no search.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    Duration(String),
    Ranks(String),
}

impl SearchError {
    pub fn message(&self) -> Message {
        match self {
            SearchError::Duration(text) => messages::search_duration(text),
            SearchError::Ranks(text) => messages::search_ranks(text),
        }
    }
}

npuscope_messages::display_message!(SearchError);

impl Wanted {
    pub fn parse(text: &str) -> Result<Wanted, SearchError> {
        let mut wanted = Wanted::default();
        let mut words: Vec<&str> = Vec::new();
        for word in text.split_whitespace() {
            if let Some(name) = word.strip_prefix("name~") {
                words.push(name);
            } else if let Some(lane) = word.strip_prefix("lane:") {
                wanted.lane = Some(lane.to_lowercase());
            } else if let Some(duration) = word.strip_prefix("dur>") {
                wanted.longer_than = Some(nanoseconds(duration)?);
            } else if let Some(duration) = word.strip_prefix("dur<") {
                wanted.shorter_than = Some(nanoseconds(duration)?);
            } else if let Some(list) = word.strip_prefix("rank:") {
                wanted.ranks = ranges(list)?;
            } else {
                words.push(word);
            }
        }
        wanted.name = words.join(" ").to_lowercase();
        Ok(wanted)
    }

    pub fn has_rank(&self, rank: Rank) -> bool {
        self.ranks.is_empty() || self.ranks.iter().any(|ranks| ranks.contains(&rank))
    }
}

/// A duration as `250us`; a number alone is ns.
fn nanoseconds(text: &str) -> Result<i64, SearchError> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let size = match unit {
        "" | "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return Err(SearchError::Duration(text.to_owned())),
    };
    let number: f64 = number.parse().map_err(|_| SearchError::Duration(text.to_owned()))?;
    Ok((number * size) as i64)
}

/// Ranges of ranks as `0-7,12`.
pub fn ranges(list: &str) -> Result<Vec<RangeInclusive<Rank>>, SearchError> {
    let wrong = || SearchError::Ranks(list.to_owned());
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Ok(first.parse().map_err(|_| wrong())?..=last.parse().map_err(|_| wrong())?)
    };
    list.split(',').filter(|part| !part.is_empty()).map(range).collect()
}

/// Slices that were found.
pub struct Found<'a, F> {
    timeline: &'a Timeline,
    /// Slices of rows among which they are.
    ranges: Vec<Range<u32>>,
    is_wanted: F,
    pub count: usize,
}

impl Timeline {
    /// The slices that are wanted.
    pub fn find(&self, wanted: &Wanted) -> Found<'_, impl Fn(u32) -> bool> {
        let named: Vec<bool> = self.names.iter().map(|name| contains(name, &wanted.name)).collect();
        let lanes = 0..self.lanes.list.len();
        let lanes =
            lanes.filter(|lane| wanted.lane.as_ref().is_none_or(|part| contains(&self.lanes.list[*lane].name, part)));
        let ranges = lanes.flat_map(|lane| self.rows(lane)).map(|row| self.slices_of_row(row)).collect();
        let is_timed = wanted.longer_than.is_some() || wanted.shorter_than.is_some();
        let above = wanted.longer_than.map_or(i64::MIN, |above| above.saturating_add(1));
        let lengths = above..wanted.shorter_than.unwrap_or(i64::MAX);
        // How often names occur is known.
        let by_name = |name: usize| range(&self.index.names_first, name).len();
        let is_by_name = !is_timed && wanted.lane.is_none();
        let count = is_by_name.then(|| (0..named.len()).filter(|name| named[*name]).map(by_name).sum());
        let is_wanted = move |slice: u32| {
            let name = self.index.names.get(slice as usize);
            let is_named = name.and_then(|name| named.get(*name as usize)).copied().unwrap_or_default();
            let length = |extent: Extent| extent.end - extent.begin;
            is_named && (!is_timed || lengths.contains(&length(self.extent(slice))))
        };
        self.found(ranges, is_wanted, count)
    }

    /// The slices of some lanes that have a part in a stretch of time, or begin in it, those of one name if one is given.
    pub fn between(
        &self,
        lanes: &[usize],
        begin: i64,
        end: i64,
        only_begins: bool,
        name: Option<&str>,
    ) -> Found<'_, impl Fn(u32) -> bool> {
        let rows = lanes.iter().flat_map(|lane| self.rows(*lane));
        let ranges = rows.map(|row| {
            let slices = self.slices_in(row, begin, end);
            let first = first_where(slices.clone(), |slice| !only_begins || self.extent(slice).begin >= begin);
            first..slices.end
        });
        let ranges = ranges.collect();
        let name = name.map(|name| self.names.iter().position(|known| known == name));
        let is_wanted = move |slice: u32| match name {
            Some(name) => self.index.names.get(slice as usize).map(|of| *of as usize) == name,
            None => true,
        };
        self.found(ranges, is_wanted, None)
    }

    /// The slices that are wanted among some; they are counted if their number is not known.
    fn found<F: Fn(u32) -> bool>(&self, ranges: Vec<Range<u32>>, is_wanted: F, count: Option<usize>) -> Found<'_, F> {
        let counted = || ranges.iter().cloned().flatten().filter(|slice| is_wanted(*slice)).count();
        let count = count.unwrap_or_else(counted);
        Found { timeline: self, ranges, is_wanted, count }
    }
}

impl<F: Fn(u32) -> bool> Found<'_, F> {
    /// `count` of them from number `from` on, in order of time.
    pub fn page(&self, from: usize, count: usize) -> Vec<ShownSlice> {
        let next = |mut range: Range<u32>| {
            let slice = range.find(|slice| (self.is_wanted)(*slice))?;
            Some(Reverse((self.timeline.extent(slice).begin, slice, range.end)))
        };
        // The next of each row, the first of all on top.
        let mut rows: BinaryHeap<Reverse<(i64, u32, u32)>> = self.ranges.iter().cloned().filter_map(next).collect();
        let in_order = std::iter::from_fn(|| {
            let Reverse((_, slice, end)) = rows.pop()?;
            rows.extend(next(slice + 1..end));
            Some(slice)
        });
        in_order.skip(from).take(count).filter_map(|slice| self.timeline.slice(slice)).collect()
    }
}

/// Whether a text has a part, which is in lower case.
fn contains(text: &str, part: &str) -> bool {
    if text.is_ascii() {
        let (text, part) = (text.as_bytes(), part.as_bytes());
        return part.is_empty() || text.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part));
    }
    text.to_lowercase().contains(part)
}
