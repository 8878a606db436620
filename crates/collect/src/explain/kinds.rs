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

/// Whose deliverables they are: MindSpore writes fewer files than torch_npu, and some of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framework {
    TorchNpu,
    MindSpore,
}

impl Framework {
    /// The end of the names of its directories.
    pub fn suffix(self) -> &'static str {
        match self {
            Framework::TorchNpu => "ascend_pt",
            Framework::MindSpore => "ascend_ms",
        }
    }

    fn database(self) -> &'static str {
        match self {
            Framework::TorchNpu => "ascend_pytorch_profiler_*.db",
            Framework::MindSpore => "ascend_mindspore_profiler_*.db",
        }
    }

    /// The database of communication, beside the other.
    fn communication_database(self) -> &'static str {
        match self {
            Framework::TorchNpu => "analysis.db",
            Framework::MindSpore => "communication_analyzer.db",
        }
    }
}

/// One kind of data, its text files of torch_npu and, where they differ, of MindSpore.
struct Row(bool, Message, &'static [&'static str], Option<&'static [&'static str]>);

/// The kinds of data that are recorded, and those that are not.
pub(super) fn kinds(config: &CollectConfig, framework: Framework) -> (Vec<Kind>, Vec<Kind>) {
    let device = config.npu && config.level > Level::None;
    let detail = config.npu && config.level >= Level::Level1;
    let details = messages::kind_detail();
    let all = [
        Row(
            config.cpu,
            messages::kind_host_operators(),
            &["trace_view.json", "operator_details.csv"],
            // MindSpore has no list of its operators, but one of the operations of its data sets.
            Some(&["trace_view.json", "dataset.csv"]),
        ),
        Row(device, messages::kind_device(), &["trace_view.json", "kernel_details.csv"], None),
        Row(config.schedule.is_some(), messages::kind_steps(), &["trace_view.json", "step_trace_time.csv"], None),
        Row(
            detail,
            details.clone(),
            &["communication.json", "communication_matrix.json", "api_statistic.csv", "op_statistic.csv"],
            None,
        ),
        Row(detail && config.aic_metrics != AicMetrics::None, messages::kind_metrics(), &["kernel_details.csv"], None),
        Row(
            config.npu && config.level >= Level::Level2,
            messages::kind_runtime(),
            &["trace_view.json", "data_preprocess.csv"],
            None,
        ),
        Row(
            config.memory,
            messages::kind_memory(),
            &["memory_record.csv", "operator_memory.csv", "npu_module_mem.csv"],
            None,
        ),
        Row(
            config.shapes,
            messages::kind_shapes(),
            &["operator_details.csv", "kernel_details.csv"],
            Some(&["kernel_details.csv"]),
        ),
        Row(
            config.stack && config.cpu,
            messages::kind_stack(),
            &["trace_view.json", "operator_details.csv"],
            // It appends them to the names of kernels.
            Some(&["trace_view.json", "kernel_details.csv"]),
        ),
        Row(config.modules && config.cpu, messages::kind_modules(), &["trace_view.json"], None),
        Row(config.flops && config.cpu, messages::kind_flops(), &["trace_view.json"], None),
        Row(config.mstx, messages::kind_mstx(), &["trace_view.json"], None),
        Row(config.l2_cache && device, messages::kind_l2_cache(), &["l2_cache.csv"], None),
        Row(config.sys_io, messages::kind_network(), &["nic.csv", "roce.csv"], None),
        Row(config.sys_interconnection, messages::kind_interconnection(), &["pcie.csv", "hccs.csv"], None),
        Row(!config.host_sys.is_empty(), messages::kind_host_system(), &["trace_view.json"], None),
        Row(config.gc_threshold_ms.is_some() && config.cpu, messages::kind_gc(), &["trace_view.json"], None),
        Row(
            config.data_process,
            messages::kind_data_process(),
            &["minddata_pipeline_raw_*.csv", "minddata_pipeline_summary_*.csv", "minddata_pipeline_summary_*.json"],
            None,
        ),
        Row(config.op_attr, messages::kind_op_attr(), &[], None),
    ];
    let (mut records, mut off) = (Vec::new(), Vec::new());
    for Row(is_on, what, torch_npu, mindspore) in all {
        let text = mindspore.filter(|_| framework == Framework::MindSpore).unwrap_or(torch_npu);
        let mut files = Vec::new();
        if config.export.contains(&Export::Text) {
            files.extend(text);
        }
        // A database has all of it.
        if config.export.contains(&Export::Db) {
            files.push(framework.database());
            files.extend((what == details).then(|| framework.communication_database()));
        }
        let target = if is_on { &mut records } else { &mut off };
        target.push(Kind { what, files });
    }
    (records, off)
}
