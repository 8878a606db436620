//! What is in this directory?
//!
//! A profile is found by what it holds, not by how its directories are called: users rename them. A
//! rank is a directory with `ASCEND_PROFILER_OUTPUT` in it, one with raw files in `FRAMEWORK` that nobody parsed, a
//! `PROF_*` directory that `msprof` has exported, a directory with deliverables lying in it, or a file that PyTorch's
//! own profiler wrote.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use npuscope_formats::file_kind::{FileKind, kind_of};
use npuscope_formats::problem::{Problem, Severity};
use npuscope_formats::source::{JOB, OUTPUT_DIRECTORY, RankSource, SourceFile, process_in_directory};
use npuscope_formats::{framework, kineto};
use npuscope_tables::Flavour;
use npuscope_tables::table::diagnostic::RAW_ONLY;

/// How deep below the given directory ranks are looked for.
const MAX_DEPTH: usize = 10;

/// The diagnostic of a rank that has several directories.
const DUPLICATE: &str = "duplicate-rank";

/// The diagnostic of a rank whose recorder did not come to its end.
const CUT_RECORDING: &str = "cut-recording";

/// The diagnostic of a rank that is shown under another number than its own.
const RENUMBERED: &str = "renumbered-rank";

/// The name of the directory that `msprof` puts deliverables in.
const MSPROF_OUTPUT_DIRECTORY: &str = "mindstudio_profiler_output";

#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    #[error("there is no {path}", path = .0.display())]
    Missing(PathBuf),
    #[error("{path} is not a directory", path = .0.display())]
    NotADirectory(PathBuf),
    #[error("no profile in {path}: expected {OUTPUT_DIRECTORY} or FRAMEWORK directories, exported PROF_* directories, or files by the names that profilers give them, such as trace_view.json, kernel_details.csv or ascend_pytorch_profiler_0.db, or traces of PyTorch's profiler (*.json, *.json.gz)", path = .0.display())]
    Nothing(PathBuf),
    #[error("no profile in {path}: {why}", path = .0.display(), why = .1)]
    NothingReadable(PathBuf, String),
}

/// Everything found below one path.
#[derive(Debug, Default)]
pub struct Profile {
    pub root: PathBuf,
    /// By rank number.
    pub ranks: Vec<RankSource>,
    /// What concerns no rank in particular: results of cluster analyses, directories that could not be
    /// read. A source of its own, numbered [`JOB`].
    pub job: Option<RankSource>,
}

impl Profile {
    /// The ranks and, where there is anything to say of it, the job.
    pub fn sources(&self) -> impl Iterator<Item = &RankSource> {
        self.ranks.iter().chain(&self.job)
    }
}

/// Finds the ranks below `path`, which may be a directory or a single deliverable.
pub fn discover(path: &Path) -> Result<Profile, DiscoverError> {
    let metadata = fs::metadata(path).map_err(|_| DiscoverError::Missing(path.to_owned()))?;
    let mut search = Search { root: path.to_owned(), ..Search::default() };
    if metadata.is_file() {
        search.single_file(path);
    } else {
        let start = match path.file_name() {
            // Given the directory of the files itself, what lies beside it belongs to the rank too.
            Some(name) if name == OUTPUT_DIRECTORY || name == framework::DIRECTORY => {
                path.parent().filter(|p| p.is_dir()).unwrap_or(path)
            }
            _ => path,
        };
        search.directory(start, 0, &mut Vec::new());
    }
    let profile = search.finish();
    let has_results = profile.job.as_ref().is_some_and(|job| !job.files.is_empty());
    if profile.ranks.is_empty() && !has_results {
        return Err(match profile.job.as_ref().and_then(|job| job.problems.first()) {
            Some(problem) => DiscoverError::NothingReadable(path.to_owned(), problem.message.clone()),
            None => DiscoverError::Nothing(path.to_owned()),
        });
    }
    Ok(profile)
}

/// A directory with raw files.
#[derive(Clone, Debug)]
pub struct RawRank {
    /// Nothing if its files do not say.
    pub rank: Option<i64>,
    /// Its raw files, whether or not they were parsed; as rank 0 if the number is not known.
    pub source: RankSource,
    /// Deliverables are there already.
    pub is_parsed: bool,
    /// What its device did lies beside them, in `PROF_*`, which is not read.
    pub is_device_unread: bool,
}

