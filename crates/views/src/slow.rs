//! Slow ranks and slow links.

use npuscope_analysis::cluster::Options;
use npuscope_analysis::cluster::recipes::slow_link::{self, SlowLink};
use npuscope_analysis::cluster::recipes::slow_rank::{self, SlowRank};

use crate::columns;
use crate::communication::unless_without_links;
use crate::{Made, NotMade, Question, Source};

/// Links that are listed.
const LINKS: usize = 1000;

/// Ranks that others wait for, with the total time that others waited: see `npuscope cluster -m slow_rank`.
pub fn slow_ranks(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let ranks = question.ask(source, Options::default(), slow_rank::rows)?.ranks;
    let ints = |of: fn(&SlowRank) -> i64| columns::ints(ranks.iter().map(of));
    columns::made(vec![
        ("rank", columns::ranks(ranks.iter().map(|slow| slow.rank))),
        ("slow_affect_count", ints(|slow| slow.slow_operations as i64)),
        ("operation_count", ints(|slow| slow.operations as i64)),
        ("late_ms", columns::reals(ranks.iter().map(|slow| slow.late_ns / 1e6))),
    ])
}

/// Links that take longer than others that moved the same: see `npuscope cluster -m slow_link`.
pub fn slow_links(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let options = Options { top_num: Some(LINKS), ..Options::default() };
    let links = question.ask(source, options, slow_link::rows)?.links;
    let ints = |of: fn(&SlowLink) -> i64| columns::ints(links.iter().map(of));
    let reals = |of: fn(&SlowLink) -> f64| columns::reals(links.iter().map(of));
    let made = columns::made(vec![
        ("src", columns::ranks(links.iter().map(|link| link.src))),
        ("dst", columns::ranks(links.iter().map(|link| link.dst))),
        ("link", columns::texts(links.iter().map(|link| Some(link.transport.as_str())))),
        ("bytes", ints(|link| link.bytes)),
        ("time", ints(|link| link.time.round() as i64)),
        ("bandwidth", reals(|link| link.bandwidth)),
        ("expected_bandwidth", reals(|link| link.expected_bandwidth)),
        ("time_ratio", reals(|link| link.ratio)),
    ])?;
    unless_without_links(source, made, "reported_link")
}
