//! Answers that are kept: the files that a mode wrote, so that the second run copies them.
//!
//! To decode extracts, reduce them and write tables takes a tenth or more of a first run in modes with large tables.
//! [`ask`] therefore looks for the files of an earlier run first. They are kept in the cache beside the extracts, with
//! the notes of the answer and with what it lacks. The key of a kept answer is
//!
//! - the [fingerprints](npuscope_store::fingerprint) of all ranks that are asked, and their directories, which some
//!   tables name;
//! - the same of the baseline, if there is one;
//! - the mode and all [`Options`](super::Options);
//! - the code of this program, as a hash over its sources.
//!
//! Not kept are answers that depend on other files ([`Job::depends_on_other_files`]), failures, answers that write
//! nothing, and answers of more than [`MAX_BYTES`].

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use npuscope_formats::output::Output;
use npuscope_formats::result::keep_tables;
use npuscope_store::Store;
use npuscope_store::fingerprint::fingerprint_all;
use serde::{Deserialize, Serialize};

use super::write::{DATABASE, OUTPUT_DIRECTORY, Written, write_recorded};
use super::{Answer, Failure, Job, LeftOut, Mode, run};

/// The size of the largest answer that is kept. Copies of the profile's own databases are larger; to keep them would
/// fill the cache.
const MAX_BYTES: u64 = 64 << 20;

/// The code that answers are made by: a hash over the sources.
const CODE: &str = env!("NPUSCOPE_CODE");

/// An answer that is not written yet: a new one or a kept one.
pub struct Asked {
    pub notes: Vec<String>,
    found: Found,
    /// Where a new answer is kept; none if it must not be.
    place: Option<Place>,
}

enum Found {
    New(Answer),
    Kept(Kept),
}

/// Asks a mode of a job. The answer is a kept one if nothing has changed since it was written.
pub fn ask(mode: &Mode, job: &Job<'_>) -> Result<Asked, Failure> {
    let place = Place::of(mode, job, CODE);
    if let Some(kept) = place.as_ref().and_then(|place| place.read(job.store())) {
        job.tell_all(&kept.contents.left_out);
        return Ok(Asked { notes: kept.contents.notes.clone(), found: Found::Kept(kept), place: None });
    }
    let answer = run(mode, job)?;
    let place = place.filter(|_| !job.has_other_files());
    Ok(Asked { notes: answer.notes.clone(), found: Found::New(answer), place })
}

impl Asked {
    /// Whether it is the answer of an earlier run.
    pub fn is_kept(&self) -> bool {
        matches!(self.found, Found::Kept(_))
    }

    /// Writes the answer below `output`, as [`write()`](super::write()) does, and keeps it.
    pub fn write(self, mode: &Mode, job: &Job<'_>, output: &Path) -> Result<Written, Failure> {
        let answer = match self.found {
            Found::Kept(kept) => return kept.write(job, output),
            Found::New(answer) => answer,
        };
        let mut record = self.place.is_some().then(Record::default);
        let written = write_recorded(mode, job, answer, output, &mut record)?;
        if let Some((place, record)) = self.place.zip(record).filter(|(_, record)| !record.parts.is_empty()) {
            let Record { parts, bytes } = record;
            let tables = written.tables.clone();
            place.store(job.store(), &Contents { notes: self.notes, left_out: job.left_out(), tables, parts }, &bytes);
        }
        Ok(written)
    }
}

/// Where in the cache an answer is kept.
struct Place {
    key: String,
    name: String,
}

impl Place {
    /// `None` if an answer of the job cannot be kept.
    fn of(mode: &Mode, job: &Job<'_>, code: &str) -> Option<Place> {
        job.store().cache().root()?;
        // A profile of another machine may be any file; what was noted before is not of this answer.
        if job.options.baseline_profile.is_some() || !job.left_out().is_empty() {
            return None;
        }
        let directories = |job: &Job<'_>| -> Option<Vec<PathBuf>> {
            let roots = std::iter::once(job.root());
            let all = roots.chain(job.sources().iter().map(|source| source.directory.as_path()));
            all.map(|path| std::path::absolute(path).ok()).collect()
        };
        let fingerprint = |job: &Job<'_>| fingerprint_all(job.sources().iter().copied());
        let baseline = match &job.options.baseline {
            Some(path) => {
                let ask = |baseline: &Job<'_>| Ok((fingerprint(baseline), directories(baseline)));
                let (fingerprint, directories) = job.of_baseline(path, job.options, ask).ok()?;
                Some((fingerprint, directories?))
            }
            None => None,
        };
        // Paths that are not UTF-8 have no JSON.
        let asked = serde_json::to_string(&(job.options, job.chosen(), directories(job)?, baseline)).ok()?;
        Some(Place { key: fingerprint(job), name: format!("output/{}/{code}?{asked}", mode.name) })
    }

    fn read(&self, store: &Store) -> Option<Kept> {
        let bytes = store.cache().extract(&self.key, &self.name)?;
        let kept = Kept::decode(bytes);
        if kept.is_none() {
            store.cache().discard_extract(&self.key, &self.name);
        }
        kept
    }

    fn store(&self, store: &Store, contents: &Contents, bytes: &[u8]) {
        let Ok(mut kept) = postcard::to_allocvec(contents) else { return };
        kept.extend_from_slice(bytes);
        // A cache that cannot be written costs time, not the answer; that it cannot was reported for the extracts.
        let _ = store.cache().store_extract(&self.key, &self.name, &kept);
    }
}