/// Finds all directories with raw files at or below `path`, several of the same rank too.
pub fn discover_raw(path: &Path) -> Result<Vec<RawRank>, DiscoverError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => return Err(DiscoverError::NotADirectory(path.to_owned())),
        Err(_) => return Err(DiscoverError::Missing(path.to_owned())),
    }
    let start = match path.file_name() {
        // Given the directory of the raw files itself, or of what was parsed before.
        Some(name) if name == OUTPUT_DIRECTORY || name == framework::DIRECTORY => path.parent().unwrap_or(path),
        _ => path,
    };
    let mut search = Search { root: path.to_owned(), wants_raw: true, ..Search::default() };
    search.directory(start, 0, &mut Vec::new());
    search.found.retain(|candidate| candidate.source.is_raw());
    search.found.sort_by(|a, b| a.source.directory.cmp(&b.source.directory));
    let ranks = search.found.into_iter().map(|Candidate { rank, mut source, .. }| {
        source.rank = rank.unwrap_or_default();
        let is_parsed = has_deliverables(&source.directory.join(OUTPUT_DIRECTORY));
        let is_device_unread = source.problems.iter().any(|problem| problem.code == RAW_ONLY);
        RawRank { rank, source, is_parsed, is_device_unread }
    });
    Ok(ranks.collect())
}

#[derive(Default)]
struct Search {
    root: PathBuf,
    /// Raw files count, even if they were parsed.
    wants_raw: bool,
    found: Vec<Candidate>,
    cluster_results: Vec<PathBuf>,
    problems: Vec<Problem>,
    /// Directories that were looked into, by their real paths.
    seen: HashSet<PathBuf>,
}

/// A rank directory whose number is not settled.
struct Candidate {
    rank: Option<i64>,
    /// The number is a guess from the name of a file that says nothing of its rank.
    is_guess: bool,
    source: RankSource,
}

impl Candidate {
    fn is_kineto(&self) -> bool {
        self.source.flavour == Flavour::Kineto
    }

    /// The host and process that wrote it, as far as its name tells, and the place that it shares with others.
    fn process(&self) -> Option<(PathBuf, String, String)> {
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
    /// Looks at a directory: a rank of its own, or the way to others.
    fn directory(&mut self, path: &Path, depth: usize, above: &mut Vec<PathBuf>) {
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if above.contains(&real) {
            let message = "a link to a directory above itself; not followed";
            self.problem(Problem::new(Severity::Warning, "symlink-loop", &self.shown(path), message));
            return;
        }
        if !self.seen.insert(real.clone()) {
            return;
        }
        if depth > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} directories deep; not looked into");
            self.problem(Problem::new(Severity::Warning, "too-deep", &self.shown(path), message));
            return;
        }
        let (directories, files) = match list(path) {
            Ok(entries) => entries,
            Err(error) => {
                self.cannot_list(path, &error);
                return;
            }
        };
        for file in &files {
            if kind_of(&file_name(file)) == FileKind::ClusterDb {
                self.cluster_results.push(file.clone());
            }
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let output = directories.iter().find(|d| d.file_name().is_some_and(|n| n == OUTPUT_DIRECTORY));
        // What was exported from PROF tells of the device, too.
        let is_told = output.is_some_and(|output| has_deliverables(output)) || has_export(&directories);
        if (self.wants_raw || !is_told)
            && let Some(raw) = raw_files(&directories)
        {
            self.raw_rank(path, &raw, &directories, &files);
            return;
        }
        if let Some(output) = output {
            self.framework_rank(path, output, &directories, &files);
            return;
        }
        let is_loose = files.iter().any(|f| kind_of(&file_name(f)).is_main());
        let is_exported = directories.iter().any(|d| file_name(d) == MSPROF_OUTPUT_DIRECTORY);
        let has_msprof = files.iter().any(|f| is_deliverable(f) && file_name(f).starts_with("msprof_"));
        if name.starts_with("PROF_") || is_exported || has_msprof {
            self.msprof_rank(path, &directories, &files);
            return;
        }
        let (traces, files): (Vec<_>, Vec<_>) =
            files.into_iter().map(|file| (probe_trace(&file), file)).partition(|(trace, _)| trace.is_some());
        for (trace, file) in traces {
            self.trace_rank(path, &file, trace.unwrap_or_default());
        }
        if is_loose {
            let files: Vec<PathBuf> = files.into_iter().map(|(_, file)| file).collect();
            self.loose_rank(path, &files);
        }
        above.push(real);
        for directory in directories {
            self.directory(&directory, depth + 1, above);
        }
        above.pop();
    }

