//! Files of a rank, by their names.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use npuscope_formats::file_kind::{FileKind, kind_of};
use npuscope_formats::regular_file;
use npuscope_formats::source::SourceFile;
use npuscope_tables::Rank;

/// The name of the directory that `msprof` puts deliverables in.
pub(super) const MSPROF_OUTPUT_DIRECTORY: &str = "mindstudio_profiler_output";

/// Directories and files of a directory, sorted; links are followed, and come after what is there itself.
pub(super) fn list(path: &Path) -> std::io::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(path)? {
        paths.push(entry?.path());
    }
    paths.sort_by_cached_key(|path| (path.is_symlink(), path.clone()));
    Ok(paths.into_iter().partition(|p| p.is_dir()))
}

pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Whether a path has the name of a file that is read.
pub(super) fn is_deliverable(path: &Path) -> bool {
    !matches!(kind_of(&file_name(path)), FileKind::Known | FileKind::Unknown)
}

/// Whether a directory of deliverables has any: a parser that was ended may have left it empty.
pub(super) fn has_deliverables(output: &Path) -> bool {
    list(output).is_ok_and(|(directories, files)| directories.iter().chain(&files).any(|path| is_deliverable(path)))
}

/// Whether `msprof` has exported what a `PROF_*` directory beside the raw files holds.
pub(super) fn has_export(directories: &[PathBuf]) -> bool {
    let mut profs = directories.iter().filter(|directory| file_name(directory).starts_with("PROF_"));
    profs.any(|prof| {
        let is_exported = |path: &PathBuf| kind_of(&file_name(path)).is_main();
        prof.join(MSPROF_OUTPUT_DIRECTORY).is_dir() || list(prof).is_ok_and(|(_, files)| files.iter().any(is_exported))
    })
}

/// The rank in `profiler_info_3.json` or `ascend_pytorch_profiler_3.db`.
pub(super) fn rank_in_name(name: &str) -> Option<Rank> {
    let stem = name.strip_suffix(".json").or_else(|| name.strip_suffix(".db"))?;
    let prefixes = ["profiler_info_", "ascend_pytorch_profiler_", "ascend_mindspore_profiler_"];
    prefixes.iter().find_map(|prefix| stem.strip_prefix(prefix)?.parse::<u32>().ok()).map(|rank| Rank(rank.into()))
}

pub(super) fn is_mindspore_info(paths: &[PathBuf]) -> bool {
    let info = paths.iter().find(|p| kind_of(&file_name(p)) == FileKind::ProfilerInfo);
    info.and_then(|p| regular_file::read(p).ok()).is_some_and(|text| {
        memchr::memmem::find(&text, b"ms_profiler_info").is_some()
            || memchr::memmem::find(&text, b"ms_version").is_some()
    })
}

/// `msprof` adds an export beside older ones, with a time in the name: keeps the newest of each.
pub(super) fn keep_newest_exports(files: &mut Vec<SourceFile>) {
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
