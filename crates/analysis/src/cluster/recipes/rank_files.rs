//! Results that are one file per rank, in the same directories as in the profile.

use std::path::PathBuf;

use npuscope_formats::file_kind::FileKind;
use npuscope_formats::source::RankSource;

use crate::cluster::{Job, Mode};
use crate::messages::cluster::lacks_copy_of_windows;

/// Where a file of a rank goes: the folder of the mode, and in it the place that the rank's deliverables have in
/// the profile, those of its first window if it has several.
pub fn path_of(mode: &Mode, job: &Job<'_>, source: &RankSource, file: &str) -> String {
    let source = &source.first;
    let directory = match source.directory.strip_prefix(job.root()) {
        Ok(inside) => inside.to_string_lossy().replace('\\', "/"),
        Err(_) => source.directory_name(),
    };
    // Of the files that were read, the one deepest in the rank's directory says where deliverables are.
    let deliverables = source.files.iter().filter_map(|file| file.name.rsplit_once('/')).map(|(folder, _)| folder);
    let folder = deliverables.max_by_key(|folder| folder.len()).unwrap_or_default();
    let parts = [mode.folder, &directory, folder, file];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}

/// The database that a rank's profiler wrote.
pub struct ProfilerDb {
    pub path: PathBuf,
    /// Its name, without directories.
    pub name: String,
}

/// `None` without a database, and of a rank with several windows: rows of all of them fit into no database of one, which
/// is noted.
pub fn profiler_db(source: &RankSource, job: &Job<'_>) -> Option<ProfilerDb> {
    let window = &source.first;
    let file = window.files.iter().find(|file| file.kind == FileKind::ProfilerDb)?;
    if !source.later.is_empty() {
        job.lacks(source.rank, lacks_copy_of_windows());
        return None;
    }
    let name = file.name.rsplit('/').next().unwrap_or(&file.name).to_owned();
    Some(ProfilerDb { path: window.path(file), name })
}
