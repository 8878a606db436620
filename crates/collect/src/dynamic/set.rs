//! Changing the file.

use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use npuscope_messages::{Message, io_error};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::file::{DynamicDialect, config_file, printed};
use super::poll;
use super::request::{Ranks, Request, RequestError, WHEN_AND_WHERE, Window};
use crate::atomic::{self, Durability};
use crate::config::{AicMetrics, Level};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::mindspore::dynamic::NEXT;
use crate::dialect::{self, Run, names};
use crate::messages;

/// What to change; the rest of the file stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub window: Option<WindowChange>,
    /// Steps to run before the window without keeping them.
    pub warmup: Option<u64>,
    pub ranks: Option<Ranks>,
    pub activities: Option<Vec<Activity>>,
    pub level: Option<Level>,
    pub metrics: Option<AicMetrics>,
    pub stack: Option<bool>,
    pub modules: Option<bool>,
    pub memory: Option<bool>,
    pub shapes: Option<bool>,
    pub flops: Option<bool>,
    pub mstx: Option<bool>,
    pub l2_cache: Option<bool>,
    pub sys_io: Option<bool>,
    pub sys_interconnection: Option<bool>,
    pub host_sys: Option<Vec<String>>,
    /// `text`, `db` or both.
    pub export: Option<Vec<String>>,
    pub analyse: Option<bool>,
    pub simplify: Option<bool>,
    pub output: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowChange {
    /// Record nothing from now on.
    Off,
    /// This many steps, as soon as the file is seen.
    Next {
        active: u64,
    },
    Steps(Window),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Activity {
    #[serde(rename = "CPU")]
    Cpu,
    #[serde(rename = "NPU")]
    Npu,
}

#[derive(Debug, thiserror::Error)]
pub enum SetError {
    Read { path: PathBuf, error: RequestError },
    Malformed { path: PathBuf, error: RequestError },
    Write { path: PathBuf, source: io::Error },
    OtherDialect { path: PathBuf, present: DynamicDialect, asked: DynamicDialect },
    Inexpressible { dialect: DynamicDialect, what: Message },
    Window { start: u64, stop: u64 },
}

impl SetError {
    pub fn message(&self) -> Message {
        match self {
            SetError::Read { path, error } => messages::set_unreadable(path, error.message()),
            SetError::Malformed { path, error } => messages::set_malformed(path, error.message()),
            SetError::Write { path, source } => messages::set_unwritable(path, io_error(source)),
            SetError::OtherDialect { path, present, asked } => {
                messages::set_other_dialect(path, present.name(), asked.name())
            }
            SetError::Inexpressible { dialect, what } => messages::set_inexpressible(dialect.name(), what.clone()),
            SetError::Window { start, stop } => messages::set_no_window(*start, *stop),
        }
    }
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

/// What was written.
#[derive(Clone, Debug)]
pub struct Written {
    pub path: PathBuf,
    /// There was none before.
    pub is_new: bool,
    /// What readers will make of it.
    pub request: Request,
    /// The keys that have another value now.
    pub edits: Vec<Edit>,
    /// Why a value that was set has another effect.
    pub warnings: Vec<Message>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// With its section: `experimental_config.profiler_level`.
    pub key: String,
    pub before: Option<Value>,
    pub after: Value,
}

/// Changes a file, or the `profiler_config.json` of a directory, in its own dialect; where there is none, one is made in
/// the dialect asked for, or that of torch_npu. Other keys and their order stay.
pub fn set(path: &Path, dialect: Option<DynamicDialect>, changes: &Changes) -> Result<Written, SetError> {
    let path = config_file(path);
    let present = match poll::read_file(&path) {
        Ok(read) => Some(object(&path, &read.text)?),
        Err(RequestError::File(error)) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(SetError::Read { path, error }),
    };
    let is_new = present.is_none();
    let found = present.as_ref().and_then(DynamicDialect::of);
    if let (Some(present), Some(asked)) =
        (found, dialect.filter(|&dialect| found.is_some_and(|found| found != dialect)))
    {
        return Err(SetError::OtherDialect { path, present, asked });
    }
    let dialect = found.or(dialect).unwrap_or(DynamicDialect::TorchNpu);
    let mut file = match (present, dialect.default_file()) {
        (Some(file), _) | (None, Value::Object(file)) => file,
        (None, _) => Map::new(),
    };
    let (mut edits, mut keys) = (Vec::new(), Vec::new());
    for (key, value) in values(changes, dialect, &file)? {
        edits.extend(put(&mut file, key, value));
        keys.push(key);
    }
    let text = printed(&Value::Object(file));
    let request = Request::read(&text).map_err(|error| SetError::Malformed { path: path.clone(), error })?;
    let made = if is_new { path.parent().map_or(Ok(()), fs::create_dir_all) } else { Ok(()) };
    let written = made.and_then(|()| atomic::write(&path, text.as_bytes(), None, Durability::Synced));
    written.map_err(|source| SetError::Write { path: path.clone(), source })?;
    let warnings = warnings(&text, &keys);
    Ok(Written { path, is_new, request, edits, warnings })
}

/// What is wrong with the keys that were set, other than what [`Request::read`] reports of every file.
fn warnings(text: &str, keys: &[&str]) -> Vec<Message> {
    fn name(key: &str) -> &str {
        key.rsplit('.').next().unwrap_or(key)
    }
    let is_set = |diagnostic: &&Diagnostic| {
        let key = diagnostic.key.as_deref().filter(|key| !WHEN_AND_WHERE.contains(key)).map(name);
        key.is_some_and(|key| keys.iter().any(|set| name(set) == key))
    };
    let reading = dialect::read_dynamic(text, &Run::default());
    let worse = |diagnostic: &&Diagnostic| diagnostic.severity > Severity::Info;
    reading.diagnostics.iter().filter(worse).filter(is_set).map(Diagnostic::with_key).collect()
}

fn object(path: &Path, text: &str) -> Result<Map<String, Value>, SetError> {
    let malformed = |error: RequestError| SetError::Malformed { path: path.to_owned(), error };
    match serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text)) {
        Ok(Value::Object(file)) => Ok(file),
        Ok(_) => Err(malformed(RequestError::NoObject)),
        Err(error) => Err(malformed(RequestError::Json(error))),
    }
}

