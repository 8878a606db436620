//! What the profile says about how it was collected.

use npuscope_formats::flavour::Flavour;
use npuscope_tables::RankBuilder;
use npuscope_tables::table::metadata;
use serde_json::{Map, Value, json};

use crate::config::JobConfig;
use crate::layout::{DEVICES_PER_HOST, Group};

/// The name of the host a rank runs on.
pub fn host(rank: usize) -> String {
    format!("node{:04}", rank / DEVICES_PER_HOST)
}

pub fn host_uid(rank: usize) -> String {
    npuscope_formats::link::group_hash(&host(rank))
}

/// Writes the rows of `metadata`.
pub fn record(rank: &mut RankBuilder, config: &JobConfig, number: usize, groups: &[Group]) {
    let info = match config.flavour {
        Flavour::MindSpore => mindspore_info(config, number),
        _ => torch_info(config, number),
    };
    put(rank, "profiler_info", info);
    let mut notes = Map::new();
    if config.flavour != Flavour::MindSpore {
        notes.insert("ENV_VARIABLES".to_owned(), json!({"ASCEND_GLOBAL_LOG_LEVEL": "", "HCCL_ALGO": ""}));
    }
    notes.insert(
        "distributed_args".to_owned(),
        json!({
            "tensor_model_parallel_size": config.tp,
            "pipeline_model_parallel_size": config.pp,
            "data_parallel_size": config.dp,
            "context_parallel_size": 1,
            "expert_model_parallel_size": 1,
            "sequence_parallel": false,
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
    json!({
        "config": {
            "common_config": {
                "activities": ["ProfilerActivity.CPU", "ProfilerActivity.NPU"],
                "schedule": {"wait": 0, "active": config.steps, "warmup": 1, "repeat": 1, "skip_first": config.first_step - 1},
                "record_shapes": true,
                "profile_memory": true,
                "with_stack": true,
                "with_flops": false,
                "with_modules": true,
            },
            "experimental_config": {
                "_profiler_level": "Level1",
                "_aic_metrics": "ACL_AICORE_PIPE_UTILIZATION",
                "_l2_cache": false,
                "_msprof_tx": false,
                "_data_simplification": true,
                "record_op_args": false,
                "_export_type": ["text", "db"],
                "_op_attr": false,
                "_gc_detect_threshold": null,
            },
        },
        "start_info": {"syscnt_enable": true, "freq": 100, "start_cnt": 0, "start_monotonic": 0},
        "end_info": {"collectionTimeEnd": config.start + 3_600_000_000_000i64, "MonotonicTimeEnd": 3_600_000_000_000i64},
        "rank_id": number,
    })
}

fn mindspore_info(config: &JobConfig, number: usize) -> Value {
    json!({
        "profiler_parameters": {
            "is_set_schedule": true,
            "activities": ["CPU", "NPU"],
            "profiler_level": "Level1",
            "aic_metrics": "PipeUtilization",
            "with_stack": true,
            "profile_memory": true,
            "record_shapes": true,
            "l2_cache": false,
            "mstx": false,
            "export_type": ["text", "db"],
            "schedule": {"wait": 0, "active": config.steps, "warmup": 1, "repeat": 1, "skip_first": config.first_step - 1},
        },
        "ms_profiler_info": {"rank_id": number.to_string(), "device_id": (number % DEVICES_PER_HOST).to_string()},
        "ms_version": "2.10.0",
        "jit_level": "O0",
    })
}
