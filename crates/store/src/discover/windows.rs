//! The numbers of windows in a job, and the stages that they recorded.

use std::collections::BTreeMap;

use npuscope_formats::source::{RankSource, WindowSource};
use npuscope_tables::{Rank, Window};

use super::processes::{Recorded, dynamic_window, stage};

/// A window of the job, whichever ranks recorded it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobWindow {
    pub window: Window,
    /// The stage of reinforcement learning that it recorded.
    pub stage: Option<String>,
}

/// What windows of different ranks have in common if they are the same window of the job: the steps for which dynamic
/// profiling was asked, else stage and place among the rank's windows of that stage.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Steps(i64, i64),
    Nth(Option<String>, usize),
}

/// Numbers the windows of all ranks by time, and names their stages.
pub(super) fn number(ranks: &mut [Vec<Recorded>]) -> Vec<JobWindow> {
    let mut begins: BTreeMap<Key, i64> = BTreeMap::new();
    let mut keys: Vec<Vec<Key>> = Vec::new();
    for windows in ranks.iter_mut() {
        let mut counts: BTreeMap<Option<String>, usize> = BTreeMap::new();
        let mut of_rank = Vec::new();
        for Recorded { at, source } in windows {
            source.stage = stage(source);
            let count = counts.entry(source.stage.clone()).or_default();
            let key = match dynamic_window(source) {
                Some((start, stop)) => Key::Steps(start, stop),
                None => Key::Nth(source.stage.clone(), *count),
            };
            *count += 1;
            let begin = begins.entry(key.clone()).or_insert(*at);
            *begin = (*at).min(*begin);
            of_rank.push(key);
        }
        keys.push(of_rank);
    }
    let mut order: Vec<(i64, Key)> = begins.into_iter().map(|(key, begin)| (begin, key)).collect();
    order.sort();
    let numbers: BTreeMap<&Key, Window> = order.iter().map(|(_, key)| key).zip((0..).map(Window)).collect();
    for (windows, keys) in ranks.iter_mut().zip(&keys) {
        for (recorded, key) in windows.iter_mut().zip(keys) {
            recorded.source.window = numbers.get(key).copied().unwrap_or_default();
        }
    }
    let stage_of = |key: &Key| match key {
        Key::Nth(stage, _) => stage.clone(),
        Key::Steps(..) => None,
    };
    order.iter().zip((0..).map(Window)).map(|((_, key), window)| JobWindow { window, stage: stage_of(key) }).collect()
}

/// Whether a window is chosen by a list of numbers and names of stages.
pub(super) fn is_chosen(window: Window, stage: Option<&str>, chosen: &[String]) -> bool {
    chosen.iter().any(|name| name.parse() == Ok(window) || stage == Some(name))
}

/// A rank with its windows by number; `None` of a rank without windows.
pub(super) fn rank_of(rank: Rank, windows: Vec<Recorded>) -> Option<RankSource> {
    let mut windows: Vec<WindowSource> = windows.into_iter().map(|recorded| recorded.source).collect();
    windows.sort_by_key(|window| window.window);
    let mut windows = windows.into_iter();
    let first = windows.next()?;
    Some(RankSource { rank, first, later: windows.collect() })
}
