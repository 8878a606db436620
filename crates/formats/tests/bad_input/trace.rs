//! Damaged traces.

use std::fs;

use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_formats::{messages, trace_json};
use npuscope_synth::Format;
use npuscope_tables::{RankPieces, TableId};
use serde_json::value::RawValue;

use super::job::{assert_same_facts, facts, files, job, rank_directory, read_path, read_trace, reported};

/// A trace of the job, with names and arguments that are hard to cut.
fn hostile_trace() -> Vec<u8> {
    let job = job(Format::Text);
    let path = rank_directory(job.path(), 0).join(OUTPUT_DIRECTORY).join("trace_view.json");
    let trace = fs::read_to_string(path).unwrap();
    let events: Vec<&RawValue> = serde_json::from_str(&trace).unwrap();
    let events: Vec<&str> = events.iter().map(|e| e.get()).step_by(7).collect();
    let (head, tail) = events.split_at(events.len() / 2);
    let hostile = r#"{"ph": "X", "name": "größe {\"},[{ 算子😀", "pid": 1, "tid": 2, "ts": "1736408883688177.930",
        "dur": 12.500, "args": {"a": [{"ph": "X", "ts": "1"}, {"name": "}],[{\\"}], "b": {"c": null, "d": 12345678901234567890}}}"#;
    format!("[{}, {hostile}, {}]", head.join(", "), tail.join(", ")).into_bytes()
}

#[test]
fn a_cut_trace_keeps_every_event_before_the_cut() {
    let trace = hostile_trace();
    let events: Vec<&RawValue> = serde_json::from_slice(&trace).unwrap();
    let ends: Vec<usize> =
        events.iter().map(|e| e.get().as_ptr() as usize - trace.as_ptr() as usize + e.get().len()).collect();
    let hostile = events.iter().position(|e| e.get().contains("größe")).unwrap();
    let every_byte = ends[hostile - 1] - 20..ends[hostile + 1] + 5;
    let spread = (1..trace.len()).step_by(trace.len() / 40);
    for cut in every_byte.chain(spread).chain([trace.len() - 1]) {
        let whole = ends.iter().filter(|&&end| end <= cut).count();
        let mut closed = trace[..if whole == 0 { 1 } else { ends[whole - 1] }].to_vec();
        closed.push(b']');
        let ((expected, none), (tables, diagnostics)) = (read_trace(&closed), read_trace(&trace[..cut]));
        assert_eq!(none, []);
        assert_same_facts(&format!("cut at {cut}"), &expected, &tables);
        let [diagnostic] = diagnostics.as_slice() else { panic!("cut at {cut}: {diagnostics:?}") };
        assert_eq!((diagnostic.code.name(), diagnostic.file.as_str()), ("cut-file", "trace_view.json"));
        let sentences = [messages::events_cut(whole as u64), messages::events_not_closed(whole as u64)];
        assert!(sentences.contains(&diagnostic.message), "cut at {cut}: {}", diagnostic.message);
        let offset = diagnostic.offset.unwrap() as usize;
        let last_end = if whole == 0 { 1 } else { ends[whole - 1] };
        assert!((last_end..=cut).contains(&offset), "cut at {cut}: {offset}");
    }
}

#[test]
fn a_trace_with_zeros_after_the_cut_is_a_cut_trace() {
    let trace = hostile_trace();
    let cut = &trace[..trace.len() / 2];
    let zeros = [cut, &[0; 5000]].concat();
    let ((expected, of_cut), (tables, diagnostics)) = (read_trace(cut), read_trace(&zeros));
    assert_same_facts("zeros", &expected, &tables);
    assert_eq!(of_cut, diagnostics);
}

#[test]
fn an_empty_list_of_events_is_a_trace_without_a_fault() {
    for text in ["[]", " [ ] ", r#"{"traceEvents": []}"#] {
        let (tables, diagnostics) = read_trace(text.as_bytes());
        assert_eq!((facts(&tables).len(), diagnostics), (0, vec![]), "{text}");
    }
}

#[test]
fn a_second_list_after_the_first_is_reported() {
    let (_, diagnostics) = read_trace(b"[] []");
    assert_eq!(diagnostics.iter().map(|p| (p.code.name(), p.offset)).collect::<Vec<_>>(), [("garbage", Some(3))]);
}

#[test]
fn garbage_between_events_costs_only_itself() {
    let trace = hostile_trace();
    let events: Vec<&RawValue> = serde_json::from_slice(&trace).unwrap();
    let texts: Vec<&str> = events.iter().map(|e| e.get()).collect();
    let (head, tail) = texts.split_at(texts.len() / 2);
    for garbage in ["garbage", "{\"ph\": \"X\", broken}", "{\"ph\" 1}", "\u{1}\u{2}"] {
        let head = head.join(", ");
        let text = format!("[{head}, {garbage}, {}]", tail.join(", "));
        let (tables, diagnostics) = read_trace(text.as_bytes());
        assert_same_facts(garbage, &read_trace(&trace).0, &tables);
        let reported: Vec<_> = diagnostics.iter().map(|p| (p.code.name(), p.offset)).collect();
        assert_eq!(reported, [("garbage", Some(head.len() as u64 + 3))], "{garbage}");
    }
}

#[test]
fn an_event_without_its_closing_quote_costs_only_itself() {
    let event = |number: usize| {
        format!(r#"{{"ph":"X","name":"op {number}","pid":1,"tid":1,"ts":"{number}.000","dur":1,"args":{{"a":"b"}}}}"#)
    };
    let mut events: Vec<String> = (0..40_000).map(event).collect();
    events[10_000] = events[10_000].replace(r#""b""#, r#""b"#);
    let text = format!("[{}]", events.join(","));
    for stretches in [1, 3] {
        let mut pieces = RankPieces::default();
        let summary = trace_json::read_in(text.as_bytes(), "trace_view.json", stretches, 2, &mut pieces);
        assert_eq!(summary.events, 39_999);
        let offset = events[..10_000].iter().map(|event| event.len() + 1).sum::<usize>() + 1;
        let reported: Vec<_> = summary.diagnostics.iter().map(|p| (p.code.name(), p.offset)).collect();
        assert_eq!(reported, [("garbage", Some(offset as u64))]);
    }
}

#[test]
fn json_nested_a_hundred_thousand_deep_is_no_danger() {
    const LEVELS: usize = 100_000;
    let arrays = "[".repeat(LEVELS) + &"]".repeat(LEVELS);
    let objects = "{\"a\": ".repeat(LEVELS) + "1" + &"}".repeat(LEVELS);
    let job = job(Format::Text);
    let rank = rank_directory(job.path(), 0);
    for (name, path) in files(&rank).into_iter().filter(|(name, _)| name.ends_with(".json")) {
        let text = fs::read(&path).unwrap();
        for deep in [&arrays, &objects] {
            for open in [deep.as_str(), &deep[..deep.len() / 2]] {
                fs::write(&path, open).unwrap();
                let reported = reported(&read_path(&rank), &name);
                let says_nothing = name.contains("communication") && open == objects;
                assert_eq!(reported.is_empty(), says_nothing, "{name}: {reported:?}");
            }
        }
        fs::write(&path, text).unwrap();
    }
    let event = |args: &str| {
        format!(r#"[{{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {{"x": {args}}}}}]"#)
    };
    let (tables, diagnostics) = read_trace(event(&arrays).as_bytes());
    assert_eq!((tables.len(TableId::HostOp), diagnostics), (1, vec![]));
}
