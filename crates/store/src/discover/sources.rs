//! The rank that a directory or a file is, by who wrote it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use npuscope_formats::diagnostic::{Code, Diagnostic, Severity};
use npuscope_formats::file_kind::{FileKind, kind_of};
use npuscope_formats::kineto;
use npuscope_formats::messages::{not_regular, unreadable};
use npuscope_formats::source::{SourceFile, WindowSource};
use npuscope_messages::io::is_a_directory;
use npuscope_messages::io_error;
use npuscope_tables::{Framework, Rank};

use super::files::{
    MSPROF_OUTPUT_DIRECTORY, file_name, is_deliverable, is_mindspore_info, keep_newest_exports, list, rank_in_name,
};
use super::processes::Candidate;
use super::raw::is_raw_file;
use super::search::Search;
use crate::messages;

impl Search {
    /// A directory that torch_npu or MindSpore wrote.
    pub(super) fn framework_rank(&mut self, path: &Path, output: &Path, directories: &[PathBuf], files: &[PathBuf]) {
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
        let framework = if is_mindspore { Framework::MindSpore } else { Framework::TorchNpu };
        self.candidate(path, framework, &paths, has_raw);
    }

    /// A `PROF_*` directory; only what `msprof` has exported from it can be read here.
    pub(super) fn msprof_rank(&mut self, path: &Path, directories: &[PathBuf], files: &[PathBuf]) {
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
            self.candidate(path, Framework::Msprof, &paths, has_raw);
        } else {
            let file = self.shown(path);
            self.diagnostic(Diagnostic::new(Severity::Warning, Code::RawOnly, &file, messages::raw_only()));
        }
    }

    pub(super) fn loose_rank(&mut self, path: &Path, files: &[PathBuf]) {
        let from_msprof = files.iter().map(|f| file_name(f)).any(|n| n.starts_with("msprof_"));
        let framework = if from_msprof {
            Framework::Msprof
        } else if is_mindspore_info(files) || files.iter().any(|f| file_name(f).starts_with("ascend_mindspore")) {
            Framework::MindSpore
        } else {
            Framework::TorchNpu
        };
        self.candidate(path, framework, files, false);
    }

    /// A file that PyTorch's profiler wrote.
    pub(super) fn trace_rank(&mut self, directory: &Path, path: &Path, trace: kineto::Probe) {
        self.rank(directory, Framework::Kineto, &[path.to_owned()], false);
        if let Some(candidate) = self.found.last_mut() {
            candidate.rank = trace.rank.or_else(|| kineto::rank_in_name(&file_name(path)));
            candidate.is_guess = trace.rank.is_none();
            candidate.process = trace.process;
        }
    }

    /// Notes the rank whose files these are; several, if their names say so.
    pub(super) fn candidate(&mut self, directory: &Path, framework: Framework, paths: &[PathBuf], has_raw: bool) {
        let number = |path: &PathBuf| rank_in_name(&file_name(path));
        let numbers: BTreeSet<Rank> = paths.iter().filter_map(number).collect();
        if numbers.len() < 2 {
            return self.rank(directory, framework, paths, has_raw);
        }
        for rank in &numbers {
            let of_rank: Vec<PathBuf> = paths.iter().filter(|path| number(path) == Some(*rank)).cloned().collect();
            self.rank(directory, framework, &of_rank, has_raw);
        }
        for path in paths.iter().filter(|path| number(path).is_none() && is_deliverable(path)) {
            let message = messages::ambiguous_file(numbers.len());
            self.diagnostic(Diagnostic::new(Severity::Warning, Code::AmbiguousFile, &self.shown(path), message));
        }
    }

    pub(super) fn rank(&mut self, directory: &Path, framework: Framework, paths: &[PathBuf], has_raw: bool) {
        let mut source = WindowSource { has_raw, ..WindowSource::new(directory.to_owned(), framework) };
        let mut rank = None;
        for path in paths {
            let name = path.strip_prefix(directory).unwrap_or(path).to_string_lossy().replace('\\', "/");
            let base = file_name(path);
            rank = rank.or(rank_in_name(&base));
            let bytes = match fs::metadata(path) {
                Ok(metadata) if metadata.is_file() => metadata.len(),
                Ok(_) if !is_deliverable(path) => continue,
                Ok(metadata) => {
                    let message = unreadable(if metadata.is_dir() { is_a_directory() } else { not_regular() });
                    source.diagnostics.push(Diagnostic::new(Severity::Error, Code::Unreadable, &name, message));
                    continue;
                }
                Err(error) => {
                    let message = unreadable(io_error(&error));
                    source.diagnostics.push(Diagnostic::new(Severity::Error, Code::Unreadable, &name, message));
                    continue;
                }
            };
            let kind = match kind_of(&base) {
                _ if framework == Framework::Kineto => FileKind::Kineto,
                // Beside the deliverables of an NPU, it is not of this rank.
                FileKind::Kineto if !is_raw_file(&name) => FileKind::Unknown,
                kind => kind,
            };
            source.files.push(SourceFile { name, kind, bytes });
        }
        source.files.sort_by(|a, b| a.name.cmp(&b.name));
        keep_newest_exports(&mut source.files);
        if !source.has(&FileKind::ProfilerMetadata) && source.is_ours() {
            let message = messages::cut_recording();
            source.diagnostics.push(Diagnostic::new(Severity::Warning, Code::CutRecording, "", message));
        }
        self.found.push(Candidate { rank, is_guess: false, process: None, source });
    }
}

/// What a file among others says of itself if it is a trace of PyTorch's profiler, which may have any name. Browsers
/// and compilers write traces too: those are not taken for ranks.
pub(super) fn probe_trace(path: &Path) -> Option<kineto::Probe> {
    let name = file_name(path).to_ascii_lowercase();
    match kind_of(&file_name(path)) {
        FileKind::Kineto => Some(kineto::probe(path).unwrap_or_default()),
        FileKind::Unknown if name.ends_with(".json") || name.ends_with(".json.gz") => {
            kineto::probe(path).filter(|trace| trace.is_typical)
        }
        _ => None,
    }
}
