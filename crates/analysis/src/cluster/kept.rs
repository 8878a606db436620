//! Cache of answers: the files that a mode wrote, so that a second run only has to write them again.
//!
//! To decode extracts, reduce them and write tables takes a tenth or more of a first run in modes with large tables.
//! [`ask`] therefore looks for the files of an earlier run first. They are kept in the cache beside the extracts, with
//! the notes of the answer and with what it lacks. The key of a kept answer is
//!
//! - the [fingerprints](npuscope_store::fingerprint) of all selected ranks, and their directories, which some
//!   tables name;
//! - the same of the baseline, if there is one, or which file it is if it is one of Nsight Systems;
//! - of `cluster_time_compare_summary`, which files are the results of earlier runs in the profile and in the baseline;
//! - the mode and all [`Options`](super::Options);
//! - the code of this program, as a hash over its sources.
//!
//! Not kept are failures, answers that depend on other files ([`Job::depends_on_other_files`]), and answers of more
//! than [`MAX_BYTES`].
//!
//! For each directory of results the [`FileIds`] of the files that were written to it are kept beside the answer. A
//! file that is still there and unchanged is left alone. Copies of the profile's databases
//! ([`ResultFile::copied`](super::ResultFile::copied)) are as large as the profile, so that they are not kept in the
//! cache: where one of them is gone or changed, the mode runs again on its extracts and writes all of them.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Component, Path, PathBuf};

use npuscope_formats::nsight;
use npuscope_formats::output::Output;
use npuscope_formats::result::{ResultTable, keep_tables, write_database};
use npuscope_messages::Message;
use npuscope_store::Store;
use npuscope_store::cache::{FileId, MappedExtract};
use npuscope_store::fingerprint::fingerprint_all;
use serde::{Deserialize, Serialize};

use super::file_ids::FileIds;
use super::recipes::cluster_time_compare_summary;
use super::write::{DATABASE, OUTPUT_DIRECTORY, Written, write_recorded};
use super::{Answer, Failure, Job, LeftOut, Mode, run};

/// The size of the largest answer that is kept.
const MAX_BYTES: u64 = 512 << 20;

/// The most files of an answer that is kept: they are open until all are written.
const MAX_FILES: usize = 256;

/// The code that answers are made by: a hash over the sources.
const CODE: &str = env!("NPUSCOPE_CODE");

/// An answer that is not written yet: a new one or a kept one.
pub struct Asked {
    pub notes: Vec<Message>,
    /// The directory that the user names for results.
    output: PathBuf,
    found: Found,
    /// Where the answer is kept; none if it must not be.
    place: Option<Place>,
}

enum Found {
    New(Answer),
    Kept(Kept),
}

/// Applies a mode to a job and writes the answer below `output`. Uses the cached answer if nothing has changed since it
/// was written.
pub fn ask(mode: &Mode, job: &Job<'_>, output: &Path) -> Result<Asked, Failure> {
    let place = Place::of(mode, job, CODE);
    let kept = place.as_ref().and_then(|place| place.read(job.store(), output));
    let output = output.to_owned();
    if let Some(kept) = kept.filter(|kept| kept.has_copies_in(&output.join(OUTPUT_DIRECTORY))) {
        job.note_all_left_out(&kept.contents.left_out);
        return Ok(Asked { notes: kept.contents.notes.clone(), output, found: Found::Kept(kept), place });
    }
    let answer = run(mode, job)?;
    let place = place.filter(|_| !job.has_other_files());
    Ok(Asked { notes: answer.notes.clone(), output, found: Found::New(answer), place })
}

impl Asked {
    /// Whether it is the answer of an earlier run.
    pub fn is_kept(&self) -> bool {
        matches!(self.found, Found::Kept(_))
    }