    /// A directory that torch_npu or MindSpore wrote.
    fn framework_rank(&mut self, path: &Path, output: &Path, directories: &[PathBuf], files: &[PathBuf]) {
        let mut paths = files.to_vec();
        paths.extend(directories.iter().filter(|d| is_deliverable(d)).cloned());
        match list(output) {
            Ok((directories, inside)) => {
                paths.extend(directories.into_iter().filter(|d| is_deliverable(d)));
                paths.extend(inside);
            }
            Err(error) => self.cannot_list(output, &error),
        }
        let has_raw = directories.iter().map(|d| file_name(d)).any(|n| n.starts_with("PROF_") || n == "FRAMEWORK");
        let name = file_name(path);
        let is_mindspore = name.ends_with("ascend_ms")
            || paths.iter().any(|p| file_name(p).starts_with("ascend_mindspore_profiler"))
            || (!name.ends_with("ascend_pt") && is_mindspore_info(&paths));
        let flavour = if is_mindspore { Flavour::MindSpore } else { Flavour::TorchNpu };
        self.candidate(path, flavour, &paths, has_raw);
    }

    /// A directory that a profiler wrote and nobody parsed.
    fn raw_rank(&mut self, path: &Path, raw: &[PathBuf], directories: &[PathBuf], files: &[PathBuf]) {
        let is_settings =
            |p: &&PathBuf| matches!(kind_of(&file_name(p)), FileKind::ProfilerInfo | FileKind::ProfilerMetadata);
        let mut paths: Vec<PathBuf> = files.iter().filter(is_settings).cloned().collect();
        paths.extend_from_slice(raw);
        let name = file_name(path);
        let is_mindspore = name.ends_with("ascend_ms") || (!name.ends_with("ascend_pt") && is_mindspore_info(&paths));
        let flavour = if is_mindspore { Flavour::MindSpore } else { Flavour::TorchNpu };
        self.rank(path, flavour, &paths, true);
        let prof = directories.iter().find(|directory| file_name(directory).starts_with("PROF_"));
        if let (Some(prof), Some(candidate)) = (prof, self.found.last_mut()) {
            let message = "what the device did is in raw data that was not exported; only what the host did is shown";
            candidate.source.problems.push(Problem::new(Severity::Warning, RAW_ONLY, &file_name(prof), message));
        }
    }

    /// A `PROF_*` directory; only what `msprof` has exported from it can be read here.
    fn msprof_rank(&mut self, path: &Path, directories: &[PathBuf], files: &[PathBuf]) {
        let mut paths = files.to_vec();
        for directory in directories {
            if matches!(file_name(directory).as_str(), MSPROF_OUTPUT_DIRECTORY | "analyze") {
                match list(directory) {
                    Ok((_, files)) => paths.extend(files),
                    Err(error) => self.cannot_list(directory, &error),
                }
            }
        }
        let has_raw = directories.iter().map(|d| file_name(d)).any(|n| n == "host" || n.starts_with("device_"));
        if paths.iter().any(|p| kind_of(&file_name(p)).is_main()) {
            self.candidate(path, Flavour::Msprof, &paths, has_raw);
        } else {
            let message = "raw data that was not exported; run `msprof --export=on --output=<this directory>` first";
            self.problem(Problem::new(Severity::Warning, RAW_ONLY, &self.shown(path), message));
        }
    }

    fn loose_rank(&mut self, path: &Path, files: &[PathBuf]) {
        let from_msprof = files.iter().map(|f| file_name(f)).any(|n| n.starts_with("msprof_"));
        let flavour = if from_msprof {
            Flavour::Msprof
        } else if is_mindspore_info(files) || files.iter().any(|f| file_name(f).starts_with("ascend_mindspore")) {
            Flavour::MindSpore
        } else {
            Flavour::TorchNpu
        };
        self.candidate(path, flavour, files, false);
    }

    /// A file that PyTorch's profiler wrote.
    fn trace_rank(&mut self, directory: &Path, path: &Path, trace: kineto::Probe) {
        self.rank(directory, Flavour::Kineto, &[path.to_owned()], false);
        if let Some(candidate) = self.found.last_mut() {
            candidate.rank = trace.rank.or_else(|| kineto::rank_in_name(&file_name(path)));
            candidate.is_guess = trace.rank.is_none();
        }
    }

