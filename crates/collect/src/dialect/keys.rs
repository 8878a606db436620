//! What a notation calls a field of [`CollectConfig`](crate::CollectConfig).

use super::{Dialect, Notation};

/// A field, and its key in MindSpeed-LLM, FSDP2, MindSpeed-RL, MindSpore and torch_npu; empty where there is none.
type Row = (&'static str, [&'static str; 5]);

/// torch_npu has these beside the others in a dynamic file, and those of the profiler in `experimental_config`.
const ROWS: &[Row] = &[
    ("enabled", ["--profile", "profile", "profile", "", ""]),
    ("ranks", ["--profile-ranks", "profile_ranks", "profile_ranks", "", ""]),
    ("stages", ["", "", "stage", "", ""]),
    ("cpu", ["--profile-with-cpu", "profile_with_cpu", "profile_with_cpu", "activities", "activities"]),
    ("npu", ["", "", "profile_with_npu", "activities", "activities"]),
    ("level", ["--profile-level", "profile_level", "profile_level", "profiler_level", "profiler_level"]),
    ("aic_metrics", ["", "", "", "aic_metrics", "aic_metrics"]),
    ("stack", ["--profile-with-stack", "profile_with_stack", "", "with_stack", "with_stack"]),
    ("modules", ["", "", "profile_with_module", "", "with_modules"]),
    (
        "memory",
        ["--profile-with-memory", "profile_with_memory", "profile_with_memory", "profile_memory", "profile_memory"],
    ),
    (
        "shapes",
        ["--profile-record-shapes", "profile_record_shapes", "profile_record_shapes", "record_shapes", "record_shapes"],
    ),
    ("flops", ["", "", "", "", "with_flops"]),
    ("mstx", ["", "", "mstx", "mstx", "mstx"]),
    ("mstx_domain_include", ["", "", "", "mstx_domain_include", "mstx_domain_include"]),
    ("mstx_domain_exclude", ["", "", "", "mstx_domain_exclude", "mstx_domain_exclude"]),
    ("l2_cache", ["", "", "", "l2_cache", "l2_cache"]),
    ("sys_io", ["", "", "", "sys_io", "sys_io"]),
    ("sys_interconnection", ["", "", "", "sys_interconnection", "sys_interconnection"]),
    ("op_attr", ["", "", "", "", "op_attr"]),
    ("record_op_args", ["", "", "", "", "record_op_args"]),
    ("host_sys", ["", "", "", "host_sys", "host_sys"]),
    ("gc_threshold_ms", ["", "", "", "", "gc_detect_threshold"]),
    ("export", ["--profile-export-type", "profile_export_type", "profile_export_type", "export_type", "export_type"]),
    (
        "simplify",
        [
            "--profile-data-simplification",
            "profile_data_simplification",
            "",
            "data_simplification",
            "data_simplification",
        ],
    ),
    ("output", ["--profile-save-path", "profile_save_path", "profile_save_path", "", ""]),
    ("analyse", ["", "", "profile_analysis", "", ""]),
    ("data_process", ["", "", "", "data_process", ""]),
    ("parallel_strategy", ["", "", "", "parallel_strategy", ""]),
];

/// Where the notations of a profiler differ.
const OF_NOTATIONS: &[(Notation, &str, &str)] = &[
    (Notation::MindSporeArguments, "schedule", "schedule"),
    (Notation::MindSporeArguments, "output", "on_trace_ready.dir_name"),
    (Notation::MindSporeArguments, "analyse", "on_trace_ready.analyse_flag"),
    (Notation::MindSporeDynamic, "enabled", "start_step"),
    (Notation::MindSporeDynamic, "at_once", "start_step"),
    (Notation::MindSporeDynamic, "output", "prof_path"),
    (Notation::MindSporeDynamic, "analyse", "analyse"),
    (Notation::MindSporeEnvironment, "enabled", "start"),
    (Notation::MindSporeEnvironment, "output", "output_path"),
    (Notation::TorchNpuArguments, "schedule", "schedule"),
    (Notation::TorchNpuArguments, "output", "on_trace_ready.dir_name"),
    (Notation::TorchNpuArguments, "analyse", "on_trace_ready.analyse_flag"),
    (Notation::TorchNpuDynamic, "enabled", "start_step"),
    (Notation::TorchNpuDynamic, "at_once", "start_step"),
    (Notation::TorchNpuDynamic, "ranks", "rank_list"),
    (Notation::TorchNpuDynamic, "output", "prof_dir"),
    (Notation::TorchNpuDynamic, "analyse", "analyse"),
    (Notation::TorchNpuDynamic, "metadata", "metadata"),
];

impl Notation {
    /// The key of a field of the configuration, with its section; `None` where the notation has none.
    pub fn key(self, field: &str) -> Option<String> {
        let own = OF_NOTATIONS.iter().find(|(notation, known, _)| *notation == self && *known == field);
        if let Some((.., key)) = own {
            return Some((*key).to_owned());
        }
        let column = match self.dialect() {
            Dialect::MindSpeedLlm => 0,
            Dialect::Fsdp2 => 1,
            Dialect::MindSpeedRl => 2,
            Dialect::MindSpore => 3,
            Dialect::TorchNpu | Dialect::TorchNpuDynamic => 4,
        };
        let (_, keys) = ROWS.iter().find(|(known, _)| *known == field)?;
        let key = keys.get(column).copied().filter(|key| !key.is_empty())?;
        // Not every notation of MindSpore's has all of its keys.
        if column == 3 && !super::mindspore::keys(self).0.contains(&key) {
            return None;
        }
        let is_experimental = column == 4 && super::torch_npu::keys(self).1.contains(&key);
        let section = match self {
            Notation::Fsdp2Yaml => "training.",
            Notation::Fsdp2Flags => "--training.",
            Notation::RlYaml => "profiler_config.integrated.",
            _ if is_experimental => "experimental_config.",
            _ => "",
        };
        Some(format!("{section}{key}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every key that a table has is one that its reader knows.
    #[test]
    fn keys_are_those_that_are_read() {
        for notation in [Notation::MindSporeArguments, Notation::MindSporeDynamic, Notation::MindSporeEnvironment] {
            let (known, _) = super::super::mindspore::keys(notation);
            for field in fields() {
                let Some(key) = notation.key(&field) else { continue };
                let outer = key.split('.').next().unwrap_or_default();
                assert!(known.contains(&outer), "{notation:?} {field}: {key}");
            }
        }
        for notation in [Notation::TorchNpuArguments, Notation::TorchNpuDynamic] {
            let (known, experimental) = super::super::torch_npu::keys(notation);
            for field in fields() {
                let Some(key) = notation.key(&field) else { continue };
                let is_known = match key.strip_prefix("experimental_config.") {
                    Some(inner) => experimental.contains(&inner),
                    None => known.contains(&key.split('.').next().unwrap_or_default()),
                };
                assert!(is_known, "{notation:?} {field}: {key}");
            }
        }
        assert_eq!(Notation::Fsdp2Yaml.key("stack").as_deref(), Some("training.profile_with_stack"));
        assert_eq!(Notation::TorchNpuDynamic.key("level").as_deref(), Some("experimental_config.profiler_level"));
        assert_eq!(Notation::LlmFlags.key("flops"), None);
        assert_eq!(Notation::MindSporeDynamic.key("data_process"), None);
    }

    fn fields() -> Vec<String> {
        let json = serde_json::to_value(crate::CollectConfig::default()).unwrap();
        json.as_object().unwrap().keys().cloned().collect()
    }
}
