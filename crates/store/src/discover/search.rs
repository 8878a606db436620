//! The walk through directories: which of them are ranks.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use npuscope_formats::diagnostic::{Code, Diagnostic, Severity};
use npuscope_formats::file_kind::{FileKind, kind_of};
use npuscope_formats::kineto;
use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_messages::io_error;

use super::files::{MSPROF_OUTPUT_DIRECTORY, file_name, has_deliverables, has_export, is_deliverable, list};
use super::processes::Candidate;
use super::raw::raw_files;
use super::sources::probe_trace;
use crate::messages;

/// How deep below the given directory ranks are looked for.
const MAX_DEPTH: usize = 10;

#[derive(Default)]
pub(super) struct Search {
    pub(super) root: PathBuf,
    /// Raw files count, even if they were parsed.
    pub(super) wants_raw: bool,
    pub(super) found: Vec<Candidate>,
    pub(super) cluster_results: Vec<PathBuf>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Directories that were looked into, by their real paths.
    pub(super) seen: HashSet<PathBuf>,
}

impl Search {
    /// Looks at a directory: a rank of its own, or the way to others.
    pub(super) fn directory(&mut self, path: &Path, depth: usize, above: &mut Vec<PathBuf>) {
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if above.contains(&real) {
            let message = messages::symlink_loop();
            self.diagnostic(Diagnostic::new(Severity::Warning, Code::SymlinkLoop, &self.shown(path), message));
            return;
        }
        if !self.seen.insert(real.clone()) {
            return;
        }
        if depth > MAX_DEPTH {
            let message = messages::too_deep(MAX_DEPTH);
            self.diagnostic(Diagnostic::new(Severity::Warning, Code::TooDeep, &self.shown(path), message));
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
        // What was exported from PROF has the device, too.
        let has_device = output.is_some_and(|output| has_deliverables(output)) || has_export(&directories);
        if (self.wants_raw || !has_device)
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
        let is_info = |file: &PathBuf| kind_of(&file_name(file)) == FileKind::ProfilerInfo;
        let is_of_rank = name.ends_with("_ascend_pt") || name.ends_with("_ascend_ms") || files.iter().any(is_info);
        let met = (self.found.len(), self.diagnostics.len());
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
        if is_of_rank && (self.found.len(), self.diagnostics.len()) == met {
            let message = messages::no_output();
            self.diagnostic(Diagnostic::new(Severity::Warning, Code::NoOutput, &self.shown(path), message));
        }
    }

    pub(super) fn single_file(&mut self, path: &Path) {
        let directory = path.parent().unwrap_or(Path::new(""));
        match kind_of(&file_name(path)) {
            FileKind::ClusterDb => self.cluster_results.push(path.to_owned()),
            // One raw file says little without the clock beside it.
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

    pub(super) fn diagnostic(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(super) fn cannot_list(&mut self, path: &Path, error: &std::io::Error) {
        let message = messages::cannot_list(io_error(error));
        self.diagnostic(Diagnostic::new(Severity::Error, Code::Unreadable, &self.shown(path), message));
    }

    /// A path as a message shows it: relative to what the user gave.
    pub(super) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }
}
