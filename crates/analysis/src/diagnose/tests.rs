//! Jobs of which something is missing.

use std::cell::Cell;

use npuscope_messages::verbatim;
use npuscope_synth::{JobConfig, simulate};
use npuscope_tables::{Rank, RankTables, TableId};

use super::trace::{StepSpan, place_in_steps, transport_name};
use super::*;

const STEPS: usize = 3;

/// The ranks of a small job in which rank 1 is slow, and their layout; `prepare` is given what is recorded of each.
fn job(prepare: impl Fn(&mut RankTables)) -> (Vec<RankTrace>, Layout) {
    let faults = vec!["slow-rank@1:1.5".parse().unwrap()];
    let config = JobConfig { tp: 1, pp: 1, dp: 4, layers: 2, steps: STEPS, faults, ..JobConfig::default() };
    let job = simulate(&config).unwrap();
    let read = |rank: usize| {
        let mut tables = job.rank(rank);
        prepare(&mut tables);
        let number = Rank(i64::try_from(rank).unwrap());
        (RankTrace::of(number, &tables), (number, RankGroups::of(&tables)))
    };
    let (traces, groups): (Vec<_>, Vec<_>) = (0..config.ranks()).map(read).unzip();
    (traces, Layout::of(&groups))
}

/// The first finding names the slow rank, compared with the three other ranks, and the replay matches the recording.
fn assert_named(traces: Vec<RankTrace>, layout: &Layout) -> Diagnosis {
    let diagnosis = of_traces(traces, layout, || Ok(())).unwrap();
    let first = diagnosis.findings.first().expect("the slow rank is found");
    assert_eq!((first.id, first.ranks.as_slice()), ("compute", [Rank(1)].as_slice()), "{}", first.claim);
    assert!((0.7..=0.75).contains(&first.confidence), "{}", first.confidence);
    assert!(diagnosis.replay_error < 0.001, "{}", diagnosis.replay_error);
    diagnosis
}

#[test]
fn launches_need_not_be_known() {
    let (traces, layout) = job(|tables| tables.clear(TableId::HostOp));
    assert!(traces.iter().flat_map(|trace| &trace.items).all(|item| item.launch.is_none()));
    assert_named(traces, &layout);
}

#[test]
fn a_step_that_one_rank_lacks_is_not_another_of_the_others() {
    let (mut traces, layout) = job(|_| {});
    let lacking = &mut traces[2];
    lacking.steps.remove(0);
    let start = lacking.steps[0].start;
    lacking.items.retain(|item| item.launch.unwrap_or(item.start) >= start);
    assert_eq!(place_in_steps(&mut traces).len(), STEPS);
    let first = |rank: usize| traces[rank].items.first().map(|item| item.step);
    assert_eq!((first(1), first(2)), (Some(0), Some(1)));
    let diagnosis = assert_named(traces, &layout);
    assert_eq!((diagnosis.steps, diagnosis.unmatched_operations), (STEPS, 0));
}

#[test]
fn steps_whose_ids_do_not_ascend_are_the_same_in_order() {
    let (mut traces, layout) = job(|_| {});
    traces.iter_mut().for_each(|trace| trace.steps.iter_mut().for_each(|step| step.id = -step.id));
    assert_eq!(assert_named(traces, &layout).steps, STEPS);
}

#[test]
fn a_step_without_any_work_takes_no_time() {
    let (mut traces, layout) = job(|_| {});
    let whole = assert_named(traces.clone(), &layout);
    for trace in &mut traces {
        let StepSpan { id, start, .. } = trace.steps[0];
        trace.steps.insert(0, StepSpan { id: id - 1, start: start - 2, end: start - 1 });
        trace.step_times.insert(0, (Some(id - 1), 1));
    }
    let diagnosis = assert_named(traces, &layout);
    let sum = |diagnosis: &Diagnosis| diagnosis.step_ms * diagnosis.steps as f64;
    assert_eq!(diagnosis.steps, STEPS + 1);
    assert!((sum(&diagnosis) - sum(&whole)).abs() < 1e-3, "{} {}", sum(&diagnosis), sum(&whole));
}

#[test]
fn who_wants_it_to_end_is_heard_between_replays() {
    let (traces, layout) = job(|_| {});
    let left = Cell::new(2);
    let stop = || {
        left.set(left.get() - 1);
        if left.get() == 0 { Err(StoreError::Stopped) } else { Ok(()) }
    };
    assert!(matches!(of_traces(traces, &layout, stop), Err(StoreError::Stopped)));
    assert_eq!(left.get(), 0);
}

#[test]
fn transfers_are_called_by_what_they_go_over() {
    assert_eq!(transport_name(Some("RDMA"), Some("ROCE")), "RDMA");
    assert_eq!(transport_name(Some("SDMA"), Some("SIO")), "SIO");
    assert_eq!(transport_name(Some("UB"), Some("INVALID_TYPE")), "UB");
    assert_eq!(transport_name(None, None), "unnamed");
}

#[test]
fn a_job_without_a_device_has_steps_and_says_that_nothing_follows() {
    use crate::overview::RankTime;
    let empty = of_traces(Vec::new(), &Layout::of(&[]), || Ok(())).unwrap();
    let diagnostics = vec![
        messages::rank_without_device(Rank(0)),
        messages::diagnostic_of_file(Rank(0), "trace_view.json", verbatim("torn".to_owned())),
    ];
    let diagnosis = Diagnosis { diagnostics, ..empty };
    let rank = |number, step, has_device| RankTime { rank: number, steps: 3, step, has_device, ..RankTime::default() };
    let overview = |ranks: [RankTime; 2]| Overview {
        ranks: ranks.into(),
        ranks_without_steps: Vec::new(),
        steps: 3,
        step_ms: 9.0,
        findings: Vec::new(),
        host: Vec::new(),
        losses: 0,
        infos: 0,
    };
    let without = diagnosis.clone().without_device(&overview([rank(Rank(0), 7.0, false), rank(Rank(1), 9.0, false)]));
    assert_eq!((without.ranks, without.steps, without.step_ms), (2, 3, 9.0));
    assert_eq!(
        without.diagnostics,
        [messages::diagnostic_of_file(Rank(0), "trace_view.json", verbatim("torn".to_owned()))]
    );
    assert_eq!(without.findings.iter().map(|finding| finding.id).collect::<Vec<_>>(), ["no-device"]);
    let unchanged = diagnosis.without_device(&overview([rank(Rank(0), 7.0, false), rank(Rank(1), 9.0, true)]));
    assert_eq!((unchanged.steps, unchanged.diagnostics.len(), unchanged.findings.len()), (0, 2, 0));
}
