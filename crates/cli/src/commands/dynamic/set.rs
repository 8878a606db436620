//! `npuscope dynamic set`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use npuscope_collect::dynamic::{
    Changes, Ranks, Request, SetError, Start, Style, Window, WindowChange, Written, set, statuses,
};
use npuscope_tables::Rank;

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
    /// Style of a file that is to be created.
    pub style: Option<Style>,
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
    let written = set(&options.config, options.style, &changes(options)?).map_err(|error| match error {
        SetError::Write { path, source } => CliError::Write { path, source },
        other => UsageError::Control(other).into(),
    })?;
    io::stdout().lock().write_all(text(&written).as_bytes())?;
    if options.start.is_some() {
        warn_of_passed(&written, settings);
        warn_of_next(&written, settings);
    }
    Ok(ExitCode::SUCCESS)
}

fn text(written: &Written) -> String {
    let path = written.path.display();
    let style = written.request.style.name();
    let mut text = match (written.is_new, written.edits.is_empty()) {
        (true, _) => format!("created {path} in the style of {style}\n"),
        (false, false) => format!("changed {path}, in the style of {style}\n"),
        (false, true) => format!("{path} says so already, in the style of {style}; its time is new\n"),
    };
    let rows = written.edits.iter().map(|edit| {
        let before = edit.before.as_ref().map_or_else(String::new, ToString::to_string);
        vec![edit.key.clone(), before, "->".to_owned(), edit.after.to_string()]
    });
    text.push_str(&terminal::columns(&["", "", "", ""], &[], rows));
    for remark in &written.request.remarks {
        text.push_str(&format!("  {remark}\n"));
    }
    text.push_str(&format!("{}\n", what_happens(&written.request)));
    text
}

/// What a job that reads the file will do.
pub fn what_happens(request: &Request) -> String {
    let ranks = match &request.ranks {
        Ranks::All => "on every rank".to_owned(),
        Ranks::Some(ranks) if ranks.is_empty() => "on no rank".to_owned(),
        Ranks::Some(ranks) => {
            let mut sorted: Vec<Rank> = ranks.iter().map(|&rank| Rank(i64::from(rank))).collect();
            sorted.sort_unstable();
            let word = if sorted.len() == 1 { "rank" } else { "ranks" };
            format!("on {word} {}", terminal::ranges(&sorted))
        }
    };
    let warmup = match request.warmup {
        0 => String::new(),
        steps => format!(" after {} of warmup", terminal::counted(steps, "step")),
    };
    match (request.start, request.window(1)) {
        (Start::Next, _) => {
            format!(
                "records {} as soon as a running job sees it{warmup}, {ranks}",
                terminal::counted(request.active, "step")
            )
        }
        (Start::At(_), Some(window)) if window.start == window.stop => {
            format!("records {window}, counted from 1{warmup}, {ranks}")
        }
        (Start::At(_), Some(window)) => format!("records {window}, counted from 1, both included{warmup}, {ranks}"),
        _ => "records nothing".to_owned(),
    }
}

/// Says which ranks are past the first step already, as far as they have told.
fn warn_of_passed(written: &Written, settings: &Settings) {
    let (Start::At(first), Some(window)) = (written.request.start, written.request.window(1)) else { return };
    let passed = |status: &npuscope_collect::dynamic::Status| {
        status.age() < FRESH && status.step >= first && written.request.ranks.contains(status.rank)
    };
    let passed: Vec<_> = statuses(&written.path).into_iter().filter(passed).collect();
    if let Some(step) = passed.iter().map(|status| status.step).max() {
        let ranks: Vec<Rank> = passed.iter().map(|status| Rank(i64::from(status.rank))).collect();
        let word = if ranks.len() == 1 { "rank" } else { "ranks" };
        let (ranks, start) = (terminal::ranges(&ranks), window.start);
        settings
            .terminal
            .warning(&format!("{word} {ranks} finished step {step} already, which is too late for {start}"));
    }
}

/// Says what the next step is not: that of a job which is yet to start, and the same one on all ranks.
fn warn_of_next(written: &Written, settings: &Settings) {
    if written.request.start != Start::Next {
        return;
    }
    let reported = statuses(&written.path).into_iter().filter(|status| status.age() < FRESH);
    let reported = reported.filter(|status| written.request.ranks.contains(status.rank)).count();
    if reported == 0 {
        let message = "no rank has reported that it watches this file; a job that starts later does not take `next`, \
                       but does take the number of a step";
        settings.terminal.warning(message);
    }
    let is_one = reported == 1 || matches!(&written.request.ranks, Ranks::Some(ranks) if ranks.len() <= 1);
    if !is_one {
        let message = "ranks see the file at different steps, so that `next` may be another one on each; give the \
                       number of a step to have the same";
        settings.terminal.warning(message);
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
