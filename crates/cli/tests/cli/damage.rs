//! What is said of a damaged profile, in the user's language.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use npuscope_testing::english_sentence;
use serde_json::Value;

use crate::program::Sandbox;

/// A job in `job` with files that are cut, empty, of another kind, unreadable and unknown.
fn damaged() -> Sandbox {
    let sandbox = Sandbox::with_cut_trace();
    let output = |rank: usize| sandbox.rank(rank).join("ASCEND_PROFILER_OUTPUT");
    let cut = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    };
    cut(&output(0).join("kernel_details.csv"));
    cut(&output(0).join("communication.json"));
    cut(&sandbox.rank(0).join("profiler_info_0.json"));
    fs::write(output(1).join("step_trace_time.csv"), "").unwrap();
    fs::write(output(1).join("memory_record.csv"), "a,b\r\n1,2\r\n").unwrap();
    fs::write(sandbox.rank(1).join("notes.xyz"), "written by hand").unwrap();
    fs::write(output(2).join("ascend_pytorch_profiler_2.db"), "not a database").unwrap();
    fs::remove_file(output(2).join("communication_matrix.json")).unwrap();
    fs::create_dir(output(2).join("communication_matrix.json")).unwrap();
    fs::write(
        output(2).join("trace_view.json"),
        b"[{\"ph\": \"?\"}, nonsense, {\"ph\": \"X\", \"name\": \"\xff\"}] and more",
    )
    .unwrap();
    fs::write(output(3).join("trace_view.json"), "{}").unwrap();
    fs::create_dir(sandbox.path("job/locked")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        symlink("..", sandbox.path("job/loop")).unwrap();
        fs::set_permissions(sandbox.path("job/locked"), fs::Permissions::from_mode(0o000)).unwrap();
    }
    sandbox
}

#[test]
fn a_damaged_profile_is_described_in_chinese() {
    let sandbox = damaged();
    let ran = sandbox.run(&["--lang", "zh", "doctor", "job"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines = ran.stdout.split_once("\n诊断信息\n").expect("doctor lists diagnostics").1;
    assert!(lines.lines().count() >= 10, "{lines}");
    for line in lines.lines() {
        assert_eq!(english_sentence(line), None, "{line}");
    }
    for command in [&["info", "job", "--strict"][..], &["diagnose", "job"], &["sql", "job", "SELECT 1", "--strict"]] {
        let ran = sandbox.run(&[&["--lang", "zh"], command].concat());
        assert!(!ran.stderr.is_empty(), "{command:?}");
        for line in ran.stderr.lines() {
            assert_eq!(english_sentence(line), None, "{command:?}: {line}");
        }
    }
}

#[test]
fn json_of_doctor_has_diagnostics_with_both_languages() {
    let sandbox = damaged();
    let health: Value = serde_json::from_str(&sandbox.run(&["doctor", "job", "--format", "json"]).stdout).unwrap();
    let of_ranks = health["ranks"].as_array().unwrap().iter().map(|rank| &rank["diagnostics"]);
    let lists = of_ranks.chain([&health["diagnostics"]]);
    let diagnostics: Vec<&Value> = lists.flat_map(|list| list.as_array().unwrap()).collect();
    let codes: BTreeSet<&str> = diagnostics.iter().map(|diagnostic| diagnostic["code"].as_str().unwrap()).collect();
    for code in ["cut-file", "empty-file", "garbage", "not-a-database", "not-a-trace", "unknown-file", "unreadable"] {
        assert!(codes.contains(code), "{code}: {codes:?}");
    }
    for diagnostic in diagnostics {
        let message = &diagnostic["message"];
        assert!(message["id"].is_string() && message["arguments"].is_object(), "{message}");
        assert_eq!(english_sentence(message["text"]["zh"].as_str().unwrap()), None);
        assert_ne!(message["text"]["en"], message["text"]["zh"]);
    }
}

/// Columns of the cache hold the message, not the sentence.
#[test]
fn what_was_cached_in_one_language_is_shown_in_the_other() {
    let sandbox = Sandbox::with_cut_trace();
    let diagnostic = |language: &str| {
        let stdout = sandbox.run(&["--lang", language, "doctor", "job"]).stdout;
        stdout.lines().find(|line| line.contains("trace_view.json") && line.contains("444828")).unwrap().to_owned()
    };
    assert!(diagnostic("en").ends_with("kept 2102 events"), "{}", diagnostic("en"));
    assert!(diagnostic("zh").ends_with("保留了 2102 个事件"), "{}", diagnostic("zh"));
    assert_eq!(
        sandbox.sql("job", "SELECT message, message_data FROM diagnostic"),
        "message,message_data\n\
         the file is cut off inside the list of events; kept 2102 events,\
         \"{\"\"id\"\":\"\"read-events-cut\"\",\"\"arguments\"\":{\"\"events\"\":2102}}\"\n"
    );
}
