//! What a file of a profile is, by its name.

use crate::framework;

/// A deliverable, or another file that belongs to a profile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// `trace_view.json`, `msprof_*.json`.
    Trace,
    /// A trace of PyTorch's own profiler: `*.pt.trace.json`, `*.pt.trace.json.gz`, or any other name, which only the
    /// content decides.
    Kineto,
    /// A csv file, by the name that all its spellings share.
    Csv(&'static str),
    /// A csv file that msprof or a framework writes and no table is made for: kept cell by cell.
    Sheet,
    Communication,
    CommunicationMatrix,
    ProfilerInfo,
    ProfilerMetadata,
    /// `minddata_pipeline_summary_*.json`.
    PipelineSummary,
    /// `ascend_pytorch_profiler_*.db`, `ascend_mindspore_profiler_*.db`, `msprof_*.db`.
    ProfilerDb,
    /// `analysis.db`, `communication_analyzer.db`.
    AnalysisDb,
    /// `cluster_analysis.db`.
    ClusterDb,
    /// A raw file of a `FRAMEWORK` directory, by its name.
    Framework(&'static str),
    /// Belongs to a profile and holds nothing that another file does not: logs, markers, journals.
    Known,
    Unknown,
}

/// Csv deliverables by file name without `.csv` and without the stamp of an export.
pub const CSV: &[&str] = &[
    "kernel_details",
    "op_summary",
    "operator_details",
    "operator_memory",
    "memory_record",
    "npu_module_mem",
    "static_op_mem",
    "step_trace_time",
    "op_statistic",
    "api_statistic",
    "l2_cache",
    "soc_pmu",
    "data_preprocess",
    "aicpu",
    "dataset",
    "minddata_pipeline_raw",
];

const SHEETS: &[&str] = &[
    "task_time",
    "nic",
    "roce",
    "pcie",
    "hccs",
    "hbm",
    "ddr",
    "llc_read_write",
    "npu_mem",
    "communication_statistic",
    "msprof_tx",
    "minddata_pipeline_summary",
    "step_trace",
    "fusion_op",
    "prof_rule_0",
    "cpu_usage",
    "host_mem_usage",
    "ai_core_utilization",
    "ai_vector_core_utilization",
    "os_runtime_statistic",
];

impl FileKind {
    /// Whether a directory that has such a file is a profile.
    pub fn is_main(&self) -> bool {
        matches!(
            self,
            FileKind::Trace
                | FileKind::ProfilerDb
                | FileKind::AnalysisDb
                | FileKind::Communication
                | FileKind::CommunicationMatrix
                | FileKind::Csv("kernel_details" | "step_trace_time" | "op_summary")
        )
    }

    /// The word in `source.kind`.
    pub fn name(&self) -> &'static str {
        match self {
            FileKind::Trace => "trace",
            FileKind::Kineto => "kineto",
            FileKind::Csv(kind) => kind,
            FileKind::Sheet => "sheet",
            FileKind::Communication => "communication",
            FileKind::CommunicationMatrix => "communication_matrix",
            FileKind::ProfilerInfo => "profiler_info",
            FileKind::ProfilerMetadata => "profiler_metadata",
            FileKind::PipelineSummary => "minddata_pipeline_summary",
            FileKind::ProfilerDb => "db",
            FileKind::AnalysisDb => "analysis_db",
            FileKind::ClusterDb => "cluster_db",
            FileKind::Framework(name) => name,
            FileKind::Known => "known",
            FileKind::Unknown => "unknown",
        }
    }
}

