//! What is in this directory?
//!
//! A profile is found by what it holds, not by how its directories are called: users rename them. A
//! rank is a directory with `ASCEND_PROFILER_OUTPUT` in it, a `PROF_*` directory that `msprof` has
//! exported, a directory with deliverables lying in it, or a file that PyTorch's own profiler wrote.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::file_kind::{FileKind, kind_of};
use crate::flavour::Flavour;
use crate::kineto;
use crate::problem::{Problem, Severity};

/// How deep below the given directory ranks are looked for.
const MAX_DEPTH: usize = 10;

/// The diagnostic of a rank that has several directories.
const DUPLICATE: &str = "duplicate-rank";

/// The name of the directory that torch_npu and MindSpore put deliverables in.
pub const OUTPUT_DIRECTORY: &str = "ASCEND_PROFILER_OUTPUT";

/// The name of the directory that `msprof` puts deliverables in.
const MSPROF_OUTPUT_DIRECTORY: &str = "mindstudio_profiler_output";

#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    #[error("there is no {path}", path = .0.display())]
    Missing(PathBuf),
    #[error("no profile in {path}: expected {OUTPUT_DIRECTORY} directories, exported PROF_* directories, or files by the names that profilers give them, such as trace_view.json, kernel_details.csv or ascend_pytorch_profiler_0.db, or traces of PyTorch's profiler (*.json, *.json.gz)", path = .0.display())]
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

/// The rank number under which rows stand that concern no rank in particular.
pub const JOB: i64 = -1;

impl Profile {
    /// The ranks and, where there is anything to say of it, the job.
    pub fn sources(&self) -> impl Iterator<Item = &RankSource> {
        self.ranks.iter().chain(&self.job)
    }
}

/// The files of one rank.
#[derive(Clone, Debug)]
pub struct RankSource {
    pub rank: i64,
    /// Where paths of files are relative to.
    pub directory: PathBuf,
    pub flavour: Flavour,
    pub files: Vec<SourceFile>,
    /// Raw data is there too: `PROF_*` or `FRAMEWORK`.
    pub has_raw: bool,
    pub problems: Vec<Problem>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Relative to the rank's directory, with `/`.
    pub name: String,
    pub kind: FileKind,
    pub bytes: u64,
}

impl RankSource {
    pub fn path(&self, file: &SourceFile) -> PathBuf {
        self.directory.join(&file.name)
    }

    pub fn has(&self, kind: &FileKind) -> bool {
        self.files.iter().any(|f| f.kind == *kind)
    }

    /// Bytes of all files that will be read.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|f| f.bytes).sum()
    }

    /// What the rank is all of: its directory, or the one file that is all of it.
    fn place(&self) -> PathBuf {
        match self.files.as_slice() {
            [file] if self.flavour == Flavour::Kineto => self.path(file),
            _ => self.directory.clone(),
        }
    }

    /// The last component of the directory.
    pub fn directory_name(&self) -> String {
        let name = self.directory.file_name().or_else(|| self.directory.parent()?.file_name());
        name.unwrap_or_default().to_string_lossy().into_owned()
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
            // Given the output directory itself, what lies beside it belongs to the rank too.
            Some(name) if name == OUTPUT_DIRECTORY => path.parent().filter(|p| p.is_dir()).unwrap_or(path),
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

#[derive(Default)]
struct Search {
    root: PathBuf,
    found: Vec<Candidate>,
    cluster_results: Vec<PathBuf>,
    problems: Vec<Problem>,
    /// Directories that were looked into, by their real paths.
    seen: HashSet<PathBuf>,
}

/// A rank directory whose number is not settled.
struct Candidate {
    rank: Option<i64>,
    source: RankSource,
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
            self.problem(Problem::new(Severity::Warning, "raw-only", &self.shown(path), message));
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
        }
    }

    fn single_file(&mut self, path: &Path) {
        let directory = path.parent().unwrap_or(Path::new(""));
        match kind_of(&file_name(path)) {
            FileKind::ClusterDb => self.cluster_results.push(path.to_owned()),
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
                // Beside the files of an NPU, it is not of this rank.
                FileKind::Kineto => FileKind::Unknown,
                kind => kind,
            };
            source.files.push(SourceFile { name, kind, bytes });
        }
        source.files.sort_by(|a, b| a.name.cmp(&b.name));
        keep_newest_exports(&mut source.files);
        self.found.push(Candidate { rank, source });
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
        let mut by_rank: BTreeMap<i64, RankSource> = BTreeMap::new();
        let (numbered, unnumbered): (Vec<_>, Vec<_>) = self.found.drain(..).partition(|c| c.rank.is_some());
        for Candidate { rank, mut source } in numbered {
            source.rank = rank.unwrap_or_default();
            match by_rank.remove(&source.rank) {
                None => {
                    by_rank.insert(source.rank, source);
                }
                Some(other) => {
                    let (mut kept, dropped) = newer(source, other);
                    let (read, unread) = (self.shown(&kept.place()), self.shown(&dropped.place()));
                    let message = format!(
                        "rank {} is there more than once; {read} was read, {unread} is older and was not",
                        kept.rank
                    );
                    kept.problems.push(Problem::new(Severity::Warning, DUPLICATE, &unread, message));
                    kept.problems.extend(dropped.problems.into_iter().filter(|problem| problem.code == DUPLICATE));
                    by_rank.insert(kept.rank, kept);
                }
            }
        }
        let taken: HashSet<i64> = by_rank.keys().copied().collect();
        let free = (0..).filter(|rank| !taken.contains(rank));
        for (rank, Candidate { mut source, .. }) in free.zip(unnumbered) {
            source.rank = rank;
            let message = format!("the files do not say which rank this is; it is shown as rank {rank}");
            source.problems.push(Problem::new(Severity::Info, "no-rank", "", message));
            by_rank.insert(rank, source);
        }
        let job = self.job();
        Profile { root: self.root, ranks: by_rank.into_values().collect(), job }
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

/// The younger of two sources of one rank first: by the time in their names, else by that of the files.
fn newer(a: RankSource, b: RankSource) -> (RankSource, RankSource) {
    let age = |source: &RankSource| {
        let place = source.place();
        let is_file = place != source.directory;
        let name = if is_file { file_name(&place) } else { source.directory_name() };
        // PyTorch counts in milliseconds or nanoseconds, the others write a date.
        let (separator, digits) = if is_file { ('.', 13) } else { ('_', 14) };
        let stamp = name.split(separator).filter(|part| part.len() >= digits).find_map(|part| part.parse::<u64>().ok());
        let modified = fs::metadata(&place).and_then(|m| m.modified()).ok();
        (stamp, modified, name)
    };
    if age(&a) >= age(&b) { (a, b) } else { (b, a) }
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
}
