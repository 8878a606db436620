//! `npuscope info`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use npuscope_analysis::Severity;
use npuscope_analysis::overview::{HostTime, Overview, RankTime, overview};
use npuscope_measures::step::Clock;
use npuscope_tables::Rank;

use crate::commands::{ReportFormat, check_strict, exit_code, findings_text, say_counts, say_warnings};
use crate::error::CliError;
use crate::settings::Settings;
use crate::terminal::{self, Style};
use crate::usage::UsageError;

/// Ranks that are listed one by one.
const MAX_LISTED: usize = 32;

/// What to report on, and how.
#[derive(Clone, Debug)]
pub struct InfoOptions {
    pub path: PathBuf,
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
    let mut overview = overview(&store)?;
    for next in overview.findings.iter_mut().filter_map(|finding| finding.next.as_mut()) {
        *next = next.replacen("DIR", &options.path.display().to_string(), 1);
    }
    say_warnings(&store, settings);
    say_counts(overview.problems as u64, overview.remarks as u64, &options.path, settings);
    let mut out = io::stdout().lock();
    match options.format {
        ReportFormat::Json => {
            serde_json::to_writer_pretty(&mut out, &overview)?;
            writeln!(out)?;
        }
        ReportFormat::Text if overview.ranks.is_empty() => {}
        ReportFormat::Text => out.write_all(text(&overview, settings).as_bytes())?,
    }
    if overview.ranks.is_empty() {
        return Err(UsageError::NoStepTimes(options.path.clone()).into());
    }
    Ok(exit_code(&overview.findings, options.fail_on))
}

fn text(overview: &Overview, settings: &Settings) -> String {
    let bold = |text: &str| settings.terminal.styled(Style::Bold, text);
    let mut text = String::new();
    let steps = overview.steps;
    let step = overview.step_ms;
    // Microseconds matter where there are not many.
    let digits = if step < 10.0 { 3 } else { 1 };
    let ranks = terminal::counted(overview.ranks.len() as u64, "rank");
    let has_markers = overview.ranks.iter().any(|rank| rank.clock == Clock::Host.name());
    text.push_str(&bold(&if has_markers {
        format!("{ranks}, {}, {step:.digits$} ms per step\n\n", terminal::counted(steps as u64, "step"))
    } else {
        format!("{ranks}, no step markers, {step:.digits$} ms in all\n\n")
    }));
    let (recorded, host_only): (Vec<&RankTime>, Vec<&RankTime>) = overview.ranks.iter().partition(|r| r.has_device);
    if !recorded.is_empty() {
        let title = if has_markers { "device time per step, mean in ms\n" } else { "device time, in ms\n" };
        text.push_str(&bold(title));
        text.push_str(&device_table(recorded, digits, settings));
    }
    if !overview.ranks_without_steps.is_empty() {
        let ranks = terminal::ranges(&overview.ranks_without_steps);
        text.push_str(&format!("  without step times: ranks {ranks}\n"));
    }
    if !host_only.is_empty() {
        if host_only.len() < overview.ranks.len() {
            text.push('\n');
        }
        text.push_str(&host_text(&host_only, overview, digits, settings));
    }
    text.push('\n');
    let compared = overview.ranks.len() - host_only.len();
    let none = match compared {
        0 => "no device was recorded, so nothing can be concluded of it",
        1 => "none; one rank has no other to be compared with",
        _ => "no rank computes longer than the others of its stage",
    };
    text.push_str(&findings_text(&overview.findings, none, settings));
    text
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
    let headers = ["rank", "step", "device", "computing", "", "exposed comm.", "", "free", ""];
    let mut text = terminal::columns(&headers, &[0, 1, 2, 3, 4, 5, 6, 7, 8], rows);
    if count > MAX_LISTED {
        let listed = format!("  the {MAX_LISTED} that compute longest; --format json has all\n");
        text.push_str(&settings.terminal.styled(Style::Dim, &listed));
    }
    text
}

/// How long the steps of ranks are that only the host was recorded of, and what most of that goes to.
fn host_text(ranks: &[&RankTime], overview: &Overview, digits: usize, settings: &Settings) -> String {
    let whose = if ranks.len() < overview.ranks.len() {
        let ranks: Vec<Rank> = ranks.iter().map(|rank| rank.rank).collect();
        format!(" of ranks {}", terminal::ranges(&ranks))
    } else {
        String::new()
    };
    let title = format!("no device was recorded{whose}; time of a step on the host, mean in ms\n");
    let mut text = settings.terminal.styled(Style::Bold, &title);
    let mut listed = ranks.to_vec();
    if listed.len() > MAX_LISTED {
        listed.sort_by(|a, b| b.step.total_cmp(&a.step));
        listed.truncate(MAX_LISTED);
    }
    let rows = listed
        .iter()
        .map(|rank| vec![rank.rank.to_string(), format!("{:.digits$}", rank.step), rank.steps.to_string()]);
    text.push_str(&terminal::columns(&["rank", "step", "steps"], &[0, 1, 2], rows));
    if ranks.len() > MAX_LISTED {
        let listed = format!("  the {MAX_LISTED} with the longest steps; --format json has all\n");
        text.push_str(&settings.terminal.styled(Style::Dim, &listed));
    }
    if overview.host.is_empty() {
        return text;
    }
    text.push('\n');
    text.push_str(&settings.terminal.styled(Style::Bold, "where the host's time goes, mean of a step in ms\n"));
    // Of the ranks that have it: others may do other work.
    #[expect(clippy::cast_precision_loss, reason = "a count of ranks")]
    let step_of = |time: &HostTime| {
        let steps = ranks.iter().filter(|rank| time.ranks.iter().any(|(number, _)| *number == rank.rank));
        steps.map(|rank| rank.step).sum::<f64>() / time.ranks.len().max(1) as f64
    };
    let is_compared = ranks.len() > 1;
    let rows = overview.host.iter().map(|time| {
        let kind = if time.is_range { "range" } else { "operator" };
        let mut row = vec![
            time.name.clone(),
            kind.to_owned(),
            format!("{:.digits$}", time.mean()),
            share(time.mean(), step_of(time)),
        ];
        if let Some((least, most)) = time.extremes().filter(|_| is_compared) {
            row.extend([least, most].map(|(rank, ms)| format!("{ms:.digits$} on rank {rank}")));
        }
        row
    });
    let headers = ["name", "kind", "mean", "", "least", "most"];
    let headers = if is_compared { &headers[..] } else { &headers[..4] };
    text.push_str(&terminal::columns(headers, &[2, 3], rows));
    text
}
