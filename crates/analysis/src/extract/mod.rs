//! Analyses as map, extract and reduce.
//!
//! An [`Analysis`] maps the tables of one rank to an *extract*: what the rank contributes to the answer, as plain data
//! of a type of its own. A reduce, which is any function over the extracts of all ranks, makes the answer of them; modes
//! that share an extract, or need two, just call it. [`extracts`] runs the map over ranks in parallel, and keeps what
//! it made in the cache beside the columns. A second question reads the extracts and neither files nor columns: what
//! was wrong with the files and why a rank has no part in the answer is kept with them.
//!
//! The key of a kept extract is
//!
//! - the [fingerprint](npuscope_store::fingerprint) of the rank: its files and the version of the readers;
//! - [`Analysis::NAME`] and [`Analysis::VERSION`], [`FORM`], and the version of this program;
//! - the fields of the analysis, which are the options that its map sees;
//! - the chosen step;
//! - [`Analysis::reads_besides`]: files that are not part of the fingerprint.
//!
//! A map sees only its fields and [`RankData`], so an option cannot change an extract without changing its key. Who
//! changes what a map makes, or the type of its extract, raises `VERSION`.
//!
//! An analysis that needs some tables does not fill the cache of columns: it reads the few tables that it needs, which
//! takes a fraction of reading all of them. It uses columns that are there, because `info`, `sql` or `view` read the rank
//! before. One that needs all tables, as `info` does, leaves the columns for what is asked next.

mod text;

use std::convert::Infallible;

use npuscope_formats::source::RankSource;
use npuscope_store::loader::Met;
use npuscope_store::{Store, StoreError};
use npuscope_tables::table::{diagnostic, step};
use npuscope_tables::{Ns, Rank, RankTables, Selection, TableId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use text::Text;

/// What is taken of each rank. The fields are the options that matter for it.
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

/// Which part of a rank is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Scope {
    /// All steps if none is given.
    pub step: Option<i64>,
    /// A rank without the chosen step is looked at whole, as msprof-analyze does it.
    pub or_all_steps: bool,
}

/// The tables of one rank, as far as they were asked for.
pub struct RankData<'a> {
    pub rank: Rank,
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

/// Why a rank has no part in an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Absent {
    #[error("it has no step {0}")]
    Step(i64),
    #[error("it has no mstx ranges of the domain {0}")]
    Ranges(Text),
    #[error("it has no device_N/info.json.N, and its chip is not known")]
    Chip,
    #[error("it is a trace of PyTorch's own profiler, which databases of NPUs have no place for")]
    NoPlaceInDatabases,
    #[error("nothing of it would be kept")]
    NothingKept,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Relative to the directory of the rank, where it is one file's.
    pub file: Option<Text>,
    pub message: Text,
}

/// Version of what is kept around an extract: [`RankExtract`], and how texts are written.
const FORM: u32 = 2;

/// What is kept of a rank.
#[derive(Debug, Serialize, Deserialize)]
pub struct RankExtract<E> {
    pub problems: Vec<Problem>,
    /// What reading remarked on without losing anything: how often.
    pub remarks: u64,
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
        let met = Met { problems: kept.problems.len() as u64, remarks: kept.remarks };
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
    format!("{}/{}/{FORM}/{}?{options}", A::NAME, A::VERSION, env!("CARGO_PKG_VERSION"))
}

/// Reads a rank and maps it. What is as large as the files is made by this and not kept.
pub fn map_rank<T>(
    store: &Store,
    source: &RankSource,
    needs: Selection,
    scope: Scope,
    map: impl Fn(&RankData<'_>) -> Result<T, Absent>,
) -> RankExtract<T> {
    let mut selection = needs.and(Selection::of(&[TableId::Metadata]));
    if scope.step.is_some() {
        selection = selection.and(Selection::of(&[TableId::Step]));
    }
    let tables = match needs == Selection::ALL {
        // Who reads all of a rank leaves its columns for what is asked next.
        true => store.load(source).and_then(|rank| Ok(rank.tables()?)).ok(),
        false => None,
    };
    let tables = tables.unwrap_or_else(|| store.loader().load_some(source, selection));
    let problems = problems(&tables);
    let remarks = (tables.len(TableId::Diagnostic) - problems.len()) as u64;
    let steps = match scope.step {
        Some(_) => tables.rows::<step::Row>().filter_map(|step| step.id).collect(),
        None => Vec::new(),
    };
    let window = window(&tables, scope);
    let extract = window.and_then(|window| map(&RankData { rank: source.rank, source, tables, window }));
    RankExtract { problems, remarks, steps, extract }
}

fn window(tables: &RankTables, scope: Scope) -> Result<(Ns, Ns), Absent> {
    const ALWAYS: (Ns, Ns) = (Ns(i64::MIN), Ns(i64::MAX));
    let Some(id) = scope.step else { return Ok(ALWAYS) };
    match tables.rows::<step::Row>().find(|step| step.id == Some(id)) {
        Some(step) => Ok((step.start, step.end)),
        None if scope.or_all_steps => Ok(ALWAYS),
        None => Err(Absent::Step(id)),
    }
}

fn problems(tables: &RankTables) -> Vec<Problem> {
    let rows = tables.rows::<diagnostic::Row>().filter(|row| row.is_loss(tables));
    let problem = |row: diagnostic::Row| Problem {
        file: tables.opt_text(row.file).filter(|file| !file.is_empty()).map(Text::from),
        message: tables.text(row.message).into(),
    };
    rows.map(problem).collect()
}

#[cfg(test)]
mod tests {
    use npuscope_formats::output::Output;
    use npuscope_store::OpenOptions;
    use npuscope_store::fingerprint::fingerprint;
    use npuscope_synth::{Form, JobConfig, simulate, write_job};

    use super::*;

    /// The name of a rank as often as told.
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
        write_job(&simulate(&config).unwrap(), Form::Text, &Output::new(&profile).unwrap(), |_| {}).unwrap();
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
        let unsound = RankExtract { problems: Vec::new(), remarks: 0, steps: Vec::new(), extract };
        let unsound = text::encode(&unsound).unwrap();
        let cut = &bytes[..bytes.len() - 1];
        // The seal of each is whole, so that only decoding can tell.
        for payload in [&[][..], &[0xff; 40], cut, &unsound] {
            store.cache().store_extract(&key, &name, payload).unwrap();
            assert_eq!(ask(), expected);
            assert_eq!(store.take_warnings().len(), 1);
            assert_eq!(store.cache().extract(&key, &name).unwrap(), bytes);
        }
        assert_eq!(ask(), expected);
        assert_eq!(store.take_warnings(), Vec::<String>::new());
    }
}
