//! `npuscope config`.

mod explained;

pub use explained::on_ranks;

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use npuscope_collect::dialect::{self, Notation, Reader, Reading, Run};
use npuscope_collect::dynamic::statuses;
use npuscope_collect::explain::explain_notation;
use npuscope_collect::{Diagnostic, Dialect, Severity, messages};
use npuscope_formats::output::{Output, OutputError};
use npuscope_messages::Message;
use serde::Serialize;

use crate::commands::{ReportFormat, json};
use crate::error::CliError;
use crate::messages::{errors, output};
use crate::settings::Settings;
use crate::terminal::Style;
use crate::usage::UsageError;

/// The largest file that is read as a configuration.
const MAX_BYTES: u64 = 16 << 20;

/// What to do with a trainer's profiler settings.
#[derive(Clone, Debug)]
pub enum ConfigOptions {
    Check(CheckOptions),
    Convert(ConvertOptions),
    Explain(ExplainOptions),
}

/// What to check.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    pub source: Source,
    pub format: ReportFormat,
}

/// What to write for another trainer or profiler.
#[derive(Clone, Debug)]
pub struct ConvertOptions {
    pub source: Source,
    pub to: Notation,
    /// File to write, which must be new; standard output if there is none.
    pub output: Option<PathBuf>,
}

/// What to explain.
#[derive(Clone, Debug)]
pub struct ExplainOptions {
    pub source: Source,
    pub format: ReportFormat,
}

/// The settings, and the run they are for.
#[derive(Clone, Debug)]
pub struct Source {
    /// `-` is stdin.
    pub file: PathBuf,
    /// Dialect of the file; detected from its content if there is none.
    pub dialect: Option<Dialect>,
    /// Who reads it; detected from what is beside the file if it is not given.
    pub reader: Option<Reader>,
    pub run: Run,
}

pub fn run(options: &ConfigOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    match options {
        ConfigOptions::Check(options) => check(options, settings),
        ConfigOptions::Convert(options) => convert(options, settings),
        ConfigOptions::Explain(options) => explained(options, settings),
    }
}

fn check(options: &CheckOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let reading = read(&options.source)?;
    let records_nothing = reading.notation.is_some() && reading.records_nothing(&options.source.run);
    let mut out = io::stdout().lock();
    match options.format {
        ReportFormat::Json => {
            let checked = Checked { reading: &reading, records_nothing };
            json::print(&mut out, &checked, &[("diagnostics", "remarks"), ("notation", "form")])?; // older name
        }
        ReportFormat::Text => {
            for diagnostic in &reading.diagnostics {
                writeln!(out, "{}", line(&options.source, diagnostic, settings))?;
            }
            let (name, counts) = (name(&options.source), counts(&reading.diagnostics));
            let result = match reading.notation {
                Some(notation) => messages::config_result(&name, notation.message(), counts),
                None => messages::config_not_read(&name, counts),
            };
            if records_nothing {
                writeln!(out, "{}", settings.text(&messages::config_records_nothing(&name)))?;
            }
            writeln!(out, "{}", settings.text(&result))?;
        }
    }
    let is_fine = reading.diagnostics.iter().all(|diagnostic| diagnostic.severity == Severity::Info);
    Ok(match reading.notation {
        None => ExitCode::from(2),
        Some(_) if is_fine && !records_nothing => ExitCode::SUCCESS,
        Some(_) => ExitCode::from(1),
    })
}

/// What was found, as JSON.
#[derive(Serialize)]
struct Checked<'a> {
    #[serde(flatten)]
    reading: &'a Reading,
    records_nothing: bool,
}

/// `1 error, 2 warnings`.
fn counts(diagnostics: &[Diagnostic]) -> Message {
    let count = |severity| diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    let (errors, warnings, infos) = (count(Severity::Error), count(Severity::Warning), count(Severity::Info));
    let counts = [
        (errors > 0).then(|| messages::config_errors(errors)),
        (warnings > 0).then(|| messages::config_warnings(warnings)),
        (infos > 0).then(|| messages::config_infos(infos)),
    ];
    let counts: Vec<Message> = counts.into_iter().flatten().collect();
    if counts.is_empty() { messages::config_no_diagnostics() } else { messages::config_counts(counts) }
}

