//! Is this file a trace of PyTorch's profiler, and of which rank? By its content: it may have any name.

use std::io::Read;
use std::path::Path;

use npuscope_tables::Rank;

use super::gzip::unpack_start;
use super::info::process_in_name;
use super::settings::EVENTS;
use crate::regular_file;
use crate::trace_json::Cursor;
use crate::trace_json::args::integer;

/// Bytes of a file that are looked at, and bytes of text that may come out of them.
const PACKED: u64 = 256 << 10;
const TEXT: usize = 1 << 20;

/// No job has more ranks.
const MAX_RANK: i64 = u32::MAX as i64;

/// Keys that only Kineto writes before the list of events. One is enough where the list comes too late to be seen.
const TYPICAL: &[&[u8]] = &[b"schemaVersion", b"deviceProperties", b"distributedInfo", b"baseTimeNanoseconds"];

/// What the beginning of a trace says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// The rank, where the trace says so.
    pub rank: Option<Rank>,
    /// The process that was recorded, by the first operator in sight.
    pub process: Option<i64>,
    /// It has keys that only Kineto writes. Without, it may be a trace of anything.
    pub is_typical: bool,
}

/// Looks at the beginning of a file; nothing if it is no trace, or cannot be read.
pub fn probe(path: &Path) -> Option<Probe> {
    let file = regular_file::open(path).ok()?;
    let mut start = Vec::new();
    file.take(PACKED).read_to_end(&mut start).ok()?;
    probe_text(&unpack_start(&start, TEXT))
}

fn probe_text(text: &[u8]) -> Option<Probe> {
    let mut cursor = Cursor::of_file(text);
    if cursor.eat(b'[').is_some() {
        let process = process_of_operators(cursor);
        return is_list_of_events(cursor, text).then(|| Probe { process, ..Probe::default() });
    }
    let mut probe = Probe::default();
    let mut has_events = false;
    let whole = cursor.members(|key, cursor| {
        if key.bytes == EVENTS {
            let mut events = *cursor;
            has_events = events.eat(b'[').is_some();
            probe.process = process_of_operators(events);
            // What follows is as long as the file.
            return None;
        }
        probe.is_typical |= TYPICAL.contains(&key.bytes);
        if key.bytes == b"distributedInfo" {
            let mut info = *cursor;
            let _ = info.members(|key, cursor| {
                if key.bytes == b"rank" {
                    probe.rank = integer(&mut cursor.clone()).filter(|rank| (0..=MAX_RANK).contains(rank)).map(Rank);
                }
                cursor.skip_value()
            });
        }
        cursor.skip_value()
    });
    let is_cut = whole.is_none() && cursor.at >= text.len();
    (has_events || probe.is_typical && is_cut).then_some(probe)
}

/// The process of the first operator or range of the framework in a list of events: other events name devices.
fn process_of_operators(mut events: Cursor<'_>) -> Option<i64> {
    const OF_PROCESS: [&[u8]; 4] = [b"cpu_op", b"user_annotation", b"python_function", b"Operator"];
    loop {
        let (mut is_operator, mut process) = (false, None);
        events.skip_space();
        events.members(|key, cursor| {
            match key.bytes {
                b"cat" => is_operator = cursor.clone().string().is_some_and(|cat| OF_PROCESS.contains(&cat.bytes)),
                b"pid" => process = integer(&mut cursor.clone()),
                _ => {}
            }
            cursor.skip_value()
        })?;
        if is_operator && process.is_some() {
            return process;
        }
        events.skip_space();
        events.eat(b',')?;
    }
}

/// Whether what comes after the first bracket begins with an event, and is no trace of an NPU, which is a list too.
fn is_list_of_events(mut cursor: Cursor<'_>, text: &[u8]) -> bool {
    const OF_NPU: [&[u8]; 2] = [b"\"Ascend Hardware\"", b"\"CANN\""];
    cursor.skip_space();
    let mut is_event = false;
    let _ = cursor.members(|key, cursor| {
        is_event |= key.bytes == b"ph";
        cursor.skip_value()
    });
    is_event && !OF_NPU.iter().any(|word| memchr::memmem::find(text, word).is_some())
}

