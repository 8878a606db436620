//! What will be recorded.

use npuscope_collect::CollectConfig;
use npuscope_collect::config::{Choice, Export, Level};
use npuscope_collect::dialect::{Run, read};
use npuscope_collect::explain::{Explanation, Steps, explain, explain_notation};

/// Everything that a configuration lists as files.
fn files(explanation: &Explanation) -> Vec<&'static str> {
    explanation.records.iter().flat_map(|kind| kind.files.iter().copied()).collect()
}

fn explained(text: &str, run: &Run) -> Explanation {
    let reading = read(text, None, run);
    explain_notation(&reading.config, reading.notation, run)
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
    assert_eq!(explanation.output, "./profiler_data/{actor_generate,actor_update}/*_ascend_pt");
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
    assert_eq!(db.records[0].files, ["ascend_pytorch_profiler_*.db"]);
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
    assert_eq!(output, "./out/rank*_start11_stop12/*_ascend_pt");
    assert!(
        reader.contains("torch_npu's own monitor begins one step later, when the step in the file is over"),
        "{reader}"
    );
    let (output, reader) = explanation(r#"{"start_step": -1, "active": 2, "is_rank": true, "rank_list": [3]}"#);
    assert_eq!(output, "./dyn_profile_data/rank3_start*_stop*/*_ascend_pt");
    assert!(!reader.contains("later"), "{reader}");
    let (output, reader) = explanation(r#"{"start_step": 2, "stop_step": 5, "prof_path": "d"}"#);
    assert_eq!((output.as_str(), reader.as_str()), ("d/rank*_start2_stop5/*_ascend_ms", ""));
    assert_eq!(explanation("--profile").0, "./profile_dir/*_ascend_pt");
}

/// The names that the guides give their directories and files.
#[test]
fn directories_and_files_are_those_of_the_guides() {
    let explained = |text: &str| explained(text, &Run::default());
    let all_stages = explained("profiler_config:\n  integrated:\n    profile: true\n    profile_level: level1\n");
    assert_eq!(all_stages.output, "./profiler_data/integrated/*_ascend_pt");
    assert!(files(&all_stages).contains(&"operator_details.csv"));

    let arguments = r#"{"data_process": true, "with_stack": true, "record_shapes": true, "profiler_level": "Level2",
        "l2_cache": true, "profile_memory": true, "on_trace_ready": {"dir_name": "./profiler_data"}}"#;
    let mindspore = explained(arguments);
    assert_eq!(mindspore.output, "./profiler_data/*_ascend_ms");
    let listed = files(&mindspore);
    // All files of ASCEND_PROFILER_OUTPUT in the guide, but for step_trace_time.csv, which has no setting.
    for file in [
        "api_statistic.csv",
        "communication.json",
        "communication_matrix.json",
        "dataset.csv",
        "data_preprocess.csv",
        "kernel_details.csv",
        "l2_cache.csv",
        "memory_record.csv",
        "minddata_pipeline_raw_*.csv",
        "minddata_pipeline_summary_*.csv",
        "minddata_pipeline_summary_*.json",
        "npu_module_mem.csv",
        "operator_memory.csv",
        "op_statistic.csv",
        "trace_view.json",
    ] {
        assert!(listed.contains(&file), "{file}: {listed:?}");
    }
    assert!(!listed.contains(&"operator_details.csv"), "{listed:?}");
    let of_device = explained(r#"{"activities": ["NPU"], "data_process": false, "profiler_level": "Level1"}"#);
    assert!(!files(&of_device).contains(&"dataset.csv"), "the host's switch");

    let db = explained(r#"{"data_process": false, "profiler_level": "Level1", "export_type": ["db"]}"#);
    assert_eq!(db.records[0].files, ["ascend_mindspore_profiler_*.db"]);
    assert!(files(&db).contains(&"communication_analyzer.db"));
}

/// The guide's example, in which only the monitor names a directory.
#[test]
fn a_dynamic_file_without_a_directory_is_written_below_that_of_the_monitor() {
    let explanation = explained(r#"{"start_step": 2, "stop_step": 5}"#, &Run::default());
    assert_eq!(explanation.output, "./dyn_profile_data/rank*_start2_stop5/*_ascend_ms");
    let note = explanation.output_note.unwrap().to_string();
    assert!(note.contains("output_path of DynamicProfilerMonitor"), "{note}");
}
