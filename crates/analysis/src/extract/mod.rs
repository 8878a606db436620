//! Analyses as map, extract and reduce.
//!
//! An [`Analysis`] maps the tables of one rank to an *extract*: what the rank contributes to the answer, as plain data
//! of a type of its own. A reduce, which is any function over the extracts of all ranks, computes the answer from them;
//! modes that share an extract, or need two, just call it. [`extracts`] runs the map over ranks in parallel, and keeps
//! what it made in the cache beside the columns. A second question reads the extracts and neither files nor columns:
//! what was wrong with the files and why a rank has no part in the answer is kept with them.
//!
//! The key of a kept extract is
//!
//! - the [fingerprint](npuscope_store::fingerprint) of the rank: its files and the version of the readers;
//! - [`Analysis::NAME`] and [`Analysis::VERSION`], [`FORMAT_VERSION`], and the version of this program;
//! - the fields of the analysis, which are the options that its map sees;
//! - the chosen step;
//! - [`Analysis::reads_besides`]: files that are not part of the fingerprint.
//!
//! A map sees only its fields and [`RankData`], so an option cannot change an extract without changing its key. A
//! change of the result of a map, or of the type of its extract, requires a new `VERSION`.
//!
//! An analysis that needs some tables does not fill the cache of columns: it reads the few tables that it needs, which
//! takes a fraction of reading all of them. It uses cached columns if `info`, `sql` or `view` read the rank before.
//! An analysis that needs all tables, such as `info`, caches the columns for later analyses.

mod text;

use std::cell::OnceCell;
use std::convert::Infallible;

use npuscope_formats::file_kind::FileKind;
use npuscope_formats::source::RankSource;
use npuscope_measures::step_of::{self, StepOf, Steps};
use npuscope_messages::Message;
use npuscope_store::loader::Met;
use npuscope_store::{Store, StoreError};
use npuscope_tables::column::CellView;
use npuscope_tables::table::{comm_op, diagnostic, kernel, step};
use npuscope_tables::{ConnectionId, Ns, Rank, RankTables, Selection, TableId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use text::Text;

use crate::messages::cluster as messages;

/// What is extracted from each rank. The fields are the options that affect the extract.
pub trait Analysis: Serialize + Sync {
    /// Plain data: no paths, nothing of other ranks. Texts that repeat are [`Text`].
    type Extract: Serialize + DeserializeOwned + Send;

    /// Names the extract. Two analyses must not share one.
    const NAME: &'static str;

    /// Raised whenever the map makes something else of the same rank, or the type of the extract changes.
    const VERSION: u32;

    /// The tables and columns that the map reads.
    fn needs(&self) -> Selection;

    /// What the map makes of a rank; or why the rank has no part in the answer.
    fn map(&self, rank: &RankData<'_>) -> Result<Self::Extract, Absent>;

    /// Whether an extract that was decoded can be used: whether the numbers in it that point to other parts of it do.
    fn is_sound(&self, _extract: &Self::Extract) -> bool {
        true
    }

    /// Content of files that the map reads and that are no part of the rank's fingerprint.
    fn reads_besides(&self, _source: &RankSource) -> Option<String> {
        None
    }
}

/// The part of a rank that is analysed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Scope {
    /// All steps if none is given.
    pub step: Option<i64>,
    /// Steps are what msprof-analyze takes for them: markers alone, and what starts in them; a rank without the chosen
    /// step is looked at whole.
    pub compat: bool,
}

/// The tables of one rank, as far as they were asked for, and what of them is in the chosen step.
pub struct RankData<'a> {
    pub rank: Rank,
    pub source: &'a RankSource,
    pub tables: RankTables,
    chosen: Chosen,
    compat: bool,
    step_of: OnceCell<StepOf>,
}

/// The selected part of a rank.
#[derive(Clone, Copy)]
enum Chosen {
    All,
    /// The step of this number.
    Step(i64),
    /// What starts in this marker, both ends included: msprof-analyze's rule.
    Marker(Ns, Ns),
}

