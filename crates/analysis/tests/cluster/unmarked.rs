//! `--compat` on text profiles without step markers: msprof-analyze knows no steps then, whatever numbers
//! `kernel_details.csv` gives its kernels.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;

use npuscope_analysis::cluster::Options;
use npuscope_formats::output::Output;
use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_synth::{Format, JobConfig, simulate, write_job};
use npuscope_testing::entries;
use serde_json::Value;

use crate::hand_made::{ask, column};
use crate::support::Rows;

const STEP: i64 = 10;

/// A text job of steps 10 and 11 whose traces have no `ProfilerStep#`, made once.
fn unmarked_job() -> &'static Path {
    static MADE: OnceLock<tempfile::TempDir> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let config = JobConfig { tp: 2, pp: 1, dp: 1, layers: 1, micro_batches: 1, steps: 2, ..JobConfig::default() };
        let directory = tempfile::tempdir().unwrap();
        write_job(&simulate(&config).unwrap(), Format::Text, &Output::new(directory.path()).unwrap(), |_| {}).unwrap();
        for rank in entries(directory.path()).into_iter().filter(|entry| entry.is_dir()) {
            remove_markers(&rank.join(OUTPUT_DIRECTORY).join("trace_view.json"));
        }
        directory
    });
    made.path()
}

fn remove_markers(trace: &Path) {
    let mut events: Vec<Value> = serde_json::from_slice(&std::fs::read(trace).unwrap()).unwrap();
    let before = events.len();
    let is_marker = |event: &Value| event["name"].as_str().is_some_and(|name| name.starts_with("ProfilerStep#"));
    events.retain(|event| !is_marker(event));
    assert!(events.len() < before, "{} has no markers", trace.display());
    std::fs::write(trace, Value::Array(events).to_string()).unwrap();
}

fn tables(mode: &str, step: Option<i64>, compat: bool) -> Vec<(String, Rows)> {
    ask(unmarked_job(), mode, &Options { step, compat, ..Options::default() })
}

#[test]
fn a_chosen_step_without_marker_is_the_whole_rank() {
    for mode in ["cann_api_sum", "communication_bottleneck", "compute_op_sum", "hccl_sum", "mstx_sum"] {
        assert!(tables(mode, None, true).iter().any(|(_, rows)| !rows.1.is_empty()), "{mode}");
        assert_eq!(tables(mode, Some(STEP), true), tables(mode, None, true), "{mode}");
        // Without `--compat` the numbers of kernels choose a step.
        assert_ne!(tables(mode, Some(STEP), false), tables(mode, None, false), "{mode}");
    }
}

#[test]
fn ranges_without_markers_are_of_step_0() {
    let steps = |compat| {
        let tables: BTreeMap<String, Rows> = tables("mstx_sum", None, compat).into_iter().collect();
        column(&tables["MSTXMarkStats"], "StepId").into_iter().collect::<BTreeSet<String>>()
    };
    assert_eq!(steps(true), ["0"].map(str::to_owned).into());
    // Ranges before the first kernel are of no step.
    assert!(steps(false).is_superset(&["10", "11"].map(str::to_owned).into()));
}

#[test]
fn without_markers_there_is_no_step_to_look_for_masked_communication_in() {
    assert_eq!(tables("computational_op_masking", None, true), []);
    let (_, rows) = &tables("computational_op_masking", None, false)[0];
    assert_eq!(column(rows, "stepId"), ["10", "10", "11", "11"]);
}