    /// Writes the answer, as [`write()`](super::write()) does, and keeps it.
    pub fn write(self, mode: &Mode, job: &Job<'_>) -> Result<Written, Failure> {
        let answer = match self.found {
            Found::Kept(kept) => {
                let (written, ids) = kept.write(job, &self.output)?;
                if let Some((place, ids)) = self.place.zip(ids) {
                    place.store_ids(job.store(), &self.output, &ids);
                }
                return Ok(written);
            }
            Found::New(answer) => answer,
        };
        let mut record = self.place.is_some().then(Record::default);
        let written = write_recorded(mode, job, answer, &self.output, &mut record)?;
        if let Some((place, Record { parts, contents, mut ids })) = self.place.zip(record) {
            ids.settle(&self.output.join(OUTPUT_DIRECTORY));
            place.store_ids(job.store(), &self.output, &ids);
            let tables = written.tables.clone();
            let about = Contents { notes: self.notes, left_out: job.left_out(), tables, parts };
            place.store(job.store(), &about, &contents);
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
        // What was noted before is not of this answer.
        if !job.left_out().is_empty() {
            return None;
        }
        let directories = |job: &Job<'_>| -> Option<Vec<PathBuf>> {
            let roots = std::iter::once(job.root());
            let all = roots.chain(job.sources().iter().map(|source| source.first.directory.as_path()));
            all.map(|path| std::path::absolute(path).ok()).collect()
        };
        let fingerprint = |job: &Job<'_>| fingerprint_all(job.sources().iter().copied());
        let of_profile = |path: &Path| {
            let ask = |baseline: &Job<'_>| Ok((fingerprint(baseline), directories(baseline)));
            let (fingerprint, directories) = job.of_baseline(path, job.options, ask).ok()?;
            Some((fingerprint, directories?))
        };
        let baseline = match &job.options.baseline {
            Some(path) => {
                let reads_results = mode.name == cluster_time_compare_summary::MODE.name;
                let results =
                    |root: &Path| id_of_database(&root.join(OUTPUT_DIRECTORY).join(DATABASE)).filter(|_| reads_results);
                Some((of_profile(path)?, results(job.root()), results(path)))
            }
            None => None,
        };
        let gpus = match &job.options.baseline_profile {
            Some(path) if nsight::is_sqlite(path) => Some(Baseline::Database(id_of_database(path)?)),
            Some(path) => Some(Baseline::Profile(of_profile(path)?)),
            None => None,
        };
        // Paths that are not UTF-8 have no JSON.
        let asked = (job.options, job.chosen(), directories(job)?, baseline, gpus);
        let asked = serde_json::to_string(&asked).ok()?;
        Some(Place { key: fingerprint(job), name: format!("output/{}/{code}?{asked}", mode.name) })
    }

    fn read(&self, store: &Store, output: &Path) -> Option<Kept> {
        let kept = Kept::decode(store.cache().mapped_extract(&self.key, &self.name)?);
        let Some(kept) = kept else {
            store.cache().discard_extract(&self.key, &self.name);
            return None;
        };
        let ids = self.name_of_ids(output).and_then(|name| store.cache().extract(&self.key, &name));
        let ids = ids.and_then(|bytes| postcard::from_bytes(&bytes).ok()).unwrap_or_default();
        Some(Kept { ids, ..kept })
    }

    /// Keeps which files a directory of results got.
    fn store_ids(&self, store: &Store, output: &Path, ids: &FileIds) {
        if let Some((name, bytes)) = self.name_of_ids(output).zip(postcard::to_allocvec(ids).ok()) {
            // As for an answer: without them, files are written again.
            let _ = store.cache().store_extract(&self.key, &name, &bytes);
        }
    }

    /// `None` for a directory whose path is not UTF-8.
    fn name_of_ids(&self, output: &Path) -> Option<String> {
        let output = std::path::absolute(output).ok()?;
        Some(format!("ids of {} in {}", self.name, output.to_str()?))
    }

    fn store(&self, store: &Store, about: &Contents, contents: &[Content]) {
        let Ok(start) = postcard::to_allocvec(about) else { return };
        let lengths: Vec<u64> = about.parts.iter().map(Part::bytes).filter(|bytes| *bytes > 0).collect();
        let write = |out: &mut dyn Write| {
            out.write_all(&start)?;
            contents.iter().zip(&lengths).try_for_each(|(content, bytes)| content.copy(*bytes, out))
        };
        // A cache that cannot be written costs time, not the answer; that it cannot was reported for the extracts.
        let _ = store.cache().stream_extract(&self.key, &self.name, write);
    }
}

/// What a job of GPUs was saved as.
#[derive(Serialize)]
enum Baseline {
    /// The key of its ranks, and their directories.
    Profile((String, Vec<PathBuf>)),
    Database((FileId, Option<FileId>)),
}

/// Which file a database is, and which its log of changes that are not in it yet.
fn id_of_database(path: &Path) -> Option<(FileId, Option<FileId>)> {
    let path = path.canonicalize().ok()?;
    let mut log = path.clone().into_os_string();
    log.push("-wal");
    Some((FileId::at(&path)?, FileId::at(Path::new(&log))))
}

/// What is kept of an answer, before the bytes of its files.
#[derive(Serialize, Deserialize)]
struct Contents {
    notes: Vec<Message>,
    left_out: Vec<LeftOut>,
    /// Name and rows of each table that was written.
    tables: Vec<(String, usize)>,
    parts: Vec<Part>,
}

