//! What is recorded, and which files it gives.

use serde::Serialize;

use crate::config::{AicMetrics, CollectConfig, Export, Level};

/// A kind of data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Kind {
    pub what: &'static str,
    /// The deliverables it is in.
    pub files: Vec<&'static str>,
}

/// What the configuration records, and what it leaves out.
pub(super) fn kinds(config: &CollectConfig) -> (Vec<Kind>, Vec<Kind>) {
    let device = config.npu && config.level > Level::None;
    let detail = config.npu && config.level >= Level::Level1;
    let all: [(bool, &'static str, &[&'static str]); 19] = [
        (config.cpu, "operators of the host", &["trace_view.json", "operator_details.csv"]),
        (device, "kernels and communications of the device", &["trace_view.json", "kernel_details.csv"]),
        (config.schedule.is_some(), "step markers and times of steps", &["trace_view.json", "step_trace_time.csv"]),
        (
            detail,
            "communication in detail, CANN calls and statistics",
            &["communication.json", "communication_matrix.json", "api_statistic.csv", "op_statistic.csv"],
        ),
        (detail && config.aic_metrics != AicMetrics::None, "AI Core metrics", &["kernel_details.csv"]),
        (
            config.npu && config.level >= Level::Level2,
            "runtime calls and AI CPU operators",
            &["trace_view.json", "data_preprocess.csv"],
        ),
        (config.memory, "memory", &["memory_record.csv", "operator_memory.csv", "npu_module_mem.csv"]),
        (config.shapes, "shapes of inputs", &["operator_details.csv", "kernel_details.csv"]),
        (config.stack && config.cpu, "call stacks", &["trace_view.json", "operator_details.csv"]),
        (config.modules && config.cpu, "calls of modules", &["trace_view.json"]),
        (config.flops && config.cpu, "floating-point operations", &["trace_view.json"]),
        (config.mstx, "user ranges and marks", &["trace_view.json"]),
        (config.l2_cache && device, "L2 cache", &["l2_cache.csv"]),
        (config.sys_io, "network cards", &["nic.csv", "roce.csv"]),
        (config.sys_interconnection, "links between chips", &["pcie.csv", "hccs.csv"]),
        (!config.host_sys.is_empty(), "use of the host's CPUs, memory, disks or network", &["trace_view.json"]),
        (config.gc_threshold_ms.is_some() && config.cpu, "garbage collections of Python", &["trace_view.json"]),
        (config.data_process, "pipelines of MindData", &["dataset.csv", "minddata_pipeline_summary_*.csv"]),
        (config.op_attr, "attributes of operators", &[]),
    ];
    let (mut records, mut off) = (Vec::new(), Vec::new());
    for (is_on, what, files) in all {
        let target = if is_on { &mut records } else { &mut off };
        target.push(Kind { what, files: deliverables(config, files) });
    }
    (records, off)
}

/// The files in the forms that are exported: a database has all of it.
fn deliverables(config: &CollectConfig, text: &[&'static str]) -> Vec<&'static str> {
    let mut files = Vec::new();
    if config.export.contains(&Export::Text) {
        files.extend(text);
    }
    if config.export.contains(&Export::Db) {
        files.push("ascend_*_profiler_*.db");
    }
    files
}
