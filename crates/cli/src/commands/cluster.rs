//! `npuscope cluster`.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use npuscope_analysis::cluster::{self, Job, LeftOut, Mode, Options, Written};
use npuscope_analysis::diagnostic;
use npuscope_messages::Message;
use npuscope_store::Store;
use npuscope_tables::Rank;
use serde_json::json;

use crate::commands::chosen_ranks;
use crate::error::CliError;
use crate::messages;
use crate::rank_list::RankList;
use crate::settings::Settings;
use crate::terminal::{self, Style};
use crate::usage::UsageError;

/// Things left out, and files, that are listed one by one.
const MAX_LISTED: usize = 10;

/// Which question to ask of which ranks, and where results go.
#[derive(Clone, Debug)]
pub struct ClusterOptions {
    pub path: PathBuf,
    /// Name of the mode.
    pub mode: String,
    /// Directory to put results into; the current one if there is none.
    pub output: Option<PathBuf>,
    /// Ranks to look at; all if there is no list.
    pub ranks: Option<RankList>,
    /// Print one line of JSON for programs in place of text.
    pub agent: bool,
    /// Fail if anything could not be read.
    pub strict: bool,
    pub question: Options,
}

pub fn run(options: &ClusterOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let result = ask(options, settings);
    if !options.agent {
        return result.map(|_| ExitCode::SUCCESS);
    }
    let (line, code) = match &result {
        Ok(written) => {
            let message = json!({"db_path": written.database, "tables": names(written), "files": written.files});
            (json!({"status": "success", "code": 0, "message": message, "suggestion": "", "log_path": null}), 0)
        }
        Err(CliError::Closed) => return Ok(ExitCode::SUCCESS),
        Err(error) => {
            let suggestion = settings.text(&messages::errors::suggest_doctor(&options.path));
            let (code, message) = (error.exit_code(), error.text(settings.language));
            let line = json!({"status": "error", "code": code, "message": message, "suggestion": suggestion, "log_path": null});
            (line, code)
        }
    };
    writeln!(io::stdout(), "{line}")?;
    Ok(ExitCode::from(code))
}

fn names(written: &Written) -> Vec<&str> {
    written.tables.iter().map(|(name, _)| name.as_str()).collect()
}

fn ask(options: &ClusterOptions, settings: &Settings) -> Result<Written, CliError> {
    let mode = cluster::find(&options.mode).ok_or_else(|| UsageError::NoMode(options.mode.clone()))?;
    let output = output(options)?;
    let ranks = settings.open_stoppable(&options.path)?;
    let chosen = chosen(options, &ranks, settings)?;
    let job = Job::new(&ranks, chosen.as_ref(), &options.question);
    let answer = cluster::ask(mode, &job, &output);
    for warning in ranks.take_warnings() {
        settings.terminal.warning(&settings.text(&warning));
    }
    let unread = job.left_out();
    report_left_out(&unread, settings);
    check_strict(options, &unread)?;
    let answer = answer?;
    let notes = answer.notes.clone();
    let written = answer.write(mode, &job)?;
    let unwritten: Vec<LeftOut> = job.left_out().into_iter().filter(|item| !unread.contains(item)).collect();
    report_left_out(&unwritten, settings);
    check_strict(options, &unwritten)?;
    for note in &notes {
        settings.terminal.note(&settings.text(note));
    }
    if !options.agent {
        io::stdout().write_all(text(mode, &written, settings).as_bytes())?;
    }
    Ok(written)
}

/// Where results go: as asked, or to the current directory if that is not the profile itself.
fn output(options: &ClusterOptions) -> Result<PathBuf, CliError> {
    if let Some(output) = &options.output {
        return Ok(output.clone());
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let here = PathBuf::from(".");
    if real(&here).starts_with(real(&options.path)) {
        return Err(UsageError::IntoProfile.into());
    }
    Ok(here)
}

/// The ranks that were asked for, if any were.
fn chosen(options: &ClusterOptions, ranks: &Store, settings: &Settings) -> Result<Option<BTreeSet<Rank>>, CliError> {
    let Some(list) = &options.ranks else { return Ok(None) };
    let there = ranks.profile().ranks.iter().map(|source| source.rank).collect::<BTreeSet<Rank>>();
    let chosen = chosen_ranks(list, there.into_iter().collect(), settings)?;
    Ok(Some(chosen.into_iter().collect()))
}

fn left_out(item: &LeftOut) -> Message {
    let (rank, why) = (item.rank, item.why.clone());
    match (&item.file, item.whole_rank) {
        (Some(file), true) => messages::cluster_left_out_file(rank, file, why),
        (None, true) => messages::cluster_left_out(rank, why),
        (file, false) => diagnostic::of_rank(rank, file.as_deref(), why),
    }
}

fn check_strict(options: &ClusterOptions, list: &[LeftOut]) -> Result<(), CliError> {
    match list.first() {
        Some(first) if options.strict => {
            Err(CliError::Strict(Box::new(messages::cluster_strict(list.len(), left_out(first)))))
        }
        _ => Ok(()),
    }
}

fn report_left_out(list: &[LeftOut], settings: &Settings) {
    for item in list.iter().take(MAX_LISTED) {
        settings.terminal.warning(&settings.text(&left_out(item)));
    }
    if let Some(more) = list.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        settings.terminal.warning(&settings.text(&messages::cluster_more_diagnostics(more)));
    }
}

fn text(mode: &Mode, written: &Written, settings: &Settings) -> String {
    if written.files.is_empty() {
        return format!("{}\n", settings.text(&messages::cluster_nothing(mode.name)));
    }
    let text = settings.text(&messages::cluster_written(mode.name, written.files.len()));
    let mut text = settings.terminal.styled(Style::Bold, &format!("{text}\n"));
    let rows = written.tables.iter().map(|(name, rows)| vec![name.clone(), terminal::grouped(*rows as u64)]);
    if !written.tables.is_empty() {
        text.push_str(&terminal::columns(
            &[&settings.text(&messages::output::head_table()), &settings.text(&messages::output::head_rows())],
            &[1],
            rows.collect::<Vec<_>>(),
        ));
    }
    for file in written.files.iter().take(MAX_LISTED) {
        text.push_str(&format!("  {}\n", file.display()));
    }
    if let Some(more) = written.files.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        text.push_str(&format!("  {}\n", settings.text(&messages::cluster_more_files(more))));
    }
    text
}