impl Contents {
    /// What the bytes of a kept answer begin with, and its length; `None` if they are not those of one.
    fn decode(bytes: &[u8]) -> Option<(Contents, usize)> {
        let (contents, rest) = postcard::take_from_bytes::<Contents>(bytes).ok()?;
        let total = contents.parts.iter().try_fold(0u64, |sum, part| sum.checked_add(part.bytes()))?;
        let is_sound = total == rest.len() as u64 && contents.parts.iter().all(Part::is_inside);
        is_sound.then_some((contents, bytes.len() - rest.len()))
    }
}

/// One thing that was done to the directory of results. Paths are below it, with `/`.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Part {
    /// The database of these tables, those without rows included; its size in bytes, none if no table has rows.
    Database {
        tables: Vec<String>,
        bytes: u64,
    },
    File {
        path: String,
        bytes: u64,
    },
    /// A copy of a database of the profile.
    Copy {
        path: String,
    },
    Remove {
        path: String,
    },
}

impl Part {
    fn bytes(&self) -> u64 {
        match self {
            Part::Database { bytes, .. } | Part::File { bytes, .. } => *bytes,
            Part::Copy { .. } | Part::Remove { .. } => 0,
        }
    }

    /// Whether it writes a file that need not be there.
    fn is_written(&self) -> bool {
        match self {
            Part::Database { bytes, .. } => *bytes > 0,
            Part::File { .. } | Part::Copy { .. } => true,
            Part::Remove { .. } => false,
        }
    }

    /// The file that it writes or removes, below the directory of results.
    fn path(&self) -> &str {
        match self {
            Part::Database { .. } => DATABASE,
            Part::File { path, .. } | Part::Copy { path } | Part::Remove { path } => path,
        }
    }

    /// Whether it stays in the directory of results.
    fn is_inside(&self) -> bool {
        Path::new(self.path()).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    }
}

/// What is written, noted while it is.
#[derive(Default)]
pub struct Record {
    parts: Vec<Part>,
    /// Of the parts that have bytes.
    contents: Vec<Content>,
    ids: FileIds,
}

/// The bytes of a file that was written. An open file stays what it is if its name is given to another.
enum Content {
    Memory(Vec<u8>),
    File(File),
}

