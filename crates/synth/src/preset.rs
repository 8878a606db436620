//! Presets, which are jobs that train well-known models, and scenario files.

use toml::Table;

use crate::config::{JobConfig, Level, Recompute, Workload, framework};
use crate::error::{ConfigError, ValueType};
use crate::fault::Fault;
use crate::windows::{Profiling, Stretch};

/// Names of the presets.
pub const NAMES: &[&str] = &["small", "llama-7b", "qwen-72b", "deepseek-moe"];

/// The job that trains a well-known model, on the layout of [`JobConfig::default`].
pub fn preset(name: &str) -> Result<JobConfig, ConfigError> {
    let job = JobConfig::default();
    Ok(match name {
        "small" => job,
        "llama-7b" => JobConfig { layers: 32, ..job },
        "qwen-72b" => JobConfig {
            layers: 80,
            hidden: 8192,
            ffn: 29_568,
            heads: 64,
            kv_heads: 8,
            vocabulary: 152_064,
            tp: 8,
            pp: 4,
            micro_batches: 8,
            ..job
        },
        "deepseek-moe" => JobConfig {
            layers: 28,
            hidden: 2048,
            ffn: 2816,
            heads: 16,
            kv_heads: 16,
            vocabulary: 102_400,
            experts: 64,
            top_k: 6,
            expert_ffn: 1408,
            tp: 1,
            pp: 2,
            dp: 4,
            ep: 4,
            ..job
        },
        _ => return Err(ConfigError::Preset { name: name.to_owned() }),
    })
}

/// Reads a scenario: the fields of [`JobConfig`] as TOML. The preset that `preset` names gives the fields that the
/// scenario omits.
///
/// ```
/// let job = npuscope_synth::scenario("preset = 'llama-7b'\npp = 4\nfaults = ['slow-rank@3:1.4']").unwrap();
/// assert_eq!((job.layers, job.pp, job.faults.len()), (32, 4, 1));
/// ```
pub fn scenario(text: &str) -> Result<JobConfig, ConfigError> {
    let failed = |error: &dyn std::fmt::Display| ConfigError::Scenario(error.to_string().trim_end().to_owned());
    let mut given: Table = text.parse().map_err(|error| not_toml(text, &error))?;
    let base = match given.remove("preset") {
        None => JobConfig::default(),
        Some(toml::Value::String(name)) => preset(&name)?,
        Some(other) => return Err(ConfigError::Preset { name: other.to_string() }),
    };
    take_older_name(&mut given);
    let mut fields = Table::try_from(base).map_err(|error| failed(&error))?;
    check_keys(&given, &fields, "")?;
    check_values(&given)?;
    overlay(&mut fields, given);
    fields.try_into().map_err(|error: toml::de::Error| failed(&error))
}

/// Where the text is no TOML.
fn not_toml(text: &str, error: &toml::de::Error) -> ConfigError {
    let offset = error.span().map_or(0, |span| span.start.min(text.len()));
    let before = text.get(..offset).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    ConfigError::Syntax { line, column, text: error.message().trim_end().to_owned() }
}

/// The keys whose values are one of a few names.
const CHOICES: &[(&str, &[&str])] = &[
    ("level", Level::NAMES),
    ("recompute", Recompute::NAMES),
    ("workload", Workload::NAMES),
    ("profiling", Profiling::NAMES),
];

/// Accepts the key that `framework` was before.
fn take_older_name(given: &mut Table) {
    let older = given.remove("flavour"); // older name
    if let Some(value) = older {
        given.entry("framework").or_insert(value);
    }
}

/// Whether a value can stand where the default is `known`. A whole number is a number, too.
fn has_type_of(given: &toml::Value, known: &toml::Value) -> bool {
    given.same_type(known) || (given.is_integer() && known.is_float())
}

