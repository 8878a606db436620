//! The ranks that a mode analyses.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use npuscope_formats::source::RankSource;
use npuscope_messages::Message;
use npuscope_store::Store;
use npuscope_tables::{Rank, Selection};
use serde::{Deserialize, Serialize};

use super::mode::{Export, Options};
use super::{Failure, Mode, Usage};
use crate::extract::{self, Absent, Analysis, Diagnostic, RankData, RankExtract, Scope};
use crate::messages::cluster::of_baseline;

/// The selected ranks of a profile, and the options.
pub struct Job<'a> {
    store: &'a Store,
    sources: Vec<&'a RankSource>,
    chosen: Option<BTreeSet<Rank>>,
    pub options: &'a Options,
    left_out: Arc<Mutex<AllLeftOut>>,
    /// The answer depends on files that are in no fingerprint.
    has_other_files: AtomicBool,
    /// It is what another job is compared with.
    is_baseline: bool,
}

/// Something that the answer lacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    pub rank: Rank,
    /// The file at fault, relative to the directory of the rank, where it is one file's.
    pub file: Option<String>,
    pub why: Message,
    /// Nothing of the rank is in the answer.
    pub whole_rank: bool,
}

/// By rank, file and reason, each once.
type AllLeftOut = BTreeMap<(Rank, Option<String>, String, bool), LeftOut>;

