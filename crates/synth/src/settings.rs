//! What the profile says about how it was collected, and by which clock.

use npuscope_tables::Framework;
use npuscope_tables::table::metadata;
use npuscope_tables::{Ns, RankBuilder};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::config::{JobConfig, Level};
use crate::fault::FaultKind;
use crate::layout::Group;
use crate::noise::uniform;

/// The name of the host a rank runs on.
pub fn host(config: &JobConfig, rank: usize) -> String {
    format!("node{:04}", rank / config.devices_per_host)
}

pub fn host_uid(config: &JobConfig, rank: usize) -> String {
    npuscope_measures::link::group_hash(&host(config, rank))
}

/// The id of a rank's process on its host.
pub fn process(config: &JobConfig, rank: usize) -> i64 {
    100_000 + i64::try_from(rank % config.devices_per_host).unwrap_or_default() * 100
}

/// The clock of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Clock {
    pub host: usize,
    /// When the job starts by this clock, in ns since the epoch.
    pub start_ns: i64,
    /// How far it is ahead of the first host's at the start.
    pub offset_ns: i64,
    /// How much faster than true it runs, in parts per billion.
    pub drift_ppb: i64,
}

/// How much faster or slower than true a clock may run.
const MOST_DRIFT_PPB: f64 = 2_000.0;

impl Clock {
    pub fn of_rank(config: &JobConfig, rank: usize) -> Clock {
        Clock::of_host(config, rank / config.devices_per_host)
    }

    /// The first host's clock is right.
    #[expect(clippy::cast_possible_truncation, reason = "offsets are below an hour")]
    pub fn of_host(config: &JobConfig, host: usize) -> Clock {
        let spread = |what: u64| 2.0 * uniform([config.seed, 23, host as u64, what]) - 1.0;
        let is_own = host > 0 && config.clock_skew_us > 0.0;
        let (skew, drift_ppb) = match is_own {
            true => ((spread(0) * config.clock_skew_us * 1e3) as i64, (spread(1) * MOST_DRIFT_PPB) as i64),
            false => (0, 0),
        };
        let faults = config.faults.iter().filter(|fault| fault.kind == FaultKind::Clock && fault.place == host);
        let offset_ns = skew + (faults.map(|fault| fault.strength).sum::<f64>() * 1e6) as i64;
        Clock { host, start_ns: config.start.saturating_add(offset_ns), offset_ns, drift_ppb }
    }

    /// What the clock shows so many ns after the start of the job.
    pub fn time(&self, ns: u64) -> Ns {
        let ns = i64::try_from(ns).unwrap_or(i64::MAX);
        let drift = i128::from(ns) * i128::from(self.drift_ppb) / 1_000_000_000;
        Ns(self.start_ns.saturating_add(ns).saturating_add(i64::try_from(drift).unwrap_or_default()))
    }
}

/// Writes the rows of `metadata`.
pub fn record(rank: &mut RankBuilder, config: &JobConfig, number: usize, groups: &[Group]) {
    let info = match config.framework {
        Framework::MindSpore => mindspore_info(config, number),
        _ => torch_info(config, number),
    };
    put(rank, "profiler_info", info);
    let mut notes = Map::new();
    if config.framework != Framework::MindSpore {
        let variables = json!({
            "ASCEND_GLOBAL_LOG_LEVEL": "", "HCCL_RDMA_TC": "", "HCCL_RDMA_SL": "", "ACLNN_CACHE_LIMIT": "",
            "HOST_CACHE_CAPACITY": "", "ASCEND_ENHANCE_ENABLE": "", "PYTORCH_NPU_ALLOC_CONF": "",
            "ASCEND_LAUNCH_BLOCKING": "", "HCCL_ALGO": "",
        });
        notes.insert("ENV_VARIABLES".to_owned(), variables);
    }
    notes.insert(
        "distributed_args".to_owned(),
        json!({
            "tensor_model_parallel_size": config.tp,
            "pipeline_model_parallel_size": config.pp,
            "data_parallel_size": config.dp,
            "context_parallel_size": config.cp,
            "expert_model_parallel_size": config.ep,
            "sequence_parallel": config.sequence_parallel,
            "rank": number,
            "world_size": config.ranks(),
        }),
    );
    let groups: Map<String, Value> = groups
        .iter()
        .map(|group| {
            let note = json!({
                "group_name": group.kind.name(),
                "group_rank": group.local(number),
                "global_ranks": group.ranks,
            });
            (group.name.clone(), note)
        })
        .collect();
    notes.insert("parallel_group_info".to_owned(), Value::Object(groups));
    put(rank, "profiler_metadata", Value::Object(notes));
}