/// What is kept of an answer, before the bytes of its files.
#[derive(Serialize, Deserialize)]
struct Contents {
    notes: Vec<String>,
    left_out: Vec<LeftOut>,
    /// Name and rows of each table that was written.
    tables: Vec<(String, usize)>,
    parts: Vec<Part>,
}

/// One thing that was done to the directory of results. Paths are below it, with `/`.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Part {
    /// The database of these tables, those without rows included; it has so many bytes.
    Database {
        tables: Vec<String>,
        bytes: u64,
    },
    File {
        path: String,
        bytes: u64,
    },
    Remove {
        path: String,
    },
}

impl Part {
    fn bytes(&self) -> u64 {
        match self {
            Part::Database { bytes, .. } | Part::File { bytes, .. } => *bytes,
            Part::Remove { .. } => 0,
        }
    }

    /// Whether it stays in the directory of results.
    fn is_inside(&self) -> bool {
        match self {
            Part::Database { .. } => true,
            Part::File { path, .. } | Part::Remove { path } => {
                Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
            }
        }
    }
}

/// What is written, noted while it is.
#[derive(Default)]
pub struct Record {
    parts: Vec<Part>,
    bytes: Vec<u8>,
}

impl Record {
    /// Notes the database of some tables, which is at a temporary path.
    pub fn database(record: &mut Option<Record>, tables: &[&str], part: &Path) -> io::Result<()> {
        let tables = tables.iter().map(|&name| name.to_owned()).collect();
        Record::add(record, part, |bytes| Part::Database { tables, bytes })
    }

    /// Notes a file, which is at a temporary path.
    pub fn file(record: &mut Option<Record>, path: &str, part: &Path) -> io::Result<()> {
        Record::add(record, part, |bytes| Part::File { path: path.to_owned(), bytes })
    }

    /// Notes that a file of an earlier answer was removed.
    pub fn remove(record: &mut Option<Record>, path: &str) {
        if let Some(record) = record {
            record.parts.push(Part::Remove { path: path.to_owned() });
        }
    }

    fn add(record: &mut Option<Record>, part: &Path, about: impl FnOnce(u64) -> Part) -> io::Result<()> {
        let Some(noted) = record else { return Ok(()) };
        let bytes = fs::metadata(part)?.len();
        if noted.bytes.len() as u64 + bytes > MAX_BYTES {
            *record = None;
            return Ok(());
        }
        noted.bytes.extend_from_slice(&fs::read(part)?);
        noted.parts.push(about(bytes));
        Ok(())
    }
}

/// A kept answer.
struct Kept {
    contents: Contents,
    /// The contents, then the bytes of its files.
    bytes: Vec<u8>,
    /// Where the bytes of files begin.
    start: usize,
}

impl Kept {
    fn decode(bytes: Vec<u8>) -> Option<Kept> {
        let (contents, rest) = postcard::take_from_bytes::<Contents>(&bytes).ok()?;
        let total = contents.parts.iter().try_fold(0u64, |sum, part| sum.checked_add(part.bytes()))?;
        let is_sound = total == rest.len() as u64 && contents.parts.iter().all(Part::is_inside);
        let start = bytes.len() - rest.len();
        is_sound.then_some(Kept { contents, bytes, start })
    }

