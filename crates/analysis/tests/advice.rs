//! What `doctor` and the pages advise about missing data.

use std::fs;
use std::path::Path;

use npuscope_analysis::health::{Missing, health, hint};
use npuscope_collect::{Dialect, Setting};
use npuscope_formats::output::Output;
use npuscope_store::{OpenOptions, Store};
use npuscope_synth::{Format, JobConfig, Level, simulate, write_job};

fn job(profile: &Path, config: JobConfig) -> Store {
    let config = JobConfig { tp: 1, pp: 1, dp: 2, layers: 1, steps: 1, ..config };
    write_job(&simulate(&config).unwrap(), Format::Text, &Output::new(profile).unwrap(), |_| {}).unwrap();
    open(profile)
}

fn open(profile: &Path) -> Store {
    Store::open(profile, OpenOptions::new(profile.with_extension("cache"))).unwrap()
}

fn missing(store: &Store) -> Vec<Missing> {
    health(store).unwrap().ranks.into_iter().flat_map(|rank| rank.missing).collect()
}

/// Removes the files of these names from every rank.
fn remove(directory: &Path, names: &[&str]) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            remove(&path, names);
        } else if names.contains(&path.file_name().unwrap().to_str().unwrap()) {
            fs::remove_file(&path).unwrap();
        }
    }
}

#[test]
fn pages_advise_what_doctor_advises() {
    let directory = tempfile::tempdir().unwrap();
    let config = JobConfig { level: Level::Level0, profile_memory: false, mstx: false, ..JobConfig::default() };
    let store = job(&directory.path().join("job"), config);
    let missing = missing(&store);
    for setting in [Setting::Level1, Setting::Memory, Setting::Mstx] {
        let of_doctor = missing.iter().find(|missing| missing.setting == setting).unwrap();
        let (_, switch) = of_doctor.switches.iter().find(|(dialect, _)| *dialect == Dialect::TorchNpu.name()).unwrap();
        assert!(!of_doctor.was_on, "{setting:?}");
        assert_eq!(hint(&store, &[setting]).unwrap().to_string(), *switch, "{setting:?}");
    }
}

#[test]
fn what_was_on_is_never_advised() {
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path().join("job");
    let config = JobConfig { level: Level::Level1, profile_memory: true, l2_cache: false, ..JobConfig::default() };
    drop(job(&profile, config));
    remove(&profile, &["memory_record.csv", "operator_memory.csv", "npu_module_mem.csv", "trace_view.json"]);
    let store = open(&profile);
    let missing = missing(&store);
    let of_memory = missing.iter().find(|missing| missing.setting == Setting::Memory).unwrap();
    assert!(of_memory.was_on && of_memory.switches.is_empty(), "{of_memory:?}");
    let memory = hint(&store, &[Setting::Memory]).unwrap().to_string();
    assert_eq!(memory, "profile_memory=True is already set, but no data arrived");
    for one in missing.iter().filter(|missing| missing.was_on) {
        assert!(one.switches.is_empty(), "{one:?}");
        assert!(hint(&store, &[one.setting]).unwrap().to_string().contains("is already set"), "{one:?}");
    }
    // Of several settings, one that was off.
    let other = hint(&store, &[Setting::Level1, Setting::L2Cache]).unwrap().to_string();
    assert_eq!(other, Dialect::TorchNpu.spelling(Setting::L2Cache).unwrap());
}
