//! Changing the file.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use npuscope_collect::config::{AicMetrics, Level};
use npuscope_collect::dynamic::{
    Activity, Changes, DynamicDialect, Ranks, SetError, Start, Window, WindowChange, set, write_default,
};
use serde_json::{Value, json};

fn steps(start: u64, stop: u64) -> Changes {
    Changes { window: Some(WindowChange::Steps(Window { start, stop })), ..Changes::default() }
}

fn everything() -> Changes {
    Changes {
        window: steps(8, 10).window,
        activities: Some(vec![Activity::Npu]),
        level: Some(Level::None),
        metrics: Some(AicMetrics::MemoryUb),
        stack: Some(true),
        memory: Some(true),
        shapes: Some(true),
        mstx: Some(true),
        l2_cache: Some(true),
        sys_io: Some(true),
        sys_interconnection: Some(true),
        host_sys: Some(vec!["cpu".to_owned()]),
        export: Some(vec!["text".to_owned(), "db".to_owned()]),
        analyse: Some(true),
        simplify: Some(false),
        output: Some("/out".to_owned()),
        ..Changes::default()
    }
}

fn read(path: &std::path::Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn everything_is_spelled_as_torch_npu_does() {
    let directory = tempfile::tempdir().unwrap();
    let changes = Changes {
        warmup: Some(2),
        ranks: Some(Ranks::Some(vec![0, 3])),
        modules: Some(true),
        flops: Some(true),
        ..everything()
    };
    let written = set(directory.path(), None, &changes).unwrap();
    assert!(written.is_new);
    assert_eq!(written.request.window(1), Some(Window { start: 8, stop: 10 }));
    let file = read(&written.path);
    for (key, value) in [
        ("start_step", json!(6)),
        ("warmup", json!(2)),
        ("active", json!(3)),
        ("is_rank", json!(true)),
        ("rank_list", json!([0, 3])),
        ("activities", json!(["NPU"])),
        ("with_stack", json!(true)),
        ("with_modules", json!(true)),
        ("with_flops", json!(true)),
        ("profile_memory", json!(true)),
        ("record_shapes", json!(true)),
        ("analyse", json!(true)),
        ("prof_dir", json!("/out")),
    ] {
        assert_eq!(file[key], value, "{key}");
    }
    for (key, value) in [
        ("profiler_level", json!("Level_none")),
        ("aic_metrics", json!("MemoryUB")),
        ("mstx", json!(true)),
        ("l2_cache", json!(true)),
        ("sys_io", json!(true)),
        ("sys_interconnection", json!(true)),
        ("host_sys", json!(["cpu"])),
        ("export_type", json!(["text", "db"])),
        ("data_simplification", json!(false)),
        ("op_attr", json!(false)),
    ] {
        assert_eq!(file["experimental_config"][key], value, "{key}");
    }
}

#[test]
fn everything_is_spelled_as_mindspore_does() {
    let directory = tempfile::tempdir().unwrap();
    let written = set(directory.path(), Some(DynamicDialect::MindSpore), &everything()).unwrap();
    let file = read(&written.path);
    for (key, value) in [
        ("start_step", json!(8)),
        ("stop_step", json!(10)),
        ("activities", json!(["NPU"])),
        ("profiler_level", json!("LevelNone")),
        ("aic_metrics", json!("MemoryUB")),
        ("with_stack", json!(true)),
        ("profile_memory", json!(true)),
        ("record_shapes", json!(true)),
        ("mstx", json!(true)),
        ("l2_cache", json!(true)),
        ("sys_io", json!(true)),
        ("sys_interconnection", json!(true)),
        ("host_sys", json!(["cpu"])),
        ("export_type", json!(["text", "db"])),
        ("analyse", json!(true)),
        ("data_simplification", json!(false)),
        ("prof_path", json!("/out")),
    ] {
        assert_eq!(file[key], value, "{key}");
    }
    assert!(file.get("experimental_config").is_none());
    assert_eq!(written.request.window(1), Some(Window { start: 8, stop: 10 }));
}

#[test]
fn other_keys_and_their_order_stay() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("profiler_config.json");
    fs::write(
        &path,
        r#"{"zebra": [1, {"deep": 1e3}], "stop_step": 5, "aicore_metrics": -1, "start_step": 5, "apple": null}"#,
    )
    .unwrap();
    let written = set(&path, None, &steps(8, 10)).unwrap();
    let Value::Object(file) = read(&path) else { panic!("no object") };
    assert_eq!(file.keys().collect::<Vec<_>>(), ["zebra", "stop_step", "aicore_metrics", "start_step", "apple"]);
    assert_eq!(file["zebra"], json!([1, {"deep": 1e3}]));
    let edits: Vec<String> =
        written.edits.iter().map(|edit| format!("{} {:?} {}", edit.key, edit.before, edit.after)).collect();
    assert_eq!(edits, ["start_step Some(Number(5)) 8", "stop_step Some(Number(5)) 10"]);
    assert!(set(&path, None, &steps(8, 10)).unwrap().edits.is_empty(), "nothing changes the second time");
}