fn put(rank: &mut RankBuilder, file: &str, object: Value) {
    let Value::Object(object) = object else { return };
    for (key, value) in object {
        let row = metadata::Row {
            file: rank.strings.intern(file),
            key: rank.strings.intern(&key),
            value: rank.strings.intern(&value.to_string()),
        };
        rank.metadata.push(row);
    }
}

fn torch_info(config: &JobConfig, number: usize) -> Value {
    let has_gc = config.faults.iter().any(|fault| fault.kind == FaultKind::Gc);
    json!({
        "config": {
            "common_config": {
                "activities": ["ProfilerActivity.CPU", "ProfilerActivity.NPU"],
                "schedule": {"wait": 0, "active": config.steps, "warmup": 1, "repeat": 1, "skip_first": (config.first_step - 1).max(0)},
                "record_shapes": config.record_shapes,
                "profile_memory": config.profile_memory,
                "with_stack": config.with_stack,
                "with_flops": false,
                "with_modules": config.with_modules,
            },
            "experimental_config": {
                "_profiler_level": config.level.name(),
                "_aic_metrics": if config.level > Level::Level0 { "ACL_AICORE_PIPE_UTILIZATION" } else { "ACL_AICORE_NONE" },
                "_l2_cache": config.l2_cache,
                "_msprof_tx": config.mstx,
                "_data_simplification": !config.mfu_ranges,
                "record_op_args": false,
                "_export_type": ["text", "db"],
                "_op_attr": false,
                "_gc_detect_threshold": if has_gc { json!(1.0) } else { Value::Null },
            },
        },
        "start_info": {"syscnt_enable": true, "freq": 100, "start_cnt": 0, "start_monotonic": 0},
        "end_info": {"collectionTimeEnd": config.start + 3_600_000_000_000i64, "MonotonicTimeEnd": 3_600_000_000_000i64},
        "rank_id": number,
    })
}

/// `info.json.N`: what raw data says of the chip. As many cores as its peak takes.
pub fn device_info(config: &JobConfig, rank: usize) -> Value {
    let per_core = config.chip.frequency_mhz * 1e6 * crate::chip::CUBE_FLOPS_PER_CYCLE;
    let cores = crate::chip::whole_ns((config.chip.cube_tflops * 1e12 / per_core).round());
    let frequency = config.chip.frequency_mhz.to_string();
    json!({"rank_id": rank, "DeviceInfo": [{"id": slot(config, rank), "ai_core_num": cores, "aic_frequency": frequency}]})
}

/// The place of a rank's device on its host.
pub fn slot(config: &JobConfig, rank: usize) -> usize {
    rank % config.devices_per_host
}

fn mindspore_info(config: &JobConfig, number: usize) -> Value {
    json!({
        "profiler_parameters": {
            "is_set_schedule": true,
            "activities": ["CPU", "NPU"],
            "profiler_level": config.level.name().replace("Level_none", "LevelNone"),
            "aic_metrics": if config.level > Level::Level0 { "PipeUtilization" } else { "AiCoreNone" },
            "with_stack": config.with_stack,
            "profile_memory": config.profile_memory,
            "record_shapes": config.record_shapes,
            "l2_cache": config.l2_cache,
            "mstx": config.mstx,
            "export_type": ["text", "db"],
            "schedule": {"wait": 0, "active": config.steps, "warmup": 1, "repeat": 1, "skip_first": (config.first_step - 1).max(0)},
        },
        "ms_profiler_info": {"rank_id": number.to_string(), "device_id": (number % config.devices_per_host).to_string()},
        "ms_version": "2.10.0",
        "jit_level": "O0",
    })
}