    fn single_file(&mut self, path: &Path) {
        let directory = path.parent().unwrap_or(Path::new(""));
        match kind_of(&file_name(path)) {
            FileKind::ClusterDb => self.cluster_results.push(path.to_owned()),
            // One raw file tells little without the clock beside it.
            FileKind::Framework(_) => {
                let framework = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
                self.directory(framework.parent().unwrap_or(directory), 0, &mut Vec::new());
            }
            FileKind::Kineto => self.trace_rank(directory, path, kineto::probe(path).unwrap_or_default()),
            FileKind::Unknown => {
                if let Some(trace) = kineto::probe(path) {
                    self.trace_rank(directory, path, trace);
                }
            }
            _ if directory.file_name().is_some_and(|name| name == OUTPUT_DIRECTORY) => {
                // What the profiler says of itself lies beside the output directory.
                let rank = directory.parent().unwrap_or(directory);
                let is_settings =
                    |p: &PathBuf| matches!(kind_of(&file_name(p)), FileKind::ProfilerInfo | FileKind::ProfilerMetadata);
                let (_, mut files) = list(rank).unwrap_or_default();
                files.retain(is_settings);
                files.push(path.to_owned());
                self.loose_rank(rank, &files);
            }
            _ => self.loose_rank(directory, &[path.to_owned()]),
        }
    }

    /// Notes the rank whose files these are; several, if their names say so.
    fn candidate(&mut self, directory: &Path, flavour: Flavour, paths: &[PathBuf], has_raw: bool) {
        let number = |path: &PathBuf| rank_in_name(&file_name(path));
        let numbers: BTreeSet<i64> = paths.iter().filter_map(number).collect();
        if numbers.len() < 2 {
            return self.rank(directory, flavour, paths, has_raw);
        }
        for rank in &numbers {
            let of_rank: Vec<PathBuf> = paths.iter().filter(|path| number(path) == Some(*rank)).cloned().collect();
            self.rank(directory, flavour, &of_rank, has_raw);
        }
        for path in paths.iter().filter(|path| number(path).is_none() && is_deliverable(path)) {
            let message =
                format!("{} ranks have files here, and the name does not say whose this is; not read", numbers.len());
            self.problem(Problem::new(Severity::Warning, "whose-file", &self.shown(path), message));
        }
    }

    fn rank(&mut self, directory: &Path, flavour: Flavour, paths: &[PathBuf], has_raw: bool) {
        let mut source = RankSource {
            rank: 0,
            directory: directory.to_owned(),
            flavour,
            files: Vec::new(),
            has_raw,
            problems: Vec::new(),
        };
        let mut rank = None;
        for path in paths {
            let name = path.strip_prefix(directory).unwrap_or(path).to_string_lossy().replace('\\', "/");
            let base = file_name(path);
            rank = rank.or(rank_in_name(&base));
            let bytes = match fs::metadata(path) {
                Ok(metadata) if metadata.is_file() => metadata.len(),
                Ok(_) if !is_deliverable(path) => continue,
                Ok(metadata) => {
                    let what = if metadata.is_dir() { "a directory" } else { "no ordinary file" };
                    let message = format!("cannot be read: it is {what}");
                    source.problems.push(Problem::new(Severity::Error, "unreadable", &name, message));
                    continue;
                }
                Err(error) => {
                    let message = format!("cannot be read: {error}");
                    source.problems.push(Problem::new(Severity::Error, "unreadable", &name, message));
                    continue;
                }
            };
            let kind = match kind_of(&base) {
                _ if flavour == Flavour::Kineto => FileKind::Kineto,
                // Beside the deliverables of an NPU, it is not of this rank.
                FileKind::Kineto if !is_raw_file(&name) => FileKind::Unknown,
                kind => kind,
            };
            source.files.push(SourceFile { name, kind, bytes });
        }
        source.files.sort_by(|a, b| a.name.cmp(&b.name));
        keep_newest_exports(&mut source.files);
        if !source.has(&FileKind::ProfilerMetadata) && source.is_ours() {
            let message = "the recording was not ended: its process was ended first, or still runs; what was written until then is shown";
            source.problems.push(Problem::new(Severity::Warning, CUT_RECORDING, "", message));
        }
        self.found.push(Candidate { rank, is_guess: false, source });
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    fn cannot_list(&mut self, path: &Path, error: &std::io::Error) {
        let message = format!("cannot be listed: {error}");
        self.problem(Problem::new(Severity::Error, "unreadable", &self.shown(path), message));
    }

    /// A path as a message shows it: relative to what the user gave.
    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }

    /// Numbers the ranks, one directory each.
    fn finish(mut self) -> Profile {
        self.found.sort_by(|a, b| a.source.directory.cmp(&b.source.directory));
        let mut found = std::mem::take(&mut self.found);
        forget_wrong_guesses(&mut found);
        let (numbered, unnumbered): (Vec<_>, Vec<_>) = found.into_iter().partition(|c| c.rank.is_some());
        // Ranks of NPUs before those of GPUs: both kinds count from 0.
        let mut by_rank: BTreeMap<(bool, i64), RankSource> = BTreeMap::new();
        for mut candidate in numbered {
            candidate.source.rank = candidate.rank.unwrap_or_default();
            let key = (candidate.is_kineto(), candidate.source.rank);
            let source = match by_rank.remove(&key) {
                None => candidate.source,
                Some(other) => self.newest(candidate.source, other, &format!("rank {}", key.1)),
            };
            by_rank.insert(key, source);
        }
        let mut ranks = apart(by_rank);
        let mut free = (0..).filter({
            let taken: HashSet<i64> = ranks.keys().copied().collect();
            move |rank| !taken.contains(rank)
        });
        let unnumbered = self.one_of_each_process(unnumbered);
        let is_alone = ranks.is_empty() && unnumbered.len() == 1;
        for mut source in unnumbered {
            source.rank = free.next().unwrap_or_default();
            // A job of one process has no ranks, and our recorder says so.
            if !(is_alone && source.is_ours()) {
                let message = format!("the files do not say which rank this is; it is shown as rank {}", source.rank);
                source.problems.push(Problem::new(Severity::Info, "no-rank", "", message));
            }
            ranks.insert(source.rank, source);
        }
        let job = self.job();
        Profile { root: self.root, ranks: ranks.into_values().collect(), job }
    }

    /// The younger of two sources of the same, with a note of the other.
    fn newest(&self, a: RankSource, b: RankSource, what: &str) -> RankSource {
        let (mut kept, dropped) = newer(a, b);
        let (read, unread) = (self.shown(&kept.place()), self.shown(&dropped.place()));
        let message = format!(
            "{what} is there more than once: {read} was read; {unread} is older and was not. Windows of one run are not joined: give the path of the older one to look at it"
        );
        kept.problems.push(Problem::new(Severity::Warning, DUPLICATE, &unread, message));
        kept.problems.extend(dropped.problems.into_iter().filter(|problem| problem.code == DUPLICATE));
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
                    let what = format!("process {process} of {host}");
                    *known = self.newest(candidate.source, known.clone(), &what);
                }
                _ => {
                    places.extend(process.map(|process| (process, sources.len())));
                    sources.push(candidate.source);
                }
            }
        }
        sources
    }

    fn job(&mut self) -> Option<RankSource> {
        let directory = if self.root.is_dir() { self.root.clone() } else { self.root.parent()?.to_owned() };
        let files = self.cluster_results.iter().map(|path| SourceFile {
            name: path.strip_prefix(&directory).unwrap_or(path).to_string_lossy().replace('\\', "/"),
            kind: FileKind::ClusterDb,
            bytes: fs::metadata(path).map_or(0, |m| m.len()),
        });
        let files: Vec<SourceFile> = files.collect();
        let problems = std::mem::take(&mut self.problems);
        let is_needed = !files.is_empty() || !problems.is_empty();
        let flavour = Flavour::TorchNpu;
        is_needed.then_some(RankSource { rank: JOB, directory, flavour, files, has_raw: false, problems })
    }
}

/// Whether the name of a file, relative to the rank's directory, is one of a raw file.
fn is_raw_file(name: &str) -> bool {
    name.strip_prefix(framework::DIRECTORY).is_some_and(|rest| rest.starts_with('/'))
}

/// The raw files among what a rank's directory holds; nothing if there are none that can be read.
fn raw_files(directories: &[PathBuf]) -> Option<Vec<PathBuf>> {
    let framework = directories.iter().find(|directory| file_name(directory) == framework::DIRECTORY)?;
    let (_, files) = list(framework).ok()?;
    let is_read = |file: &PathBuf| matches!(kind_of(&file_name(file)), FileKind::Framework(_) | FileKind::Kineto);
    files.iter().any(is_read).then_some(files)
}

