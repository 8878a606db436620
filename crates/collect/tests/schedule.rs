//! The state machine of schedules, against a model that lays out every step.

use npuscope_collect::schedule::{Action, Asked, Call, Schedule, ending, transition};
use proptest::prelude::*;

use Action::{None as Idle, Record, RecordAndSave, Warmup};

/// The actions of the first `total` steps, written down one after the other.
fn laid_out(asked: Asked, total: usize) -> Vec<Action> {
    let or_nothing = |value: i64| value.max(0) as usize;
    let mut actions = vec![Idle; or_nothing(asked.skip_first)];
    let mut cycle = 0;
    while actions.len() < total && (asked.repeat <= 0 || cycle < asked.repeat) {
        if cycle > 0 || asked.skip_first_wait == 0 {
            actions.extend(vec![Idle; or_nothing(asked.wait)]);
        }
        actions.extend(vec![Warmup; or_nothing(asked.warmup)]);
        actions.extend(vec![Record; asked.active.max(1) as usize - 1]);
        actions.push(RecordAndSave);
        cycle += 1;
    }
    actions.resize(actions.len().max(total), Idle);
    actions.truncate(total);
    actions
}

/// The steps until the last cycle is over, counted.
fn counted_need(asked: Asked) -> usize {
    let once = Asked { repeat: asked.repeat.max(1), ..asked };
    laid_out(once, 200).iter().rposition(|&action| action == RecordAndSave).unwrap() + 1
}

fn assert_as_laid_out(asked: Asked, total: usize) {
    let (schedule, _) = Schedule::repaired(asked);
    let expected = laid_out(asked, total);
    let actions: Vec<Action> = (0..total as u64).map(|step| schedule.action(step)).collect();
    assert_eq!(actions, expected, "{asked:?}");
    for steps in 0..=total {
        let recorded = expected[..steps].iter().filter(|action| action.is_recorded()).count();
        assert_eq!(schedule.recorded_steps(steps as u64), recorded as u64, "{asked:?} {steps}");
    }
}

