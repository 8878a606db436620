//! An answer as files.

use std::path::{Path, PathBuf};

use npuscope_formats::output::Output;
use npuscope_formats::result::{ResultTable, write_csv, write_database};
use serde::Serialize;

use super::{Answer, Export, Failure, Job, Mode, notebook};

/// The directory that results are written into, inside the one the user names.
pub const OUTPUT_DIRECTORY: &str = "cluster_analysis_output";

const DATABASE: &str = "cluster_analysis.db";

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Written {
    /// The database, if tables went into one.
    pub database: Option<PathBuf>,
    /// Name and rows of each table.
    pub tables: Vec<(String, usize)>,
    /// All files.
    pub files: Vec<PathBuf>,
}

/// Writes an answer below `output`. Tables without rows are not written; files of the user, and tables of
/// other modes in the database, stay. Each file appears whole or not at all.
pub fn write(mode: &Mode, job: &Job<'_>, answer: Answer, output: &Path) -> Result<Written, Failure> {
    let mut written = Written::default();
    let tables: Vec<&ResultTable> = answer.tables.iter().filter(|table| !table.is_empty()).collect();
    if tables.is_empty() && answer.files.is_empty() {
        return Ok(written);
    }
    let directory = Output::new(output.join(OUTPUT_DIRECTORY))?;
    written.tables = tables.iter().map(|table| (table.name.clone(), table.len())).collect();
    let export = job.export();
    if !tables.is_empty() && export == Export::Db {
        let path = directory.path().join(DATABASE);
        let kept = path.exists().then_some(path.as_path());
        directory.path_for(DATABASE, |part| write_database(part, &tables, kept))?;
        written.database = Some(path.clone());
        written.files.push(path);
    } else if !tables.is_empty() {
        let folder = directory.directory(mode.folder)?;
        for table in &tables {
            job.check_stop()?;
            let name = format!("{}.csv", table.file);
            folder.file(&name, |out| write_csv(table, out))?;
            written.files.push(folder.path().join(name));
        }
        if export == Export::Notebook {
            folder.file(notebook::FILE, |out| notebook::write(mode, &tables, out))?;
            written.files.push(folder.path().join(notebook::FILE));
        }
    }
    for file in answer.files {
        job.check_stop()?;
        let (folder, name) = file.path.rsplit_once('/').unwrap_or((".", &file.path));
        let folder = directory.directory(folder)?;
        folder.path_for(name, file.write)?;
        written.files.push(directory.path().join(&file.path));
    }
    Ok(written)
}
