//! Which steps a schedule records, without walking through them.

use std::ops::Range;

use crate::Schedule;

/// One round of a schedule, in steps since the profiler was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    pub warmup: Range<u64>,
    pub record: Range<u64>,
}

/// The `index`-th round, counted from 0. Rounds beyond `repeat` are not made, and those beyond the run not reached.
pub fn cycle(schedule: &Schedule, index: u64) -> Cycle {
    let Schedule { wait, warmup, active, skip_first, skip_first_wait, .. } = *schedule;
    let active = active.max(1);
    let length = wait.saturating_add(warmup).saturating_add(active);
    // The first round has no wait then, and all others come earlier by as much.
    let saved = if skip_first_wait { wait } else { 0 };
    let begin = skip_first.saturating_add(length.saturating_mul(index)).saturating_add(wait - saved);
    let first = begin.saturating_add(warmup);
    Cycle { warmup: begin..first, record: first..first.saturating_add(active) }
}

/// Rounds of which at least one step is recorded in a run of `steps` steps.
pub fn cycles_begun(schedule: &Schedule, steps: u64) -> u64 {
    let first = cycle(schedule, 0).record.start;
    let Some(rest) = steps.checked_sub(first).filter(|rest| *rest > 0) else { return 0 };
    let length = cycle(schedule, 1).record.start.saturating_sub(first).max(1);
    let begun = rest.div_ceil(length);
    if schedule.repeat > 0 { begun.min(schedule.repeat) } else { begun }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What torch_npu does at a step: 0 nothing, 1 warm-up, 2 record.
    fn action(schedule: &Schedule, step: u64) -> u8 {
        if step < schedule.skip_first {
            return 0;
        }
        let step = step - schedule.skip_first + if schedule.skip_first_wait { schedule.wait } else { 0 };
        let length = schedule.wait + schedule.warmup + schedule.active;
        if schedule.repeat > 0 && step / length >= schedule.repeat {
            return 0;
        }
        match step % length {
            within if within < schedule.wait => 0,
            within if within < schedule.wait + schedule.warmup => 1,
            _ => 2,
        }
    }

    proptest! {
        #![proptest_config(npuscope_testing::cases(256))]

        #[test]
        fn cycles_are_the_steps_of_the_schedule(
            (wait, warmup, active) in (0u64..4, 0u64..4, 1u64..4),
            (repeat, skip_first, skip_first_wait) in (0u64..4, 0u64..6, any::<bool>()),
            steps in 0u64..60,
        ) {
            let schedule = Schedule { wait, warmup, active, repeat, skip_first, skip_first_wait };
            let rounds = if repeat > 0 { repeat } else { 100 };
            let cycles: Vec<Cycle> = (0..rounds).map(|index| cycle(&schedule, index)).collect();
            for step in 0..steps {
                let expected = if cycles.iter().any(|cycle| cycle.record.contains(&step)) {
                    2
                } else {
                    u8::from(cycles.iter().any(|cycle| cycle.warmup.contains(&step)))
                };
                prop_assert_eq!(expected, action(&schedule, step), "step {}", step);
            }
            let begun = cycles.iter().filter(|cycle| cycle.record.start < steps).count();
            prop_assert_eq!(cycles_begun(&schedule, steps), begun as u64);
        }
    }
}
