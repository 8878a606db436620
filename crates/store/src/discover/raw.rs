//! Directories with raw files that nobody parsed.

use std::fs;
use std::path::{Path, PathBuf};

use npuscope_formats::diagnostic::{Code, Diagnostic, Severity};
use npuscope_formats::file_kind::{FileKind, kind_of};
use npuscope_formats::framework;
use npuscope_formats::source::{OUTPUT_DIRECTORY, WindowSource};
use npuscope_tables::{Framework, Rank};

use super::DiscoverError;
use super::files::{file_name, has_deliverables, is_mindspore_info, list};
use super::processes::Candidate;
use super::search::Search;
use crate::messages;

/// A directory with raw files.
#[derive(Clone, Debug)]
pub struct RawRank {
    /// Nothing if its files do not say.
    pub rank: Option<Rank>,
    /// Its raw files, whether or not they were parsed.
    pub source: WindowSource,
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
        Err(error) => return Err(DiscoverError::of_path(path)(error)),
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
    let ranks = search.found.into_iter().map(|Candidate { rank, source, .. }| {
        let is_parsed = has_deliverables(&source.directory.join(OUTPUT_DIRECTORY));
        let is_device_unread = source.diagnostics.iter().any(|diagnostic| diagnostic.code == Code::RawOnly);
        RawRank { rank, source, is_parsed, is_device_unread }
    });
    Ok(ranks.collect())
}

impl Search {
    /// A directory that a profiler wrote and nobody parsed.
    pub(super) fn raw_rank(&mut self, path: &Path, raw: &[PathBuf], directories: &[PathBuf], files: &[PathBuf]) {
        let is_settings =
            |p: &&PathBuf| matches!(kind_of(&file_name(p)), FileKind::ProfilerInfo | FileKind::ProfilerMetadata);
        let mut paths: Vec<PathBuf> = files.iter().filter(is_settings).cloned().collect();
        paths.extend_from_slice(raw);
        let name = file_name(path);
        let is_mindspore = name.ends_with("ascend_ms") || (!name.ends_with("ascend_pt") && is_mindspore_info(&paths));
        let framework = if is_mindspore { Framework::MindSpore } else { Framework::TorchNpu };
        self.rank(path, framework, &paths, true);
        let prof = directories.iter().find(|directory| file_name(directory).starts_with("PROF_"));
        if let (Some(prof), Some(candidate)) = (prof, self.found.last_mut()) {
            let (file, message) = (file_name(prof), messages::device_raw());
            candidate.source.diagnostics.push(Diagnostic::new(Severity::Warning, Code::RawOnly, &file, message));
        }
    }
}

/// Whether the name of a file, relative to the rank's directory, is one of a raw file.
pub(super) fn is_raw_file(name: &str) -> bool {
    name.strip_prefix(framework::DIRECTORY).is_some_and(|rest| rest.starts_with('/'))
}

/// The raw files among what a rank's directory holds; nothing if there are none that can be read.
pub(super) fn raw_files(directories: &[PathBuf]) -> Option<Vec<PathBuf>> {
    let framework = directories.iter().find(|directory| file_name(directory) == framework::DIRECTORY)?;
    let (_, files) = list(framework).ok()?;
    let is_read = |file: &PathBuf| matches!(kind_of(&file_name(file)), FileKind::Framework(_) | FileKind::Kineto);
    files.iter().any(is_read).then_some(files)
}