/// The rank in the name of a trace: `rank3.json`, `trace_rank-3.pt.trace.json.gz`, `worker3.1695835542.pt.trace.json`.
///
/// In `{host}_{process}.{time}.pt.trace.json` there is none, though the host may be called `job-worker-3`; but what
/// looks like it may be a name that a script gave, such as `rank_3` or `worker_3`.
pub fn rank_in_name(name: &str) -> Option<Rank> {
    let host = process_in_name(name).map_or(0, |(host, _)| host.len());
    let name = name.to_ascii_lowercase();
    ["rank", "worker"].iter().find_map(|word| {
        name.match_indices(word).find_map(|(at, _)| {
            let end = at + word.len();
            let is_of_host = at < host && !(end == host && (*word == "rank" || at == 0));
            let rest = name.get(end..).filter(|_| !is_of_host)?.trim_start_matches(['_', '-', '=', '.']);
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
            // More digits are a time or a process.
            digits.parse().ok().filter(|_| digits.len() <= 6)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_known_by_its_keys() {
        let rank = |text: &str| probe_text(text.as_bytes()).map(|probe| probe.rank);
        assert_eq!(
            rank(r#"{"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 5}, "traceEvents": ["#),
            Some(Some(Rank(5)))
        );
        assert_eq!(rank(r#"{"traceEvents": []}"#), Some(None));
        assert_eq!(rank(r#"{"distributedInfo": {"rank": -1}, "traceEvents": []}"#), Some(None));
        assert_eq!(rank(r#"{"distributedInfo": {"rank": 7, "pg_config": [{"ranks": [0, 1"#), Some(Some(Rank(7))));
        assert_eq!(rank(r#"{"schemaVersion": 1}"#), None);
        assert_eq!(rank(r#"{"traceEvents": 3}"#), None);
        assert_eq!(rank(r#"[ {"name": "a", "ph": "X"}]"#), Some(None));
        assert_eq!(rank(r#"[{"phase": "X"}]"#), None);
        assert_eq!(rank("[1]"), None);
        assert_eq!(rank(r#"[{"ph": "M", "args": {"name": "Ascend Hardware"}}]"#), None);
        assert_eq!(rank(r#"{"a": {"traceEvents": []}}"#), None);
        assert_eq!(rank(""), None);
    }

    #[test]
    fn operators_name_the_process() {
        let process = |text: &str| probe_text(text.as_bytes()).and_then(|probe| probe.process);
        let kernel = r#"{"ph": "X", "cat": "kernel", "pid": 0, "args": {"pid": 9}}"#;
        let operator = r#"{"ph": "X", "pid": 4711, "tid": 4711, "cat": "cpu_op", "name": "aten::mm"}"#;
        assert_eq!(process(&format!(r#"{{"schemaVersion": 1, "traceEvents": [ {kernel}, {operator}, {{"#)), Some(4711));
        assert_eq!(process(&format!("[{operator}]")), Some(4711));
        assert_eq!(process(&format!(r#"{{"traceEvents": [{kernel}]}}"#)), None);
    }

    #[test]
    fn a_rank_is_found_in_the_names_that_scripts_give() {
        for (name, rank) in [
            ("rank0.json", Some(0)),
            ("trace_rank-12.pt.trace.json.gz", Some(12)),
            ("Rank_3_step_50.json", Some(3)),
            ("worker1.1695835542513910.pt.trace.json", Some(1)),
            ("gpu-node-7_28122.1695835542513910.pt.trace.json", None),
            ("ranking_2.json", None),
            ("myjob-worker-3_11.1700000000000.pt.trace.json", None),
            ("rank3-host_4711.1700000000000.pt.trace.json.gz", None),
            ("gpu-worker_4711.1700000000000.pt.trace.json", None),
            ("worker_4.1700000000000.pt.trace.json", Some(4)),
            ("train_rank_4.1700000000000.pt.trace.json", Some(4)),
            ("worker.1695835542513910.pt.trace.json", None),
            ("trace.json", None),
        ] {
            assert_eq!(rank_in_name(name), rank.map(Rank), "{name}");
        }
    }
}
