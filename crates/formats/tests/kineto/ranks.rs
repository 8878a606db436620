//! Which rank a trace is of.

use std::fs;

use npuscope_store::discover::{Profile, discover};
use npuscope_tables::table::{rank, step};
use npuscope_tables::{Framework, Rank, TableId};

use super::made::{codes, only, packed, put, read, read_path, two_steps};

#[test]
fn each_trace_of_a_directory_is_a_rank() {
    let directory = tempfile::tempdir().unwrap();
    let text = |rank| {
        two_steps(("cuda_runtime", "cudaLaunchKernel")).text().replace("\"rank\": 3", &format!("\"rank\": {rank}"))
    };
    let nameless = two_steps(("cuda_runtime", "cudaLaunchKernel")).text().replace("\"rank\": 3, ", "");
    put(&directory, "node1_77.1695835542513910000.pt.trace.json", text(5).as_bytes());
    put(&directory, "node1_78.1695835542513910000.pt.trace.json.gz", &packed(text(2).as_bytes()));
    put(&directory, "packed without saying so.json", &packed(text(6).as_bytes()));
    put(&directory, "rank1.json", nameless.as_bytes());
    put(&directory, "trace.json", nameless.as_bytes());
    put(&directory, "config.json", br#"{"learning_rate": 0.1, "schemaVersion": 2}"#);
    put(&directory, "events.json", br#"[{"ph": "X"}]"#);
    let of_a_browser = put(&directory, "browser.json", br#"{"traceEvents": [{"ph": "i", "name": "load", "ts": 1}]}"#);
    assert_eq!(read_path(&of_a_browser).len(TableId::HostOp), 1);
    put(&directory, "notes.txt", b"hello");
    let profile = discover(directory.path()).unwrap();
    let ranks: Vec<i64> = profile.ranks.iter().map(|source| source.rank.0).collect();
    assert_eq!(ranks, [0, 1, 2, 5, 6]);
    for (index, source) in profile.ranks.iter().enumerate() {
        assert_eq!(source.framework(), Framework::Kineto);
        let tables = read(&profile, index);
        assert_eq!(tables.len(TableId::Kernel), 2, "{source:?}");
        assert_eq!(codes(&tables), Vec::<&str>::new());
    }
    let first = &profile.ranks[0].first;
    assert!(first.files[0].name == "trace.json" && first.diagnostics[0].code.name() == "no-rank");
    let host = only::<rank::Row>(&read(&profile, 3)).host;
    assert_eq!(read(&profile, 3).opt_text(host), Some("node1"));
}

#[test]
fn two_traces_of_a_process_are_windows_of_its_rank() {
    let directory = tempfile::tempdir().unwrap();
    let text = two_steps(("cuda_runtime", "cudaLaunchKernel")).text();
    let names = ["node_77.1695835540000000000.pt.trace.json", "node_77.1695835550000000000.pt.trace.json"];
    names.iter().rev().for_each(|name| drop(put(&directory, name, text.as_bytes())));
    let profile = discover(directory.path()).unwrap();
    assert_eq!(profile.ranks.len(), 1);
    assert_eq!(profile.ranks[0].rank, Rank(3));
    assert_eq!(profile.ranks[0].windows().map(|window| window.name()).collect::<Vec<_>>(), names);
    let tables = read(&profile, 0);
    assert_eq!(tables.len(TableId::Kernel), 4);
    // Both windows count their steps alike: then each is a step.
    let steps: Vec<_> = tables.rows::<step::Row>().map(|step| step.id).collect();
    assert_eq!(steps, [Some(1), Some(1), Some(2), Some(2)]);
    assert_eq!(codes(&tables), ["steps-by-order"]);
}

#[test]
fn traces_of_each_step_are_windows_if_one_process_wrote_them() {
    let directory = tempfile::tempdir().unwrap();
    let at_step = |first: i64, process: i64| {
        let text = nameless().replace("ProfilerStep#9", &format!("ProfilerStep#{}", first + 1));
        let text = text.replace("ProfilerStep#8", &format!("ProfilerStep#{first}"));
        text.replace("\"pid\": 77,", &format!("\"pid\": {process},"))
    };
    put(&directory, "rank0_step5.json", at_step(5, 77).as_bytes());
    put(&directory, "rank0_step9.json", at_step(9, 77).as_bytes());
    let profile = discover(directory.path()).unwrap();
    assert_eq!(profile.ranks.len(), 1);
    assert_eq!(profile.ranks[0].windows().count(), 2);
    let steps: Vec<_> = read(&profile, 0).rows::<step::Row>().filter_map(|step| step.id).collect();
    assert_eq!(steps, [5, 6, 9, 10]);
    put(&directory, "rank0_step9.json", at_step(9, 78).as_bytes());
    assert_eq!(discover(directory.path()).unwrap().ranks.len(), 2);
}

/// A trace that does not say its rank.
fn nameless() -> String {
    two_steps(("cuda_runtime", "cudaLaunchKernel")).text().replace("\"rank\": 3, ", "")
}

/// Rank and first file of each rank.
fn numbered(profile: &Profile) -> Vec<(i64, &str)> {
    profile.ranks.iter().map(|source| (source.rank.0, source.first.files[0].name.as_str())).collect()
}

#[test]
fn a_host_that_is_called_after_a_number_gives_no_rank() {
    let directory = tempfile::tempdir().unwrap();
    let names = [11, 12, 13, 14].map(|pid| format!("myjob-worker-3_{pid}.1700000000000.pt.trace.json"));
    names.iter().for_each(|name| drop(put(&directory, name, nameless().as_bytes())));
    let profile = discover(directory.path()).unwrap();
    assert_eq!(numbered(&profile), (0..).zip(names.iter().map(String::as_str)).collect::<Vec<_>>());
}

#[test]
fn of_traces_whose_names_have_the_same_number_none_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    let stated = two_steps(("cuda_runtime", "cudaLaunchKernel")).text();
    put(&directory, "a.json", stated.as_bytes());
    for (process, name) in (78..).zip(["rank1_b.json", "rank1_c.json", "rank2.json", "rank3.json"]) {
        put(&directory, name, nameless().replace("\"pid\": 77,", &format!("\"pid\": {process},")).as_bytes());
    }
    let profile = discover(directory.path()).unwrap();
    let expected = [(0, "rank1_b.json"), (1, "rank1_c.json"), (2, "rank2.json"), (3, "a.json"), (4, "rank3.json")];
    assert_eq!(numbered(&profile), expected);
}

#[test]
fn a_process_that_records_several_times_is_one_rank() {
    let directory = tempfile::tempdir().unwrap();
    let name = |pid: i64, time: &str| format!("node_{pid}.{time}.pt.trace.json");
    // Milliseconds and nanoseconds.
    let times = ["1700000001000000000", "1700000002000000000", "1700000003000"];
    for time in times {
        put(&directory, &name(77, time), nameless().as_bytes());
    }
    let other = name(78, "1700000001000000000");
    put(&directory, &other, nameless().as_bytes());
    let profile = discover(directory.path()).unwrap();
    assert_eq!(numbered(&profile), [(0, name(77, times[0]).as_str()), (1, other.as_str())]);
    let windows: Vec<String> = profile.ranks[0].windows().map(|window| window.name()).collect();
    assert_eq!(windows, times.map(|time| name(77, time)));
}

#[test]
fn ranks_of_npus_and_of_gpus_do_not_displace_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let trace = two_steps(("cuda_runtime", "cudaLaunchKernel"));
    for rank in [0, 1] {
        let output = directory.path().join(format!("npu_{rank}")).join("ASCEND_PROFILER_OUTPUT");
        fs::create_dir_all(&output).unwrap();
        fs::write(output.join("trace_view.json"), "[]").unwrap();
        fs::write(output.with_file_name(format!("profiler_info_{rank}.json")), "{}").unwrap();
        let text = trace.text().replace("\"rank\": 3", &format!("\"rank\": {rank}"));
        put(&directory, &format!("gpu{rank}.json"), text.as_bytes());
    }
    let profile = discover(directory.path()).unwrap();
    let frameworks: Vec<_> = profile.ranks.iter().map(|source| (source.rank.0, source.framework())).collect();
    let (npu, gpu) = (Framework::TorchNpu, Framework::Kineto);
    assert_eq!(frameworks, [(0, npu), (1, npu), (2, gpu), (3, gpu)]);
    assert_eq!(profile.ranks[3].first.files[0].name, "gpu1.json");
    assert_eq!(profile.ranks[3].first.diagnostics[0].code.name(), "renumbered-rank");
}

#[test]
fn a_file_that_is_no_trace_is_no_profile() {
    let directory = tempfile::tempdir().unwrap();
    for (name, bytes) in
        [("a.json", &b"{\"a\": 1}"[..]), ("b.json.gz", b"\x1f\x8b\x08"), ("c.json", b""), ("d.json.gz", b"not packed")]
    {
        assert!(discover(&put(&directory, name, bytes)).is_err(), "{name}");
    }
    assert!(discover(directory.path()).is_err());
    // The name alone makes it one, and then it is reported what is wrong with it.
    let path = put(&directory, "x.pt.trace.json.gz", b"\x1f\x8b\x08");
    assert_eq!(codes(&read_path(&path)), ["cut-file", "empty-file"]);
    let path = put(&directory, "y.pt.trace.json", b"{}");
    assert_eq!(codes(&read_path(&path)), ["not-a-trace"]);
}