#[test]
fn a_warmup_in_the_file_moves_the_start_so_that_the_steps_are_those_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("profiler_config.json");
    fs::write(&path, crate::torch_npu(0, 3, 1)).unwrap();
    set(&path, None, &steps(8, 9)).unwrap();
    assert_eq!(
        (&read(&path)["start_step"], &read(&path)["warmup"], &read(&path)["active"]),
        (&json!(5), &json!(3), &json!(2))
    );
    set(&path, None, &steps(2, 2)).unwrap();
    assert_eq!((&read(&path)["start_step"], &read(&path)["warmup"]), (&json!(1), &json!(1)));
    set(&path, None, &Changes { window: Some(WindowChange::Next { active: 4 }), ..Changes::default() }).unwrap();
    assert_eq!((&read(&path)["start_step"], &read(&path)["active"]), (&json!(-1), &json!(4)));
    set(&path, None, &Changes { window: Some(WindowChange::Off), ranks: Some(Ranks::All), ..Changes::default() })
        .unwrap();
    assert_eq!((&read(&path)["start_step"], &read(&path)["is_rank"]), (&json!(0), &json!(false)));
}

#[test]
fn permissions_and_links_stay() {
    let directory = tempfile::tempdir().unwrap();
    let (real, link) = (directory.path().join("real.json"), directory.path().join("link.json"));
    fs::write(&real, crate::mindspore(1, 2)).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o604)).unwrap();
    symlink(&real, &link).unwrap();
    set(&link, None, &steps(8, 10)).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o604);
    assert_eq!(read(&real)["stop_step"], 10);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2, "no temporary file stays");
}

#[test]
fn readers_never_see_half_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("profiler_config.json");
    set(&path, None, &steps(1, 1)).unwrap();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for step in 1..100 {
                set(&path, None, &steps(step, step * 1000)).unwrap();
            }
            is_over.store(true, std::sync::atomic::Ordering::Release);
        });
        while !is_over.load(std::sync::atomic::Ordering::Acquire) {
            read(&path);
        }
    });
}

/// The file that the monitor writes is of MindSpore.
#[test]
fn the_next_step_can_be_asked_for_in_both_dialects() {
    for dialect in [DynamicDialect::TorchNpu, DynamicDialect::MindSpore] {
        let directory = tempfile::tempdir().unwrap();
        assert!(write_default(directory.path(), dialect).unwrap());
        let next = Changes { window: Some(WindowChange::Next { active: 2 }), ..Changes::default() };
        let request = set(directory.path(), None, &next).unwrap().request;
        assert_eq!((request.dialect, request.start, request.active), (dialect, Start::Next, 2));
        assert!(request.diagnostics.is_empty(), "{:?}", request.diagnostics);
        let steps = set(directory.path(), None, &steps(8, 10)).unwrap().request;
        assert_eq!((steps.start, steps.active), (Start::At(8), 3), "a number takes its place");
    }
}

#[test]
fn what_cannot_be_said_or_read_leaves_the_file_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("profiler_config.json");
    let text = crate::mindspore(1, 2);
    fs::write(&path, &text).unwrap();
    let refused = |dialect, changes: &Changes| set(&path, dialect, changes).unwrap_err().to_string();
    let ranks = Changes { ranks: Some(Ranks::Some(vec![0])), ..Changes::default() };
    assert_eq!(
        refused(None, &ranks),
        "a file of mindspore cannot express a selection of ranks; every rank that reads the file records"
    );
    assert!(refused(None, &Changes { modules: Some(true), ..Changes::default() }).contains("module calls"));
    assert!(refused(None, &Changes { warmup: Some(1), ..Changes::default() }).contains("warmup"));
    assert!(refused(None, &steps(0, 3)).contains("0 to 3"));
    assert!(refused(None, &steps(4, 3)).contains("4 to 3"));
    assert!(
        refused(Some(DynamicDialect::TorchNpu), &steps(1, 2)).contains("in the dialect of mindspore, not of torch_npu")
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    fs::write(&path, "{ malformed").unwrap();
    assert!(refused(None, &steps(1, 2)).contains("is unchanged: invalid JSON"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "{ malformed");
    let error = set(&path.join("below/profiler_config.json"), None, &steps(1, 2)).unwrap_err();
    assert!(matches!(error, SetError::Read { .. } | SetError::Write { .. }), "{error}");
}
