//! MindSpeed-LLM's flags.

use npuscope_collect::Dialect::MindSpeedLlm;
use npuscope_collect::config::{AicMetrics, Analyse, Choice, Export, Level, UNTIL_END};
use npuscope_collect::dialect::{Notation, Run, read, read_flags};
use npuscope_collect::{CollectConfig, Severity};

use crate::common::{assert_diagnostics, assert_fine, fine, on, reading, window};

/// The examples of MindSpeed-LLM's guide, with their comments: all flags, a first look, a deep one.
const GUIDE: &str = "\
--profile                        # 打开profiling采集数据开关
--profile-export-type text       # 指定导出的性能数据结果文件格式, db, text, 默认text格式
--profile-data-simplification    # 使用数据精简模式
--profile-step-start  5          # 指定开启采集数据的步骤
--profile-step-end 6             # 指定结束采集数据的步骤，实际采集步数从start到end，包括第start步，不包括第end步
--profile-ranks 0 1 2 3 4        # 指定采集数据的卡号，默认为0，设置为-1时表示采集所有rank的profiling数据，可以设置为 0 1 2 3 4 5 6 7 8 9 列表指定全局卡号
--profile-level level2           # 数据采集水平，可选配置为：level0, level1, level2, 级别越高采集信息越多，默认为level0
--profile-with-cpu               # 是否采集CPU数据，加入参数采集
--profile-with-stack             # 采集指令运行堆栈，加入参数采集
--profile-with-memory            # 是否采集内存，加入参数采集
--profile-record-shapes          # 是否采集计算shape，加入参数采集
--profile-save-path ./profile_dir    # profiling数据采集保存路径
";

const GUIDE_FIRST_LOOK: &str = "\
--profile                        # 打开profiling采集数据开关
--profile-step-start  5          # 从第5步开始采集
--profile-step-end 6             # 从第6步结束，不包括第6步
--profile-ranks 0                # 采集0号卡的数据
--profile-level level1           # 采集上层应用数据，底层NPU数据，NPU计算算子耗时和通信算子耗时信息，CANN层AscendCL数据信息，NPU AI Core性能指标信息，通信小算子耗时信息
--profile-with-cpu               # 采集CPU数据，用于分析通信和调度
--profile-save-path ./profile_dir    # profiling数据采集保存路径
";

const GUIDE_DEEP: &str = "\
--profile                        # 打开profiling采集数据开关
--profile-step-start  5          # 从第5步开始采集
--profile-step-end 6             # 从第6步结束，不包括第6步
--profile-ranks 0                # 采集0号卡的数据
--profile-level level1           # 采集上层应用数据，底层NPU数据，NPU计算算子耗时和通信算子耗时信息，CANN层AscendCL数据信息，NPU AI Core性能指标信息，通信小算子耗时信息
--profile-with-cpu               # 采集CPU数据，用于分析通信和调度
--profile-with-stack             # 采集指令运行堆栈信息
--profile-with-memory            # 采集算子内存信息
--profile-record-shapes          # 采集算子数据维度信息
--profile-save-path ./profile_dir_with_stack    # profiling数据采集保存路径
";

fn config(flags: &str) -> CollectConfig {
    reading(flags, MindSpeedLlm).config
}

#[test]
fn the_guide_is_read() {
    let reading = read(GUIDE, None, &Run::default());
    assert_eq!((reading.dialect, reading.notation), (Some(MindSpeedLlm), Some(Notation::LlmFlags)));
    assert_fine(&reading);
    let expected = CollectConfig {
        ranks: Choice::Only(vec![0, 1, 2, 3, 4]),
        schedule: window(3, 1, 1),
        first_step: 1,
        level: Level::Level2,
        aic_metrics: AicMetrics::PipeUtilization,
        stack: true,
        memory: true,
        shapes: true,
        output: "./profile_dir".to_owned(),
        ..CollectConfig::default()
    };
    assert_eq!(reading.config, expected);
}

