//! Which rank each source is: one of each number, and a number for each.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::PathBuf;

use npuscope_formats::diagnostic::{Code, Diagnostic, Severity};
use npuscope_formats::file_kind::FileKind;
use npuscope_formats::kineto;
use npuscope_formats::source::{JOB, RankSource, SourceFile, process_in_directory};
use npuscope_messages::Message;
use npuscope_tables::{Framework, Rank};

use super::Profile;
use super::ages::newer;
use super::files::file_name;
use super::search::Search;
use crate::messages;

/// A rank directory whose number is not settled.
pub(super) struct Candidate {
    pub(super) rank: Option<Rank>,
    /// The number is a guess from the name of a file that says nothing of its rank.
    pub(super) is_guess: bool,
    pub(super) source: RankSource,
}

impl Candidate {
    fn is_kineto(&self) -> bool {
        self.source.framework == Framework::Kineto
    }

    /// The host and process that wrote it, as far as its name says, and the place that it shares with others.
    pub(super) fn process(&self) -> Option<(PathBuf, String, String)> {
        let directory = &self.source.directory;
        if self.is_kineto() {
            let (host, process) = kineto::process_in_name(&self.source.files.first()?.name)?;
            return Some((directory.clone(), host.to_owned(), process.to_owned()));
        }
        let name = self.source.directory_name();
        let (host, process) = process_in_directory(&name)?;
        let parent = directory.parent().unwrap_or(directory);
        // Dynamic profiling puts each window in a directory of its own.
        let is_window = {
            let name = file_name(parent);
            name.starts_with("rank") && name.contains("_start") && name.contains("_stop")
        };
        let place = parent.parent().filter(|_| is_window).unwrap_or(parent);
        Some((place.to_owned(), host.to_owned(), process.to_owned()))
    }
}

impl Search {
    /// Numbers the ranks, one directory each.
    pub(super) fn finish(mut self) -> Profile {
        self.found.sort_by(|a, b| a.source.directory.cmp(&b.source.directory));
        let mut found = std::mem::take(&mut self.found);
        forget_wrong_guesses(&mut found);
        let (numbered, unnumbered): (Vec<_>, Vec<_>) = found.into_iter().partition(|c| c.rank.is_some());
        // Ranks of NPUs before those of GPUs: both kinds count from 0.
        let mut by_rank: BTreeMap<(bool, Rank), RankSource> = BTreeMap::new();
        for mut candidate in numbered {
            candidate.source.rank = candidate.rank.unwrap_or_default();
            let key = (candidate.is_kineto(), candidate.source.rank);
            let source = match by_rank.remove(&key) {
                None => candidate.source,
                Some(other) => self.newest(candidate.source, other, messages::what_rank(key.1)),
            };
            by_rank.insert(key, source);
        }
        let mut ranks = apart(by_rank);
        let mut free = (0..).map(Rank).filter({
            let taken: HashSet<Rank> = ranks.keys().copied().collect();
            move |rank| !taken.contains(rank)
        });
        let unnumbered = self.one_of_each_process(unnumbered);
        let is_alone = ranks.is_empty() && unnumbered.len() == 1;
        for mut source in unnumbered {
            source.rank = free.next().unwrap_or_default();
            // A job of one process has no ranks, and our recorder says so.
            if !(is_alone && source.is_ours()) {
                let message = match source.framework {
                    Framework::Kineto => messages::no_rank_in_trace(source.rank),
                    _ => messages::no_rank(source.rank),
                };
                source.diagnostics.push(Diagnostic::new(Severity::Info, Code::NoRank, "", message));
            }
            ranks.insert(source.rank, source);
        }
        let job = self.job();
        Profile { root: self.root, ranks: ranks.into_values().collect(), job }
    }

    /// The younger of two sources of the same, with a note of the other.
    pub(super) fn newest(&self, a: RankSource, b: RankSource, what: Message) -> RankSource {
        let (mut kept, dropped) = newer(a, b);
        let (read, unread) = (self.shown(&kept.place()), self.shown(&dropped.place()));
        let message = messages::duplicate(what, &read, &unread);
        kept.diagnostics.push(Diagnostic::new(Severity::Warning, Code::DuplicateRank, &unread, message));
        kept.diagnostics
            .extend(dropped.diagnostics.into_iter().filter(|diagnostic| diagnostic.code == Code::DuplicateRank));
        kept
    }

    /// The newest recording of each process: one that records several times writes a file or a directory each time.
    fn one_of_each_process(&self, candidates: Vec<Candidate>) -> Vec<RankSource> {
        let mut sources: Vec<RankSource> = Vec::new();
        let mut places: HashMap<(PathBuf, String, String), usize> = HashMap::new();
        for candidate in candidates {
            let process = candidate.process();
            let known = process.as_ref().and_then(|process| places.get(process)).copied();
            match (known.and_then(|at| sources.get_mut(at)), &process) {
                (Some(known), Some((_, host, process))) => {
                    let what = messages::what_process(process, host);
                    *known = self.newest(candidate.source, known.clone(), what);
                }
                _ => {
                    places.extend(process.map(|process| (process, sources.len())));
                    sources.push(candidate.source);
                }
            }
        }
        sources
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
        let framework = Framework::TorchNpu;
        is_needed.then_some(RankSource { rank: JOB, directory, framework, files, has_raw: false, diagnostics })
    }
}

/// Numbers that were guessed from names are taken back where several traces have them: then the names mean
/// something else.
fn forget_wrong_guesses(candidates: &mut [Candidate]) {
    let mut traces: HashMap<Rank, usize> = HashMap::new();
    for rank in candidates.iter().filter(|c| c.is_kineto()).filter_map(|c| c.rank) {
        *traces.entry(rank).or_default() += 1;
    }
    let is_shared = |rank: Rank| traces.get(&rank).is_some_and(|&count| count > 1);
    for candidate in candidates.iter_mut().filter(|candidate| candidate.is_guess) {
        candidate.rank = candidate.rank.filter(|&rank| !is_shared(rank));
    }
}

/// Ranks by number. If ranks of GPUs have numbers of NPUs, all of them are counted on from those.
fn apart(sources: BTreeMap<(bool, Rank), RankSource>) -> BTreeMap<Rank, RankSource> {
    let is_shared = sources.keys().any(|&(is_gpu, rank)| is_gpu && sources.contains_key(&(false, rank)));
    let last = sources.keys().filter(|(is_gpu, _)| !is_gpu).map(|&(_, rank)| rank).max();
    let shift = last.filter(|_| is_shared).map(|last| last.0 + 1);
    let numbered = sources.into_iter().map(|((is_gpu, rank), mut source)| {
        if let Some(shift) = shift.filter(|_| is_gpu) {
            source.rank = rank.plus(shift);
            let message = messages::renumbered(rank, source.rank);
            source.diagnostics.push(Diagnostic::new(Severity::Warning, Code::RenumberedRank, "", message));
        }
        (source.rank, source)
    });
    numbered.collect()
}