#[test]
fn all_small_schedules_are_as_laid_out_step_by_step() {
    let values = -1..=4;
    let mut tried = 0;
    for wait in values.clone() {
        for warmup in values.clone() {
            for active in values.clone() {
                for repeat in values.clone() {
                    for skip_first in values.clone() {
                        for skip_first_wait in [0, 1] {
                            let asked = Asked { wait, warmup, active, repeat, skip_first, skip_first_wait };
                            assert_as_laid_out(asked, 30);
                            let (schedule, _) = Schedule::repaired(asked);
                            assert_eq!(schedule.needed_steps(), counted_need(asked) as u64, "{asked:?}");
                            tried += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(tried, 6 * 6 * 6 * 6 * 6 * 2);
}

prop_compose! {
    fn any_asked()(
        wait in -3i64..20, warmup in -3i64..20, active in -3i64..20, repeat in -3i64..6, skip_first in -3i64..40,
        skip_first_wait in -1i64..3,
    ) -> Asked {
        Asked { wait, warmup, active, repeat, skip_first, skip_first_wait }
    }
}

/// What a profiler has done so far, checked call by call.
#[derive(Default)]
struct Profiler {
    is_open: bool,
    is_warm: bool,
    is_running: bool,
    is_ready: bool,
    opened: usize,
    saved: usize,
    deleted: usize,
    recorded: usize,
}

impl Profiler {
    fn call(&mut self, call: Call) {
        match call {
            Call::Init => {
                assert!(!self.is_open, "begun twice");
                (self.is_open, self.is_ready) = (true, false);
                self.opened += 1;
            }
            Call::Warmup => {
                assert!(self.is_open && !self.is_running && !self.is_warm, "warmed up when not just begun");
                self.is_warm = true;
            }
            Call::Start => {
                assert!(self.is_open && !self.is_running, "started without having begun");
                (self.is_running, self.is_warm) = (true, false);
            }
            Call::Stop => {
                assert!(self.is_running, "stopped without running");
                self.is_running = false;
            }
            Call::Finalize => {
                assert!(self.is_open && !self.is_running, "finalised while running");
                (self.is_open, self.is_warm, self.is_ready) = (false, false, true);
            }
            Call::TraceReady => {
                assert!(self.is_ready && !self.is_open, "handed over before it was finalised");
                self.is_ready = false;
                self.saved += 1;
            }
            Call::DeleteDirectory => {
                assert!(self.is_ready && !self.is_open, "deleted before it was finalised");
                self.is_ready = false;
                self.deleted += 1;
            }
        }
    }

    /// Runs through actions, one a step, and ends after the last.
    fn run(actions: &[Action]) -> Profiler {
        let mut profiler = Profiler::default();
        let mut previous = Idle;
        for &action in actions {
            for &call in transition(previous, action).calls {
                profiler.call(call);
            }
            let expected = (action != Idle, action == Warmup, action.is_recorded());
            assert_eq!((profiler.is_open, profiler.is_warm, profiler.is_running), expected, "{action:?}");
            profiler.recorded += usize::from(profiler.is_running);
            previous = action;
        }
        for &call in ending(previous).calls {
            profiler.call(call);
        }
        assert!(!profiler.is_open && !profiler.is_running, "left open");
        profiler
    }
}

proptest! {
    #![proptest_config(npuscope_testing::cases(256))]

    #[test]
    fn any_schedule_is_as_laid_out_step_by_step(asked in any_asked(), total in 0usize..400) {
        assert_as_laid_out(asked, total);
    }

    #[test]
    fn a_run_opens_and_saves_every_cycle_once(asked in any_asked(), total in 0usize..300) {
        let (schedule, _) = Schedule::repaired(asked);
        // step() is called after every step, so that the last call asks for the step after the last.
        let actions: Vec<Action> = (0..=total as u64).map(|step| schedule.action(step)).collect();
        let profiler = Profiler::run(&actions);
        prop_assert_eq!(profiler.opened, profiler.saved + profiler.deleted);
        prop_assert!(profiler.deleted <= 1);
        prop_assert_eq!(profiler.recorded as u64, schedule.recorded_steps(total as u64 + 1));
    }

    #[test]
    fn no_order_of_actions_starts_or_ends_out_of_turn(
        actions in prop::collection::vec(prop::sample::select(Action::ALL.to_vec()), 0..60),
    ) {
        Profiler::run(&actions);
    }

    #[test]
    fn huge_values_are_no_matter(
        wait in any::<u64>(), warmup in any::<u64>(), active in any::<u64>(), repeat in any::<u64>(),
        skip_first in any::<u64>(), skip_first_wait in any::<bool>(), step in any::<u64>(),
    ) {
        let schedule = Schedule { wait, warmup, active, repeat, skip_first, skip_first_wait };
        let _ = schedule.action(step);
        prop_assert!(schedule.recorded_steps(step) <= step);
        prop_assert!(schedule.needed_steps() > 0);
        prop_assert_eq!(schedule.too_few_steps(step).is_some(), step < schedule.needed_steps());
    }
}

/// What is done when each step is entered, as numbers of actions and names of calls.
fn entered(asked: Asked, steps: u64) -> Vec<(u8, Vec<&'static str>)> {
    let (schedule, _) = Schedule::repaired(asked);
    let mut previous = Idle;
    let step = |step| {
        let action = schedule.action(step);
        let calls = transition(previous, action).calls.iter().map(|call| call.name()).collect();
        previous = action;
        (action.number(), calls)
    };
    (0..=steps).map(step).collect()
}

const SAVE: [&str; 3] = ["stop", "finalize", "trace_ready"];

#[test]
fn two_cycles_after_a_skipped_step_and_no_first_wait() {
    let asked = Asked { wait: 2, warmup: 1, active: 2, repeat: 2, skip_first: 1, skip_first_wait: 1 };
    let expected = [
        (0, vec![]),
        (1, vec!["init", "warmup"]),
        (2, vec!["start"]),
        (3, vec![]),
        (0, SAVE.to_vec()),
        (0, vec![]),
        (1, vec!["init", "warmup"]),
        (2, vec!["start"]),
        (3, vec![]),
        (0, SAVE.to_vec()),
    ];
    assert_eq!(entered(asked, 9), expected);
}

#[test]
fn one_step_after_ten_of_waiting() {
    let asked = Asked { wait: 10, repeat: 1, ..Asked::default() };
    let steps = entered(asked, 11);
    assert!(steps[..10].iter().all(|(action, calls)| *action == 0 && calls.is_empty()));
    assert_eq!(steps[10..], [(3, vec!["init", "start"]), (0, SAVE.to_vec())]);
}

#[test]
fn windows_of_mindspeed_llm_and_fsdp2_for_the_same_numbers() {
    let one = Asked { warmup: 1, repeat: 1, ..Asked::default() };
    let actions = |asked, steps| -> Vec<u8> { entered(asked, steps).into_iter().map(|(action, _)| action).collect() };
    assert_eq!(actions(Asked { skip_first: 3, ..one }, 5), [0, 0, 0, 1, 3, 0], "MindSpeed-LLM, 5 to 6");
    assert_eq!(actions(Asked { skip_first: 4, ..one }, 6), [0, 0, 0, 0, 1, 3, 0], "FSDP2, 5 to 6");
    let first = Asked { skip_first: -1, repeat: 1, ..Asked::default() };
    assert_eq!(actions(first, 1), [3, 0], "MindSpeed-LLM, 1 to 2");
}

#[test]
fn cycles_without_wait_and_warmup_follow_each_other() {
    let asked = Asked { active: 2, ..Asked::default() };
    let again = [&SAVE[..], &["init", "start"]].concat();
    let expected = [(2, vec!["init", "start"]), (3, vec![]), (2, again.clone()), (3, vec![]), (2, again)];
    assert_eq!(entered(asked, 4), expected);
}

#[test]
fn training_that_ends_early_keeps_what_it_recorded() {
    let (schedule, _) = Schedule::repaired(Asked { active: 100, repeat: 1, ..Asked::default() });
    assert_eq!(schedule.action(9), Record);
    let end = ending(Record);
    assert_eq!(end.calls, [Call::Stop, Call::Finalize, Call::TraceReady]);
    assert!(end.warning.is_some());
    assert_eq!(ending(Warmup).calls, [Call::Finalize, Call::DeleteDirectory]);
}

#[test]
fn every_transition_is_that_of_the_table() {
    let init_start = "init start";
    let again = "stop finalize trace_ready init start";
    let table: [(Action, [&str; 5]); 4] = [
        (Idle, ["", "init warmup", init_start, init_start, ""]),
        (Warmup, ["! start stop finalize", "", "start", "start", "! finalize delete_directory"]),
        (Record, ["! stop finalize", "! stop finalize init warmup", "", "", "! stop finalize trace_ready"]),
        (
            RecordAndSave,
            [
                "stop finalize trace_ready",
                "stop finalize trace_ready init warmup",
                again,
                again,
                "! stop finalize trace_ready",
            ],
        ),
    ];
    for (from, row) in table {
        let all = Action::ALL.map(|to| transition(from, to)).into_iter().chain([ending(from)]);
        for (step, expected) in all.zip(row) {
            let warned = step.warning.map(|_| "!");
            let words: Vec<&str> = warned.into_iter().chain(step.calls.iter().map(|call| call.name())).collect();
            assert_eq!(words.join(" "), expected, "{from:?}");
        }
    }
}

#[test]
fn repaired_values_are_named() {
    let asked = Asked { wait: -1, warmup: -2, active: 0, repeat: -3, skip_first: -4, skip_first_wait: -5 };
    let (schedule, warnings) = Schedule::repaired(asked);
    let expected = Schedule { wait: 0, warmup: 0, active: 1, repeat: 0, skip_first: 0, skip_first_wait: true };
    assert_eq!(schedule, expected);
    for name in ["wait is -1", "warmup is -2", "active is 0", "repeat is -3", "skip_first is -4", "no warmup"] {
        assert!(warnings.iter().any(|warning| warning.to_string().contains(name)), "{name}: {warnings:?}");
    }
    assert_eq!(warnings.len(), 6);
    assert_eq!(Schedule::repaired(Asked { warmup: 1, ..Asked::default() }).1, []);
}

#[test]
fn too_few_steps_are_a_warning_and_no_error() {
    let asked = Asked { wait: 2, warmup: 1, active: 3, repeat: 2, skip_first: 4, skip_first_wait: 0 };
    let (schedule, _) = Schedule::repaired(asked);
    assert_eq!(schedule.needed_steps(), 16);
    assert_eq!(schedule.too_few_steps(16), None);
    let warning = |total| schedule.too_few_steps(total).unwrap().to_string();
    assert_eq!(warning(15), "training has 15 steps, the schedule needs 16 for 2 cycles; 5 steps will be recorded");
    assert_eq!(warning(8), "training has 8 steps, the schedule needs 16 for 2 cycles; 1 step will be recorded");
    assert!(warning(7).ends_with("nothing will be recorded"), "{}", warning(7));
}

#[test]
fn actions_have_the_numbers_of_the_profilers() {
    assert_eq!(Action::ALL.map(Action::number), [0, 1, 2, 3]);
    for action in Action::ALL {
        assert_eq!(Action::from_number(action.number()), Some(action));
    }
    assert_eq!(Action::from_number(4), None);
}