#[test]
fn the_guides_two_uses_are_read() {
    let look = CollectConfig {
        ranks: Choice::Only(vec![0]),
        schedule: window(3, 1, 1),
        first_step: 1,
        level: Level::Level1,
        aic_metrics: AicMetrics::PipeUtilization,
        simplify: false,
        output: "./profile_dir".to_owned(),
        ..CollectConfig::default()
    };
    assert_eq!(fine(GUIDE_FIRST_LOOK, MindSpeedLlm), look);
    let output = "./profile_dir_with_stack".to_owned();
    assert_eq!(
        fine(GUIDE_DEEP, MindSpeedLlm),
        CollectConfig { stack: true, memory: true, shapes: true, output, ..look }
    );
}

#[test]
fn defaults_are_megatrons() {
    let expected = CollectConfig {
        enabled: false,
        ranks: Choice::Only(vec![0]),
        schedule: window(8, 1, 2),
        first_step: 1,
        cpu: false,
        simplify: false,
        output: "./profile_dir".to_owned(),
        ..CollectConfig::default()
    };
    assert_eq!(fine("python pretrain.py --lr 1e-4", MindSpeedLlm), expected);
    assert_eq!(fine("--profile", MindSpeedLlm), CollectConfig { enabled: true, ..expected });
}

#[test]
fn every_flag_does_what_it_says() {
    assert!(config("--profile").enabled);
    for (word, level) in [("level0", Level::Level0), ("level1", Level::Level1), ("level2", Level::Level2)] {
        assert_eq!(config(&format!("--profile-level {word}")).level, level);
        assert_eq!(config(&format!("--profile-level={word}")).level, level);
    }
    for (word, export) in [("text", Export::Text), ("db", Export::Db)] {
        assert_eq!(config(&format!("--profile-export-type {word}")).export, [export]);
    }
    assert!(config("--profile-data-simplification").simplify);
    assert!(config("--profile-with-cpu").cpu);
    assert!(config("--profile-with-stack").stack);
    assert!(config("--profile-with-memory").memory);
    assert!(config("--profile-record-shapes").shapes);
    assert_eq!(config("--profile-save-path 'a b'").output, "a b");
    assert_eq!(config("--profile").analyse, Analyse::Online);
}

#[test]
fn what_argparse_refuses_is_an_error() {
    for (flags, key, words) in [
        ("--profile-level level3", "--profile-level", "level_none, level0, level1, level2"),
        ("--profile-level Level1", "--profile-level", "did you mean level1?"),
        ("--profile-export-type csv", "--profile-export-type", "text, db"),
        ("--profile-step-start five", "--profile-step-start", "an integer"),
        ("--profile-step-end 5.5", "--profile-step-end", "an integer"),
        ("--profile-ranks a", "--profile-ranks", "rank numbers"),
        ("--profile-ranks --profile", "--profile-ranks", "missing value"),
        ("--profile-level --profile", "--profile-level", "missing value"),
        ("--profile true", "--profile", "takes no value"),
        ("--profile-with-cpu=yes", "--profile-with-cpu", "takes no value"),
        ("--profile-step-strat 5", "--profile-step-strat", "did you mean --profile-step-start?"),
        ("--profile_step_end 5", "--profile_step_end", "did you mean --profile-step-end?"),
        ("--profil", "--profil", "did you mean --profile?"),
    ] {
        assert_diagnostics(&reading(flags, MindSpeedLlm), key, Severity::Error, words);
    }
    assert_diagnostics(
        &reading("--profile-operator", MindSpeedLlm),
        "--profile-operator",
        Severity::Warning,
        "not a profiler flag",
    );
    assert_fine(&reading("--profile --seq-length 4096 --process-count 2", MindSpeedLlm));
}

#[test]
fn llm_counts_iterations_from_one() {
    let config = fine("--profile --profile-step-start 5 --profile-step-end 6", MindSpeedLlm);
    assert_eq!((config.schedule, config.first_step), (window(3, 1, 1), 1));
    let first = fine("--profile --profile-step-start 1 --profile-step-end 3", MindSpeedLlm);
    assert_eq!(first.schedule, window(0, 0, 2));
    let second = fine("--profile --profile-step-start 2 --profile-step-end 3", MindSpeedLlm);
    assert_eq!(second.schedule, window(0, 1, 1));
    let zero = reading("--profile --profile-step-start 0", MindSpeedLlm);
    assert_diagnostics(&zero, "--profile-step-start", Severity::Error, "count from 1");
}