impl RankData<'_> {
    /// Which step work belongs to.
    pub fn step_of(&self) -> &StepOf {
        let of = if self.compat { StepOf::marked } else { StepOf::of };
        self.step_of.get_or_init(|| of(&self.tables))
    }

    /// The steps of the rank, in order of time.
    pub fn steps(&self) -> &Steps {
        self.step_of().steps()
    }

    /// Whether a moment of the host is in the chosen step.
    pub fn has_moment(&self, time: Ns) -> bool {
        self.has(time, |step_of| step_of.host(time))
    }

    /// Whether an operation belongs to the chosen step.
    pub fn has_operation(&self, op: &comm_op::Row) -> bool {
        self.has(op.start, |step_of| step_of.operation(op))
    }

    /// Whether a row of `kernel` belongs to the chosen step.
    pub fn has_kernel(&self, view: &kernel::View, row: usize) -> bool {
        self.has(view.start.get(row), |step_of| step_of.kernel(view, row))
    }

    /// Whether a task belongs to the chosen step.
    pub fn has_task(&self, connection: Option<ConnectionId>, start: Ns) -> bool {
        self.has(start, |step_of| step_of.work(connection, start))
    }

    /// Whether work of a step, as [`RankData::step_of`] assigns it, belongs to the selected step.
    pub fn has_step(&self, step: Option<i64>) -> bool {
        match self.chosen {
            Chosen::Step(id) => step == Some(id),
            Chosen::All | Chosen::Marker(..) => true,
        }
    }

    /// The number of the chosen step; `None` if all are chosen.
    pub fn step(&self) -> Option<i64> {
        match self.chosen {
            Chosen::Step(id) => Some(id),
            Chosen::All | Chosen::Marker(..) => None,
        }
    }

    fn has(&self, start: Ns, step: impl Fn(&StepOf) -> Option<i64>) -> bool {
        match self.chosen {
            Chosen::All => true,
            Chosen::Step(id) => step(self.step_of()) == Some(id),
            Chosen::Marker(from, to) => from <= start && start <= to,
        }
    }

    /// When the chosen step begins; `None` if all are chosen.
    pub fn start(&self) -> Option<Ns> {
        match self.chosen {
            Chosen::All => None,
            Chosen::Step(id) => self.steps().iter().find(|step| step.id == Some(id)).map(|step| step.start),
            Chosen::Marker(start, _) => Some(start),
        }
    }

    /// Whether the rank was read from databases.
    pub fn is_db(&self) -> bool {
        self.source.is_db()
    }
}

/// Why a rank has no part in an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Absent {
    Step(i64),
    Ranges(Text),
    Chip,
    NoPlaceInDatabases,
    NothingKept,
}

impl Absent {
    pub fn message(&self) -> Message {
        match self {
            Absent::Step(step) => messages::absent_step(*step),
            Absent::Ranges(domain) => messages::absent_ranges(domain),
            Absent::Chip => messages::absent_chip(),
            Absent::NoPlaceInDatabases => messages::absent_no_place(),
            Absent::NothingKept => messages::absent_nothing_kept(),
        }
    }
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Relative to the directory of the rank, where it is one file's.
    pub file: Option<Text>,
    pub message: Message,
}

/// Version of the format around an extract: [`RankExtract`], and how texts are written.
const FORMAT_VERSION: u32 = 3;

/// The cached result of a rank.
#[derive(Debug, Serialize, Deserialize)]
pub struct RankExtract<E> {
    pub diagnostics: Vec<Diagnostic>,
    /// Diagnostics of severity info: how many.
    pub infos: u64,
    /// The steps that the rank has, if one was chosen.
    pub steps: Vec<i64>,
    pub extract: Result<E, Absent>,
}

impl<E> RankExtract<E> {
    /// Whether the rank has the chosen step.
    pub fn has_step(&self) -> bool {
        !matches!(self.extract, Err(Absent::Step(_)))
    }
}

