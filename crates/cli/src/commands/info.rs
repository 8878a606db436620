//! `npuscope info`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use npuscope_analysis::Severity;
use npuscope_analysis::overview::{HostTime, Overview, RankTime, overview};
use npuscope_messages::Message;
use npuscope_tables::Rank;

use crate::commands::{
    ReportFormat, check_step, check_strict, exit_code, findings_text, json, say_counts, say_warnings,
};
use crate::error::CliError;
use crate::messages;
use crate::messages::output as heads;
use crate::settings::Settings;
use crate::terminal::{self, Style};
use crate::usage::UsageError;

/// Ranks that are listed one by one.
const MAX_LISTED: usize = 32;

/// What to report on, and how.
#[derive(Clone, Debug)]
pub struct InfoOptions {
    pub path: PathBuf,
    /// The step to look at; all if there is none.
    pub step: Option<i64>,
    pub format: ReportFormat,
    /// Fail if anything could not be read.
    pub strict: bool,
    /// Severity of a finding from which the exit code is 1.
    pub fail_on: Option<Severity>,
}

pub fn run(options: &InfoOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let store = settings.open(&options.path)?;
    if options.strict {
        check_strict(&store)?;
    }
    check_step(&store, options.step)?;
    let mut overview = overview(&store, options.step)?;
    for next in overview.findings.iter_mut().filter_map(|finding| finding.next.as_mut()) {
        *next = next.replacen("DIR", &options.path.display().to_string(), 1);
    }
    say_warnings(&store, settings);
    say_counts(overview.losses as u64, overview.infos as u64, &options.path, settings);
    let mut out = io::stdout().lock();
    match options.format {
        ReportFormat::Json => json::print(&mut out, &overview, &[])?,
        ReportFormat::Text if overview.ranks.is_empty() => {}
        ReportFormat::Text => out.write_all(text(&overview, settings).as_bytes())?,
    }
    if overview.ranks.is_empty() {
        return Err(UsageError::NoStepTimes(options.path.clone()).into());
    }
    Ok(exit_code(&overview.findings, options.fail_on))
}

fn text(overview: &Overview, settings: &Settings) -> String {
    let heading = |message: &Message| settings.terminal.styled(Style::Bold, &format!("{}\n", settings.text(message)));
    let mut text = String::new();
    let step = overview.step_ms;
    let digits = digits(step);
    let step = format!("{step:.digits$}");
    let ranks = overview.ranks.len();
    let has_markers = overview.has_steps();
    text.push_str(&heading(&if has_markers {
        messages::info_headline(ranks, overview.steps, step)
    } else {
        messages::info_headline_without_markers(ranks, step)
    }));
    text.push('\n');
    let (recorded, host_only): (Vec<&RankTime>, Vec<&RankTime>) = overview.ranks.iter().partition(|r| r.has_device);
    if !recorded.is_empty() {
        text.push_str(&heading(&if has_markers { messages::info_device_per_step() } else { messages::info_device() }));
        text.push_str(&device_table(recorded, digits, settings));
    }
    if !overview.ranks_without_steps.is_empty() {
        let ranks = terminal::ranges(&overview.ranks_without_steps);
        text.push_str(&format!(
            "  {}\n",
            settings.text(&messages::info_without_steps(overview.ranks_without_steps.len(), ranks))
        ));
    }
    if !host_only.is_empty() {
        if host_only.len() < overview.ranks.len() {
            text.push('\n');
        }
        text.push_str(&host_text(&host_only, overview, digits, settings));
    }
    text.push('\n');
    let none = match overview.ranks.len() - host_only.len() {
        0 => messages::info_no_device(),
        1 => messages::info_one_rank(),
        _ => messages::info_no_findings(),
    };
    text.push_str(&findings_text(&overview.findings, has_markers, &none, settings));
    text
}

/// Digits behind the point of milliseconds: microseconds matter where there are not many.
pub fn digits(step_ms: f64) -> usize {
    if step_ms < 10.0 { 3 } else { 1 }
}

fn share(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.0} %", part / whole * 100.0) } else { String::new() }
}

