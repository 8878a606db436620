//! The ranks a question is asked of.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use npuscope_formats::source::RankSource;
use npuscope_store::Store;
use npuscope_tables::table::{diagnostic, step};
use npuscope_tables::{Ns, RankTables, Selection, TableId};

use super::mode::{Export, Options};
use super::{Failure, Mode};

/// The chosen ranks of a profile and how they are asked.
pub struct Job<'a> {
    store: &'a Store,
    sources: Vec<&'a RankSource>,
    chosen: Option<BTreeSet<i64>>,
    pub options: &'a Options,
    left_out: Arc<Mutex<BTreeSet<LeftOut>>>,
    /// It is what another job is compared with.
    is_baseline: bool,
}

/// Steps that are told where another was asked for.
const MAX_STEPS_TOLD: usize = 20;

/// Something that the answer lacks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    pub rank: i64,
    /// The file at fault, relative to the directory of the rank, where it is one file's.
    pub file: Option<String>,
    pub why: String,
    /// Nothing of the rank is in the answer.
    pub whole_rank: bool,
}

/// The tables of one rank, as far as they were asked for.
pub struct RankData<'a> {
    pub rank: i64,
    pub source: &'a RankSource,
    pub tables: RankTables,
    /// The chosen step, both ends included; all of time if none was chosen.
    pub window: (Ns, Ns),
}

impl RankData<'_> {
    /// Whether a moment is in the chosen step.
    pub fn is_in_window(&self, time: Ns) -> bool {
        self.window.0 <= time && time <= self.window.1
    }

    /// Whether the rank was read from databases.
    pub fn is_db(&self) -> bool {
        self.source.is_db()
    }
}

