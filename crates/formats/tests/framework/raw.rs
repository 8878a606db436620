//! A raw directory, as our recorder leaves it.

use std::fs;
use std::path::{Path, PathBuf};

use npuscope_formats::framework;
use serde_json::{Value, json};

/// When the machine's clock was 0.
pub const SHIFT: i64 = 1_700_000_000_000_000_000;

pub struct RawDirectory {
    pub path: PathBuf,
}

impl RawDirectory {
    /// An empty one of that name, whose times are nanoseconds.
    pub fn create(root: &Path, name: &str, rank: Option<i64>, export: Value) -> RawDirectory {
        let path = root.join(name);
        fs::create_dir_all(path.join(framework::DIRECTORY)).unwrap();
        let directory = RawDirectory { path };
        directory.settings(
            rank,
            export,
            json!({"syscnt_enable": false, "freq": 100, "start_cnt": 0, "start_monotonic": 0}),
        );
        directory.metadata(&json!({
            "distributed_args": {"world_size": 2, "tensor_model_parallel_size": 2, "rank": rank},
            "parallel_group_info": {"node%lo_1_0_1": {"group_name": "tp", "group_rank": 0, "global_ranks": [0, 1]}},
        }));
        directory
    }

    /// What the profiler says of itself; names the rank if there is one.
    pub fn settings(&self, rank: Option<i64>, export: Value, start_info: Value) {
        let info = json!({
            "config": {
                "common_config": {"activities": ["ProfilerActivity.CPU"], "record_shapes": true, "with_stack": true},
                "experimental_config": {"_profiler_level": "Level0", "_export_type": export},
            },
            "start_info": start_info,
            "end_info": {"collectionTimeEnd": SHIFT + 1000, "MonotonicTimeEnd": 1000},
            "rank_id": rank,
            "npuscope_version": "0.1.0",
        });
        let name = rank.map_or("profiler_info.json".to_owned(), |rank| format!("profiler_info_{rank}.json"));
        fs::write(self.path.join(name), info.to_string()).unwrap();
    }

    pub fn metadata(&self, metadata: &Value) {
        fs::write(self.path.join("profiler_metadata.json"), metadata.to_string()).unwrap();
    }

    /// Writes a file of records.
    pub fn file(&self, name: &str, write: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = Vec::new();
        write(&mut bytes);
        fs::write(self.path.join(framework::DIRECTORY).join(name), bytes).unwrap();
    }
}
