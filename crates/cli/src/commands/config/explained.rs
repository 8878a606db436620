//! What a configuration records, as text.

use npuscope_collect::config::{Analyse, Choice};
use npuscope_collect::explain::{Explanation, Kind, Steps, Window};
use npuscope_collect::messages;
use npuscope_messages::{Language, Message};
use npuscope_tables::Rank;

use crate::messages::output;
use crate::settings::Settings;
use crate::terminal::{self, Style};

pub fn text(explanation: &Explanation, settings: &Settings) -> String {
    let bold = |message: Message| settings.terminal.styled(Style::Bold, &settings.text(&message));
    let indented = |message: Message| format!("  {}\n", settings.text(&message));
    if !explanation.enabled {
        return format!("{}\n", bold(messages::explain_off()));
    }
    let mut text = format!("{}\n", bold(messages::explain_steps()));
    text.extend(steps(explanation, settings.language).into_iter().map(indented));
    text.push_str(&format!("\n{}\n", bold(messages::explain_where())));
    text.push_str(&indented(ranks(explanation)));
    if let Choice::Only(stages) = &explanation.stages {
        text.push_str(&indented(messages::explain_stages(stages.clone())));
    }
    let analysis = match explanation.analyse {
        Analyse::Off => messages::explain_analysis_off(),
        Analyse::Online => messages::explain_analysis_online(),
        Analyse::Async => messages::explain_analysis_async(),
    };
    text.push_str(&indented(messages::explain_output(&explanation.output, analysis)));
    text.extend(explanation.output_note.clone().map(indented));
    text.push_str(&format!("\n{}\n", bold(messages::explain_recorded())));
    text.push_str(&kinds(&explanation.records, settings));
    let off: Vec<Message> = explanation.off.iter().map(|kind| kind.what.clone()).collect();
    if !off.is_empty() {
        text.push_str(&format!("\n{}\n", bold(messages::explain_not_recorded())));
        let off = off.iter().map(|what| settings.text(what));
        let off = off.reduce(|first, second| settings.text(&output::clauses(&first, &second)));
        text.push_str(&format!("  {}\n", off.unwrap_or_default()));
    }
    text.push_str(&format!("\n{}\n", bold(messages::explain_size())));
    text.extend(size(explanation).into_iter().map(indented));
    text
}

fn steps(explanation: &Explanation, language: Language) -> Vec<Message> {
    if !explanation.has_schedule {
        return vec![messages::explain_without_schedule()];
    }
    let mut lines: Vec<Message> =
        explanation.windows.iter().map(|window| data_set(window, explanation.at_once, language)).collect();
    lines.extend(explanation.reader.clone());
    if explanation.windows.is_empty() {
        lines.push(messages::explain_no_steps());
    }
    let listed = explanation.windows.len() as u64;
    match explanation.data_sets {
        None => lines.push(messages::explain_goes_on()),
        Some(sets) if sets > listed => lines.push(messages::explain_data_sets(sets)),
        Some(_) => {}
    }
    lines
}

/// `warms up at step 4, records steps 5 to 6 (the 6th to 7th of the run)`.
fn data_set(window: &Window, at_once: bool, language: Language) -> Message {
    let Window { warmup, record, is_complete } = window;
    let warmup = warmup.map_or_else(messages::explain_nothing, |steps| messages::explain_warmup(stretch(&steps)));
    let first = ordinal(record.first_index + 1, language);
    let place = match record.last_index {
        _ if at_once => messages::explain_at_once(),
        Some(last) if last == record.first_index => messages::explain_one_step_of_run(first),
        Some(last) => messages::explain_steps_of_run(first, ordinal(last + 1, language)),
        None => messages::explain_rest_of_run(first),
    };
    let end = if *is_complete { messages::explain_nothing() } else { messages::explain_incomplete() };
    messages::explain_window(warmup, stretch(record), place, end)
}

/// `step 5`, `steps 5 to 9`, `all steps from 5 on`.
fn stretch(steps: &Steps) -> Message {
    match steps.last {
        Some(last) if last == steps.first => messages::window_step(last),
        Some(last) => messages::window_steps(steps.first, last),
        None => messages::stretch_all(steps.first),
    }
}

/// 1st, 2nd, 3rd, 4th, 11th; the number alone in Chinese.
fn ordinal(number: u64, language: Language) -> String {
    let ending = match (number % 10, number % 100) {
        _ if language == Language::Chinese => "",
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

fn ranks(explanation: &Explanation) -> Message {
    match (&explanation.ranks, explanation.rank_count) {
        (Choice::All, None) => messages::explain_all_ranks(),
        (Choice::All, Some(count)) => messages::explain_all_of_ranks(count),
        (Choice::Only(ranks), _) => on_ranks(ranks),
    }
}

/// `on rank 3`, `on ranks 0-2, 5`.
pub fn on_ranks(ranks: &[u32]) -> Message {
    let mut ranks: Vec<Rank> = ranks.iter().map(|&rank| Rank(i64::from(rank))).collect();
    ranks.sort_unstable();
    ranks.dedup();
    match ranks.len() {
        0 => messages::records_on_no_rank(),
        1 => messages::explain_rank(terminal::ranges(&ranks)),
        _ => messages::explain_ranks(terminal::ranges(&ranks)),
    }
}

fn kinds(kinds: &[Kind], settings: &Settings) -> String {
    let rows = kinds.iter().map(|kind| vec![settings.text(&kind.what), kind.files.join(", ")]);
    terminal::columns(&["", ""], &[], rows)
}

fn size(explanation: &Explanation) -> Vec<Message> {
    let estimate = &explanation.estimate;
    let kernels = estimate.kernels_per_step;
    let assumed = if estimate.kernels_are_given { messages::explain_nothing() } else { messages::explain_assumed() };
    let of_step = terminal::bytes(estimate.bytes_per_rank_and_step);
    let mut lines = vec![messages::explain_size_of_step(of_step, terminal::grouped(kernels), kernels, assumed)];
    if let Some((bytes, steps)) = estimate.bytes_per_rank.zip(explanation.recorded_steps) {
        lines.push(messages::explain_size_of_rank(terminal::bytes(bytes), steps));
    }
    lines.extend(estimate.bytes_in_all.map(|bytes| messages::explain_size_in_all(terminal::bytes(bytes))));
    lines
}
