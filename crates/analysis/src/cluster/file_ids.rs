//! Which files a directory of results got, so that those that are still as they were written are left alone.

use std::collections::BTreeMap;
use std::path::Path;

use npuscope_store::cache::FileId;
use serde::{Deserialize, Serialize};

/// The files of an answer in one directory of results, by their paths below it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileIds(BTreeMap<String, FileId>);

impl FileIds {
    /// Notes a file that is at a temporary path and will be renamed to `path`.
    pub fn note(&mut self, path: &str, temporary: &Path) {
        if let Some(id) = FileId::at(temporary) {
            self.0.insert(path.to_owned(), id);
        }
    }

    /// Once all files have their names: a file's id changes when it is renamed. A file that another process has put in
    /// place of ours since then is forgotten.
    pub fn settle(&mut self, directory: &Path) {
        self.0.retain(|path, noted| match FileId::at(&directory.join(path)) {
            Some(id) if id.is_same_file(noted) => {
                *noted = id;
                true
            }
            _ => false,
        });
    }

    /// Whether a file is there as it was written.
    pub fn is_unchanged(&self, directory: &Path, path: &str) -> bool {
        self.0.get(path).is_some_and(|id| FileId::at(&directory.join(path)) == Some(*id))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_another_process_put_in_place_of_ours_is_not_ours() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::write(path("part"), "ours").unwrap();
        let mut ids = FileIds::default();
        ids.note("a.csv", &path("part"));
        fs::rename(path("part"), path("a.csv")).unwrap();
        let mut settled = ids.clone();
        settled.settle(directory.path());
        assert!(settled.is_unchanged(directory.path(), "a.csv"));

        fs::write(path("theirs"), "else").unwrap();
        fs::rename(path("theirs"), path("a.csv")).unwrap();
        assert!(!settled.is_unchanged(directory.path(), "a.csv"));
        ids.settle(directory.path());
        assert!(!ids.is_unchanged(directory.path(), "a.csv"));
    }
}
