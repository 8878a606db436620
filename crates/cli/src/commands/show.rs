//! `npuscope show`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use arrow::util::display::array_value_to_string;
use npuscope_analysis::gap::Cause;
use npuscope_analysis::messages::collection::to_collect;
use npuscope_engine::{QueryOptions, Session};
use npuscope_formats::source::RankSource;
use npuscope_messages::documentation::translate;
use npuscope_messages::{Language, Message};
use npuscope_store::Store;
use npuscope_tables::Rank;
use npuscope_views::{BadQuestion, Made, NotMade, Question, Scope, Source, VIEWS, View};

use crate::commands::result::{ResultFormat, Target};
use crate::commands::{check_strict, chosen_ranks, say_diagnostics, say_warnings};
use crate::error::CliError;
use crate::messages::output as messages;
use crate::rank_list::RankList;
use crate::settings::Settings;
use crate::terminal;
use crate::time_range::{Moment, TimeRange};
use crate::usage::UsageError;

/// A view, what it is about, and where its table goes.
#[derive(Clone, Debug)]
pub struct ShowOptions {
    pub path: PathBuf,
    /// Without it, the views are listed.
    pub view: Option<String>,
    pub ranks: Option<RankList>,
    pub step: Option<i64>,
    pub range: Option<TimeRange>,
    /// The moment that the view is about.
    pub at: Option<Moment>,
    /// Parameters of the view.
    pub parameters: Vec<(String, String)>,
    pub format: Option<ResultFormat>,
    pub output: Option<PathBuf>,
    /// Rows to print as a table.
    pub max_rows: usize,
    /// Fail if anything could not be read.
    pub strict: bool,
}

pub fn run(options: &ShowOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let Some(name) = &options.view else {
        io::stdout().write_all(listing(settings.language).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    };
    let view = View::find(name).ok_or_else(|| UsageError::NoView { name: name.clone(), path: options.path.clone() })?;
    let store = Arc::new(settings.open(&options.path)?);
    if options.strict {
        check_strict(&store)?;
    }
    let session = Session::new(store.clone(), &QueryOptions::default())?;
    let mut own: BTreeMap<String, String> = options.parameters.iter().cloned().collect();
    let scope = scope(options, &store, settings)?;
    if let Some(at) = options.at {
        own.insert("at".to_owned(), at.resolve(&store)?.to_string());
    }
    // Times are shown as SQL has them: in ns since the epoch.
    let source = Source { session: &session, store: &store, origin: 0 };
    let made = view.make(&source, &Question { scope, own: &own });
    say_warnings(&store, settings);
    let made = made.map_err(|why| refused(view, why))?;
    let target = Target {
        format: options.format,
        output: options.output.as_deref(),
        max_rows: options.max_rows,
        view: Some(view.name),
    };
    let cause = (view.name == "gap").then(|| cause_of(&made)).flatten();
    target.write(settings, |take| {
        made.batches.into_iter().try_for_each(take)?;
        Ok(made.schema)
    })?;
    // Programs know the codes.
    let is_read = options.output.is_none() && matches!(options.format, None | Some(ResultFormat::Table));
    if let Some(cause) = cause.filter(|_| is_read) {
        let what = messages::gap_cause(cause.name(), sentence_of(cause));
        settings.terminal.note(&settings.text(&what));
    }
    say_diagnostics(&store, &options.path, settings)?;
    Ok(ExitCode::SUCCESS)
}

/// The cause in a table of the view `gap`.
fn cause_of(made: &Made) -> Option<Cause> {
    let column = made.batches.first()?.column_by_name("cause")?;
    let name = array_value_to_string(column, 0).ok()?;
    Cause::ALL.into_iter().find(|cause| cause.name() == name)
}

fn sentence_of(cause: Cause) -> Message {
    match cause {
        Cause::HostBusy => messages::gap_host_busy(),
        Cause::HostSync => messages::gap_host_sync(),
        Cause::Data => messages::gap_data(),
        Cause::Gc => messages::gap_gc(),
        Cause::QueueEmpty => messages::gap_queue_empty(),
        Cause::WaitingForRank => messages::gap_waiting_for_rank(),
        Cause::WaitingForStream => messages::gap_waiting_for_stream(),
        Cause::Start => messages::gap_start(),
        Cause::End => messages::gap_end(),
        Cause::Unknown => messages::gap_unknown(),
    }
}

fn scope(options: &ShowOptions, store: &Store, settings: &Settings) -> Result<Scope, CliError> {
    let there: Vec<Rank> = store.profile().ranks.iter().map(|source| source.rank).collect();
    let ranks = match &options.ranks {
        Some(list) => chosen_ranks(list, there, settings)?,
        None => there,
    };
    let chosen: Vec<&RankSource> = store.profile().ranks.iter().filter(|source| ranks.contains(&source.rank)).collect();
    let range = options.range.map(|range| range.resolve(store, &chosen)).transpose()?;
    Ok(Scope {
        ranks: options.ranks.as_ref().map(|_| ranks),
        step: options.step,
        begin: range.map(|range| range.start).filter(|start| *start != i64::MIN),
        end: range.map(|range| range.end).filter(|end| *end != i64::MAX),
    })
}

/// Why there is no table, with what to do about it.
fn refused(view: &View, why: NotMade) -> CliError {
    match why {
        NotMade::Missing { what, switch } => UsageError::NotCollected(Box::new(to_collect(*what, *switch))).into(),
        NotMade::Bad(what) => {
            // The parameters are no answer to another mistake.
            let known = if matches!(what, BadQuestion::NoParameter(_)) { view.own } else { &[] };
            UsageError::Parameter { what: Box::new(what), view: view.name, known }.into()
        }
        NotMade::Failed(error) => error.into(),
    }
}

/// All views with a line each.
fn listing(language: Language) -> String {
    let about = |view: &View| translate(view.about, language).into_owned();
    let rows = VIEWS.iter().map(|view| vec![view.name.to_owned(), about(view), view.own.join(", ")]);
    let headers = [messages::head_view(), messages::head_shows(), messages::head_parameters()];
    let headers = headers.map(|header| header.text(language));
    terminal::columns(&headers.each_ref().map(String::as_str), &[], rows)
}