impl Content {
    /// Copies all bytes; fails if there are not as many as there were.
    fn copy(&self, bytes: u64, out: &mut dyn Write) -> io::Result<()> {
        let mut file = match self {
            Content::Memory(content) => return out.write_all(content),
            Content::File(file) => file,
        };
        file.rewind()?;
        let (mut buffer, mut copied) = (vec![0; 1 << 18], 0);
        loop {
            let read = file.read(&mut buffer)?;
            let Some(content) = buffer.get(..read).filter(|content| !content.is_empty()) else { break };
            out.write_all(content)?;
            copied += read as u64;
        }
        if copied == bytes { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

impl Record {
    /// Notes the database of some tables, which is at a temporary path, and whether it will be added to.
    pub fn database(record: &mut Option<Record>, tables: &[&str], part: &Path, will_change: bool) -> io::Result<()> {
        let tables = tables.iter().map(|&name| name.to_owned()).collect();
        Record::add(record, part, will_change, |bytes| Part::Database { tables, bytes })
    }

    /// Notes that no table of an answer has rows.
    pub fn no_tables<'a>(record: &mut Option<Record>, tables: impl Iterator<Item = &'a ResultTable>) {
        let tables: Vec<String> = tables.map(|table| table.name.clone()).collect();
        if let Some(record) = record.as_mut().filter(|_| !tables.is_empty()) {
            record.parts.push(Part::Database { tables, bytes: 0 });
        }
    }

    /// Notes a file, which is at a temporary path.
    pub fn file(record: &mut Option<Record>, path: &str, part: &Path) -> io::Result<()> {
        Record::add(record, part, false, |bytes| Part::File { path: path.to_owned(), bytes })
    }

    /// Notes a copy of a database of the profile, which is at a temporary path.
    pub fn copy(record: &mut Option<Record>, path: &str, part: &Path) {
        if let Some(record) = record {
            record.parts.push(Part::Copy { path: path.to_owned() });
            record.ids.note(path, part);
        }
    }

    /// Notes that a file of an earlier answer was removed.
    pub fn remove(record: &mut Option<Record>, path: &str) {
        if let Some(record) = record {
            record.parts.push(Part::Remove { path: path.to_owned() });
        }
    }

    fn add(
        record: &mut Option<Record>,
        part: &Path,
        will_change: bool,
        about: impl FnOnce(u64) -> Part,
    ) -> io::Result<()> {
        let Some(noted) = record else { return Ok(()) };
        let file = File::open(part)?;
        let bytes = file.metadata()?.len();
        let total = noted.parts.iter().map(Part::bytes).sum::<u64>() + bytes;
        if total > MAX_BYTES || noted.contents.len() >= MAX_FILES {
            *record = None;
            return Ok(());
        }
        let about = about(bytes);
        noted.ids.note(about.path(), part);
        noted.parts.push(about);
        match will_change {
            _ if bytes == 0 => {}
            true => noted.contents.push(Content::Memory(fs::read(part)?)),
            false => noted.contents.push(Content::File(file)),
        }
        Ok(())
    }
}

/// A kept answer.
struct Kept {
    contents: Contents,
    /// The contents, then the bytes of its files.
    bytes: MappedExtract,
    /// Where the bytes of files begin.
    start: usize,
    /// The files that were written to the directory of results before.
    ids: FileIds,
}

impl Kept {
    fn decode(bytes: MappedExtract) -> Option<Kept> {
        let (contents, start) = Contents::decode(&bytes)?;
        Some(Kept { contents, bytes, start, ids: FileIds::default() })
    }

    /// Whether all copies of the profile's databases are in a directory of results as they were written.
    fn has_copies_in(&self, directory: &Path) -> bool {
        let mut copies = self.contents.parts.iter().filter(|part| matches!(part, Part::Copy { .. }));
        copies.all(|part| self.ids.is_unchanged(directory, part.path()))
    }

    /// Writes the files that are not there or have changed. The ids are those of all files, if any was written.
    fn write(self, job: &Job<'_>, output: &Path) -> Result<(Written, Option<FileIds>), Failure> {
        let mut ids = self.ids.clone();
        let mut written = Written { tables: self.contents.tables, ..Written::default() };
        let output = output.join(OUTPUT_DIRECTORY);
        if !self.contents.parts.iter().any(Part::is_written) && !output.exists() {
            return Ok((written, None));
        }
        let directory = Output::new(output)?;
        let mut rest = self.bytes.get(self.start..).unwrap_or_default();
        for part in &self.contents.parts {
            job.check_stop()?;
            let length = usize::try_from(part.bytes()).unwrap_or(usize::MAX);
            let (bytes, after) = rest.split_at_checked(length).unwrap_or_default();
            rest = after;
            let is_unchanged = self.ids.is_unchanged(directory.path(), part.path());
            match part {
                Part::Database { tables, bytes: 0 } => {
                    let path = directory.path().join(DATABASE);
                    let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
                    if path.exists() {
                        directory.path_for(DATABASE, |part| {
                            write_database(part, &[])?;
                            keep_tables(part, &path, &tables)
                        })?;
                    }
                }
                Part::Database { tables, .. } => {
                    let path = directory.path().join(DATABASE);
                    let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
                    if !is_unchanged {
                        directory.path_for(DATABASE, |part| {
                            write_in_pieces(part, bytes)?;
                            ids.note(DATABASE, part);
                            if path.exists() { keep_tables(part, &path, &tables) } else { Ok(()) }
                        })?;
                    }
                    written.database = Some(path.clone());
                    written.files.push(path);
                }
                Part::File { path, .. } => {
                    let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
                    if !is_unchanged {
                        directory.directory(folder)?.path_for(name, |part| {
                            write_in_pieces(part, bytes)?;
                            ids.note(path, part);
                            Ok(())
                        })?;
                    }
                    written.files.push(directory.path().join(path));
                }
                Part::Copy { path } => written.files.push(directory.path().join(path)),
                Part::Remove { path } => directory.remove(path)?,
            }
        }
        let has_written = ids != self.ids;
        ids.settle(directory.path());
        Ok((written, has_written.then_some(ids)))
    }
}

/// Writes a file 64 KiB at a time. Measured on a virtual machine, one write of 97 MB took 0.02 to 0.2 CPU s, in pieces
/// nearly always 0.02. The difference was the kernel's copy into new pages: probably one write takes large pages, which
/// the host of the machine takes back when they are free.
fn write_in_pieces(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    bytes.chunks(1 << 16).try_for_each(|piece| file.write_all(piece))
}

#[cfg(test)]
mod tests {
    use npuscope_store::OpenOptions;
    use npuscope_synth::{Format, JobConfig, simulate, write_job};
    use npuscope_tables::Rank;

    use super::*;
    use crate::cluster::{Export, Options, find};

    fn contents(parts: Vec<Part>) -> Contents {
        Contents {
            notes: vec![crate::messages::cluster::note_no_sends()],
            left_out: Vec::new(),
            tables: Vec::new(),
            parts,
        }
    }

    #[test]
    fn damaged_answers_are_refused() {
        let bytes =
            |parts: Vec<Part>, rest: &[u8]| [&postcard::to_allocvec(&contents(parts)).unwrap()[..], rest].concat();
        let file = |path: &str| vec![Part::File { path: path.to_owned(), bytes: 3 }];
        assert!(Contents::decode(&bytes(file("a/b.csv"), b"abc")).is_some());
        for damaged in [
            bytes(file("a/b.csv"), b"ab"),
            bytes(file("a/b.csv"), b"abcd"),
            bytes(file("../b.csv"), b"abc"),
            bytes(file("/b.csv"), b"abc"),
            bytes(vec![Part::Remove { path: "a/../../b".to_owned() }], b""),
            Vec::new(),
        ] {
            assert!(Contents::decode(&damaged).is_none());
        }
    }

    #[test]
    fn an_answer_holds_for_its_options_ranks_place_and_code() {
        let directory = tempfile::tempdir().unwrap();
        let profile = directory.path().join("profile");
        let config = JobConfig { tp: 1, pp: 1, dp: 2, layers: 1, steps: 1, ..JobConfig::default() };
        write_job(&simulate(&config).unwrap(), Format::Text, &Output::new(&profile).unwrap(), |_| {}).unwrap();
        let store = |path: &Path| Store::open(path, OpenOptions::new(directory.path().join("cache"))).unwrap();
        let place = |store: &Store, mode: &str, ranks: Option<&[i64]>, options: &Options, code: &str| {
            let ranks = ranks.map(|ranks| ranks.iter().copied().map(Rank).collect());
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
        let compared = Options { baseline: Some(profile.clone()), ..Options::default() };
        let of_modes =
            || ["hccl_sum", "cluster_time_compare_summary"].map(|mode| place(&here, mode, None, &compared, "1"));
        let [other_mode, comparing] = of_modes();
        let results = Output::new(profile.join(OUTPUT_DIRECTORY)).unwrap();
        results.path_for(DATABASE, |path| write_database(path, &[])).unwrap();
        // One mode reads the results of earlier runs.
        let [other_mode_later, comparing_later] = of_modes();
        assert_eq!(other_mode, other_mode_later);
        assert_ne!(comparing, comparing_later);
        let moved = directory.path().join("moved");
        fs::rename(&profile, &moved).unwrap();
        others.push(place(&store(&moved), "hccl_sum", None, &plain, "1"));
        for (index, other) in others.iter().enumerate() {
            assert_ne!(*other, first, "{index}");
        }
        // A baseline that cannot be read is no part of a key.
        for options in [
            Options { baseline: Some(profile.clone()), ..Options::default() },
            Options { baseline_profile: Some(profile.clone()), ..Options::default() },
        ] {
            let store = store(&moved);
            assert!(Place::of(find("hccl_sum").unwrap(), &Job::new(&store, None, &options), "1").is_none());
        }
    }

    #[test]
    fn a_baseline_of_gpus_has_another_key_when_it_changes() {
        let directory = tempfile::tempdir().unwrap();
        let [profile, database, log] =
            ["profile", "gpu.sqlite", "gpu.sqlite-wal"].map(|name| directory.path().join(name));
        let config = JobConfig { tp: 1, pp: 1, dp: 1, layers: 1, steps: 1, ..JobConfig::default() };
        write_job(&simulate(&config).unwrap(), Format::Text, &Output::new(&profile).unwrap(), |_| {}).unwrap();
        write_database(&database, &[]).unwrap();
        let store = Store::open(&profile, OpenOptions::new(directory.path().join("cache"))).unwrap();
        let name = |baseline: &Path| {
            let options = Options { baseline_profile: Some(baseline.to_owned()), ..Options::default() };
            Place::of(find("calibrate_npu_gpu").unwrap(), &Job::new(&store, None, &options), "1").unwrap().name
        };
        let first = name(&database);
        assert_eq!(name(&database), first);
        fs::write(&log, "changes").unwrap();
        let with_log = name(&database);
        assert_ne!(with_log, first);
        let mut bytes = fs::read(&database).unwrap();
        bytes.push(0);
        fs::write(&database, bytes).unwrap();
        assert!(![first, with_log].contains(&name(&database)));
        let before = name(&profile);
        assert_eq!(name(&profile), before);
        let window = &store.profile().ranks[0].first;
        for file in &window.files {
            fs::write(window.path(file), "").unwrap();
        }
        assert_ne!(name(&profile), before);
    }
}
