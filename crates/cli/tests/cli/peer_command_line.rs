//! The command line of msprof-analyze, as its guide describes it.

use crate::program::Sandbox;

#[test]
fn both_cases_of_the_short_options_print_version_and_help() {
    let sandbox = Sandbox::empty();
    let version = sandbox.run(&["--version"]);
    assert_eq!((version.code, version.stdout.starts_with("npuscope ")), (0, true));
    for option in ["-v", "-V"] {
        assert_eq!(sandbox.run(&[option]).stdout, version.stdout, "{option}");
        assert_eq!(sandbox.run(&["msprof-analyze", option]).stdout, version.stdout, "{option}");
    }
    for words in [&[][..], &["cluster"], &["config", "check"]] {
        let help = |option| sandbox.run(&[words, &[option]].concat());
        assert_eq!((help("-h").code, help("-h").stdout.contains("Usage: npuscope")), (0, true), "{words:?}");
        assert_eq!(help("-H").stdout, help("-h").stdout, "{words:?}");
        assert!(help("--help").stdout.len() >= help("-h").stdout.len(), "{words:?}");
    }
}

#[test]
fn auto_completion_prints_the_command_that_turns_it_on() {
    let sandbox = Sandbox::empty();
    for (words, expected) in [
        (&["auto-completion"][..], "eval \"$(npuscope completion bash)\"\n"),
        (&["msprof-analyze", "auto-completion", "Bash"], "eval \"$(npuscope completion bash)\"\n"),
        (&["auto-completion", "fish"], "npuscope completion fish | source\n"),
    ] {
        let ran = sandbox.run(words);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, expected), "{words:?}");
        assert!(ran.stderr.contains("paste this command"), "{}", ran.stderr);
    }
    assert!(sandbox.run(&["auto-completion", "--lang", "zh"]).stderr.starts_with("说明：将以下命令"));
}

#[test]
fn its_commands_work_behind_its_name() {
    let sandbox = Sandbox::with_job();
    let words = ["-d", "job", "-m", "hccl_sum", "-o", "out", "--force", "--parallel_mode", "concurrent"];
    for (command, output) in [(&["msprof-analyze"][..], "a"), (&["msprof-analyze", "cluster"], "b")] {
        let mut words = [command, &words[..]].concat();
        words.iter_mut().filter(|word| **word == "out").for_each(|word| *word = output);
        let ran = sandbox.run(&words);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(sandbox.path(output).join("cluster_analysis_output/cluster_analysis.db").exists());
    }
}

#[test]
fn its_other_commands_are_refused_by_name() {
    let sandbox = Sandbox::empty();
    for words in [&["compare", "-d", "a", "-bp", "b"][..], &["advisor", "all", "-d", "a"]] {
        let ran = sandbox.run(&[&["msprof-analyze"], words].concat());
        let expected =
            format!("error: npuscope does not support the command {} yet; run it with msprof-analyze\n", words[0]);
        assert_eq!((ran.code, ran.stderr), (2, expected));
    }
}