/// Whether a job has the keys, with values of their types: the reader of TOML would say so in English alone.
fn check_keys(given: &Table, known: &Table, place: &str) -> Result<(), ConfigError> {
    for (key, value) in given {
        match (known.get(key), value) {
            (None, _) => {
                let similar = npuscope_tables::similar::near(key, known.keys().map(String::as_str));
                let key = format!("{place}{key}");
                return Err(ConfigError::UnknownKey { key, similar: similar.map(|name| format!("{place}{name}")) });
            }
            (Some(toml::Value::Table(known)), toml::Value::Table(inner)) => {
                check_keys(inner, known, &format!("{place}{key}."))?;
            }
            (Some(known), given) if !has_type_of(given, known) => {
                let (expected, found) = (ValueType::of(known), ValueType::of(given));
                return Err(ConfigError::WrongType { key: format!("{place}{key}"), expected, found });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether faults and names can be read: the reader of TOML would say so in English alone.
fn check_values(given: &Table) -> Result<(), ConfigError> {
    for &(key, known) in CHOICES {
        if let Some(value) = given.get(key).and_then(toml::Value::as_str).filter(|value| !known.contains(value)) {
            return Err(ConfigError::Choice { key, known, value: value.to_owned() });
        }
    }
    let faults = given.get("faults").and_then(toml::Value::as_array).into_iter().flatten();
    for fault in faults.filter_map(toml::Value::as_str) {
        fault.parse::<Fault>()?;
    }
    let windows = given.get("windows").and_then(toml::Value::as_array).into_iter().flatten();
    for window in windows.filter_map(toml::Value::as_str) {
        window.parse::<Stretch>()?;
    }
    match given.get("framework").and_then(toml::Value::as_str) {
        Some(name) if framework(name).is_none() => Err(ConfigError::Framework { name: name.to_owned() }),
        _ => Ok(()),
    }
}

/// Replaces values of `table` by those of `over`, table by table.
fn overlay(table: &mut Table, over: Table) {
    for (key, value) in over {
        match (table.get_mut(&key), value) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(value)) => overlay(inner, value),
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use npuscope_messages::Language;
    use npuscope_tables::Framework;

    use super::*;

    #[test]
    fn every_preset_is_a_job() {
        for name in NAMES {
            preset(name).unwrap().check().unwrap();
        }
        assert!(matches!(preset("gpt-9"), Err(ConfigError::Preset { .. })));
    }

    #[test]
    fn a_scenario_changes_what_it_names() {
        let job = scenario("preset = 'deepseek-moe'\nsteps = 5\n[chip]\nhost_us = 9.0").unwrap();
        assert_eq!((job.experts, job.steps, job.chip.host_us), (64, 5, 9.0));
        assert_eq!(job.chip.cube_tflops, JobConfig::default().chip.cube_tflops);
    }

    #[test]
    fn the_older_name_of_the_framework_is_read() {
        let job = scenario("flavour = 'mindspore'").unwrap(); // older name
        assert_eq!(job.framework, Framework::MindSpore);
        let both = scenario("framework = 'torch_npu'\nflavour = 'mindspore'").unwrap(); // older name
        assert_eq!(both.framework, Framework::TorchNpu);
    }

    #[test]
    fn every_name_that_a_key_may_have_is_read() {
        for (key, names) in CHOICES {
            for name in *names {
                assert!(scenario(&format!("{key} = '{name}'")).is_ok(), "{key} = {name}");
            }
        }
    }

    #[test]
    fn what_is_wrong_with_a_job_has_a_sentence_in_chinese() {
        let job = |text: &str| scenario(text).and_then(|job| job.check());
        for (text, sentence) in [
            ("layers = 3", "layers 为 3，无法平均分给 2 个流水线 stage"),
            ("preset = 'x'", "没有预设 x；可用的预设：small、llama-7b、qwen-72b、deepseek-moe"),
            ("faults = ['gc@0:-1']", "故障 gc@0:-1：强度（每个 micro-batch 的 ms 数）至少为 0，实际为 -1"),
            ("faults = ['stage@0:1.5']", "故障 stage@0:1.5：强度（多出的层数）应为整数"),
            ("faults = ['clock@9']", "故障 clock@9:5：作业没有主机 9，共 1 台主机"),
            ("framework = 'jax'", "不支持框架 \"jax\"；请使用 torch_npu 或 mindspore"),
            ("level = 'level7'", "level 应为以下值之一：none、level0、level1、level2，实际为 \"level7\""),
            ("recompute = 'all'", "recompute 应为以下值之一：none、selective、full，实际为 \"all\""),
            ("workload = 'rl'", "workload 应为以下值之一：training、reinforcement-learning，实际为 \"rl\""),
            ("layers = 'many'", "layers 应为整数，实际为字符串"),
            ("[chip]\nhost_us = []", "chip.host_us 应为数字，实际为列表"),
            (
                "tp = 2\npp = ",
                "第 2 行第 6 列不是有效的 TOML（详细信息：string values must be quoted, expected literal string）",
            ),
            ("weather = 1", "未知的键 weather"),
            ("[chip]\nhosts_us = 1", "未知的键 chip.hosts_us；是否要用 chip.host_us？"),
        ] {
            assert_eq!(job(text).unwrap_err().message().text(Language::Chinese), sentence, "{text}");
        }
    }

    #[test]
    fn what_a_scenario_misspells_is_reported() {
        for (text, word) in [
            ("stpes = 3", "stpes"),
            ("preset = 'x'", "llama-7b"),
            ("faults = ['slow-rank']", "slow-rank"),
            ("level = 'level7'", "level7"),
            ("framework = 'jax'", "jax"),
            ("tp = ", "TOML"),
        ] {
            let error = scenario(text).unwrap_err().to_string();
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}