/// Whether a directory of deliverables has any: a parser that was ended may have left it empty.
fn has_deliverables(output: &Path) -> bool {
    list(output).is_ok_and(|(directories, files)| directories.iter().chain(&files).any(|path| is_deliverable(path)))
}

/// Whether `msprof` has exported what a `PROF_*` directory beside the raw files holds.
fn has_export(directories: &[PathBuf]) -> bool {
    let mut profs = directories.iter().filter(|directory| file_name(directory).starts_with("PROF_"));
    profs.any(|prof| {
        let is_exported = |path: &PathBuf| kind_of(&file_name(path)).is_main();
        prof.join(MSPROF_OUTPUT_DIRECTORY).is_dir() || list(prof).is_ok_and(|(_, files)| files.iter().any(is_exported))
    })
}

/// Whether a path has the name of a file that is read.
fn is_deliverable(path: &Path) -> bool {
    !matches!(kind_of(&file_name(path)), FileKind::Known | FileKind::Unknown)
}

/// What a file among others says of itself if it is a trace of PyTorch's profiler, which may have any name. Browsers
/// and compilers write traces too: those are not taken for ranks.
fn probe_trace(path: &Path) -> Option<kineto::Probe> {
    let name = file_name(path).to_ascii_lowercase();
    match kind_of(&file_name(path)) {
        FileKind::Kineto => Some(kineto::probe(path).unwrap_or_default()),
        FileKind::Unknown if name.ends_with(".json") || name.ends_with(".json.gz") => {
            kineto::probe(path).filter(|trace| trace.is_typical)
        }
        _ => None,
    }
}

/// Directories and files of a directory, sorted; links are followed, and come after what is there itself.
fn list(path: &Path) -> std::io::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(path)? {
        paths.push(entry?.path());
    }
    paths.sort_by_cached_key(|path| (path.is_symlink(), path.clone()));
    Ok(paths.into_iter().partition(|p| p.is_dir()))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The rank in `profiler_info_3.json` or `ascend_pytorch_profiler_3.db`.
fn rank_in_name(name: &str) -> Option<i64> {
    let stem = name.strip_suffix(".json").or_else(|| name.strip_suffix(".db"))?;
    let prefixes = ["profiler_info_", "ascend_pytorch_profiler_", "ascend_mindspore_profiler_"];
    prefixes.iter().find_map(|prefix| stem.strip_prefix(prefix)?.parse::<u32>().ok()).map(i64::from)
}

fn is_mindspore_info(paths: &[PathBuf]) -> bool {
    let info = paths.iter().find(|p| kind_of(&file_name(p)) == FileKind::ProfilerInfo);
    // Reading what only has the name of a file, such as a pipe, could wait for ever.
    info.filter(|p| p.is_file()).and_then(|p| fs::read(p).ok()).is_some_and(|text| {
        memchr::memmem::find(&text, b"ms_profiler_info").is_some()
            || memchr::memmem::find(&text, b"ms_version").is_some()
    })
}

/// Numbers that were guessed from names are taken back where several traces have them: then the names mean
/// something else.
fn forget_wrong_guesses(candidates: &mut [Candidate]) {
    let mut traces: HashMap<i64, usize> = HashMap::new();
    for rank in candidates.iter().filter(|c| c.is_kineto()).filter_map(|c| c.rank) {
        *traces.entry(rank).or_default() += 1;
    }
    let is_shared = |rank: i64| traces.get(&rank).is_some_and(|&count| count > 1);
    for candidate in candidates.iter_mut().filter(|candidate| candidate.is_guess) {
        candidate.rank = candidate.rank.filter(|&rank| !is_shared(rank));
    }
}

/// Ranks by number. If ranks of GPUs have numbers of NPUs, all of them are counted on from those.
fn apart(sources: BTreeMap<(bool, i64), RankSource>) -> BTreeMap<i64, RankSource> {
    let is_shared = sources.keys().any(|&(is_gpu, rank)| is_gpu && sources.contains_key(&(false, rank)));
    let last = sources.keys().filter(|(is_gpu, _)| !is_gpu).map(|&(_, rank)| rank).max();
    let shift = last.filter(|_| is_shared).map(|last| last + 1);
    let numbered = sources.into_iter().map(|((is_gpu, rank), mut source)| {
        if let Some(shift) = shift.filter(|_| is_gpu) {
            source.rank = rank + shift;
            let message = format!(
                "ranks of NPUs and of GPUs have the same numbers here; rank {rank} of the GPUs is shown as rank {}",
                source.rank
            );
            source.problems.push(Problem::new(Severity::Warning, RENUMBERED, "", message));
        }
        (source.rank, source)
    });
    numbered.collect()
}

