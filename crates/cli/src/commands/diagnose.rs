//! `npuscope diagnose`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use npuscope_analysis::Severity;
use npuscope_analysis::diagnose::{Diagnosis, diagnose};
use npuscope_store::Store;

use crate::commands::{ReportFormat, exit_code, findings_text};
use crate::error::CliError;
use crate::settings::Settings;
use crate::terminal::{self, Style};
use crate::usage::UsageError;

/// What to diagnose, and how to print it.
#[derive(Clone, Debug)]
pub struct DiagnoseOptions {
    pub path: PathBuf,
    pub format: ReportFormat,
    /// Severity of a finding from which the exit code is 1.
    pub fail_on: Option<Severity>,
}

pub fn run(options: &DiagnoseOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let ranks = Store::open(&options.path, settings.stoppable_options())?;
    let diagnosis = diagnose(&ranks)?;
    for warning in ranks.take_warnings() {
        settings.terminal.warning(&warning);
    }
    for problem in &diagnosis.problems {
        settings.terminal.warning(problem);
    }
    // Programs that read only the answer would take one without steps for a job that is well.
    if diagnosis.steps == 0 {
        return Err(UsageError::NoDevice(options.path.clone()).into());
    }
    let mut out = io::stdout().lock();
    match options.format {
        ReportFormat::Json => {
            serde_json::to_writer_pretty(&mut out, &diagnosis)?;
            writeln!(out)?;
        }
        ReportFormat::Text => out.write_all(text(&diagnosis, settings).as_bytes())?,
    }
    Ok(exit_code(&diagnosis.findings, options.fail_on))
}

fn text(diagnosis: &Diagnosis, settings: &Settings) -> String {
    let bold = |text: &str| settings.terminal.styled(Style::Bold, text);
    let ranks = terminal::counted(diagnosis.ranks as u64, "rank");
    let steps = terminal::counted(diagnosis.steps as u64, "step");
    let mut text = bold(&format!("{ranks}, {steps}, {:.1} ms per step", diagnosis.step_ms));
    if !diagnosis.findings.is_empty() && diagnosis.step_ms_without < diagnosis.step_ms {
        text.push_str(&format!("; {:.1} ms if these findings were fixed", diagnosis.step_ms_without));
    }
    text.push_str("\n\n");
    text.push_str(&facts(diagnosis));
    text.push('\n');
    text.push_str(&findings_text(&diagnosis.findings, "nothing stands out", settings));
    text
}

/// What the verdict rests on.
fn facts(diagnosis: &Diagnosis) -> String {
    let mut text = format!("  layout: {}\n", diagnosis.layout);
    let aligned: Vec<_> = diagnosis.clocks.iter().filter(|clock| clock.offset_ns.is_some()).collect();
    let residual = aligned.iter().map(|clock| clock.residual_ns).fold(0.0, f64::max) / 1e3;
    let apart = aligned.iter().filter_map(|clock| clock.offset_ns).map(f64::abs).fold(0.0, f64::max) / 1e3;
    text.push_str(&match diagnosis.clocks.len() {
        1 => "  clocks: one host\n".to_owned(),
        hosts => format!("  clocks: {hosts} hosts, up to {apart:.1} us apart, aligned to {residual:.1} us\n"),
    });
    let apart: Vec<&str> =
        diagnosis.clocks.iter().filter(|clock| clock.offset_ns.is_none()).map(|clock| clock.host.as_str()).collect();
    if !apart.is_empty() {
        text.push_str(&format!("  not aligned, since no communication ties them to the first: {}\n", apart.join(", ")));
    }
    text.push_str(&format!("  replay: {:.2} % off what was recorded\n", diagnosis.replay_error * 100.0));
    if diagnosis.unmatched_operations > 0 {
        let operations = terminal::counted(diagnosis.unmatched_operations as u64, "communication");
        text.push_str(&format!("  {operations} without a counterpart on another rank\n"));
    }
    text
}
