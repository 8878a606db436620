//! Which steps are recorded.

use npuscope_collect::dynamic::{
    Command, Control, DynamicDialect, Failure, Ranks, Request, Start, State, Status, Window,
};
use npuscope_messages::Language;
use proptest::prelude::*;

use crate::{mindspore, request, torch_npu};

/// Trains for some steps with files that appear after steps; the steps that were recorded, and the warnings.
fn train(rank: u32, steps: u64, files: &[(u64, &str)]) -> (Vec<u64>, Vec<Command>) {
    let file = |after: u64| files.iter().rev().find(|(at, _)| *at == after).map(|(_, text)| request(text));
    let mut control = Control::new(rank);
    let mut commands = vec![control.begin(file(0))];
    let (mut recorded, mut warmup, mut is_recording) = (Vec::new(), 0, false);
    for step in 1..=steps {
        if let Some(beginning) = &commands.last().unwrap().start {
            assert!(!is_recording, "started twice");
            (is_recording, warmup) = (true, beginning.warmup);
        }
        if is_recording && warmup == 0 {
            recorded.push(step);
        }
        warmup = u64::saturating_sub(warmup, 1);
        commands.push(control.step(file(step)));
        if commands.last().unwrap().stop.is_some() {
            assert!(is_recording, "stopped twice");
            is_recording = false;
        }
    }
    commands.push(control.end());
    (recorded, commands)
}

fn recorded(steps: u64, files: &[(u64, &str)]) -> Vec<u64> {
    train(0, steps, files).0
}

fn warnings(commands: &[Command]) -> Vec<String> {
    commands.iter().flat_map(|command| &command.warnings).map(ToString::to_string).collect()
}

#[test]
fn steps_of_mindspore_include_both_ends() {
    assert_eq!(recorded(12, &[(0, &mindspore(8, 10))]), [8, 9, 10]);
    assert_eq!(recorded(12, &[(3, &mindspore(8, 8))]), [8]);
}

#[test]
fn a_window_that_begins_with_the_first_step_is_started_before_it() {
    assert_eq!(recorded(5, &[(0, &mindspore(1, 2))]), [1, 2]);
    assert_eq!(recorded(5, &[(0, &torch_npu(1, 0, 2))]), [1, 2]);
}