/// How the time of each rank divides; `digits` behind the point.
fn device_table(mut ranks: Vec<&RankTime>, digits: usize, settings: &Settings) -> String {
    let count = ranks.len();
    if count > MAX_LISTED {
        ranks.sort_by(|a, b| b.computing.total_cmp(&a.computing));
        ranks.truncate(MAX_LISTED);
    }
    let rows = ranks.iter().map(|r| {
        vec![
            r.rank.to_string(),
            format!("{:.digits$}", r.step),
            format!("{:.digits$}", r.device),
            format!("{:.digits$}", r.computing),
            share(r.computing, r.device),
            format!("{:.digits$}", r.exposed_communication),
            share(r.exposed_communication, r.device),
            format!("{:.digits$}", r.free),
            share(r.free, r.device),
        ]
    });
    let [rank, step, device] =
        [heads::head_rank(), heads::head_step(), heads::head_device()].map(|head| settings.text(&head));
    let parts = [heads::head_computing(), heads::head_exposed_communication(), heads::head_free()];
    let [computing, exposed, free] = parts.map(|head| settings.text(&head));
    let headers = [&rank, &step, &device, &computing, "", &exposed, "", &free, ""];
    let mut text = terminal::columns(&headers, &[0, 1, 2, 3, 4, 5, 6, 7, 8], rows);
    if count > MAX_LISTED {
        let listed = format!("  {}\n", settings.text(&messages::info_longest_computing(MAX_LISTED)));
        text.push_str(&settings.terminal.styled(Style::Dim, &listed));
    }
    text
}

/// How long the steps of ranks are that only the host was recorded of, and what most of that goes to.
fn host_text(ranks: &[&RankTime], overview: &Overview, digits: usize, settings: &Settings) -> String {
    let heading = |message: &Message| settings.terminal.styled(Style::Bold, &format!("{}\n", settings.text(message)));
    let mut text = heading(&if ranks.len() < overview.ranks.len() {
        let ranks: Vec<Rank> = ranks.iter().map(|rank| rank.rank).collect();
        messages::info_host_of_ranks(ranks.len(), terminal::ranges(&ranks))
    } else {
        messages::info_host()
    });
    let mut listed = ranks.to_vec();
    if listed.len() > MAX_LISTED {
        listed.sort_by(|a, b| b.step.total_cmp(&a.step));
        listed.truncate(MAX_LISTED);
    }
    let rows = listed
        .iter()
        .map(|rank| vec![rank.rank.to_string(), format!("{:.digits$}", rank.step), rank.steps.to_string()]);
    let headers = [heads::head_rank(), heads::head_step(), heads::head_steps()].map(|head| settings.text(&head));
    text.push_str(&terminal::columns(&headers.each_ref().map(String::as_str), &[0, 1, 2], rows));
    if ranks.len() > MAX_LISTED {
        let listed = format!("  {}\n", settings.text(&messages::info_longest_steps(MAX_LISTED)));
        text.push_str(&settings.terminal.styled(Style::Dim, &listed));
    }
    if overview.host.is_empty() {
        return text;
    }
    text.push('\n');
    text.push_str(&heading(&messages::info_host_work()));
    // Of the ranks that have it: others may do other work.
    #[expect(clippy::cast_precision_loss, reason = "a count of ranks")]
    let step_of = |time: &HostTime| {
        let steps = ranks.iter().filter(|rank| time.ranks.iter().any(|(number, _)| *number == rank.rank));
        steps.map(|rank| rank.step).sum::<f64>() / time.ranks.len().max(1) as f64
    };
    let is_compared = ranks.len() > 1;
    let rows = overview.host.iter().map(|time| {
        let kind = if time.is_range { heads::kind_range() } else { heads::kind_operator() };
        let mut row = vec![
            time.name.clone(),
            settings.text(&kind),
            format!("{:.digits$}", time.mean()),
            share(time.mean(), step_of(time)),
        ];
        if let Some((least, most)) = time.extremes().filter(|_| is_compared) {
            row.extend(
                [least, most].map(|(rank, ms)| settings.text(&messages::info_on_rank(format!("{ms:.digits$}"), rank))),
            );
        }
        row
    });
    let heads =
        [heads::head_name(), heads::head_kind(), heads::head_mean(), heads::head_shortest(), heads::head_longest()];
    let [name, kind, mean, shortest, longest] = heads.map(|head| settings.text(&head));
    let headers = [name.as_str(), &kind, &mean, "", &shortest, &longest];
    text.push_str(&terminal::columns(if is_compared { &headers } else { &headers[..4] }, &[2, 3], rows));
    text
}