fn convert(options: &ConvertOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let reading = read(&options.source)?;
    report(&options.source, &reading, settings)?;
    let notation = options.to;
    let writing = dialect::write_notation(&reading.config, notation);
    for diagnostic in &writing.diagnostics {
        let field = diagnostic.key.as_deref().unwrap_or_default();
        let field = settings.text(&field_name(field, reading.notation, notation));
        let message = settings.text(&messages::diagnostic_with_key(&field, diagnostic.message.clone()));
        match diagnostic.severity {
            Severity::Info => settings.terminal.note(&message),
            _ => settings.terminal.warning(&message),
        }
    }
    if notation == Notation::TorchNpuDynamic
        && let Some(reader) = explain_notation(&reading.config, Some(notation), &options.source.run).reader
    {
        settings.terminal.note(&settings.text(&messages::config_start_step_written(reader)));
    }
    match &options.output {
        None => io::stdout().lock().write_all(writing.text.as_bytes())?,
        Some(path) => write(path, &writing.text, settings)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The key of a field in the file, or in the other dialect where the file has none.
fn field_name(field: &str, source: Option<Notation>, target: Notation) -> Message {
    if let Some(key) = source.and_then(|source| source.key(field)).or_else(|| target.key(field)) {
        return messages::config_key(&key);
    }
    match field {
        "first_step" => messages::field_first_step(),
        "schedule" => messages::field_schedule(),
        "schedule.first_recorded" => messages::field_first_recorded(),
        "schedule.warmup" => messages::field_warmup(),
        "schedule.active" => messages::field_active(),
        "schedule.repeat" => messages::field_repeat(),
        "schedule.wait" => messages::field_wait(),
        _ => messages::config_key(field),
    }
}

fn explained(options: &ExplainOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let reading = read(&options.source)?;
    report(&options.source, &reading, settings)?;
    let run = Run { total_steps: reading.total_steps, ..options.source.run.clone() };
    let explanation = explain_notation(&reading.config, reading.notation, &run);
    let mut out = io::stdout().lock();
    match options.format {
        ReportFormat::Json => json::print(&mut out, &explanation, &[])?,
        ReportFormat::Text => out.write_all(explained::text(&explanation, settings).as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn read(source: &Source) -> Result<Reading, CliError> {
    // Only npuscope's monitor leaves reports beside the file that it watches.
    let is_watched = source.file.extension().is_some_and(|end| end == "json") && !statuses(&source.file).is_empty();
    let watched = || if is_watched { Reader::Npuscope } else { Reader::Trainer };
    let run = Run { reader: source.reader.unwrap_or_else(watched), ..source.run.clone() };
    Ok(dialect::read(&text(source)?, source.dialect, &run))
}

fn text(source: &Source) -> Result<String, CliError> {
    let mut bytes = Vec::new();
    let read = if source.file == Path::new("-") {
        io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes)
    } else {
        fs::File::open(&source.file).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| UsageError::Unreadable { name: name(source), source: error })?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(UsageError::TooLarge { name: name(source), limit: MAX_BYTES }.into());
    }
    String::from_utf8(bytes).map_err(|_| UsageError::NotUtf8(name(source)).into())
}

fn name(source: &Source) -> String {
    if source.file == Path::new("-") { "stdin".to_owned() } else { source.file.display().to_string() }
}

/// `train.yaml:4: warning: training.profile_step_strat: …`.
fn line(source: &Source, diagnostic: &Diagnostic, settings: &Settings) -> String {
    let place = match diagnostic.line {
        Some(line) => format!("{}:{line}", name(source)),
        None => name(source),
    };
    let style = match diagnostic.severity {
        Severity::Error => Style::Red,
        Severity::Warning => Style::Yellow,
        Severity::Info => Style::Dim,
    };
    let severity = settings.terminal.styled(style, &settings.text(&diagnostic.severity.message()));
    settings.text(&output::config_diagnostic(place, severity, diagnostic.with_key()))
}

/// Prints the notation that was detected and the warnings; the first error ends the command.
fn report(source: &Source, reading: &Reading, settings: &Settings) -> Result<(), CliError> {
    let place = |diagnostic: &Diagnostic| match diagnostic.line {
        Some(line) => format!("{}:{line}", name(source)),
        None => name(source),
    };
    if let Some(error) = reading.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(UsageError::Configuration { place: place(error), why: Box::new(error.with_key()) }.into());
    }
    if let Some(notation) = reading.notation {
        settings.terminal.note(&settings.text(&messages::config_read_as(&name(source), notation.message())));
    }
    for diagnostic in reading.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Warning) {
        settings.terminal.warning(&settings.text(&errors::at_place(place(diagnostic), diagnostic.with_key())));
    }
    Ok(())
}

fn write(path: &Path, text: &str, settings: &Settings) -> Result<(), CliError> {
    let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else {
        return Err(UsageError::OutputName.into());
    };
    if path.exists() {
        return Err(OutputError::Exists { path: path.to_owned() }.into());
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Output::new(directory)?.file(&name, |file| file.write_all(text.as_bytes()))?;
    settings.terminal.note(&settings.text(&messages::config_written(path)));
    Ok(())
}
