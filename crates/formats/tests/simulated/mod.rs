//! Small simulated jobs, on disk.

use std::path::PathBuf;

use npuscope_formats::output::Output;
use npuscope_synth::{Format, JobConfig, Level, simulate, write_job};
use npuscope_tables::Framework;
use npuscope_testing::entries;
use tempfile::TempDir;

/// The rank directories of a job per framework, with a name for messages. They last as long as the directory.
pub fn ranks(format: Format) -> (TempDir, Vec<(String, PathBuf)>) {
    ranks_at(Level::Level1, format)
}

/// The same, recorded at a level.
pub fn ranks_at(level: Level, format: Format) -> (TempDir, Vec<(String, PathBuf)>) {
    let directory = tempfile::tempdir().unwrap();
    let mut ranks = Vec::new();
    for framework in [Framework::TorchNpu, Framework::MindSpore] {
        let small = JobConfig { pp: 2, tp: 1, dp: 1, layers: 2, micro_batches: 2, steps: 2, ..Default::default() };
        let config = JobConfig { framework, level, ..small };
        let out = directory.path().join(framework.name());
        write_job(&simulate(&config).unwrap(), format, &Output::new(&out).unwrap(), |_| ()).unwrap();
        let of_framework = entries(&out).into_iter().filter(|entry| entry.is_dir());
        ranks.extend(of_framework.map(|rank| (format!("{} {}", framework.name(), rank.display()), rank)));
    }
    (directory, ranks)
}
