//! What will be recorded.

use npuscope_collect::CollectConfig;
use npuscope_collect::config::{Choice, Export, Level};
use npuscope_collect::dialect::{Run, read};
use npuscope_collect::explain::{Explanation, Steps, explain, explain_notation};

fn explained(text: &str, run: &Run) -> Explanation {
    explain(&read(text, None, run).config, run)
}

fn steps(first: u64, last: u64, first_index: u64) -> Steps {
    Steps { first, last: Some(last), first_index, last_index: Some(first_index + last - first) }
}

#[test]
fn steps_have_the_trainers_numbers() {
    let run = Run { iteration: 100, world_size: Some(8), ..Run::default() };
    let llm = explained("--profile --profile-step-start 105 --profile-step-end 107 --profile-ranks 0 3", &run);
    assert_eq!((llm.windows[0].warmup, llm.windows[0].record), (Some(steps(104, 104, 3)), steps(105, 106, 4)));
    assert_eq!((llm.data_sets, llm.recorded_steps, llm.rank_count), (Some(1), Some(2), Some(2)));
    let fsdp2 =
        explained("training:\n  profile: true\n  profile_step_start: 5\n  profile_step_end: 6\n", &Run::default());
    assert_eq!((fsdp2.windows[0].record, fsdp2.rank_count), (steps(5, 5, 5), None));
}

#[test]
fn cycles_are_counted_to_the_end_of_the_run() {
    let text = r#"{"on_trace_ready": "tensorboard_trace_handler", "schedule": {"wait": 1, "warmup": 1, "active": 2, "repeat": 0}}"#;
    let run = Run { total_steps: Some(11), ..Run::default() };
    let explanation = explained(text, &run);
    assert_eq!((explanation.data_sets, explanation.recorded_steps), (Some(3), Some(5)));
    let complete: Vec<bool> = explanation.windows.iter().map(|window| window.is_complete).collect();
    assert_eq!(complete, [true, true, false]);
    assert_eq!(explanation.windows[2].record, steps(10, 10, 10));
    let unknown = explained(text, &Run::default());
    assert_eq!((unknown.data_sets, unknown.recorded_steps), (None, None));
    assert_eq!(unknown.windows.len(), 20);
}

#[test]
fn the_end_of_training_is_open() {
    let text = "training:\n  profile: true\n  profile_step_start: 3\n";
    let open = explained(text, &Run::default());
    assert_eq!((open.windows[0].record.last, open.recorded_steps), (None, None));
    let known = explained(text, &Run { total_steps: Some(10), ..Run::default() });
    assert_eq!((known.windows[0].record, known.recorded_steps), (steps(3, 9, 3), Some(7)));
}

#[test]
fn the_number_of_steps_may_be_in_the_file() {
    for (text, steps) in [
        ("--profile --train-iters 50", Some(50)),
        ("training:\n  max_steps: 40\n", Some(40)),
        ("training:\n  max_steps: -1\n", None),
        ("--training.profile true --training.max_steps 30", Some(30)),
    ] {
        assert_eq!(read(text, None, &Run::default()).total_steps, steps, "{text}");
        assert_eq!(read(text, None, &Run { total_steps: Some(9), ..Run::default() }).total_steps, Some(9));
    }
}

#[test]
fn stages_have_data_sets_of_their_own() {
    let text = "profiler_config:\n  integrated:\n    profile: true\n    stage: [actor_generate, actor_update]\n    profile_step_end: 4\n";
    let explanation = explained(text, &Run::default());
    assert_eq!((explanation.recorded_steps, explanation.data_sets), (Some(3), Some(6)));
    assert_eq!(explanation.output, "./profiler_data/{actor_generate,actor_update}/*_ascend_*");
}

#[test]
fn what_is_off_records_nothing() {
    let explanation = explained("--profile-step-start 5", &Run::default());
    assert!(!explanation.enabled && explanation.windows.is_empty() && explanation.records.is_empty());
    assert_eq!((explanation.data_sets, explanation.estimate.bytes_per_rank), (Some(0), Some(0)));
    let nobody = CollectConfig { ranks: Choice::Only(vec![9]), ..CollectConfig::default() };
    let explanation = explain(&nobody, &Run { world_size: Some(8), ..Run::default() });
    assert_eq!((explanation.rank_count, explanation.recorded_steps), (Some(0), Some(0)));
}