#[test]
fn steps_of_torch_npu_come_after_the_warmup() {
    assert_eq!(recorded(20, &[(0, &torch_npu(8, 0, 3))]), [8, 9, 10]);
    assert_eq!(recorded(20, &[(0, &torch_npu(8, 2, 3))]), [10, 11, 12]);
    assert_eq!(recorded(20, &[(6, &torch_npu(-1, 0, 2))]), [7, 8], "the next step");
    assert_eq!(recorded(20, &[(6, r#"{"start_step": "next", "stop_step": 2}"#)]), [7, 8], "the next step");
    assert_eq!(recorded(20, &[(0, &torch_npu(0, 0, 2))]), [] as [u64; 0], "never");
}

#[test]
fn the_directory_has_the_rank_and_the_steps() {
    let mut control = Control::new(3);
    let start = control.begin(Some(request(&torch_npu(1, 1, 3)))).start.unwrap();
    assert_eq!((start.directory_name.as_str(), start.warmup), ("rank3_start2_stop4", 1));
    assert_eq!(start.window, Window { start: 2, stop: 4 });
    assert_eq!((start.dialect, start.text), (DynamicDialect::TorchNpu, torch_npu(1, 1, 3)));
}

#[test]
fn what_has_passed_is_dropped_with_a_warning() {
    for file in [torch_npu(3, 0, 9), torch_npu(5, 0, 1), mindspore(2, 4), mindspore(5, 5)] {
        let (steps, commands) = train(0, 20, &[(5, &file)]);
        assert_eq!(steps, [] as [u64; 0], "{file}");
        let warnings = warnings(&commands);
        assert_eq!(warnings.len(), 1, "{file}");
        assert!(warnings[0].ends_with("step 5 is over; nothing is recorded"), "{warnings:?}");
    }
}

#[test]
fn the_rest_of_a_window_of_mindspore_is_recorded() {
    let (steps, commands) = train(0, 20, &[(5, &mindspore(4, 8))]);
    assert_eq!(steps, [6, 7, 8]);
    assert_eq!(warnings(&commands), ["too late for steps 4 to 8: step 5 is over; recording steps 6 to 8"]);
    let start = commands.iter().find_map(|command| command.start.as_ref()).unwrap();
    assert_eq!(start.directory_name, "rank0_start6_stop8");
}

#[test]
fn what_comes_during_a_collection_is_begun_after_it() {
    let files = [(0, mindspore(2, 5)), (3, mindspore(6, 7)), (7, mindspore(9, 9))];
    let files: Vec<(u64, &str)> = files.iter().map(|(at, text)| (*at, text.as_str())).collect();
    let (steps, commands) = train(0, 12, &files);
    assert_eq!(steps, [2, 3, 4, 5, 6, 7, 9]);
    let turn = &commands[5];
    assert_eq!(turn.stop, Some(Window { start: 2, stop: 5 }));
    assert_eq!(turn.start.as_ref().map(|start| start.window), Some(Window { start: 6, stop: 7 }));
    assert_eq!(recorded(12, &[(1, &torch_npu(-1, 0, 3)), (2, &torch_npu(-1, 0, 4))]), [2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn the_newest_of_what_waits_counts() {
    assert_eq!(recorded(12, &[(0, &mindspore(8, 9)), (2, &mindspore(4, 4))]), [4]);
    assert_eq!(recorded(12, &[(0, &mindspore(8, 9)), (2, &mindspore(-1, -1))]), [] as [u64; 0], "switched off");
    assert_eq!(
        recorded(12, &[(0, &mindspore(4, 9)), (5, &mindspore(-1, -1))]),
        [4, 5, 6, 7, 8, 9],
        "goes on to its end"
    );
}

#[test]
fn a_file_that_is_only_touched_is_done_again_only_for_the_next_step() {
    let (steps, commands) = train(0, 20, &[(0, &mindspore(2, 3)), (1, &mindspore(2, 3)), (6, &mindspore(2, 3))]);
    assert_eq!((steps, warnings(&commands)), (vec![2, 3], vec![]));
    let next = torch_npu(-1, 0, 1);
    assert_eq!(recorded(20, &[(2, &next), (8, &next)]), [3, 9]);
    // The same window in a file that says something else is over, which is reported.
    let other = r#"{"start_step": 2, "stop_step": 3, "with_stack": true}"#;
    let (steps, commands) = train(0, 20, &[(0, &mindspore(2, 3)), (6, other)]);
    assert_eq!((steps, warnings(&commands).len()), (vec![2, 3], 1));
}

#[test]
fn only_the_ranks_of_the_list_record() {
    let file = r#"{"start_step": 2, "active": 1, "is_rank": true, "rank_list": [0, 3]}"#;
    assert_eq!(request(file).ranks, Ranks::Some(vec![0, 3]));
    let by_rank: Vec<bool> = (0..4).map(|rank| !train(rank, 5, &[(0, file)]).0.is_empty()).collect();
    assert_eq!(by_rank, [true, false, false, true]);
}

#[test]
fn training_that_ends_too_early_says_so() {
    let (steps, commands) = train(0, 9, &[(0, &mindspore(8, 12))]);
    assert_eq!(steps, [8, 9]);
    let end = commands.last().unwrap();
    assert_eq!(end.stop, Some(Window { start: 8, stop: 9 }));
    assert_eq!(warnings(&commands), ["training ended after step 9; requested: steps 8 to 12"]);
    let (_, commands) = train(0, 4, &[(0, &mindspore(8, 12))]);
    assert_eq!(warnings(&commands), ["training ended after step 4; requested: steps 8 to 12; nothing was recorded"]);
}

#[test]
fn steps_of_a_job_that_goes_on_are_counted_on() {
    let mut control = Control::after(0, 100);
    assert!(control.begin(Some(request(&mindspore(102, 102)))).is_nothing());
    assert!(control.step(None).start.is_some());
    assert_eq!(control.finished(), 101);
}

#[test]
fn a_failure_ends_the_collection_until_the_file_changes() {
    let mut control = Control::new(0);
    assert!(control.begin(Some(request(&mindspore(1, 5)))).start.is_some());
    control.failed("the disk is full");
    let status = control.status(None);
    let error = Failure::Text("the disk is full".to_owned());
    assert_eq!((status.state, status.error), (State::Failed, Some(error)));
    assert!(control.step(None).is_nothing());
    assert!(control.step(Some(request(&mindspore(3, 5)))).start.is_some());
    assert_eq!((control.state(), control.status(None).error), (State::Recording, None));
}

#[test]
fn states_follow_the_collection() {
    let mut control = Control::new(0);
    let mut states = vec![control.begin(Some(request(&mindspore(2, 3)))).is_nothing().then(|| control.state())];
    for _ in 0..4 {
        control.step(None);
        states.push(Some(control.state()));
    }
    let expected = [State::Waiting, State::Recording, State::Recording, State::Done, State::Done];
    assert_eq!(states, expected.map(Some));
}

#[test]
fn values_that_make_no_sense_are_repaired_and_reported() {
    for (text, start, warmup, active, words) in [
        (r#"{"start_step": -7, "active": 1}"#, Start::Never, 0, 1, "start_step: -7 is too small"),
        (r#"{"start_step": "8", "active": 1}"#, Start::Never, 0, 1, r#"start_step: invalid value "8""#),
        (r#"{"start_step": 8.5, "active": 1}"#, Start::Never, 0, 1, "start_step: invalid value 8.5"),
        (r#"{"start_step": 8, "active": 0}"#, Start::At(8), 0, 1, "active: 0 is too small"),
        (r#"{"start_step": 8, "active": 2, "warmup": -1}"#, Start::At(8), 0, 2, "warmup: -1 is too small"),
        (r#"{"start_step": 8, "is_rank": 1}"#, Start::At(8), 0, 1, "is_rank: invalid value 1"),
        (r#"{"start_step": 8, "is_rank": true, "rank_list": 3}"#, Start::At(8), 0, 1, "rank_list"),
        (r#"{"start_step": 9, "stop_step": 8}"#, Start::Never, 0, 1, "stop_step: 8 is before start_step 9"),
        (r#"{"start_step": 9, "stop_step": -1}"#, Start::Never, 0, 1, "stop_step: -1 is before start_step 9"),
        (r#"{"start_step": true, "stop_step": 2}"#, Start::Never, 0, 2, "start_step: invalid value true"),
        (r#"{"start_step": 0, "stop_step": 5}"#, Start::At(1), 0, 5, "recording begins at step 1"),
        (r#"{"start_step": 1, "stop_step": null}"#, Start::Never, 0, 1, "stop_step: -1 is before"),
    ] {
        let request = request(text);
        assert_eq!((request.start, request.warmup, request.active), (start, warmup, active), "{text}");
        assert!(
            request.diagnostics.iter().any(|diagnostic| diagnostic.to_string().contains(words)),
            "{text}: {:?}",
            request.diagnostics
        );
    }
    assert!(request(&torch_npu(8, 1, 2)).diagnostics.is_empty() && request(&mindspore(1, 2)).diagnostics.is_empty());
}

#[test]
fn dialects_are_detected_by_their_keys() {
    let dialect = |text: &str| request(text).dialect;
    assert_eq!(dialect(r#"{"start_step": 1, "stop_step": 2}"#), DynamicDialect::MindSpore);
    assert_eq!(dialect(r#"{"start_step": 1, "profiler_level": 0, "analyse_mode": -1}"#), DynamicDialect::MindSpore);
    assert_eq!(dialect(r#"{"start_step": 1, "experimental_config": {}}"#), DynamicDialect::TorchNpu);
    assert_eq!(dialect(r#"{"start_step": 1}"#), DynamicDialect::TorchNpu);
    assert_eq!(request("\u{feff}{}").text, "{}", "a mark of byte order is no JSON");
    for text in ["", "{", "[]", "8", r#"{"start_step": 1"#] {
        assert!(Request::read(text).is_err(), "{text}");
    }
}

#[test]
fn huge_numbers_are_no_matter() {
    let max = i64::MAX;
    for file in [torch_npu(max, max, max), mindspore(1, max), mindspore(max, max)] {
        let (_, commands) = train(0, 3, &[(1, &file)]);
        assert!(!commands.is_empty());
    }
    let beyond = r#"{"start_step": 18446744073709551615, "stop_step": 18446744073709551615}"#;
    assert!(matches!(request(beyond).start, Start::At(_)));
}

proptest! {
    #![proptest_config(npuscope_testing::cases(256))]

    #[test]
    fn exactly_the_steps_of_the_last_window_that_came_in_time_are_recorded(
        start in 1i64..30, length in 0i64..10, seen in 0u64..30, is_mindspore in any::<bool>(),
    ) {
        let stop = start + length;
        let file = if is_mindspore { mindspore(start, stop) } else { torch_npu(start, 0, length + 1) };
        let first = if is_mindspore { (seen + 1).max(start as u64) } else { start as u64 };
        let is_late = !is_mindspore && seen >= start as u64;
        let expected: Vec<u64> = if is_late { Vec::new() } else { (first..=stop as u64).collect() };
        prop_assert_eq!(recorded(50, &[(seen, &file)]), expected);
    }
}

#[test]
fn a_report_keeps_its_error_in_every_language_and_older_reports_are_read() {
    let mut control = Control::new(0);
    control.begin(Some(request(&mindspore(8, 12))));
    control.end();
    let json = serde_json::to_string(&control.status(None)).unwrap();
    let status: Status = serde_json::from_str(&json).unwrap();
    let error = status.error.unwrap();
    assert!(error.text(Language::English).starts_with("training ended after step 0; "), "{error:?}");
    assert!(error.text(Language::Chinese).starts_with("训练在 step 0 后结束；"), "{error:?}");
    let older: Failure = serde_json::from_str(r#""the disk is full""#).unwrap();
    assert_eq!(older, Failure::Text("the disk is full".to_owned()));
}
