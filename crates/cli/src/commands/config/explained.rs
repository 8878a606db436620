//! What a configuration records, in words.

use npuscope_collect::config::{Analyse, Choice};
use npuscope_collect::explain::{Explanation, Kind, Steps, Window};
use npuscope_tables::Rank;

use crate::settings::Settings;
use crate::terminal::{self, Style};

pub fn text(explanation: &Explanation, settings: &Settings) -> String {
    let bold = |text: &str| settings.terminal.styled(Style::Bold, text);
    let mut text = String::new();
    if !explanation.enabled {
        text.push_str(&bold("profiling is off: nothing is recorded\n"));
        return text;
    }
    text.push_str(&bold("steps\n"));
    text.push_str(&steps(explanation));
    text.push_str(&bold("\nwhere\n"));
    text.push_str(&format!("  {}\n", ranks(explanation)));
    if let Choice::Only(stages) = &explanation.stages {
        text.push_str(&format!("  only the stages {}\n", stages.join(", ")));
    }
    let analysed = match explanation.analyse {
        Analyse::Off => "raw; a later analysis makes the files below",
        Analyse::Online => "analysed when a data set is complete, while training waits",
        Analyse::Async => "analysed beside training when a data set is complete",
    };
    text.push_str(&format!("  {}, {analysed}\n", explanation.output));
    text.push_str(&bold("\nrecorded\n"));
    text.push_str(&kinds(&explanation.records));
    let off: Vec<&str> = explanation.off.iter().map(|kind| kind.what).collect();
    if !off.is_empty() {
        text.push_str(&bold("\noff\n"));
        text.push_str(&format!("  {}\n", off.join("; ")));
    }
    text.push_str(&bold("\nsize, by a rule of thumb\n"));
    text.push_str(&size(explanation));
    text
}

fn steps(explanation: &Explanation) -> String {
    let mut text = String::new();
    if !explanation.has_schedule {
        return "  from start to stop, without step markers\n".to_owned();
    }
    let begins = if explanation.at_once { ", counted from when the configuration arrives" } else { "" };
    for Window { warmup, record, is_complete } in &explanation.windows {
        let warmup = warmup.map(|steps| format!("warms up at {}, ", stretch(&steps))).unwrap_or_default();
        let end = if *is_complete { "" } else { "; the run ends before the data set is complete" };
        let counted = match record.last_index {
            Some(last) if last == record.first_index => format!("the {} of the run", ordinal(last + 1)),
            Some(last) => format!("the {} to {} of the run", ordinal(record.first_index + 1), ordinal(last + 1)),
            None => format!("from the {} of the run on", ordinal(record.first_index + 1)),
        };
        let counted = if explanation.at_once { String::new() } else { format!(" ({counted})") };
        text.push_str(&format!("  {warmup}records {}{counted}{begins}{end}\n", stretch(record)));
    }
    text.extend(explanation.reader.iter().map(|reader| format!("  {reader}\n")));
    if explanation.windows.is_empty() {
        text.push_str("  none is recorded\n");
    }
    let listed = explanation.windows.len() as u64;
    match explanation.data_sets {
        None => text.push_str("  … and so on until training ends\n"),
        Some(sets) if sets > listed => {
            text.push_str(&format!("  {} for each rank\n", terminal::counted(sets, "data set")));
        }
        Some(_) => {}
    }
    text
}

/// `step 5`, `steps 5 to 9`, `all steps from 5 on`.
fn stretch(steps: &Steps) -> String {
    match steps.last {
        Some(last) if last == steps.first => format!("step {last}"),
        Some(last) => format!("steps {} to {last}", steps.first),
        None => format!("all steps from {} on", steps.first),
    }
}

/// 1st, 2nd, 3rd, 4th, 11th.
fn ordinal(number: u64) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

fn ranks(explanation: &Explanation) -> String {
    match (&explanation.ranks, explanation.rank_count) {
        (Choice::All, None) => "on all ranks".to_owned(),
        (Choice::All, Some(count)) => format!("on all {}", terminal::counted(count, "rank")),
        (Choice::Only(ranks), _) => {
            let mut ranks: Vec<Rank> = ranks.iter().map(|rank| Rank(i64::from(*rank))).collect();
            ranks.sort_unstable();
            ranks.dedup();
            let word = if ranks.len() == 1 { "rank" } else { "ranks" };
            format!("on {word} {}", terminal::ranges(&ranks))
        }
    }
}

fn kinds(kinds: &[Kind]) -> String {
    let rows = kinds.iter().map(|kind| vec![kind.what.to_owned(), kind.files.join(", ")]);
    terminal::columns(&["", ""], &[], rows)
}

fn size(explanation: &Explanation) -> String {
    let estimate = &explanation.estimate;
    let kernels = terminal::counted(estimate.kernels_per_step, "kernel");
    let assumed = if estimate.kernels_are_given { "" } else { ", which is a guess; --kernels says better" };
    let mut text = format!(
        "  about {} for a step on a rank, raw data not counted, with {kernels} a step{assumed}\n",
        terminal::bytes(estimate.bytes_per_rank_and_step)
    );
    if let Some(bytes) = estimate.bytes_per_rank {
        let steps =
            explanation.recorded_steps.map(|steps| terminal::counted(steps, "recorded step")).unwrap_or_default();
        text.push_str(&format!("  about {} for a rank, {steps}\n", terminal::bytes(bytes)));
    }
    if let Some(bytes) = estimate.bytes_in_all {
        text.push_str(&format!("  about {} in all\n", terminal::bytes(bytes)));
    }
    text
}
