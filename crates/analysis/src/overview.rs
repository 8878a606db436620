//! A profile at a glance: how long steps took, where the time went, who stands out.

use npuscope_engine::{EngineError, Session};
use npuscope_formats::derive::{self, Target};
use npuscope_formats::flavour::Flavour;
use npuscope_tables::table::reported_step;
use npuscope_tables::{Interner, RankTables};
use serde::Serialize;

use crate::finding::{Finding, Severity};

/// How the time of one rank divides, mean over its steps, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RankTime {
    pub rank: i64,
    pub steps: usize,
    /// From the first to the last activity of the device in a step.
    pub step: f64,
    pub computing: f64,
    /// Communication that no computing covers.
    pub exposed_communication: f64,
    pub free: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct Overview {
    pub ranks: Vec<RankTime>,
    /// Ranks without step times.
    pub ranks_without_steps: Vec<i64>,
    pub findings: Vec<Finding>,
}

/// A rank whose computing takes this much longer than the median is worth a word.
const SLOW: f64 = 1.05;

pub fn overview(session: &Session) -> Result<Overview, EngineError> {
    let loaded = session.load_all()?;
    let mut ranks = Vec::new();
    let mut ranks_without_steps = Vec::new();
    for (source, rank) in session.profile().ranks.iter().zip(loaded) {
        match rank_time(source.rank, rank.tables()?) {
            Some(time) => ranks.push(time),
            None => ranks_without_steps.push(source.rank),
        }
    }
    let findings = slow_ranks(&ranks);
    Ok(Overview { ranks, ranks_without_steps, findings })
}

/// Means over the steps that the source reports, or that its rows give.
fn rank_time(rank: i64, tables: RankTables) -> Option<RankTime> {
    let is_db = !tables.rows::<npuscope_tables::table::source::Row>().any(|s| tables.text(s.kind) == "trace");
    let flavour = Flavour::of(&tables);
    let target = if is_db { Target::Db(flavour) } else { Target::Text(flavour) };
    let mut steps: Vec<reported_step::Row> = tables.rows().collect();
    if steps.is_empty() {
        steps = derive::step_trace(&tables, target, &mut Interner::default());
    }
    if steps.is_empty() {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of steps")]
    let count = steps.len() as f64;
    let mean =
        |part: fn(&reported_step::Row) -> Option<f64>| steps.iter().filter_map(part).sum::<f64>() / count / 1000.0;
    let computing = mean(|s| s.computing);
    let exposed_communication = mean(|s| s.communication_not_overlapped);
    let free = mean(|s| s.free);
    Some(RankTime {
        rank,
        steps: steps.len(),
        step: computing + exposed_communication + free,
        computing,
        exposed_communication,
        free,
    })
}

/// Ranks that compute longer than the median: the others wait for them in every collective.
fn slow_ranks(ranks: &[RankTime]) -> Vec<Finding> {
    let Some(median) = median(ranks.iter().map(|r| r.computing).collect()).filter(|m| *m > 0.0) else {
        return Vec::new();
    };
    let mut slow: Vec<&RankTime> = ranks.iter().filter(|r| ranks.len() > 1 && r.computing > SLOW * median).collect();
    slow.sort_by(|a, b| b.computing.total_cmp(&a.computing));
    slow.into_iter()
        .map(|rank| {
            let ratio = rank.computing / median;
            let lost = rank.computing - median;
            let share = lost / rank.step;
            Finding {
                id: "slow-compute-rank",
                severity: if share > 0.1 { Severity::Critical } else { Severity::Warning },
                claim: format!(
                    "rank {} computes {ratio:.2}x as long as the median rank: {:.1} ms against {median:.1} ms a step; the others wait for it",
                    rank.rank, rank.computing
                ),
                numbers: vec![("computing", rank.computing, "ms"), ("median", median, "ms"), ("lost", lost, "ms")],
                share_of_step: Some(share),
                confidence: if ranks.len() > 2 { 0.8 } else { 0.4 },
                ranks: vec![rank.rank],
                suggestion: "compare the rank's kernels and its AI Core frequency with another rank's".to_owned(),
                next: Some(format!(
                    "npuscope sql DIR \"SELECT rank, op_type, sum(duration) / 1e6 AS ms FROM kernel WHERE rank IN ({}, 0) GROUP BY 1, 2 ORDER BY 3 DESC\"",
                    rank.rank
                )),
            }
        })
        .collect()
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (below, above) = (values.get(values.len().checked_sub(1)? / 2)?, values.get(values.len() / 2)?);
    Some((below + above) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(rank: i64, computing: f64) -> RankTime {
        RankTime { rank, steps: 1, step: 100.0, computing, ..RankTime::default() }
    }

    #[test]
    fn the_rank_that_computes_longest_is_named_first() {
        let ranks = [rank(0, 50.0), rank(1, 51.0), rank(2, 70.0), rank(3, 60.0), rank(4, 50.0)];
        let named: Vec<i64> = slow_ranks(&ranks).iter().map(|f| f.ranks[0]).collect();
        assert_eq!(named, [2, 3]);
    }

    #[test]
    fn equal_ranks_and_a_single_rank_give_no_finding() {
        assert!(slow_ranks(&[rank(0, 50.0), rank(1, 50.5)]).is_empty());
        assert!(slow_ranks(&[rank(0, 50.0)]).is_empty());
        assert!(slow_ranks(&[]).is_empty());
    }
}