#[test]
fn kinds_and_files_follow_the_switches() {
    let explanation =
        explain(&CollectConfig { level: Level::Level1, memory: true, ..CollectConfig::default() }, &Run::default());
    let files = |what: &str| {
        explanation.records.iter().find(|kind| kind.what.to_string().starts_with(what)).map(|kind| kind.files.clone())
    };
    assert_eq!(files("memory"), Some(vec!["memory_record.csv", "operator_memory.csv", "npu_module_mem.csv"]));
    assert!(files("communication details").unwrap().contains(&"communication_matrix.json"));
    assert_eq!(files("call stacks"), None);
    assert!(explanation.off.iter().any(|kind| kind.what.to_string() == "call stacks"));
    let db = explain(&CollectConfig { export: vec![Export::Db], ..CollectConfig::default() }, &Run::default());
    assert_eq!(db.records[0].files, ["ascend_*_profiler_*.db"]);
}

#[test]
fn sizes_grow_with_what_is_recorded() {
    let config = CollectConfig::default();
    let run = Run { kernels_per_step: Some(1000), total_steps: Some(4), world_size: Some(2), ..Run::default() };
    let size = |config: &CollectConfig| explain(config, &run).estimate;
    let base = size(&config);
    assert_eq!(base.bytes_per_rank_and_step, 1000 * (1460 + 1970));
    assert_eq!(base.bytes_per_rank, Some(base.bytes_per_rank_and_step * 4));
    assert_eq!(base.bytes_in_all, Some(base.bytes_per_rank_and_step * 8));
    for more in [
        CollectConfig { stack: true, ..config.clone() },
        CollectConfig { memory: true, ..config.clone() },
        CollectConfig { level: Level::Level1, ..config.clone() },
        CollectConfig { export: vec![Export::Text, Export::Db], ..config.clone() },
    ] {
        assert!(size(&more).bytes_in_all > base.bytes_in_all);
    }
    let db = size(&CollectConfig { export: vec![Export::Db], ..config.clone() });
    assert!(db.bytes_per_rank_and_step * 3 < base.bytes_per_rank_and_step);
    assert!(!explain(&config, &Run::default()).estimate.kernels_are_given);
}

#[test]
fn only_ranks_that_there_are_record() {
    let text = r#"{"start_step": 5, "is_rank": true, "rank_list": [0, 12]}"#;
    let run = Run { world_size: Some(8), ..Run::default() };
    let explanation = explained(text, &run);
    assert_eq!((explanation.ranks, explanation.rank_count), (Choice::Only(vec![0]), Some(1)));
    assert_eq!(explained(text, &Run::default()).ranks, Choice::Only(vec![0, 12]));
}

#[test]
fn a_dynamic_file_has_a_directory_for_each_rank_and_window() {
    let explanation = |text: &str| {
        let reading = read(text, None, &Run::default());
        let explanation = explain_notation(&reading.config, reading.notation, &Run::default());
        (explanation.output, explanation.reader.map(|reader| reader.to_string()).unwrap_or_default())
    };
    let (output, reader) = explanation(r#"{"start_step": 10, "warmup": 1, "active": 2, "prof_dir": "./out/"}"#);
    assert_eq!(output, "./out/rank*_start11_stop12/*_ascend_*");
    assert!(
        reader.contains("torch_npu's own monitor begins one step later, when the step in the file is over"),
        "{reader}"
    );
    let (output, reader) = explanation(r#"{"start_step": -1, "active": 2, "is_rank": true, "rank_list": [3]}"#);
    assert_eq!(output, "./rank3_start*_stop*/*_ascend_*");
    assert!(!reader.contains("later"), "{reader}");
    let (output, reader) = explanation(r#"{"start_step": 2, "stop_step": 5, "prof_path": "d"}"#);
    assert_eq!((output.as_str(), reader.as_str()), ("d/rank*_start2_stop5/*_ascend_*", ""));
    assert_eq!(explanation("--profile").0, "./profile_dir/*_ascend_*");
}
