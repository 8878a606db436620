//! The health of a profile: what it contains, what is missing, and which setting would have collected that.

mod advice;
mod kineto;

use std::collections::{BTreeMap, BTreeSet};

use npuscope_collect::Setting;
use npuscope_formats::info::Settings;
use npuscope_formats::source::{JOB, RankSource};
use npuscope_measures::deliverable::{has_device, is_device_unread};
use npuscope_messages::Message;
use npuscope_store::{Store, StoreError};
use npuscope_tables::Framework;
use npuscope_tables::table::diagnostic::{Code, Severity};
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{
    counter, diagnostic, host_op, kernel, lane, rank, reported_operator, source, step, window,
};
use npuscope_tables::{LaneId, Rank, RankTables, TableId, Window, schema};
use serde::Serialize;

use crate::messages::collection as messages;

pub use advice::hint;

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Health {
    /// What was opened.
    pub path: String,
    /// The jobs in it, by time; all that follows is of one.
    pub jobs: Vec<String>,
    pub ranks: Vec<RankHealth>,
    /// What was recorded without interruption, by time.
    pub windows: Vec<WindowHealth>,
    /// What concerns no rank in particular.
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RankHealth {
    #[cfg_attr(feature = "ts", ts(as = "i64"))]
    pub rank: Rank,
    pub device: Option<i64>,
    pub host: Option<String>,
    pub chip: Option<String>,
    pub directory: String,
    /// text, db, text+db or kineto.
    pub format: String,
    pub framework: Option<String>,
    pub framework_version: Option<String>,
    pub cann_version: Option<String>,
    pub schema_version: Option<String>,
    pub level: Option<String>,
    /// Numbers of the steps.
    pub steps: Vec<i64>,
    /// First and last moment covered, in ns since the epoch.
    pub window: Option<(i64, i64)>,
    pub files: Vec<FileHealth>,
    /// Rows of each table that has any.
    pub rows: BTreeMap<String, u64>,
    /// Slices and samples of each lane.
    pub lanes: Vec<LaneHealth>,
    pub missing: Vec<Missing>,
    pub diagnostics: Vec<Diagnostic>,
}

/// A window of the job, whichever ranks recorded it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct WindowHealth {
    #[cfg_attr(feature = "ts", ts(as = "i64"))]
    pub window: Window,
    /// The stage of reinforcement learning that was recorded.
    pub stage: Option<String>,
    /// The ranks that recorded it.
    #[cfg_attr(feature = "ts", ts(as = "Vec<i64>"))]
    pub ranks: Vec<Rank>,
    /// Numbers of the steps.
    pub steps: Vec<i64>,
    /// First and last moment covered, in ns since the epoch.
    pub span: Option<(i64, i64)>,
    /// The directories or files, by rank.
    pub directories: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FileHealth {
    pub file: String,
    pub kind: String,
    pub bytes: Option<i64>,
    pub rows: Option<i64>,
    /// Columns or keys that nothing was read from.
    pub unread: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct LaneHealth {
    pub process: Option<String>,
    pub thread: Option<String>,
    pub pid: i64,
    pub tid: i64,
    pub slices: u64,
    pub samples: u64,
}

/// Something that was not collected.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "NotCollected"))]
pub struct Missing {
    /// What there is none of.
    pub what: Message,
    /// What it would be good for.
    pub good_for: Message,
    #[cfg_attr(feature = "ts", ts(type = "string"))]
    pub setting: Setting,
    /// The switch was on all the same.
    pub was_on: bool,
    /// What to write to collect it, by dialect; nothing where it was on, or no switch would help.
    pub switches: Vec<(&'static str, &'static str)>,
    /// Why it is not there, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub why: Option<Message>,
}

/// Something wrong with a file, or with the profile as a whole.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Diagnostic {
    #[cfg_attr(feature = "ts", ts(type = "DiagnosticSeverity"))]
    pub severity: Severity,
    #[cfg_attr(feature = "ts", ts(type = "DiagnosticCode"))]
    pub code: Code,
    pub file: Option<String>,
    pub offset: Option<i64>,
    pub message: Message,
}

pub fn health(store: &Store) -> Result<Health, StoreError> {
    let loaded = store.load_all()?;
    let mut ranks = Vec::new();
    let mut of_job = Vec::new();
    let mut windows = BTreeMap::new();
    for (source, loaded) in store.profile().sources().zip(loaded) {
        let tables = loaded.tables()?;
        if source.rank == JOB {
            of_job = diagnostics(&tables);
        } else {
            add_windows(source.rank, &tables, &mut windows);
            ranks.push(rank_health(source, &tables));
        }
    }
    let path = store.profile().root.display().to_string();
    let (jobs, windows) = (store.profile().jobs.clone(), windows.into_values().collect());
    Ok(Health { path, jobs, ranks, windows, diagnostics: of_job })
}

/// Adds what a rank recorded of each window.
fn add_windows(rank: Rank, tables: &RankTables, windows: &mut BTreeMap<Window, WindowHealth>) {
    for (number, row) in tables.rows_of_windows::<window::Row>() {
        let known = windows.entry(number).or_insert_with(|| WindowHealth {
            window: number,
            stage: tables.opt_text(row.stage).map(str::to_owned),
            ranks: Vec::new(),
            steps: Vec::new(),
            span: None,
            directories: Vec::new(),
        });
        known.ranks.push(rank);
        known.directories.push(tables.text(row.directory).to_owned());
        if let Some((start, end)) = row.start.zip(row.end) {
            let (first, last) = known.span.unwrap_or((start.0, end.0));
            known.span = Some((first.min(start.0), last.max(end.0)));
        }
    }
    for (number, row) in tables.rows_of_windows::<step::Row>() {
        let Some(window) = windows.get_mut(&number) else { continue };
        window.steps.extend(row.id);
    }
    for window in windows.values_mut() {
        window.steps.sort_unstable();
        window.steps.dedup();
    }
}

fn rank_health(source: &RankSource, tables: &RankTables) -> RankHealth {
    let row = tables.rows::<rank::Row>().next().unwrap_or_default();
    let text = |id| tables.opt_text(id).map(str::to_owned);
    let rows = schema::all().iter().filter(|t| !tables.is_empty(t.id));
    RankHealth {
        rank: source.rank,
        device: row.device,
        host: text(row.host),
        chip: text(row.chip),
        directory: source.directory_name(),
        format: tables.text(row.format).to_owned(),
        framework: advice::recorder(&Settings::of(tables)).or_else(|| text(row.framework)),
        framework_version: text(row.framework_version),
        cann_version: text(row.cann_version),
        schema_version: text(row.schema_version),
        level: text(row.level),
        steps: tables.rows::<step::Row>().filter_map(|s| s.id).collect::<BTreeSet<i64>>().into_iter().collect(),
        window: row.start.zip(row.end).map(|(start, end)| (start.0, end.0)),
        files: files(tables),
        rows: rows.map(|t| (t.name.to_owned(), tables.len(t.id) as u64)).collect(),
        lanes: lanes(tables),
        missing: missing(tables),
        diagnostics: diagnostics(tables),
    }
}

fn files(tables: &RankTables) -> Vec<FileHealth> {
    let files = tables.rows::<source::Row>().map(|row| FileHealth {
        file: tables.text(row.file).to_owned(),
        kind: tables.text(row.kind).to_owned(),
        bytes: row.bytes,
        rows: row.rows,
        unread: tables.opt_text(row.unread).and_then(|u| serde_json::from_str(u).ok()).unwrap_or_default(),
    });
    files.collect()
}

fn diagnostics(tables: &RankTables) -> Vec<Diagnostic> {
    let diagnostics = tables.rows::<diagnostic::Row>().map(|row| Diagnostic {
        severity: row.severity(tables),
        code: row.code(tables),
        file: tables.opt_text(row.file).map(str::to_owned),
        offset: row.offset,
        message: row.message(tables),
    });
    diagnostics.collect()
}

fn lanes(tables: &RankTables) -> Vec<LaneHealth> {
    use npuscope_tables::table::{comm_op, comm_task, overlap, task};
    let mut slices: BTreeMap<LaneId, u64> = BTreeMap::new();
    let mut samples: BTreeMap<LaneId, u64> = BTreeMap::new();
    let mut count = |lane: LaneId| *slices.entry(lane).or_default() += 1;
    tables.rows::<host_op::Row>().for_each(|r| count(r.lane));
    tables.rows::<task::Row>().for_each(|r| count(r.lane));
    tables.rows::<comm_op::Row>().for_each(|r| count(r.lane));
    tables.rows::<comm_task::Row>().filter_map(|r| r.lane).for_each(&mut count);
    tables.rows::<overlap::Row>().for_each(|r| count(r.lane));
    tables.rows::<counter::Row>().for_each(|r| *samples.entry(r.lane).or_default() += 1);
    let lanes = tables.rows::<lane::Row>().map(|row| LaneHealth {
        process: tables.opt_text(row.process).map(str::to_owned),
        thread: tables.opt_text(row.thread).map(str::to_owned),
        pid: row.pid,
        tid: row.tid,
        slices: slices.get(&row.lane).copied().unwrap_or_default(),
        samples: samples.get(&row.lane).copied().unwrap_or_default(),
    });
    lanes.collect()
}

/// One thing to look for: what, what for, and the setting that collects it.
struct Check {
    what: fn() -> Message,
    good_for: fn() -> Message,
    setting: Setting,
    is_there: fn(&RankTables) -> bool,
}

const CHECKS: &[Check] = &[
    Check {
        what: messages::data_framework_operators,
        good_for: messages::use_launching_line,
        setting: Setting::Cpu,
        is_there: |t| has_kind(t, Kind::Op),
    },
    Check {
        what: messages::data_device_tasks,
        good_for: messages::use_npu,
        setting: Setting::Npu,
        is_there: |t| !t.is_empty(TableId::Task) || !t.is_empty(TableId::Kernel),
    },
    Check {
        what: messages::data_step_markers,
        good_for: messages::use_step_time,
        setting: Setting::Steps,
        is_there: |t| !t.is_empty(TableId::Step) || !t.is_empty(TableId::ReportedStep),
    },
    Check {
        what: messages::data_types_and_shapes,
        good_for: messages::use_operators,
        setting: Setting::Level1,
        is_there: |t| t.rows::<kernel::Row>().any(|k| k.op_type.is_some() && k.input_shapes.is_some()),
    },
    Check {
        what: messages::data_ai_core_metrics,
        good_for: messages::use_bound,
        setting: Setting::Level1,
        is_there: |t| {
            t.rows::<kernel::Row>()
                .any(|k| k.aic_total_time.is_some() || k.aiv_total_time.is_some() || k.metrics.is_some())
        },
    },
    Check {
        what: messages::data_links,
        good_for: messages::use_bandwidth,
        setting: Setting::Level1,
        is_there: |t| {
            t.is_empty(TableId::CommOp) && t.is_empty(TableId::ReportedComm) && !t.is_empty(TableId::Task)
                || !t.is_empty(TableId::ReportedComm)
                || t.rows::<npuscope_tables::table::comm_task::Row>().any(|p| p.transport.is_some())
        },
    },
    Check {
        what: messages::data_cann_calls,
        good_for: messages::use_late_host,
        setting: Setting::Level1,
        is_there: |t| has_kind(t, Kind::Cann),
    },
    Check {
        what: messages::data_runtime_calls,
        good_for: messages::use_synchronising,
        setting: Setting::Level2,
        is_there: |t| t.rows::<host_op::Row>().any(|op| t.opt_text(op.level) == Some("runtime")),
    },
    Check {
        what: messages::data_memory,
        good_for: messages::use_memory,
        setting: Setting::Memory,
        is_there: |t| !t.is_empty(TableId::MemEvent) || !t.is_empty(TableId::MemSample),
    },
    Check {
        what: messages::data_input_shapes,
        good_for: messages::use_slow_call,
        setting: Setting::Shapes,
        is_there: |t| {
            t.rows::<host_op::Row>().any(|op| op.shapes.is_some())
                || t.rows::<reported_operator::Row>().any(|op| op.shapes.is_some())
        },
    },
    Check {
        what: messages::data_call_stacks,
        good_for: messages::use_code_line,
        setting: Setting::Stack,
        is_there: |t| {
            t.rows::<host_op::Row>().any(|op| op.stack.is_some())
                || t.rows::<reported_operator::Row>().any(|op| op.stack.is_some())
                || has_kind(t, Kind::Python)
        },
    },
    Check {
        what: messages::data_l2_cache,
        good_for: messages::use_cache_misses,
        setting: Setting::L2Cache,
        is_there: |t| !t.is_empty(TableId::KernelCache),
    },
    Check {
        what: messages::data_user_ranges,
        good_for: messages::use_names,
        setting: Setting::Mstx,
        is_there: |t| has_kind(t, Kind::Mstx),
    },
];

fn has_kind(tables: &RankTables, kind: Kind) -> bool {
    tables.rows::<host_op::Row>().any(|op| tables.text(op.kind) == kind.name())
}

/// Whether the memory of the process was sampled, which is all the memory there is without a device.
fn has_resident_memory(tables: &RankTables) -> bool {
    tables.rows::<counter::Row>().any(|row| tables.text(row.name) == "Resident memory")
}

fn missing(tables: &RankTables) -> Vec<Missing> {
    let settings = Settings::of(tables);
    if Framework::of(tables) == Framework::Kineto {
        return kineto::missing(tables, &settings);
    }
    let level = settings.level();
    // The deepest level slows a job down and adds little: it is reported as missing only if it was requested.
    let is_asked_for = |check: &Check| check.setting != Setting::Level2 || level.as_deref() == Some("level2");
    // Databases have no place for these, MindSpore's for less.
    let row = tables.rows::<rank::Row>().next();
    let is_db = row.is_some_and(|row| tables.text(row.format) == "db");
    let is_mindspore = Framework::of(tables) == Framework::MindSpore;
    let can_hold = |check: &Check| match check.setting {
        Setting::L2Cache => !is_db,
        Setting::Cpu | Setting::Shapes | Setting::Stack => !(is_db && is_mindspore),
        _ => true,
    };
    // Where our recorder saw no device, no level and no metric would have shown more.
    let recorder = advice::recorder(&settings).filter(|_| !has_device(tables) && !is_device_unread(tables));
    let is_of_device = |check: &Check| {
        check.setting != Setting::Npu && advice::is_of_device(check.setting)
            || check.setting == Setting::Memory && has_resident_memory(tables)
    };
    let absent = CHECKS.iter().filter(|check| {
        !(check.is_there)(tables)
            && is_asked_for(check)
            && can_hold(check)
            && !(recorder.is_some() && is_of_device(check))
    });
    let framework = Framework::of(tables);
    let missing = absent.map(|check| {
        let why = recorder.as_ref().filter(|_| check.setting == Setting::Npu);
        let why = why.map(|recorder| messages::saw_host_only(recorder.clone()));
        Missing::of(check, advice::was_on(check.setting, &settings, framework), why, framework)
    });
    missing.collect()
}

impl Missing {
    /// What was on, or is not there for another reason, no switch would bring.
    fn of(check: &Check, was_on: bool, why: Option<Message>, framework: Framework) -> Missing {
        let is_advised = !was_on && why.is_none();
        Missing {
            what: (check.what)(),
            good_for: (check.good_for)(),
            setting: check.setting,
            was_on,
            switches: if is_advised { advice::switches(check.setting, framework) } else { Vec::new() },
            why,
        }
    }
}