#[test]
fn llm_windows_are_those_of_the_whole_training() {
    let run = Run { iteration: 100, ..Run::default() };
    let resumed = read("--profile --profile-step-start 105 --profile-step-end 107", None, &run);
    assert_fine(&resumed);
    assert_eq!((resumed.config.schedule, resumed.config.first_step), (window(3, 1, 2), 101));
    let first = read("--profile --profile-step-start 101 --profile-step-end 102", None, &run);
    assert_eq!(first.config.schedule, window(0, 0, 1));
    for start in [100, 50] {
        let late = read(&format!("--profile --profile-step-start {start} --profile-step-end 107"), None, &run);
        assert_diagnostics(&late, "--profile-step-start", Severity::Error, "iteration 100 is done");
    }
}

#[test]
fn llm_end_of_minus_one_is_until_the_end_as_documented() {
    let reading = reading("--profile --profile-step-start 5 --profile-step-end -1", MindSpeedLlm);
    assert_diagnostics(&reading, "--profile-step-end", Severity::Warning, "MindSpeed-LLM itself records one step");
    assert_eq!(reading.config.schedule, window(3, 1, UNTIL_END));
}

#[test]
fn an_end_before_the_start_gives_one_step() {
    for end in [5, 4, -2] {
        let reading = reading(&format!("--profile --profile-step-start 5 --profile-step-end {end}"), MindSpeedLlm);
        assert_diagnostics(&reading, "--profile-step-end", Severity::Warning, "one step instead");
        assert_eq!(reading.config.schedule, window(3, 1, 1));
    }
}

#[test]
fn only_minus_one_alone_is_all_ranks() {
    assert_eq!(fine("--profile --profile-ranks -1", MindSpeedLlm).ranks, Choice::All);
    let mixed = reading("--profile --profile-ranks -1 0", MindSpeedLlm);
    assert_eq!(mixed.config.ranks, Choice::Only(vec![0]));
    assert_diagnostics(&mixed, "--profile-ranks", Severity::Warning, "only if it stands alone");
}

#[test]
fn ranks_beyond_the_world_are_reported() {
    let run = Run { world_size: Some(4), ..Run::default() };
    let some = read("--profile --profile-ranks 0 4 9", None, &run);
    assert_diagnostics(&some, "--profile-ranks", Severity::Warning, "these do not exist: 4, 9");
    let none = read("--profile --profile-ranks 4 9", None, &run);
    assert_diagnostics(&none, "--profile-ranks", Severity::Error, "nothing would be recorded");
    assert_fine(&read("--profile --profile-ranks 0 3", None, &run));
}

#[test]
fn a_window_behind_the_end_of_training_is_an_error() {
    let flags = "--profile --profile-step-start 9 --profile-step-end 12";
    let run = |total| Run { total_steps: Some(total), ..Run::default() };
    assert_fine(&read(flags, None, &run(11)));
    assert_diagnostics(&read(flags, None, &run(10)), "--profile-step-start", Severity::Warning, "stays incomplete");
    let error = read(flags, None, &run(8));
    assert_diagnostics(&error, "--profile-step-start", Severity::Error, "begin at step 9, but the last step is 8");
    // Megatron's own number of steps serves as well.
    let error = read(&format!("--train-iters 8 {flags}"), None, &Run::default());
    assert_diagnostics(&error, "--profile-step-start", Severity::Error, "the last step is 8");
}

#[test]
fn level_none_needs_mstx() {
    let reading = reading("--profile --profile-level level_none", MindSpeedLlm);
    assert_diagnostics(&reading, "--profile-level", Severity::Warning, "turns mstx on");
    assert_eq!((reading.config.level, reading.config.mstx), (Level::None, true));
}

