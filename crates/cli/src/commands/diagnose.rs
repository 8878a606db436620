//! `npuscope diagnose`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use npuscope_analysis::Severity;
use npuscope_analysis::diagnose::{Diagnosis, diagnose};
use npuscope_messages::{Decimal, Message};

use crate::commands::info::digits;
use crate::commands::{ReportFormat, check_step, exit_code, findings_text, json};
use crate::error::CliError;
use crate::messages;
use crate::settings::Settings;
use crate::terminal::Style;
use crate::usage::UsageError;

/// What to diagnose, and how to print it.
#[derive(Clone, Debug)]
pub struct DiagnoseOptions {
    pub path: PathBuf,
    /// The step to diagnose; all if there is none.
    pub step: Option<i64>,
    pub format: ReportFormat,
    /// Severity of a finding from which the exit code is 1.
    pub fail_on: Option<Severity>,
}

pub fn run(options: &DiagnoseOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let ranks = settings.open_stoppable(&options.path)?;
    check_step(&ranks, options.step)?;
    let diagnosis = diagnose(&ranks, options.step)?;
    for warning in ranks.take_warnings() {
        settings.terminal.warning(&settings.text(&warning));
    }
    for diagnostic in &diagnosis.diagnostics {
        settings.terminal.warning(&settings.text(diagnostic));
    }
    // Programs that read only the answer would take one without steps for a job that is well.
    if diagnosis.steps == 0 {
        return Err(UsageError::NoDevice(options.path.clone()).into());
    }
    let mut out = io::stdout().lock();
    match options.format {
        ReportFormat::Json => json::print(&mut out, &diagnosis, &[("diagnostics", "problems")])?, // older name
        ReportFormat::Text => out.write_all(text(&diagnosis, settings).as_bytes())?,
    }
    Ok(exit_code(&diagnosis.findings, options.fail_on))
}

fn text(diagnosis: &Diagnosis, settings: &Settings) -> String {
    let bold = |text: &str| settings.terminal.styled(Style::Bold, text);
    let digits = digits(diagnosis.step_ms);
    let ms = |ms: f64| format!("{ms:.digits$}");
    let (ranks, step) = (diagnosis.ranks, ms(diagnosis.step_ms));
    let mut text = bold(&settings.text(&match diagnosis.has_steps {
        true => messages::diagnose_headline(ranks, diagnosis.steps, step),
        false => messages::info_headline_without_markers(ranks, step),
    }));
    if !diagnosis.findings.is_empty() && diagnosis.step_ms_without < diagnosis.step_ms {
        text.push_str(&settings.text(&messages::diagnose_if_fixed(ms(diagnosis.step_ms_without))));
    }
    text.push_str("\n\n");
    for fact in facts(diagnosis) {
        text.push_str(&format!("  {}\n", settings.text(&fact)));
    }
    text.push('\n');
    let none = if diagnosis.ranks == 1 { messages::info_one_rank() } else { messages::diagnose_no_findings() };
    text.push_str(&findings_text(&diagnosis.findings, diagnosis.has_steps, &none, settings));
    text
}

/// What the verdict rests on.
fn facts(diagnosis: &Diagnosis) -> Vec<Message> {
    let mut facts = vec![messages::diagnose_layout(diagnosis.layout.clone())];
    let aligned: Vec<_> = diagnosis.clocks.iter().filter(|clock| clock.offset_ns.is_some()).collect();
    let residual = aligned.iter().map(|clock| clock.residual_ns).fold(0.0, f64::max) / 1e3;
    let apart = aligned.iter().filter_map(|clock| clock.offset_ns).map(f64::abs).fold(0.0, f64::max) / 1e3;
    let unaligned: Vec<&str> =
        diagnosis.clocks.iter().filter(|clock| clock.offset_ns.is_none()).map(|clock| clock.host.as_str()).collect();
    facts.push(match diagnosis.clocks.len() {
        // The first is aligned with itself.
        hosts if hosts > 1 && aligned.len() == 1 => {
            messages::diagnose_clocks_unaligned(&aligned[0].host, unaligned.clone())
        }
        1 => messages::diagnose_one_host(),
        ranks if diagnosis.clocks.iter().all(|clock| !clock.knows_host()) => {
            messages::diagnose_clocks_of_ranks(ranks, Decimal(apart), Decimal(residual))
        }
        hosts => messages::diagnose_clocks(hosts, Decimal(apart), Decimal(residual)),
    });
    if !unaligned.is_empty() && aligned.len() > 1 {
        facts.push(messages::diagnose_unaligned(&diagnosis.clocks[0].host, unaligned));
    }
    facts.push(messages::diagnose_replay(Decimal(diagnosis.replay_error * 100.0)));
    if diagnosis.unmatched_operations > 0 {
        facts.push(messages::diagnose_unmatched(diagnosis.unmatched_operations));
    }
    facts
}