/// The younger of two sources of one rank first: by the time in their names, else by that of the files.
fn newer(a: RankSource, b: RankSource) -> (RankSource, RankSource) {
    let age = |source: &RankSource| {
        let place = source.place();
        let is_file = place != source.directory;
        let name = if is_file { file_name(&place) } else { source.directory_name() };
        let stamp = name.split(if is_file { '.' } else { '_' }).find_map(time_in_name);
        let modified = fs::metadata(&place).and_then(|m| m.modified()).ok();
        (stamp, modified, name)
    };
    if age(&a) >= age(&b) { (a, b) } else { (b, a) }
}

/// The time in nanoseconds that a part of a name is, which PyTorch counts in milliseconds or, in later versions,
/// nanoseconds, and the others write as a date, with milliseconds or without.
fn time_in_name(part: &str) -> Option<i64> {
    let number: i64 = part.parse().ok().filter(|_| part.bytes().all(|byte| byte.is_ascii_digit()))?;
    match part.len() {
        13 => number.checked_mul(1_000_000),
        14 => time_of_date(number)?.checked_mul(1_000_000_000),
        16 => number.checked_mul(1000),
        17 => time_of_date(number / 1000)?.checked_mul(1000)?.checked_add(number % 1000)?.checked_mul(1_000_000),
        19 => Some(number),
        _ => None,
    }
}

/// Seconds since 1970 of a date such as 20261115185652.
fn time_of_date(date: i64) -> Option<i64> {
    let mut rest = date;
    let [second, minute, hour, day, month] = [(); 5].map(|()| {
        let part = rest % 100;
        rest /= 100;
        part
    });
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Years that begin in March have the leap day at their end.
    let (year, month) = if month > 2 { (rest, month - 3) } else { (rest - 1, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1 - 719_468;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

/// `msprof` adds an export beside older ones, with a time in the name: keeps the newest of each.
fn keep_newest_exports(files: &mut Vec<SourceFile>) {
    let all = files.clone();
    let mut newest: HashMap<(&str, &str), u64> = HashMap::new();
    for (export, time) in all.iter().filter_map(|file| export_and_time(&file.name)) {
        let known = newest.entry(export).or_default();
        *known = time.max(*known);
    }
    files.retain(|file| export_and_time(&file.name).is_none_or(|(export, time)| newest.get(&export) == Some(&time)));
}

/// What `op_summary_20261115185652.csv` is an export of, `op_summary` as `csv`, and when it was made. A slice
/// (`op_summary_slice_0_20261115185652.csv`) is an export of its own.
fn export_and_time(name: &str) -> Option<((&str, &str), u64)> {
    let (stem, ending) = name.rsplit_once('.')?;
    let (export, time) = stem.rsplit_once('_')?;
    Some(((export, ending), time.parse().ok().filter(|_| time.len() == 14)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_export_of_each_file_is_kept() {
        let mut files: Vec<SourceFile> = [
            "out/hbm_20260101000002.csv",
            "out/op_summary_slice_0_20260101000001.csv",
            "out/op_summary_slice_1_20260101000001.csv",
            "out/pcie_20260101000001.csv",
            "out/op_summary_slice_0_20250101000000.csv",
            "profiler_info_0.json",
        ]
        .map(|name| SourceFile { name: name.to_owned(), kind: kind_of(name), bytes: 0 })
        .to_vec();
        keep_newest_exports(&mut files);
        assert!(!files.iter().any(|file| file.name.contains("2025")));
        assert_eq!(files.len(), 5);
    }

    #[test]
    fn times_in_names_are_compared_whatever_they_count() {
        for same in ["1700000000000", "1700000000000000", "1700000000000000000", "20231114221320", "20231114221320000"]
        {
            assert_eq!(time_in_name(same), Some(1_700_000_000_000_000_000), "{same}");
        }
        assert_eq!(time_in_name("20240229000000"), Some(1_709_164_800_000_000_000));
        for other in ["4711", "gpu-7", "+700000000000", "20231399221320", "99999999999999999", ""] {
            assert_eq!(time_in_name(other), None, "{other}");
        }
    }
}
