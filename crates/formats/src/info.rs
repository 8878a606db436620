//! What the settings and notes of a rank say about it, whichever framework wrote them.

use npuscope_tables::Framework;
use npuscope_tables::table::{lane, metadata, sheet};
use npuscope_tables::{Ns, RankTables};
use serde_json::Value;

use crate::kineto;
use crate::source::{WindowSource, process_in_directory};

/// Facts about a rank, gathered from its settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankInfo {
    pub device: Option<i64>,
    pub host: Option<String>,
    pub host_uid: Option<String>,
    pub chip: Option<String>,
    pub process: Option<i64>,
    pub framework_version: Option<String>,
    pub cann_version: Option<String>,
    pub schema_version: Option<String>,
    /// level_none, level0, level1 or level2.
    pub level: Option<String>,
    pub aic_metrics: Option<String>,
    pub session: Option<(Ns, Ns)>,
    pub layout: Layout,
}

/// Sizes of the parallel layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    pub world: Option<i64>,
    pub tensor: Option<i64>,
    pub pipeline: Option<i64>,
    pub data: Option<i64>,
    pub context: Option<i64>,
    pub expert: Option<i64>,
}

/// The settings a profile was collected with, by key.
pub struct Settings {
    rows: Vec<(String, String, Value)>,
}

impl Settings {
    pub fn of(tables: &RankTables) -> Settings {
        let rows = tables.rows::<metadata::Row>().map(|row| {
            let value = tables.text(row.value);
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
            (tables.text(row.file).to_owned(), tables.text(row.key).to_owned(), value)
        });
        Settings { rows: rows.collect() }
    }

    /// The value at `path`, a key and then members of the objects inside, separated by `/`.
    pub fn get(&self, path: &str) -> Option<&Value> {
        let (key, pointer) = match path.find('/') {
            Some(at) => path.split_at(at),
            None => (path, ""),
        };
        self.rows.iter().filter(|(_, k, _)| k == key).find_map(|(_, _, value)| value.pointer(pointer))
    }