/// The kind of the file called `name` (no directories).
pub fn kind_of(name: &str) -> FileKind {
    if name.starts_with('.') {
        return FileKind::Known;
    }
    match name {
        "trace_view.json" => return FileKind::Trace,
        "communication.json" => return FileKind::Communication,
        "communication_matrix.json" => return FileKind::CommunicationMatrix,
        "profiler_metadata.json" => return FileKind::ProfilerMetadata,
        "analysis.db" | "communication_analyzer.db" => return FileKind::AnalysisDb,
        "cluster_analysis.db" => return FileKind::ClusterDb,
        "analyse.done" | "all.done" | "ground_truth.json" => return FileKind::Known,
        _ => {}
    }
    if let Some(name) = framework::file_called(name) {
        return FileKind::Framework(name);
    }
    if framework::NOT_READ.contains(&name) {
        return FileKind::Known;
    }
    if name.ends_with(".pt.trace.json") || name.ends_with(".pt.trace.json.gz") {
        return FileKind::Kineto;
    }
    let Some((stem, extension)) = name.rsplit_once('.') else { return FileKind::Unknown };
    match extension {
        "json" if stem == "profiler_info" || numbered(stem, "profiler_info_") => FileKind::ProfilerInfo,
        "json" if stem.starts_with("minddata_pipeline_summary_") => FileKind::PipelineSummary,
        // User ranges alone; they are in msprof_*.json too.
        "json" if stem.starts_with("msprof_tx_") => FileKind::Known,
        "json" if stem.starts_with("msprof_") => FileKind::Trace,
        "db" if stem == "ascend_pytorch_profiler" || stem == "ascend_mindspore_profiler" => FileKind::ProfilerDb,
        "db" if numbered(stem, "ascend_pytorch_profiler_") || numbered(stem, "ascend_mindspore_profiler_") => {
            FileKind::ProfilerDb
        }
        "db" if numbered(stem, "msprof_") => FileKind::ProfilerDb,
        // Left behind by programs that opened a database to write.
        "db-wal" | "db-shm" | "db-journal" | "log" | "done" => FileKind::Known,
        "csv" => {
            let base = without_stamp(stem);
            match CSV.iter().find(|&&kind| kind == base) {
                Some(kind) => FileKind::Csv(kind),
                None if SHEETS.contains(&base) => FileKind::Sheet,
                None => FileKind::Unknown,
            }
        }
        _ => FileKind::Unknown,
    }
}

fn numbered(stem: &str, prefix: &str) -> bool {
    stem.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

/// `op_summary` of `op_summary_slice_0_20261115185652` and of `op_summary_20261115185652`.
fn without_stamp(stem: &str) -> &str {
    let mut base = stem;
    while let Some((head, tail)) = base.rsplit_once('_') {
        if tail.is_empty() || tail == "slice" || tail.bytes().all(|b| b.is_ascii_digit()) {
            base = head;
        } else {
            break;
        }
    }
    if CSV.contains(&stem) || SHEETS.contains(&stem) { stem } else { base }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_version_are_distinguished() {
        for (name, kind) in [
            ("trace_view.json", FileKind::Trace),
            ("msprof_20261115185649.json", FileKind::Trace),
            ("msprof_tx_20261115185649.json", FileKind::Known),
            ("op_summary_slice_0_20261115185652.csv", FileKind::Csv("op_summary")),
            ("l2_cache.csv", FileKind::Csv("l2_cache")),
            ("minddata_pipeline_raw_3.csv", FileKind::Csv("minddata_pipeline_raw")),
            ("profiler_info_12.json", FileKind::ProfilerInfo),
            ("profiler_info.json", FileKind::ProfilerInfo),
            ("ascend_pytorch_profiler_0.db", FileKind::ProfilerDb),
            ("msprof_20261115185649.db", FileKind::ProfilerDb),
            ("ascend_pytorch_profiler_0.db-wal", FileKind::Known),
            ("holiday.csv", FileKind::Unknown),
            ("notes", FileKind::Unknown),
            ("torch.op_range", FileKind::Framework("torch.op_range")),
            ("npuscope.events", FileKind::Framework("npuscope.events")),
            ("torch.param_tensor_info", FileKind::Known),
            ("node1_77.1695835542.pt.trace.json", FileKind::Kineto),
            ("node1_77.1695835542.pt.trace.json.gz", FileKind::Kineto),
        ] {
            assert_eq!(kind_of(name), kind, "{name}");
        }
    }
}