/// The extracts of some ranks, in their order: those that are kept, and those that are made now and then kept.
pub fn extracts<A: Analysis>(
    store: &Store,
    sources: &[&RankSource],
    analysis: &A,
    scope: Scope,
) -> Result<Vec<RankExtract<A::Extract>>, StoreError> {
    let name = name(analysis, scope);
    store.parallel(sources, |source| {
        let besides = analysis.reads_besides(source);
        let name = besides.map_or_else(|| name.clone(), |besides| format!("{name}&{besides}"));
        let is_sound = |kept: &RankExtract<A::Extract>| kept.extract.as_ref().is_ok_and(|kept| analysis.is_sound(kept));
        let decode = |bytes: &[u8]| text::decode(bytes).filter(|kept| is_sound(kept) || kept.extract.is_err());
        let make = || Ok(map_rank(store, source, analysis.needs(), scope, |data| analysis.map(data)));
        let Ok(kept) = store.loader().kept::<_, Infallible>(&[source], &name, decode, text::encode, make);
        let met = Met { losses: kept.diagnostics.len() as u64, infos: kept.infos };
        store.loader().note_met(source, met);
        kept
    })
}

/// [`extracts`] of whole ranks, each with its rank: for maps that leave no rank out.
pub fn extracts_by_rank<A: Analysis>(
    store: &Store,
    sources: &[&RankSource],
    analysis: &A,
) -> Result<Vec<(Rank, A::Extract)>, StoreError> {
    let made = extracts(store, sources, analysis, Scope::default())?;
    Ok(sources.iter().zip(made).filter_map(|(source, made)| Some((source.rank, made.extract.ok()?))).collect())
}

