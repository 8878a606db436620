//! Small simulated jobs, on disk.

use std::path::PathBuf;

use npuscope_formats::output::Output;
use npuscope_synth::{Form, JobConfig, Level, simulate, write_job};
use npuscope_tables::Flavour;
use npuscope_testing::entries;
use tempfile::TempDir;

/// The rank directories of a job per framework, with a name for messages. They last as long as the directory.
pub fn ranks(form: Form) -> (TempDir, Vec<(String, PathBuf)>) {
    ranks_at(Level::Level1, form)
}

/// The same, recorded at a level.
pub fn ranks_at(level: Level, form: Form) -> (TempDir, Vec<(String, PathBuf)>) {
    let directory = tempfile::tempdir().unwrap();
    let mut ranks = Vec::new();
    for flavour in [Flavour::TorchNpu, Flavour::MindSpore] {
        let small = JobConfig { pp: 2, tp: 1, dp: 1, layers: 2, micro_batches: 2, steps: 2, ..Default::default() };
        let config = JobConfig { flavour, level, ..small };
        let out = directory.path().join(flavour.name());
        write_job(&simulate(&config).unwrap(), form, &Output::new(&out).unwrap(), |_| ()).unwrap();
        let of_flavour = entries(&out).into_iter().filter(|entry| entry.is_dir());
        ranks.extend(of_flavour.map(|rank| (format!("{} {}", flavour.name(), rank.display()), rank)));
    }
    (directory, ranks)
}