    fn write(self, job: &Job<'_>, output: &Path) -> Result<Written, Failure> {
        let mut written = Written { tables: self.contents.tables, ..Written::default() };
        let directory = Output::new(output.join(OUTPUT_DIRECTORY))?;
        let mut rest = self.bytes.get(self.start..).unwrap_or_default();
        for part in &self.contents.parts {
            job.check_stop()?;
            let length = usize::try_from(part.bytes()).unwrap_or(usize::MAX);
            let (bytes, after) = rest.split_at_checked(length).unwrap_or_default();
            rest = after;
            match part {
                Part::Database { tables, .. } => {
                    let path = directory.path().join(DATABASE);
                    let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
                    directory.path_for(DATABASE, |part| {
                        fs::write(part, bytes)?;
                        if path.exists() { keep_tables(part, &path, &tables) } else { Ok(()) }
                    })?;
                    written.database = Some(path.clone());
                    written.files.push(path);
                }
                Part::File { path, .. } => {
                    let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
                    directory.directory(folder)?.path_for(name, |part| fs::write(part, bytes))?;
                    written.files.push(directory.path().join(path));
                }
                Part::Remove { path } => directory.remove(path)?,
            }
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use npuscope_store::OpenOptions;
    use npuscope_synth::{Form, JobConfig, simulate, write_job};

    use super::*;
    use crate::cluster::{Export, Options, find};

    fn contents(parts: Vec<Part>) -> Contents {
        Contents { notes: vec!["a note".to_owned()], left_out: Vec::new(), tables: Vec::new(), parts }
    }

    #[test]
    fn damaged_answers_are_refused() {
        let bytes =
            |parts: Vec<Part>, rest: &[u8]| [&postcard::to_allocvec(&contents(parts)).unwrap()[..], rest].concat();
        let file = |path: &str| vec![Part::File { path: path.to_owned(), bytes: 3 }];
        assert!(Kept::decode(bytes(file("a/b.csv"), b"abc")).is_some());
        for damaged in [
            bytes(file("a/b.csv"), b"ab"),
            bytes(file("a/b.csv"), b"abcd"),
            bytes(file("../b.csv"), b"abc"),
            bytes(file("/b.csv"), b"abc"),
            bytes(vec![Part::Remove { path: "a/../../b".to_owned() }], b""),
            Vec::new(),
        ] {
            assert!(Kept::decode(damaged).is_none());
        }
    }

    #[test]
    fn an_answer_holds_for_its_options_ranks_place_and_code() {
        let directory = tempfile::tempdir().unwrap();
        let profile = directory.path().join("profile");
        let config = JobConfig { tp: 1, pp: 1, dp: 2, layers: 1, steps: 1, ..JobConfig::default() };
        write_job(&simulate(&config).unwrap(), Form::Text, &Output::new(&profile).unwrap(), |_| {}).unwrap();
        let store = |path: &Path| Store::open(path, OpenOptions::new(directory.path().join("cache"))).unwrap();
        let place = |store: &Store, mode: &str, ranks: Option<&[i64]>, options: &Options, code: &str| {
            let ranks = ranks.map(|ranks| ranks.iter().copied().collect());
            let place = Place::of(find(mode).unwrap(), &Job::new(store, ranks.as_ref(), options), code).unwrap();
            (place.key, place.name)
        };
        let (here, plain) = (store(&profile), Options::default());
        let first = place(&here, "hccl_sum", None, &plain, "1");
        assert_eq!(place(&here, "hccl_sum", None, &plain, "1"), first);
        let mut others = vec![
            place(&here, "hccl_sum", None, &plain, "2"),
            place(&here, "slow_rank", None, &plain, "1"),
            place(&here, "hccl_sum", Some(&[0, 1]), &plain, "1"),
            place(&here, "hccl_sum", Some(&[1]), &plain, "1"),
        ];
        for options in [
            Options { compat: true, ..Options::default() },
            Options { export: Some(Export::Text), ..Options::default() },
            Options { step: Some(1), ..Options::default() },
            Options { top_num: Some(1), ..Options::default() },
            Options { baseline: Some(profile.clone()), ..Options::default() },
        ] {
            others.push(place(&here, "hccl_sum", None, &options, "1"));
        }
        let moved = directory.path().join("moved");
        fs::rename(&profile, &moved).unwrap();
        others.push(place(&store(&moved), "hccl_sum", None, &plain, "1"));
        for (index, other) in others.iter().enumerate() {
            assert_ne!(*other, first, "{index}");
        }
        // A baseline that cannot be read, or that may be any file, is no part of a key.
        for options in [
            Options { baseline: Some(profile.clone()), ..Options::default() },
            Options { baseline_profile: Some(moved.clone()), ..Options::default() },
        ] {
            let store = store(&moved);
            assert!(Place::of(find("hccl_sum").unwrap(), &Job::new(&store, None, &options), "1").is_none());
        }
    }
}
