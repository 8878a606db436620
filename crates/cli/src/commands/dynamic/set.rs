//! `npuscope dynamic set`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use npuscope_collect::dynamic::{
    Changes, DynamicDialect, Ranks, Request, SetError, Start, Window, WindowChange, Written, set, statuses,
};
use npuscope_collect::messages;
use npuscope_messages::Message;
use npuscope_tables::Rank;

use crate::commands::config::on_ranks;
use crate::error::CliError;
use crate::rank_list::RankList;
use crate::settings::Settings;
use crate::terminal;
use crate::usage::UsageError;

/// Ranks are listed one by one in the file.
const MAX_RANKS: usize = 1 << 16;

/// Reports older than this are of a job that is over.
const FRESH: Duration = Duration::from_secs(120);

/// Which file to change, and what.
#[derive(Clone, Debug)]
pub struct SetOptions {
    /// The profiler_config.json, or its directory.
    pub config: PathBuf,
    /// Dialect of a file that is to be created.
    pub dialect: Option<DynamicDialect>,
    /// First step to record.
    pub start: Option<StartStep>,
    /// Last step to record.
    pub stop: Option<u64>,
    /// Number of steps to record, instead of `stop`.
    pub steps: Option<u64>,
    /// Record nothing from now on.
    pub off: bool,
    pub ranks: Option<RankList>,
    /// All but its window and ranks, which the fields above make.
    pub changes: Changes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartStep {
    Next,
    At(u64),
}

pub fn run(options: &SetOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let written = set(&options.config, options.dialect, &changes(options)?).map_err(|error| match error {
        SetError::Write { path, source } => CliError::Write { path, source },
        other => UsageError::Control(other).into(),
    })?;
    io::stdout().lock().write_all(text(&written, settings).as_bytes())?;
    for warning in &written.warnings {
        settings.terminal.warning(&settings.text(warning));
    }
    if options.start.is_some() {
        warn_of_passed(&written, settings);
        warn_of_next(&written, settings);
    }
    Ok(ExitCode::SUCCESS)
}

fn text(written: &Written, settings: &Settings) -> String {
    let (path, dialect) = (&written.path, written.request.dialect.name());
    let headline = match (written.is_new, written.edits.is_empty()) {
        (true, _) => messages::set_created(path, dialect),
        (false, false) => messages::set_changed(path, dialect),
        (false, true) => messages::set_unchanged(path, dialect),
    };
    let mut text = format!("{}\n", settings.text(&headline));
    let rows = written.edits.iter().map(|edit| {
        let before = edit.before.as_ref().map_or_else(String::new, ToString::to_string);
        vec![edit.key.clone(), before, "->".to_owned(), edit.after.to_string()]
    });
    text.push_str(&terminal::columns(&["", "", "", ""], &[], rows));
    for diagnostic in &written.request.diagnostics {
        text.push_str(&format!("  {}\n", settings.text(diagnostic)));
    }
    text.push_str(&format!("{}\n", settings.text(&effect(&written.request))));
    text
}

/// What a job that reads the file will do.
pub fn effect(request: &Request) -> Message {
    let ranks = match &request.ranks {
        Ranks::All => messages::explain_all_ranks(),
        Ranks::Some(ranks) => on_ranks(ranks),
    };
    let warmup = match request.warmup {
        0 => messages::records_without_warmup(),
        steps => messages::records_after_warmup(steps),
    };
    match (request.start, request.window(1)) {
        (Start::Next, _) => messages::records_next(request.active, warmup, ranks),
        (Start::At(_), Some(window)) => messages::records_window(window.message(), warmup, ranks),
        _ => messages::records_nothing(),
    }
}

/// Warns of ranks that have reported a step after the first one to record.
fn warn_of_passed(written: &Written, settings: &Settings) {
    let (Start::At(first), Some(window)) = (written.request.start, written.request.window(1)) else { return };
    let passed = |status: &npuscope_collect::dynamic::Status| {
        status.age() < FRESH && status.step >= first && written.request.ranks.contains(status.rank)
    };
    let passed: Vec<_> = statuses(&written.path).into_iter().filter(passed).collect();
    if let Some(step) = passed.iter().map(|status| status.step).max() {
        let ranks: Vec<Rank> = passed.iter().map(|status| Rank(i64::from(status.rank))).collect();
        let message = if ranks.len() == 1 { messages::set_passed_one } else { messages::set_passed };
        settings.terminal.warning(&settings.text(&message(terminal::ranges(&ranks), step, window.start)));
    }
}

/// Warns that `next` is ignored by jobs that start later, and may differ between ranks.
fn warn_of_next(written: &Written, settings: &Settings) {
    if written.request.start != Start::Next {
        return;
    }
    let reported = statuses(&written.path).into_iter().filter(|status| status.age() < FRESH);
    let reported = reported.filter(|status| written.request.ranks.contains(status.rank)).count();
    if reported == 0 {
        settings.terminal.warning(&settings.text(&messages::set_nobody_watches()));
    }
    let is_one = reported == 1 || matches!(&written.request.ranks, Ranks::Some(ranks) if ranks.len() <= 1);
    if !is_one {
        settings.terminal.warning(&settings.text(&messages::set_next_differs()));
    }
}

fn changes(options: &SetOptions) -> Result<Changes, CliError> {
    let window = match options.start {
        _ if options.off => Some(WindowChange::Off),
        None => None,
        Some(StartStep::Next) if options.stop.is_some() => {
            return Err(UsageError::StopAfterNext.into());
        }
        Some(StartStep::Next) => Some(WindowChange::Next { active: options.steps.unwrap_or(1) }),
        Some(StartStep::At(start)) => {
            let by_count = options.steps.map(|steps| start.saturating_add(steps - 1));
            let stop = options.stop.or(by_count).unwrap_or(start);
            Some(WindowChange::Steps(Window { start, stop }))
        }
    };
    let ranks = match &options.ranks {
        None => None,
        Some(list) if list.is_all() => Some(Ranks::All),
        Some(list) => Some(Ranks::Some(list.expanded(MAX_RANKS).ok_or(UsageError::TooManyRanks)?)),
    };
    Ok(Changes { window, ranks, ..options.changes.clone() })
}