impl<'a> Job<'a> {
    /// The ranks of `chosen` that the profile has, or all of them.
    pub fn new(store: &'a Store, chosen: Option<&BTreeSet<Rank>>, options: &'a Options) -> Job<'a> {
        let sources = store.profile().ranks.iter();
        let sources = sources.filter(|source| chosen.is_none_or(|chosen| chosen.contains(&source.rank))).collect();
        let (chosen, left_out, has_other_files) = (chosen.cloned(), Arc::default(), AtomicBool::new(false));
        Job { store, sources, chosen, options, left_out, has_other_files, is_baseline: false }
    }

    /// The result of `ask` for the baseline profile at `path`. Ranks that were selected here are selected there, too.
    /// What the baseline lacks is reported together with what this job lacks.
    pub fn of_baseline<T>(
        &self,
        path: &Path,
        options: &Options,
        ask: impl FnOnce(&Job<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let store = self.store.open_another(path)?;
        let alone = Job::new(&store, self.chosen.as_ref(), options);
        if alone.sources.is_empty() {
            return Err(Usage::NoneOfTheRanks(path.to_owned()).into());
        }
        let baseline = Job { left_out: self.left_out.clone(), is_baseline: true, ..alone };
        let answer = ask(&baseline);
        if baseline.has_other_files() {
            self.depends_on_other_files();
        }
        answer
    }

    /// Notes that the answer depends on files that are no part of the fingerprint of a rank: it is not kept.
    pub fn depends_on_other_files(&self) {
        self.has_other_files.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_other_files(&self) -> bool {
        self.has_other_files.load(Ordering::Relaxed)
    }

    pub(super) fn store(&self) -> &'a Store {
        self.store
    }

    /// The ranks that were chosen, whether the profile has them or not.
    pub(super) fn chosen(&self) -> Option<&BTreeSet<Rank>> {
        self.chosen.as_ref()
    }

    /// Whether a rank is among those that were chosen, in whatever profile.
    pub fn is_chosen(&self, rank: Rank) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| chosen.contains(&rank))
    }

    /// The selected ranks, in order.
    pub fn sources(&self) -> &[&'a RankSource] {
        &self.sources
    }

    /// The files of a selected rank.
    pub fn source(&self, rank: Rank) -> Option<&'a RankSource> {
        self.sources.iter().copied().find(|source| source.rank == rank)
    }

    /// Whether all ranks were saved as text.
    pub fn is_text(&self) -> bool {
        !self.sources.iter().any(|source| source.is_db())
    }

    /// The format of the results, for modes whose default is tables.
    pub fn export(&self) -> Export {
        self.options.export.unwrap_or(Export::Db)
    }

    /// The part of each rank that is analysed.
    fn scope(&self) -> Scope {
        Scope { step: self.options.step, compat: self.options.compat }
    }

    /// The extracts of all ranks, by rank. Ranks that have no part in the answer are left out, with the reason.
    ///
    /// With a step chosen, a rank without that step is left out; msprof-analyze takes all its steps then.
    pub fn extracts<A: Analysis>(&self, analysis: &A) -> Result<Vec<(Rank, A::Extract)>, Failure> {
        self.extracts_of(&self.sources, analysis)
    }

    /// [`Job::extracts`] of some of the ranks.
    pub fn extracts_of<A: Analysis>(
        &self,
        sources: &[&RankSource],
        analysis: &A,
    ) -> Result<Vec<(Rank, A::Extract)>, Failure> {
        if sources.iter().any(|source| analysis.reads_besides(source).is_some()) {
            self.depends_on_other_files();
        }
        let made = extract::extracts(self.store, sources, analysis, self.scope())?;
        self.take(sources, made)
    }

    /// The results of `map` for each rank, without the cache: for results as large as the files of a rank.
    pub fn each<T: Send>(
        &self,
        needs: Selection,
        map: impl Fn(&RankData<'_>) -> Result<T, Absent> + Sync,
    ) -> Result<Vec<(Rank, T)>, Failure> {
        let scope = self.scope();
        let made = self
            .store
            .parallel(&self.sources, |source| extract::map_rank(self.store, source, needs, scope, |data| map(data)))?;
        self.take(&self.sources, made)
    }

    /// Collects the diagnostics of ranks. Fails if none of them has the selected step.
    fn take<T>(&self, sources: &[&RankSource], mut made: Vec<RankExtract<T>>) -> Result<Vec<(Rank, T)>, Failure> {
        for (source, made) in sources.iter().zip(&mut made) {
            for Diagnostic { file, message } in made.diagnostics.drain(..) {
                let file = file.map(|file| file.to_string());
                self.note_left_out(LeftOut { rank: source.rank, file, why: message, whole_rank: false });
            }
        }
        if let Some(step) = self.options.step
            && !made.is_empty()
            && !made.iter().any(RankExtract::has_step)
        {
            let steps: BTreeSet<i64> = made.into_iter().flat_map(|made| made.steps).collect();
            return Err(Usage::NoStep { step, steps: steps.into_iter().collect() }.into());
        }
        let mut kept = Vec::with_capacity(made.len());
        for (source, made) in sources.iter().zip(made) {
            match made.extract {
                Ok(extract) => kept.push((source.rank, extract)),
                Err(why) => self.leave_out(source.rank, why.message()),
            }
        }
        Ok(kept)
    }

    /// Notes that a rank is not in the answer.
    pub fn leave_out(&self, rank: Rank, why: Message) {
        self.note_left_out(LeftOut { rank, file: None, why, whole_rank: true });
    }

    /// Notes that the answer lacks something of a rank.
    pub fn lacks(&self, rank: Rank, why: Message) {
        self.note_left_out(LeftOut { rank, file: None, why, whole_rank: false });
    }

    fn note_left_out(&self, mut lacking: LeftOut) {
        if self.is_baseline {
            lacking.why = of_baseline(lacking.why);
        }
        self.note_all_left_out(&[lacking]);
    }

    /// Notes again what a kept answer lacks.
    pub(super) fn note_all_left_out(&self, lacking: &[LeftOut]) {
        let key = |item: &LeftOut| (item.rank, item.file.clone(), item.why.to_string(), item.whole_rank);
        self.lock().extend(lacking.iter().map(|item| (key(item), item.clone())));
    }

    /// What the answer lacks, by rank.
    pub fn left_out(&self) -> Vec<LeftOut> {
        self.lock().values().cloned().collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, AllLeftOut> {
        self.left_out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The profile's root directory.
    pub fn root(&self) -> &Path {
        &self.store.profile().root
    }

    /// Fails if somebody wants the work to end.
    pub fn check_stop(&self) -> Result<(), Failure> {
        Ok(self.store.check_stop()?)
    }

    /// Fails where a mode cannot be written as asked.
    pub fn require_export(&self, mode: &Mode, possible: &[Export]) -> Result<(), Failure> {
        match self.options.export {
            Some(export) if !possible.contains(&export) => {
                Err(Usage::Export { mode: mode.name, export, possible: possible.to_vec() }.into())
            }
            _ => Ok(()),
        }
    }
}