#[test]
fn metrics_are_those_of_pipes_where_the_level_has_metrics() {
    assert_eq!(config("--profile --profile-level level0").aic_metrics, AicMetrics::None);
    assert_eq!(config("--profile --profile-level level1").aic_metrics, AicMetrics::PipeUtilization);
}

#[test]
fn flags_are_found_in_scripts() {
    let script = "#!/bin/bash\nNPUS=8\nPROFILE_ARGS=\"\n    --profile \\\n    --profile-step-start 5 \\\n    --profile-step-end 7 \\\n    --profile-ranks 0 1 \\\n    --profile-level levle1\n\"\n# --profile-with-memory\ntorchrun $NPUS pretrain_gpt.py \\\n    $PROFILE_ARGS \\\n    --train-iters 100 | tee log\n";
    let reading = read(script, None, &Run::default());
    assert_eq!(reading.dialect, Some(MindSpeedLlm));
    assert_eq!(reading.config.schedule, window(3, 1, 2));
    assert_eq!(reading.config.ranks, Choice::Only(vec![0, 1]));
    assert!(!reading.config.memory);
    assert_eq!(
        (on(&reading, "--profile-level").line, on(&reading, "--profile-level").severity),
        (Some(8), Severity::Error)
    );
}

#[test]
fn variables_of_the_shell_are_not_known() {
    let reading = reading("--profile --profile-level ${LEVEL} --profile-step-start $START", MindSpeedLlm);
    assert_diagnostics(&reading, "--profile-level", Severity::Warning, "only the trainer resolves");
    assert_eq!(reading.config.level, Level::Level0);
    assert_diagnostics(&reading, "--profile-step-start", Severity::Warning, "10 is assumed here");
}

#[test]
fn what_belongs_to_the_host_needs_the_host() {
    let reading = reading("--profile --profile-with-stack --profile-record-shapes", MindSpeedLlm);
    assert_diagnostics(&reading, "--profile-with-stack", Severity::Info, "--profile-with-cpu");
    assert_diagnostics(&reading, "--profile-record-shapes", Severity::Info, "--profile-with-cpu");
}

#[test]
fn a_flag_given_twice_counts_last() {
    let reading = reading("--profile --profile-level level1 --profile-level level2", MindSpeedLlm);
    assert_eq!(reading.config.level, Level::Level2);
    assert_diagnostics(&reading, "--profile-level", Severity::Warning, "duplicate key");
}

#[test]
fn flags_of_a_command_line_are_read_among_others() {
    let argv: Vec<String> =
        ["train.py", "--lr", "1e-4", "--profile", "--profile-step-start", "2", "--profile-step-end=4", "--bf16"]
            .map(str::to_owned)
            .to_vec();
    let reading = read_flags(&argv, &Run::default());
    assert_fine(&reading);
    assert_eq!((reading.dialect, reading.config.schedule), (Some(MindSpeedLlm), window(0, 1, 2)));
    assert!(!read_flags(&[], &Run::default()).config.enabled);
}

#[test]
fn a_comment_that_the_shell_ends_the_command_at_is_reported() {
    let script = "torchrun pretrain.py \\\n  --profile \\\n  --profile-step-start 5   # from step 5 \\\n  --profile-step-end 8\n";
    let reading = reading(script, MindSpeedLlm);
    let diagnostic = reading.diagnostics.iter().find(|diagnostic| diagnostic.key.is_none()).unwrap();
    assert_eq!((diagnostic.severity, diagnostic.line), (Severity::Warning, Some(3)));
    assert!(diagnostic.message.to_string().contains("line 4 is not part of the command"), "{diagnostic}");
    // What was meant is read all the same.
    assert_eq!(reading.config.schedule, window(3, 1, 3));
    let quoted = read("ARGS=\"\n  --profile  # on\n\"\nrun $ARGS\n", None, &Run::default());
    let diagnostic = quoted.diagnostics.iter().find(|diagnostic| diagnostic.key.is_none()).unwrap();
    assert_eq!((diagnostic.severity, diagnostic.line), (Severity::Warning, Some(2)));
}
