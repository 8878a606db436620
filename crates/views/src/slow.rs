//! Slow ranks and slow links.

use std::collections::BTreeMap;

use npuscope_analysis::cluster::Options;

use crate::columns::{self, Results};
use crate::{Made, NotMade, Question, Source};

/// Links that are listed.
const LINKS: usize = 1000;

/// Ranks that others wait for, as `slow_rank` tells it, with the time that they were late in all: how much longer the
/// rank in the middle took.
pub fn slow_ranks(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let answer = question.ask(source, "slow_rank", Options::default())?;
    let operations = Results::of(&answer, "SlowOpStats");
    let mut late: BTreeMap<i64, f64> = BTreeMap::new();
    let lengths = operations.reals("MedianNs").into_iter().zip(operations.reals("MinNs"));
    for (names, (middle, least)) in operations.texts("SlowRank").into_iter().zip(lengths) {
        let by = middle.unwrap_or_default() - least.unwrap_or_default();
        for rank in names.unwrap_or_default().split(',').filter_map(|rank| rank.parse().ok()) {
            *late.entry(rank).or_default() += by / 1e6;
        }
    }
    let slow = Results::of(&answer, "SlowRank");
    let ranks = slow.ints("rankId");
    let late = ranks.iter().map(|rank| late.get(&(*rank)?).copied());
    columns::made(vec![
        ("rank", columns::ints(ranks.iter().copied())),
        ("slow_affect_count", columns::ints(slow.ints("slowAffectCount"))),
        ("operation_count", columns::ints(slow.ints("operationCount"))),
        ("late_ms", columns::reals(late)),
    ])
}

/// Links that take longer than others that moved alike, as `slow_link` tells it.
pub fn slow_links(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let options = Options { top_num: Some(LINKS), ..Options::default() };
    let answer = question.ask(source, "slow_link", options)?;
    let links = Results::of(&answer, "SlowLinks");
    columns::made(vec![
        ("src", columns::ints(links.ints("srcRank"))),
        ("dst", columns::ints(links.ints("dstRank"))),
        ("link", columns::texts(links.texts("transport"))),
        ("bytes", columns::ints(links.ints("dataSize"))),
        ("time", columns::ints(links.ints("timeNs"))),
        ("bandwidth", columns::reals(links.reals("bandwidth(GB/s)"))),
        ("median", columns::reals(links.reals("expectedBandwidth(GB/s)"))),
        ("ratio", columns::reals(links.reals("timeRatio"))),
    ])
}