impl<'a> Job<'a> {
    /// The ranks of `chosen` that the profile has, or all of them.
    pub fn new(store: &'a Store, chosen: Option<&BTreeSet<i64>>, options: &'a Options) -> Job<'a> {
        let sources = store.profile().ranks.iter();
        let sources = sources.filter(|source| chosen.is_none_or(|chosen| chosen.contains(&source.rank))).collect();
        Job { store, sources, chosen: chosen.cloned(), options, left_out: Arc::default(), is_baseline: false }
    }

    /// What `ask` makes of the profile at `path`, to compare with: of the ranks that were chosen here, if any were.
    /// What it lacks is told with what this job lacks.
    pub fn of_baseline<T>(
        &self,
        path: &Path,
        options: &Options,
        ask: impl FnOnce(&Job<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let store = self.store.open_another(path)?;
        let alone = Job::new(&store, self.chosen.as_ref(), options);
        if alone.sources.is_empty() {
            return Err(Failure::Usage(format!("{} has none of the chosen ranks", path.display())));
        }
        ask(&Job { left_out: self.left_out.clone(), is_baseline: true, ..alone })
    }

    /// Whether a rank is among those that were chosen, in whatever profile.
    pub fn is_chosen(&self, rank: i64) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| chosen.contains(&rank))
    }

    /// The ranks that are asked, in order.
    pub fn sources(&self) -> &[&'a RankSource] {
        &self.sources
    }

    /// Whether all ranks were saved as text.
    pub fn is_text(&self) -> bool {
        !self.sources.iter().any(|source| source.is_db())
    }

    /// What is to be written, for modes that write tables unless told otherwise.
    pub fn export(&self) -> Export {
        self.options.export.unwrap_or(Export::Db)
    }

    /// What `use_it` makes of each rank, by rank. A rank for which it fails is left out, with the reason.
    ///
    /// With a step chosen, a rank without that step is left out; msprof-analyze takes all its steps then.
    pub fn each<T: Send>(
        &self,
        selection: Selection,
        use_it: impl Fn(&RankData<'_>) -> Result<T, String> + Sync,
    ) -> Result<Vec<(i64, T)>, Failure> {
        self.each_of(&self.sources, selection, use_it)
    }

    /// [`Job::each`] of some of the ranks.
    pub fn each_of<T: Send>(
        &self,
        sources: &[&RankSource],
        selection: Selection,
        use_it: impl Fn(&RankData<'_>) -> Result<T, String> + Sync,
    ) -> Result<Vec<(i64, T)>, Failure> {
        let selection = selection.and(Selection::of(&[TableId::Metadata]));
        let selection = match self.options.step {
            Some(_) => selection.and(Selection::of(&[TableId::Step])),
            None => selection,
        };
        let (steps, has_step) = (Mutex::new(BTreeSet::new()), AtomicBool::new(self.options.step.is_none()));
        let made = self.store.each(sources, selection, |source, tables| {
            self.note_problems(source, &tables);
            let ids = tables.rows::<step::Row>().filter_map(|step| step.id);
            steps.lock().unwrap_or_else(PoisonError::into_inner).extend(ids);
            let window = self.window(&tables)?;
            has_step.store(true, Ordering::Relaxed);
            use_it(&RankData { rank: source.rank, source, tables, window })
        })?;
        if let (Some(step), false, false) = (self.options.step, has_step.into_inner(), sources.is_empty()) {
            let steps = steps.into_inner().unwrap_or_else(PoisonError::into_inner);
            let there: Vec<String> = steps.iter().take(MAX_STEPS_TOLD).map(i64::to_string).collect();
            let there = match there.as_slice() {
                [] => "no rank tells where its steps are".to_owned(),
                list => {
                    format!("there are steps {}{}", list.join(", "), if steps.len() > list.len() { " …" } else { "" })
                }
            };
            return Err(Failure::Usage(format!("there is no step {step}; {there}")));
        }
        let mut kept = Vec::with_capacity(made.len());
        for (source, made) in sources.iter().zip(made) {
            match made {
                Ok(made) => kept.push((source.rank, made)),
                Err(why) => self.leave_out(source.rank, why),
            }
        }
        Ok(kept)
    }

    fn window(&self, tables: &RankTables) -> Result<(Ns, Ns), String> {
        const ALWAYS: (Ns, Ns) = (Ns(i64::MIN), Ns(i64::MAX));
        let Some(id) = self.options.step else { return Ok(ALWAYS) };
        match tables.rows::<step::Row>().find(|step| step.id == Some(id)) {
            Some(step) => Ok((step.start, step.end)),
            None if self.options.compat => Ok(ALWAYS),
            None => Err(format!("it has no step {id}")),
        }
    }

    fn note_problems(&self, source: &RankSource, tables: &RankTables) {
        for row in tables.rows::<diagnostic::Row>().filter(|row| row.is_loss(tables)) {
            let file = tables.opt_text(row.file).filter(|file| !file.is_empty()).map(str::to_owned);
            self.tell(LeftOut { rank: source.rank, file, why: tables.text(row.message).to_owned(), whole_rank: false });
        }
    }

    /// Notes that a rank is not in the answer.
    pub fn leave_out(&self, rank: i64, why: impl Into<String>) {
        self.tell(LeftOut { rank, file: None, why: why.into(), whole_rank: true });
    }

    /// Notes that the answer lacks something of a rank.
    pub fn lacks(&self, rank: i64, why: impl Into<String>) {
        self.tell(LeftOut { rank, file: None, why: why.into(), whole_rank: false });
    }

    fn tell(&self, mut lacking: LeftOut) {
        if self.is_baseline {
            lacking.why = format!("in the baseline: {}", lacking.why);
        }
        self.lock().insert(lacking);
    }

    /// What the answer lacks, by rank.
    pub fn left_out(&self) -> Vec<LeftOut> {
        self.lock().iter().cloned().collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeSet<LeftOut>> {
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
                let forms: Vec<String> = possible.iter().map(|form| format!("{form:?}").to_lowercase()).collect();
                let export = format!("{export:?}").to_lowercase();
                Err(Failure::Usage(format!(
                    "{} cannot be written as {export}, but as {}",
                    mode.name,
                    forms.join(" or ")
                )))
            }
            _ => Ok(()),
        }
    }
}
