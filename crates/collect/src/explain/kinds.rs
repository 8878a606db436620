//! What is recorded, and the files it is in.

use npuscope_messages::Message;
use serde::Serialize;

use crate::config::{AicMetrics, CollectConfig, Export, Level};
use crate::messages;

/// A kind of data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Kind {
    pub what: Message,
    /// The deliverables it is in.
    pub files: Vec<&'static str>,
}

/// The kinds of data that are recorded, and those that are not.
pub(super) fn kinds(config: &CollectConfig) -> (Vec<Kind>, Vec<Kind>) {
    let device = config.npu && config.level > Level::None;
    let detail = config.npu && config.level >= Level::Level1;
    let all: [(bool, Message, &[&'static str]); 19] = [
        (config.cpu, messages::kind_host_operators(), &["trace_view.json", "operator_details.csv"]),
        (device, messages::kind_device(), &["trace_view.json", "kernel_details.csv"]),
        (config.schedule.is_some(), messages::kind_steps(), &["trace_view.json", "step_trace_time.csv"]),
        (
            detail,
            messages::kind_detail(),
            &["communication.json", "communication_matrix.json", "api_statistic.csv", "op_statistic.csv"],
        ),
        (detail && config.aic_metrics != AicMetrics::None, messages::kind_metrics(), &["kernel_details.csv"]),
        (
            config.npu && config.level >= Level::Level2,
            messages::kind_runtime(),
            &["trace_view.json", "data_preprocess.csv"],
        ),
        (config.memory, messages::kind_memory(), &["memory_record.csv", "operator_memory.csv", "npu_module_mem.csv"]),
        (config.shapes, messages::kind_shapes(), &["operator_details.csv", "kernel_details.csv"]),
        (config.stack && config.cpu, messages::kind_stack(), &["trace_view.json", "operator_details.csv"]),
        (config.modules && config.cpu, messages::kind_modules(), &["trace_view.json"]),
        (config.flops && config.cpu, messages::kind_flops(), &["trace_view.json"]),
        (config.mstx, messages::kind_mstx(), &["trace_view.json"]),
        (config.l2_cache && device, messages::kind_l2_cache(), &["l2_cache.csv"]),
        (config.sys_io, messages::kind_network(), &["nic.csv", "roce.csv"]),
        (config.sys_interconnection, messages::kind_interconnection(), &["pcie.csv", "hccs.csv"]),
        (!config.host_sys.is_empty(), messages::kind_host_system(), &["trace_view.json"]),
        (config.gc_threshold_ms.is_some() && config.cpu, messages::kind_gc(), &["trace_view.json"]),
        (config.data_process, messages::kind_data_process(), &["dataset.csv", "minddata_pipeline_summary_*.csv"]),
        (config.op_attr, messages::kind_op_attr(), &[]),
    ];
    let (mut records, mut off) = (Vec::new(), Vec::new());
    for (is_on, what, files) in all {
        let target = if is_on { &mut records } else { &mut off };
        target.push(Kind { what, files: deliverables(config, files) });
    }
    (records, off)
}

/// The files of the formats that are exported: a database has all of it.
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
