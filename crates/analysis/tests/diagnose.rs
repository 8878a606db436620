//! `diagnose` on simulated jobs: the injected cause, its place and what it costs. `make diagnose-score` runs all of
//! `scenarios/diagnose`.

use std::collections::BTreeSet;
use std::path::Path;

use npuscope_analysis::diagnose::{Diagnosis, diagnose};
use npuscope_analysis::{Finding, Severity};
use npuscope_formats::output::Output;
use npuscope_store::{OpenOptions, Store};
use npuscope_synth::{Format, GroundTruth, HostJob, JobConfig, Sleep, SleepsAt, scenario, simulate, write_job};
use npuscope_tables::Rank;

fn config(name: &str) -> JobConfig {
    let root = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
    let path = Path::new(&root).join("../../scenarios/diagnose").join(name).with_extension("toml");
    scenario(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A job written in one form, what is true of it and what is said of it; `change` is given the profile first.
fn verdict(config: &JobConfig, form: Format, change: impl Fn(&Path)) -> (GroundTruth, Diagnosis) {
    let directory = tempfile::tempdir().unwrap();
    let job = simulate(config).unwrap();
    let profile = directory.path().join("profile");
    write_job(&job, form, &Output::new(&profile).unwrap(), |_| {}).unwrap();
    change(&profile);
    let ranks = Store::open(&profile, OpenOptions::new(directory.path().join("cache"))).unwrap();
    (job.truth(), diagnose(&ranks, None).unwrap())
}

fn lost_ms(finding: &Finding) -> f64 {
    finding.numbers.iter().find(|number| number.name.id() == "number-lost").unwrap().value
}

/// The first finding is the fault of the job, at its place, and costs what it costs.
fn assert_named(truth: &GroundTruth, diagnosis: &Diagnosis) {
    let fault = &truth.faults[0];
    let first = diagnosis.findings.first().unwrap_or_else(|| panic!("{} is not found", fault.fault));
    let ranks: BTreeSet<usize> = first.ranks.iter().map(|&rank| usize::try_from(rank.0).unwrap()).collect();
    assert_eq!((first.id, ranks), (fault.cause, fault.ranks.iter().copied().collect()), "{}", first.claim);
    let (lost, cost) = (lost_ms(first), fault.cost_ms_per_step);
    assert!((lost - cost).abs() <= (0.2 * cost).max(0.05), "{}: lost {lost}, truth {cost}", fault.fault);
}

#[test]
fn the_fault_of_a_job_is_named_first() {
    for name in ["slow-rank-a", "slow-host-b", "slow-link-a", "gc-b", "dataloader-b", "aicpu-b", "stage-b"] {
        let (truth, diagnosis) = verdict(&config(name), Format::Db, |_| {});
        assert_named(&truth, &diagnosis);
    }
}

#[test]
fn the_network_and_experts_and_memory_are_named_too() {
    for name in ["retransmission-a", "experts-a", "fragmentation-b", "leak-b", "frequency-b", "synchronise-b"] {
        let (truth, diagnosis) = verdict(&config(name), Format::Db, |_| {});
        assert_named(&truth, &diagnosis);
    }
}

#[test]
fn a_healthy_job_is_left_in_peace() {
    for name in ["healthy-2", "healthy-8", "healthy-experts", "healthy-launch"] {
        let (_, diagnosis) = verdict(&config(name), Format::Db, |_| {});
        let loud: Vec<&Finding> = diagnosis.findings.iter().filter(|f| f.severity > Severity::Info).collect();
        assert!(loud.is_empty(), "{name}: {loud:?}");
        assert!(diagnosis.replay_error < 0.001, "{name}: {}", diagnosis.replay_error);
    }
}

#[test]
fn text_and_databases_give_the_same_verdict() {
    let config = config("pair-compute-dataloader");
    let (truth, db) = verdict(&config, Format::Db, |_| {});
    let (_, text) = verdict(&config, Format::Text, |_| {});
    assert_eq!(db.findings, text.findings);
    for fault in &truth.faults {
        assert!(db.findings.iter().any(|finding| finding.id == fault.cause), "{} is not found", fault.fault);
    }
}

#[test]
fn clocks_are_aligned_to_microseconds() {
    let (truth, diagnosis) = verdict(&config("clock-a"), Format::Db, |_| {});
    assert_named(&truth, &diagnosis);
    assert_eq!(truth.clocks.len(), 2);
    assert_eq!(truth.clocks.len(), diagnosis.clocks.len());
    for (clock, found) in truth.clocks.iter().zip(&diagnosis.clocks) {
        let offset = found.offset_ns.expect("all hosts communicate");
        assert!((offset - clock.offset_ns as f64).abs() < 2_000.0, "{offset} {}", clock.offset_ns);
    }
}

#[test]
fn hosts_that_share_no_communication_are_not_aligned() {
    let config = JobConfig { devices_per_host: 2, ..config("slow-rank-a") };
    // Two jobs of one rank each, that know nothing of each other.
    let alone = JobConfig { tp: 1, pp: 1, dp: 1, faults: Vec::new(), ..config };
    let directory = tempfile::tempdir().unwrap();
    for (place, seed) in [("a", 1), ("b", 2)] {
        let job = simulate(&JobConfig { seed, ..alone.clone() }).unwrap();
        write_job(&job, Format::Db, &Output::new(directory.path().join(place)).unwrap(), |_| {}).unwrap();
    }
    let other = std::fs::read_dir(directory.path().join("b")).unwrap().flatten().find(|e| e.path().is_dir()).unwrap();
    let output = other.path().join("ASCEND_PROFILER_OUTPUT");
    let database = output.join("ascend_pytorch_profiler_1.db");
    std::fs::rename(output.join("ascend_pytorch_profiler_0.db"), &database).unwrap();
    let connection = rusqlite::Connection::open(database).unwrap();
    let renamed = connection.execute("UPDATE HOST_INFO SET hostUid = 'elsewhere', hostName = 'elsewhere'", ()).unwrap();
    assert_eq!(renamed, 1);
    connection.close().unwrap();
    let _ = std::fs::rename(other.path().join("profiler_info_0.json"), other.path().join("profiler_info_1.json"));
    let ranks = Store::open(directory.path(), OpenOptions::new(directory.path().join("cache"))).unwrap();
    let diagnosis = diagnose(&ranks, None).unwrap();
    let offsets: Vec<Option<f64>> = diagnosis.clocks.iter().map(|clock| clock.offset_ns).collect();
    assert_eq!((diagnosis.ranks, offsets), (2, vec![Some(0.0), None]));
    assert!(diagnosis.findings.iter().all(|finding| finding.severity == Severity::Info), "{:?}", diagnosis.findings);
}

#[test]
fn a_rank_that_cannot_be_read_does_not_hide_the_culprit() {
    let damage = |profile: &Path| {
        let mut ranks: Vec<_> = std::fs::read_dir(profile).unwrap().flatten().map(|e| e.path()).collect();
        ranks.retain(|path| path.is_dir());
        ranks.sort();
        let database = ranks[7].join("ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_7.db");
        std::fs::write(database, "not a database").unwrap();
    };
    let (truth, diagnosis) = verdict(&config("slow-rank-b"), Format::Db, damage);
    let first = diagnosis.findings.first().unwrap();
    assert_eq!((first.id, first.ranks[0].0 as usize), (truth.faults[0].cause, truth.faults[0].ranks[0]));
    assert!(
        diagnosis.diagnostics.iter().any(|diagnostic| diagnostic.to_string().contains("profiler_7.db")),
        "{:?}",
        diagnosis.diagnostics
    );
}

/// What is said of a job without a device.
fn verdict_on_hosts(job: &HostJob) -> Diagnosis {
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path().join("profile");
    job.write(&Output::new(&profile).unwrap()).unwrap();
    diagnose(&Store::open(&profile, OpenOptions::new(directory.path().join("cache"))).unwrap(), None).unwrap()
}

#[test]
fn a_rank_that_sleeps_in_its_loop_is_named_in_a_job_without_a_device_wherever_it_sleeps() {
    for at in SleepsAt::ALL {
        let job = HostJob { sleep: Some(Sleep { rank: 2, ns: 30_000_000, at }), ..HostJob::default() };
        let diagnosis = verdict_on_hosts(&job);
        let first = diagnosis.findings.first().unwrap_or_else(|| panic!("{at:?}"));
        assert_eq!((first.id, first.ranks.as_slice()), ("host", [Rank(2)].as_slice()), "{at:?}");
        let (lost, cost) = (lost_ms(first), job.cost_ms());
        assert!((lost - cost).abs() <= 0.05 * cost, "{at:?}: lost {lost}, truth {cost}");
        assert!(diagnosis.replay_error < 0.01, "{at:?}: {}", diagnosis.replay_error);
        assert_eq!((diagnosis.ranks, diagnosis.steps, diagnosis.unmatched_operations), (4, 5, 0));
        let others = diagnosis.findings.iter().skip(1).filter(|finding| finding.severity != Severity::Info);
        assert_eq!(others.count(), 0, "{at:?}");
    }
}

#[test]
fn in_a_job_without_a_device_equal_ranks_give_no_finding_however_unsteady() {
    for (seed, noise) in (1..6).flat_map(|seed| [(seed, 0.1), (seed, 0.6)]) {
        let diagnosis = verdict_on_hosts(&HostJob { seed, noise, ..HostJob::default() });
        let worse = diagnosis.findings.iter().filter(|finding| finding.severity != Severity::Info);
        assert_eq!(worse.map(|finding| finding.claim.to_string()).collect::<Vec<_>>(), Vec::<String>::new(), "{seed}");
    }
}
