//! How long the steps of a job take.

use std::collections::BTreeMap;

/// Step time of a job, in ns: the mean over its steps of the longest step time of any rank, since a step is over when
/// its last rank is. `ranks` has number and step time of each step of each rank
/// ([`npuscope_measures::step::step_times`]); steps with one number are one step, those without a number are so by
/// their place. `None` of a job without steps.
#[expect(clippy::cast_precision_loss, reason = "times of steps are far below 2^53 ns")]
pub fn job_step_time<'a>(ranks: impl Iterator<Item = &'a [(Option<i64>, i64)]>) -> Option<f64> {
    let longest = longest_times(ranks);
    let sum: f64 = longest.iter().map(|&time| time as f64).sum();
    (!longest.is_empty()).then(|| sum / longest.len() as f64)
}

/// How many steps a job has: those of [`job_step_time`].
pub fn job_steps<'a>(ranks: impl Iterator<Item = &'a [(Option<i64>, i64)]>) -> usize {
    longest_times(ranks).len()
}

/// Of each step of a job, the longest step time of any rank.
fn longest_times<'a>(ranks: impl Iterator<Item = &'a [(Option<i64>, i64)]>) -> Vec<i64> {
    let mut longest: BTreeMap<(Option<i64>, usize), i64> = BTreeMap::new();
    for steps in ranks {
        for (place, &(id, time)) in steps.iter().enumerate() {
            let most = longest.entry((id, if id.is_some() { 0 } else { place })).or_default();
            *most = time.max(*most);
        }
    }
    longest.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_takes_as_long_as_its_slowest_rank() {
        let ranks: [&[(Option<i64>, i64)]; 3] =
            [&[(Some(3), 10), (Some(4), 20)], &[(Some(4), 30), (Some(5), 6)], &[(Some(3), 12)]];
        assert_eq!(job_step_time(ranks.into_iter()), Some(f64::from(12 + 30 + 6) / 3.0));
        assert_eq!(job_steps(ranks.into_iter()), 3);
        let unnumbered: [&[(Option<i64>, i64)]; 2] = [&[(None, 10)], &[(None, 14)]];
        assert_eq!(job_step_time(unnumbered.into_iter()), Some(14.0));
        assert_eq!(job_step_time(std::iter::empty()), None);
    }
}