    pub fn text(&self, paths: &[&str]) -> Option<String> {
        paths.iter().find_map(|path| match self.get(path)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
    }

    pub fn int(&self, path: &str) -> Option<i64> {
        match self.get(path)? {
            Value::Number(number) => number.as_i64(),
            Value::String(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Whether a switch was on; `None` where the profile does not say.
    pub fn switch(&self, paths: &[&str]) -> Option<bool> {
        paths.iter().find_map(|path| self.get(path)?.as_bool())
    }

    pub fn level(&self) -> Option<String> {
        let level = self.text(&["config/experimental_config/_profiler_level", "profiler_parameters/profiler_level"])?;
        match level.trim_start_matches("ProfilerLevel.").to_ascii_lowercase().as_str() {
            "level0" => Some("level0".to_owned()),
            "level1" => Some("level1".to_owned()),
            "level2" => Some("level2".to_owned()),
            "level_none" | "levelnone" => Some("level_none".to_owned()),
            _ => None,
        }
    }

    /// Whether an activity (CPU or NPU) was collected; `None` where the profile does not say.
    pub fn activity(&self, name: &str) -> Option<bool> {
        let list =
            self.get("config/common_config/activities").or_else(|| self.get("profiler_parameters/activities"))?;
        Some(
            list.as_array()?
                .iter()
                .filter_map(Value::as_str)
                .any(|a| a.trim_start_matches("ProfilerActivity.") == name),
        )
    }
}

impl RankInfo {
    pub fn gather(source: &WindowSource, tables: &RankTables) -> RankInfo {
        let settings = Settings::of(tables);
        if source.framework == Framework::Kineto {
            return kineto::rank_info(source, tables, &settings);
        }
        let layout = Layout {
            world: settings.int("distributed_args/world_size"),
            tensor: settings.int("distributed_args/tensor_model_parallel_size"),
            pipeline: settings.int("distributed_args/pipeline_model_parallel_size"),
            data: settings.int("distributed_args/data_parallel_size"),
            context: settings.int("distributed_args/context_parallel_size"),
            expert: settings.int("distributed_args/expert_model_parallel_size"),
        };
        let db = DbFacts::of(tables);
        let start = settings.int("SESSION_TIME_INFO/startTimeNs");
        let end = settings.int("SESSION_TIME_INFO/endTimeNs");
        RankInfo {
            device: db
                .device
                .or_else(|| device_in_lanes(tables))
                .or_else(|| settings.int("ms_profiler_info/device_id")),
            host: db.host.or_else(|| host_in_directory(source)),
            host_uid: db.host_uid,
            chip: db.chip,
            process: process_in_lanes(tables),
            framework_version: settings.text(&["torch_npu_version", "ms_version"]),
            cann_version: settings.text(&["cann_version"]),
            schema_version: settings.text(&["SCHEMA_VERSION"]),
            level: settings.level().or_else(|| level_in_rows(tables)),
            aic_metrics: settings.text(&["config/experimental_config/_aic_metrics", "profiler_parameters/aic_metrics"]),
            session: start.zip(end).map(|(start, end)| (Ns(start), Ns(end))),
            layout,
        }
    }
}

/// What the small tables of a database say, which are kept cell by cell.
#[derive(Default)]
struct DbFacts {
    device: Option<i64>,
    host: Option<String>,
    host_uid: Option<String>,
    chip: Option<String>,
}

impl DbFacts {
    fn of(tables: &RankTables) -> DbFacts {
        let mut facts = DbFacts::default();
        for cell in tables.rows::<sheet::Row>().filter(|cell| cell.sheet.is_some() && cell.row == 0) {
            let value = tables.opt_text(cell.value).map(str::to_owned);
            match (tables.opt_text(cell.sheet).unwrap_or_default(), tables.text(cell.column)) {
                ("RANK_DEVICE_MAP", "deviceId") => facts.device = value.and_then(|v| v.parse().ok()),
                ("HOST_INFO", "hostName") => facts.host = value,
                ("HOST_INFO", "hostUid") => facts.host_uid = value,
                ("NPU_INFO", "name") => facts.chip = value,
                _ => {}
            }
        }
        facts
    }
}

/// The device in process ids of CANN's layers: the low five bits, 31 meaning the host.
fn device_in_lanes(tables: &RankTables) -> Option<i64> {
    let hardware = tables.rows::<lane::Row>().find(|lane| tables.opt_text(lane.process) == Some("Ascend Hardware"))?;
    let device = hardware.pid & 31;
    (device != 31).then_some(device)
}

/// The training process: that of the device's layers or, where there was no device, that of the framework's threads.
fn process_in_lanes(tables: &RankTables) -> Option<i64> {
    let lane_of =
        |process: &str| tables.rows::<lane::Row>().find(|lane| tables.opt_text(lane.process) == Some(process));
    let hardware = lane_of("Ascend Hardware").map(|lane| lane.pid >> 10);
    hardware.or_else(|| lane_of("Python").map(|lane| lane.pid))
}

/// The host in `{host}_{pid}_{time}_ascend_pt`.
fn host_in_directory(source: &WindowSource) -> Option<String> {
    process_in_directory(&source.directory_name()).map(|(host, _)| host.to_owned())
}

/// The least level that produces what is there, for profiles that do not say.
fn level_in_rows(tables: &RankTables) -> Option<String> {
    use npuscope_tables::TableId;
    use npuscope_tables::table::host_op;
    if tables.is_empty(TableId::Task) && tables.is_empty(TableId::Kernel) {
        return None;
    }
    let has_runtime = || tables.rows::<host_op::Row>().any(|op| tables.opt_text(op.level) == Some("runtime"));
    let has_types = || {
        tables.rows::<npuscope_tables::table::kernel::Row>().any(|kernel| kernel.op_type.is_some())
            || !tables.is_empty(TableId::ReportedComm)
    };
    let level = if has_runtime() {
        "level2"
    } else if has_types() {
        "level1"
    } else {
        "level0"
    };
    Some(level.to_owned())
}
