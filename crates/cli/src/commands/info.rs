//! `npuscope info`.

use std::io::{self, Write};
use std::process::ExitCode;

use npuscope_analysis::overview::{Overview, overview};

use crate::arguments::{InfoCommand, ReportFormat};
use crate::commands::{check_strict, exit_code, findings_text, say_problems, say_warnings};
use crate::error::CliError;
use crate::settings::Settings;
use crate::terminal::{self, Style};

/// Ranks that are listed one by one.
const MAX_LISTED: usize = 32;

pub fn run(command: &InfoCommand, settings: &Settings) -> Result<ExitCode, CliError> {
    let session = settings.open(&command.path, settings.session_options())?;
    if command.strict {
        check_strict(&session)?;
    }
    let mut overview = overview(&session)?;
    for next in overview.findings.iter_mut().filter_map(|finding| finding.next.as_mut()) {
        *next = next.replacen("DIR", &command.path.display().to_string(), 1);
    }
    say_warnings(&session, settings);
    say_problems(&session, &command.path, settings)?;
    let mut out = io::stdout().lock();
    match command.format {
        ReportFormat::Json => {
            serde_json::to_writer_pretty(&mut out, &overview)?;
            writeln!(out)?;
        }
        ReportFormat::Text if overview.ranks.is_empty() => {}
        ReportFormat::Text => out.write_all(text(&overview, settings).as_bytes())?,
    }
    if overview.ranks.is_empty() {
        let path = command.path.display();
        return Err(CliError::Usage(format!("no rank has step times; npuscope doctor {path} says what is missing")));
    }
    Ok(exit_code(&overview.findings, command.fail_on))
}

fn text(overview: &Overview, settings: &Settings) -> String {
    let bold = |text: &str| settings.terminal.styled(Style::Bold, text);
    let mut text = String::new();
    let steps = overview.ranks.iter().map(|r| r.steps).max().unwrap_or_default();
    let slowest = overview.ranks.iter().map(|r| r.step).fold(0.0, f64::max);
    // Microseconds matter where there are not many.
    let digits = if slowest < 10.0 { 3 } else { 1 };
    let ranks = terminal::counted(overview.ranks.len() as u64, "rank");
    if overview.ranks.iter().any(|rank| rank.has_markers) {
        let steps = terminal::counted(steps as u64, "step");
        text.push_str(&bold(&format!("{ranks}, {steps}, {slowest:.digits$} ms a step\n\n")));
        text.push_str(&bold("time of a step on the device, mean in ms\n"));
    } else {
        text.push_str(&bold(&format!("{ranks}, no step markers, {slowest:.digits$} ms in all\n\n")));
        text.push_str(&bold("time on the device, in ms\n"));
    }
    let share =
        |part: f64, whole: f64| if whole > 0.0 { format!("{:.0} %", part / whole * 100.0) } else { String::new() };
    let mut ranks: Vec<_> = overview.ranks.iter().collect();
    if ranks.len() > MAX_LISTED {
        ranks.sort_by(|a, b| b.computing.total_cmp(&a.computing));
        ranks.truncate(MAX_LISTED);
    }
    let rows = ranks.iter().map(|r| {
        vec![
            r.rank.to_string(),
            format!("{:.digits$}", r.step),
            format!("{:.digits$}", r.computing),
            share(r.computing, r.step),
            format!("{:.digits$}", r.exposed_communication),
            share(r.exposed_communication, r.step),
            format!("{:.digits$}", r.free),
            share(r.free, r.step),
        ]
    });
    let headers = ["rank", "step", "computing", "", "communication", "", "free", ""];
    text.push_str(&terminal::columns(&headers, &[0, 1, 2, 3, 4, 5, 6, 7], rows));
    if overview.ranks.len() > MAX_LISTED {
        let listed = format!("  the {MAX_LISTED} that compute longest; --format json has all\n");
        text.push_str(&settings.terminal.styled(Style::Dim, &listed));
    }
    if !overview.ranks_without_steps.is_empty() {
        let ranks = terminal::ranges(&overview.ranks_without_steps);
        text.push_str(&format!("  without step times: ranks {ranks}\n"));
    }
    text.push('\n');
    let none = if overview.ranks.len() > 1 {
        "no rank computes longer than the others of its stage"
    } else {
        "none; one rank has no other to be compared with"
    };
    text.push_str(&findings_text(&overview.findings, none, settings));
    text
}