/// What `reduce` makes of the extracts of some ranks, kept as they are: under their keys and a version of its own. For
/// answers that take longer to make than the extracts to read.
pub fn kept_answer<A: Analysis, T: Serialize + DeserializeOwned>(
    store: &Store,
    sources: &[&RankSource],
    analysis: &A,
    version: u32,
    reduce: impl FnOnce(Vec<RankExtract<A::Extract>>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let scope = Scope::default();
    let name = format!("answer/{version}/{}", name(analysis, scope));
    let make = || reduce(extracts(store, sources, analysis, scope)?);
    store.loader().kept(sources, &name, text::decode, text::encode, make)
}

/// Names the extract of an analysis with its options.
fn name<A: Analysis>(analysis: &A, scope: Scope) -> String {
    // Fields of analyses are plain values, which are always JSON.
    let options = serde_json::to_string(&(analysis, scope)).unwrap_or_default();
    format!("{}/{}/{FORMAT_VERSION}/{}?{options}", A::NAME, A::VERSION, env!("CARGO_PKG_VERSION"))
}

/// Reads a rank and maps it, without the cache: for results that are as large as the files.
pub fn map_rank<T>(
    store: &Store,
    source: &RankSource,
    needs: Selection,
    scope: Scope,
    map: impl Fn(&RankData<'_>) -> Result<T, Absent>,
) -> RankExtract<T> {
    let mut selection = needs.and(Selection::of(&[TableId::Metadata]));
    if scope.step.is_some() {
        selection = selection.and(match scope.compat {
            true => Selection::of(&[TableId::Step]),
            false => step_of::needs(selection),
        });
    }
    let tables = match needs == Selection::ALL {
        // Reading all tables of a rank caches its columns for later analyses.
        true => store.load(source).and_then(|rank| Ok(rank.tables()?)).ok(),
        false => None,
    };
    let mut tables = tables.unwrap_or_else(|| store.loader().load_some(source, selection));
    let has_numbers = || source.has(&FileKind::Csv("kernel_details")) || source.has(&FileKind::Csv("op_summary"));
    if selection.has(TableId::Step) && !scope.compat && tables.is_empty(TableId::Step) && has_numbers() {
        // The numbers of kernels stand in for markers.
        tables = store.loader().load_some(source, selection.and(npuscope_measures::step::NEEDS));
    }
    let diagnostics = diagnostics(&tables);
    let infos = (tables.len(TableId::Diagnostic) - diagnostics.len()) as u64;
    let steps = match scope.step {
        Some(_) if scope.compat => Steps::marked(&tables).iter().copied().collect(),
        Some(_) => Steps::of(&tables).iter().copied().collect(),
        None => Vec::new(),
    };
    let chosen = chosen(&steps, scope);
    let extract = chosen.and_then(|chosen| {
        let step_of = OnceCell::new();
        map(&RankData { rank: source.rank, source, tables, chosen, compat: scope.compat, step_of })
    });
    RankExtract { diagnostics, infos, steps: steps.iter().filter_map(|step| step.id).collect(), extract }
}

fn chosen(steps: &[step::Row], scope: Scope) -> Result<Chosen, Absent> {
    let Some(id) = scope.step else { return Ok(Chosen::All) };
    match steps.iter().find(|step| step.id == Some(id)) {
        Some(step) if scope.compat => Ok(Chosen::Marker(step.start, step.end)),
        Some(_) => Ok(Chosen::Step(id)),
        None if scope.compat => Ok(Chosen::All),
        None => Err(Absent::Step(id)),
    }
}

fn diagnostics(tables: &RankTables) -> Vec<Diagnostic> {
    let rows = tables.rows::<diagnostic::Row>().filter(|row| row.is_loss(tables));
    let diagnostic = |row: diagnostic::Row| Diagnostic {
        file: tables.opt_text(row.file).filter(|file| !file.is_empty()).map(Text::from),
        message: row.message(tables),
    };
    rows.map(diagnostic).collect()
}

#[cfg(test)]
mod tests {
    use npuscope_formats::output::Output;
    use npuscope_store::OpenOptions;
    use npuscope_store::fingerprint::fingerprint;
    use npuscope_synth::{Format, JobConfig, simulate, write_job};

    use super::*;

    /// The name of a rank, repeated `times` times.
    #[derive(Serialize)]
    struct Names {
        times: usize,
    }

    impl Analysis for Names {
        type Extract = Vec<Text>;
        const NAME: &'static str = "names";
        const VERSION: u32 = 1;

        fn needs(&self) -> Selection {
            Selection::of(&[TableId::Step])
        }

        fn map(&self, rank: &RankData<'_>) -> Result<Vec<Text>, Absent> {
            Ok(vec![format!("rank {}", rank.rank).into(); self.times])
        }

        fn is_sound(&self, names: &Vec<Text>) -> bool {
            names.len() == self.times
        }
    }

    #[test]
    fn an_extract_that_makes_no_sense_is_made_again() {
        let directory = tempfile::tempdir().unwrap();
        let profile = directory.path().join("profile");
        let config = JobConfig { tp: 1, pp: 1, dp: 1, layers: 1, steps: 1, ..JobConfig::default() };
        write_job(&simulate(&config).unwrap(), Format::Text, &Output::new(&profile).unwrap(), |_| {}).unwrap();
        let store = Store::open(&profile, OpenOptions::new(directory.path().join("cache"))).unwrap();
        let sources: Vec<&RankSource> = store.profile().ranks.iter().collect();
        let analysis = Names { times: 3 };
        let ask = || {
            let made = extracts(&store, &sources, &analysis, Scope::default()).unwrap();
            made.into_iter().next().unwrap().extract.unwrap()
        };
        let expected = vec![Text::from("rank 0"); 3];
        assert_eq!(ask(), expected);
        let (key, name) = (fingerprint(sources[0]), name(&analysis, Scope::default()));
        let bytes = store.cache().extract(&key, &name).unwrap();
        let extract = Ok(vec![Text::from("rank 0")]);
        let unsound = RankExtract { diagnostics: Vec::new(), infos: 0, steps: Vec::new(), extract };
        let unsound = text::encode(&unsound).unwrap();
        let cut = &bytes[..bytes.len() - 1];
        // The seal of each is whole, so that only decoding detects the damage.
        for payload in [&[][..], &[0xff; 40], cut, &unsound] {
            store.cache().store_extract(&key, &name, payload).unwrap();
            assert_eq!(ask(), expected);
            assert_eq!(store.take_warnings().len(), 1);
            assert_eq!(store.cache().extract(&key, &name).unwrap(), bytes);
        }
        assert_eq!(ask(), expected);
        assert_eq!(store.take_warnings(), Vec::new());
    }
}
