//! Which rank each process is: one of each number, and a number for each.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;

use npuscope_formats::diagnostic::{Code, Diagnostic, Severity};
use npuscope_formats::file_kind::FileKind;
use npuscope_formats::source::{JOB, RankSource, SourceFile, WindowSource};
use npuscope_tables::{Framework, Rank};

use super::jobs::{Job, jobs, usual};
use super::processes::{Candidate, Identity, Process, Recorded, processes};
use super::search::Search;
use super::windows::{self, JobWindow, is_chosen, rank_of};
use super::{Choice, DiscoverError, Profile};
use crate::messages;

impl Search {
    /// The ranks of the chosen job, with the chosen windows.
    pub(super) fn finish(mut self, choice: &Choice) -> Result<Profile, DiscoverError> {
        self.found.sort_by(|a, b| a.source.directory.cmp(&b.source.directory));
        let mut found = std::mem::take(&mut self.found);
        forget_wrong_guesses(&mut found);
        let mut jobs = jobs(processes(found), &self.root);
        let names: Vec<String> = jobs.iter().map(|job| job.name.clone()).collect();
        let chosen = match &choice.job {
            None => usual(&jobs),
            Some(name) => names.iter().position(|job| job == name).ok_or_else(|| self.no_job(name, &names))?,
        };
        let job = if jobs.is_empty() { Job::default() } else { jobs.swap_remove(chosen) };
        let (mut numbers, mut recorded): (Vec<Rank>, Vec<Vec<Recorded>>) = numbered(job.processes).into_iter().unzip();
        let windows = windows::number(&mut recorded);
        if !choice.windows.is_empty() {
            let is_window = |name: &String| {
                let name = std::slice::from_ref(name);
                windows.iter().any(|window| is_chosen(window.window, window.stage.as_deref(), name))
            };
            if let Some(unknown) = choice.windows.iter().find(|name| !is_window(name)) {
                return Err(DiscoverError::NoWindow(unknown.clone(), window_names(&windows)));
            }
            for windows in &mut recorded {
                windows.retain(|w| is_chosen(w.source.window, w.source.stage.as_deref(), &choice.windows));
            }
        }
        let ranks = numbers.drain(..).zip(recorded).filter_map(|(rank, windows)| rank_of(rank, windows)).collect();
        Ok(Profile { job: self.job(), root: self.root, ranks, jobs: names, shown: job.name, windows })
    }

    fn no_job(&self, name: &str, jobs: &[String]) -> DiscoverError {
        DiscoverError::NoJob(name.to_owned(), jobs.to_vec())
    }

    pub(super) fn job(&mut self) -> Option<RankSource> {
        let directory = if self.root.is_dir() { self.root.clone() } else { self.root.parent()?.to_owned() };
        let files = self.cluster_results.iter().map(|path| SourceFile {
            name: path.strip_prefix(&directory).unwrap_or(path).to_string_lossy().replace('\\', "/"),
            kind: FileKind::ClusterDb,
            bytes: fs::metadata(path).map_or(0, |m| m.len()),
        });
        let files: Vec<SourceFile> = files.collect();
        let diagnostics = std::mem::take(&mut self.diagnostics);
        let is_needed = !files.is_empty() || !diagnostics.is_empty();
        let window = WindowSource { files, diagnostics, ..WindowSource::new(directory, Framework::TorchNpu) };
        is_needed.then_some(RankSource::new(JOB, window))
    }
}

/// What users choose windows by: their numbers and stages.
fn window_names(windows: &[JobWindow]) -> Vec<String> {
    let mut names: Vec<String> = windows.iter().map(|window| window.window.to_string()).collect();
    for window in windows {
        names.extend(window.stage.clone().filter(|stage| !names.contains(stage)));
    }
    names
}

/// Numbers the ranks of a job: those that are known keep their numbers, the others take free ones.
fn numbered(processes: Vec<Process>) -> Vec<(Rank, Vec<Recorded>)> {
    let (known, unknown): (Vec<_>, Vec<_>) = processes.into_iter().partition(|process| process.rank.is_some());
    let mut ranks = apart(known);
    let mut free = (0..).map(Rank).filter({
        let taken: HashSet<Rank> = ranks.keys().copied().collect();
        move |rank| !taken.contains(rank)
    });
    let is_alone = ranks.is_empty() && unknown.len() == 1;
    for mut process in unknown {
        let rank = free.next().unwrap_or_default();
        // A job of one process has no ranks, and our recorder says so.
        for window in process.windows.iter_mut().filter(|window| !(is_alone && window.source.is_ours())).take(1) {
            let message = match process.is_kineto {
                true => messages::no_rank_in_trace(rank),
                false => messages::no_rank(rank),
            };
            window.source.diagnostics.push(Diagnostic::new(Severity::Info, Code::NoRank, "", message));
        }
        ranks.insert(rank, process.windows);
    }
    ranks.into_iter().collect()
}

/// Numbers that were guessed from names are taken back where traces of several processes have them: then the names mean
/// something else.
fn forget_wrong_guesses(candidates: &mut [Candidate]) {
    let mut traces: HashMap<Rank, Vec<Option<Identity>>> = HashMap::new();
    for candidate in candidates.iter().filter(|candidate| candidate.is_kineto()) {
        if let Some(rank) = candidate.rank {
            traces.entry(rank).or_default().push(candidate.identity());
        }
    }
    let is_shared = |rank: Rank| {
        let Some([first, others @ ..]) = traces.get(&rank).map(Vec::as_slice) else { return false };
        others.iter().any(|other| first.is_none() || other != first)
    };
    for candidate in candidates.iter_mut().filter(|candidate| candidate.is_guess) {
        candidate.rank = candidate.rank.filter(|&rank| !is_shared(rank));
    }
}

/// Windows by rank. If ranks of GPUs have numbers of NPUs, all of them are counted on from those.
fn apart(processes: Vec<Process>) -> BTreeMap<Rank, Vec<Recorded>> {
    let number = |process: &Process| (process.is_kineto, process.rank.unwrap_or_default());
    let numbers: HashSet<(bool, Rank)> = processes.iter().map(number).collect();
    let is_shared = numbers.iter().any(|&(is_gpu, rank)| is_gpu && numbers.contains(&(false, rank)));
    let last = numbers.iter().filter(|(is_gpu, _)| !is_gpu).map(|&(_, rank)| rank).max();
    let shift = last.filter(|_| is_shared).map(|last| last.0 + 1);
    let numbered = processes.into_iter().map(|mut process| {
        let (is_gpu, rank) = number(&process);
        let Some(shift) = shift.filter(|_| is_gpu) else { return (rank, process.windows) };
        let shown = rank.plus(shift);
        for window in process.windows.iter_mut().take(1) {
            let message = messages::renumbered(rank, shown);
            window.source.diagnostics.push(Diagnostic::new(Severity::Warning, Code::RenumberedRank, "", message));
        }
        (shown, process.windows)
    });
    numbered.collect()
}
