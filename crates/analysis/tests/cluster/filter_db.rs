//! `filter_db`: small databases that read back, with all communication.

use std::path::{Path, PathBuf};

use npuscope_analysis::cluster::Options;
use npuscope_formats::output::Output;
use npuscope_synth::{Format, JobConfig, simulate, write_job};

use crate::support::{assert_same, database, rows_of, run};

const OPERATIONS: &str = "SELECT n.value, startNs, endNs, connectionId, g.value, dataType, count FROM COMMUNICATION_OP \
    JOIN STRING_IDS n ON n.id = opName JOIN STRING_IDS g ON g.id = groupName";

fn profiler_db(root: &Path, rank: i64) -> PathBuf {
    let name = format!("ascend_pytorch_profiler_{rank}.db");
    crate::hand_made::files(root).into_iter().find(|file| file.ends_with(&name)).unwrap()
}

#[test]
fn what_is_kept_is_small_and_has_all_communication() {
    let config = JobConfig { tp: 2, pp: 1, dp: 1, layers: 4, steps: 3, ..JobConfig::default() };
    let job = simulate(&config).unwrap();
    let directories = [Format::Db, Format::Text].map(|form| {
        let directory = tempfile::tempdir().unwrap();
        write_job(&job, form, &Output::new(directory.path()).unwrap(), |_| {}).unwrap();
        directory
    });
    let whole = profiler_db(directories[0].path(), 1);
    let count = |path: &Path, query: &str| rows_of(path, query).unwrap().1.len();
    for directory in &directories {
        let options = Options { top_num: Some(20), ..Options::default() };
        let run = run(directory.path(), "filter_db", None, &options).unwrap();
        assert_eq!(run.written.files.len(), 2);
        let small = profiler_db(&run.output().join("FilterDb"), 1);
        let size = |path: &Path| std::fs::metadata(path).unwrap().len();
        assert!(size(&small) * 2 < size(&whole), "{} of {}", size(&small), size(&whole));
        let [ours, theirs] = [&small, &whole].map(|path| rows_of(path, OPERATIONS).unwrap());
        assert_same(&ours, &theirs, "operations");
        assert_eq!(count(&small, "SELECT 1 FROM COMPUTE_TASK_INFO"), 20);
        let longest = "SELECT endNs - startNs AS ns FROM TASK JOIN COMPUTE_TASK_INFO USING (globalTaskId) \
            ORDER BY ns DESC LIMIT 20";
        assert_same(&rows_of(&small, longest).unwrap(), &rows_of(&whole, longest).unwrap(), "the longest kernels");
        for table in ["STEP_TIME", "MSTX_EVENTS", "META_DATA"] {
            let all = format!("SELECT 1 FROM {table}");
            assert_eq!(count(&small, &all), count(&whole, &all), "{table}");
        }

        // Other modes find in it what they find in the whole.
        let again = crate::hand_made::ask(&run.output().join("FilterDb"), "hccl_sum", &Options::default());
        let before = crate::hand_made::ask(directories[0].path(), "hccl_sum", &Options::default());
        for ((name, ours), (_, theirs)) in again.iter().zip(&before) {
            assert_same(ours, theirs, name);
        }
        assert!(database(&small).contains_key("COMMUNICATION_OP"));
    }
}