/// Sets one key; what changed.
fn put(file: &mut Map<String, Value>, key: &str, after: Value) -> Option<Edit> {
    let before = match key.split_once('.') {
        None => file.insert(key.to_owned(), after.clone()),
        Some((section, name)) => {
            let section = file.entry(section).or_insert_with(|| json!({}));
            if !section.is_object() {
                *section = json!({});
            }
            section.as_object_mut().and_then(|section| section.insert(name.to_owned(), after.clone()))
        }
    };
    (before.as_ref() != Some(&after)).then(|| Edit { key: key.to_owned(), before, after })
}

type Values = Vec<(&'static str, Value)>;

/// The keys to set, in the words of a dialect.
fn values(changes: &Changes, dialect: DynamicDialect, file: &Map<String, Value>) -> Result<Values, SetError> {
    let mut values = Vec::new();
    match dialect {
        DynamicDialect::TorchNpu => torch_npu_window(changes, file, &mut values)?,
        DynamicDialect::MindSpore => mindspore_window(changes, &mut values)?,
    }
    let rows: [(Option<Value>, &str, &str); 15] = [
        (changes.activities.as_ref().map(|activities| json!(activities)), "activities", "activities"),
        (
            changes.level.map(|level| json!(level_name(level, dialect))),
            "experimental_config.profiler_level",
            "profiler_level",
        ),
        (
            changes.metrics.map(|metrics| json!(names::word(names::METRICS, &metrics))),
            "experimental_config.aic_metrics",
            "aic_metrics",
        ),
        (changes.stack.map(Value::Bool), "with_stack", "with_stack"),
        (changes.memory.map(Value::Bool), "profile_memory", "profile_memory"),
        (changes.shapes.map(Value::Bool), "record_shapes", "record_shapes"),
        (changes.mstx.map(Value::Bool), "experimental_config.mstx", "mstx"),
        (changes.l2_cache.map(Value::Bool), "experimental_config.l2_cache", "l2_cache"),
        (changes.sys_io.map(Value::Bool), "experimental_config.sys_io", "sys_io"),
        (
            changes.sys_interconnection.map(Value::Bool),
            "experimental_config.sys_interconnection",
            "sys_interconnection",
        ),
        (changes.host_sys.as_ref().map(|parts| json!(parts)), "experimental_config.host_sys", "host_sys"),
        (changes.export.as_ref().map(|export| json!(export)), "experimental_config.export_type", "export_type"),
        (changes.analyse.map(Value::Bool), "analyse", "analyse"),
        (changes.simplify.map(Value::Bool), "experimental_config.data_simplification", "data_simplification"),
        (changes.output.as_ref().map(|output| json!(output)), "prof_dir", "prof_path"),
    ];
    for (value, torch_npu, mindspore) in rows {
        let key = if dialect == DynamicDialect::TorchNpu { torch_npu } else { mindspore };
        values.extend(value.map(|value| (key, value)));
    }
    let only_torch_npu = [
        (changes.modules, "with_modules", messages::kind_modules()),
        (changes.flops, "with_flops", messages::kind_flops()),
    ];
    for (value, key, what) in only_torch_npu {
        match (value, dialect) {
            (Some(value), DynamicDialect::TorchNpu) => values.push((key, Value::Bool(value))),
            (Some(true), DynamicDialect::MindSpore) => return Err(SetError::Inexpressible { dialect, what }),
            _ => {}
        }
    }
    Ok(values)
}

fn torch_npu_window(changes: &Changes, file: &Map<String, Value>, values: &mut Values) -> Result<(), SetError> {
    let warmup = changes.warmup.or_else(|| file.get("warmup").and_then(Value::as_u64)).unwrap_or(0);
    match changes.window {
        None => values.extend(changes.warmup.map(|warmup| ("warmup", json!(warmup)))),
        Some(WindowChange::Off) => values.push(("start_step", json!(0))),
        Some(WindowChange::Next { active }) => {
            values.extend([("start_step", json!(-1)), ("warmup", json!(warmup)), ("active", json!(active.max(1)))]);
        }
        Some(WindowChange::Steps(window)) => {
            check(window)?;
            // The warmup cannot begin before the first step.
            let warmup = warmup.min(window.start - 1);
            let start = window.start - warmup;
            let active = (window.stop - window.start).saturating_add(1);
            values.extend([("start_step", json!(start)), ("warmup", json!(warmup)), ("active", json!(active))]);
        }
    }
    match &changes.ranks {
        None => {}
        Some(Ranks::All) => values.extend([("is_rank", json!(false)), ("rank_list", json!([]))]),
        Some(Ranks::Some(ranks)) => values.extend([("is_rank", json!(true)), ("rank_list", json!(ranks))]),
    }
    Ok(())
}

fn mindspore_window(changes: &Changes, values: &mut Values) -> Result<(), SetError> {
    let cannot = |what| Err(SetError::Inexpressible { dialect: DynamicDialect::MindSpore, what });
    match changes.window {
        None => {}
        Some(WindowChange::Off) => values.extend([("start_step", json!(-1)), ("stop_step", json!(-1))]),
        Some(WindowChange::Next { active }) => {
            values.extend([("start_step", json!(NEXT)), ("stop_step", json!(active.max(1)))]);
        }
        Some(WindowChange::Steps(window)) => {
            check(window)?;
            values.extend([("start_step", json!(window.start)), ("stop_step", json!(window.stop))]);
        }
    }
    match (&changes.ranks, changes.warmup) {
        (Some(Ranks::Some(_)), _) => cannot(messages::set_some_ranks()),
        (_, Some(1..)) => cannot(messages::set_warmup()),
        _ => Ok(()),
    }
}

fn check(window: Window) -> Result<(), SetError> {
    let Window { start, stop } = window;
    if start >= 1 && stop >= start { Ok(()) } else { Err(SetError::Window { start, stop }) }
}

fn level_name(level: Level, dialect: DynamicDialect) -> &'static str {
    let words = match dialect {
        DynamicDialect::TorchNpu => names::LEVELS_TORCH_NPU,
        DynamicDialect::MindSpore => names::LEVELS_MINDSPORE,
    };
    names::word(words, &level)
}
