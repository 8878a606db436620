//! The file, its two dialects and its default content.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use npuscope_formats::output::Part;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::dialect::detect::dynamic_notation;
use crate::dialect::{Dialect, Notation};

const FILE_NAME: &str = "profiler_config.json";

/// The profiler whose keys the file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DynamicDialect {
    #[serde(rename = "torch_npu")]
    TorchNpu,
    #[serde(rename = "mindspore")]
    MindSpore,
}

impl DynamicDialect {
    pub const fn name(self) -> &'static str {
        match self {
            DynamicDialect::TorchNpu => "torch_npu",
            DynamicDialect::MindSpore => "mindspore",
        }
    }

    /// The dialect of a file, by the keys that only one of them has; `None` where it has neither.
    ///
    /// [`crate::dialect`] decides, so that all readers agree.
    pub fn of(file: &Map<String, Value>) -> Option<DynamicDialect> {
        let keys = |file: &Map<String, Value>| file.keys().cloned().collect::<Vec<String>>();
        let experimental = file.get("experimental_config").and_then(Value::as_object).map(keys).unwrap_or_default();
        dynamic_notation(&keys(file), &experimental).map(DynamicDialect::of_notation)
    }

    /// The one among the dialects of all configurations.
    pub const fn as_dialect(self) -> Dialect {
        match self {
            DynamicDialect::TorchNpu => Dialect::TorchNpuDynamic,
            DynamicDialect::MindSpore => Dialect::MindSpore,
        }
    }

    pub(super) fn of_notation(notation: Notation) -> DynamicDialect {
        if notation == Notation::MindSporeDynamic { DynamicDialect::MindSpore } else { DynamicDialect::TorchNpu }
    }

    /// A file that records nothing and shows every key there is.
    pub(super) fn default_file(self) -> Value {
        match self {
            DynamicDialect::TorchNpu => json!({
                "activities": ["CPU", "NPU"], "prof_dir": "./", "analyse": false, "async_mode": false,
                "record_shapes": false, "profile_memory": false, "with_stack": false, "with_flops": false,
                "with_modules": false, "active": 1, "warmup": 0, "start_step": 0, "is_rank": false, "rank_list": [],
                "experimental_config": {
                    "profiler_level": "Level0", "aic_metrics": "AiCoreNone", "l2_cache": false, "op_attr": false,
                    "gc_detect_threshold": null, "data_simplification": true, "record_op_args": false,
                    "export_type": ["text"], "msprof_tx": false, "mstx": false, "host_sys": [],
                    "mstx_domain_include": [], "mstx_domain_exclude": [], "sys_io": false,
                    "sys_interconnection": false,
                },
            }),
            DynamicDialect::MindSpore => json!({
                "start_step": -1, "stop_step": -1, "aic_metrics": "AiCoreNone", "profiler_level": "Level0",
                "activities": ["CPU", "NPU"], "export_type": ["text"], "profile_memory": false, "mstx": false,
                "mstx_domain_include": [], "mstx_domain_exclude": [], "parallel_strategy": false,
                "with_stack": false, "data_simplification": true, "l2_cache": false, "analyse": false,
                "record_shapes": false, "prof_path": "./", "sys_io": false, "sys_interconnection": false,
                "host_sys": [],
            }),
        }
    }
}

/// The file that is meant by a path: itself, or the one in the directory.
pub fn config_file(path: &Path) -> PathBuf {
    let is_file = !path.is_dir() && (path.is_file() || path.extension().is_some_and(|end| end == "json"));
    if is_file { path.to_owned() } else { path.join(FILE_NAME) }
}

/// Creates the file, with its directory, unless it exists; returns whether it did.
pub fn write_default(path: &Path, dialect: DynamicDialect) -> io::Result<bool> {
    let file = config_file(path);
    if let Some(directory) = file.parent() {
        std::fs::create_dir_all(directory)?;
    }
    if file.exists() {
        return Ok(false);
    }
    let text = printed(&dialect.default_file());
    let part = Part::beside(&file);
    std::fs::write(part.path(), &text)?;
    // A link appears whole, and unlike a rename never replaces what another process created meanwhile.
    let made = std::fs::hard_link(part.path(), &file);
    match made {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => create(&file, &text),
        made => Ok(made.is_ok()),
    }
}

/// Creates a file where there are no links. Half of it is invalid JSON, so that readers wait for
/// the rest.
fn create(file: &Path, text: &str) -> io::Result<bool> {
    match OpenOptions::new().write(true).create_new(true).open(file) {
        Ok(mut created) => created.write_all(text.as_bytes()).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// JSON as both profilers write it.
pub(super) fn printed(value: &Value) -> String {
    let mut bytes = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    match value.serialize(&mut serializer) {
        Ok(()) => String::from_utf8_lossy(&bytes).into_owned() + "\n",
        // A value that is in memory can be printed; this way is shorter than a promise.
        Err(_) => value.to_string(),
    }
}
