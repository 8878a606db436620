//! An answer as files.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use npuscope_formats::output::{Output, OutputError};
use npuscope_formats::result::{ResultTable, keep_tables, write_csv, write_database};
use serde::Serialize;

use super::kept::Record;
use super::{Answer, Export, Failure, Job, Mode, notebook};
use crate::messages::collection::verbatim;

/// The directory that results are written into, inside the one the user names.
pub const OUTPUT_DIRECTORY: &str = "cluster_analysis_output";

/// The database among results.
pub const DATABASE: &str = "cluster_analysis.db";

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

/// Writes an answer below `output`. Tables without rows are not written, and those of an earlier answer go; files of
/// the user, and tables of other modes in the database, stay. Each file appears whole or not at all. A rank whose file
/// cannot be made is left out.
pub fn write(mode: &Mode, job: &Job<'_>, answer: Answer, output: &Path) -> Result<Written, Failure> {
    write_recorded(mode, job, answer, output, &mut None)
}

/// As [`write()`]; `record` gets what is written, and becomes `None` if it cannot be kept.
pub(super) fn write_recorded(
    mode: &Mode,
    job: &Job<'_>,
    answer: Answer,
    output: &Path,
    record: &mut Option<Record>,
) -> Result<Written, Failure> {
    let mut written = Written::default();
    note_removed(mode, job, &answer, record);
    let output = output.join(OUTPUT_DIRECTORY);
    if answer.tables.iter().all(ResultTable::is_empty) && answer.files.is_empty() && !output.exists() {
        return Ok(written);
    }
    let directory = Output::new(output)?;
    match job.export() {
        Export::Db => write_tables_to_database(&answer.tables, &directory, &mut written, record)?,
        export => write_tables_as_text(mode, job, &answer.tables, export, &directory, (&mut written, record))?,
    }
    for file in answer.gone {
        directory.remove(file)?;
    }
    for file in answer.files {
        job.check_stop()?;
        let (folder, name) = file.path.rsplit_once('/').unwrap_or((".", &file.path));
        let folder = directory.directory(folder)?;
        let write = |part: &Path| {
            (file.write)(part)?;
            if file.is_copy { Ok(()) } else { Record::file(record, &file.path, part) }
        };
        match (folder.path_for(name, write), file.rank) {
            (Ok(()), _) => {
                if file.is_copy {
                    Record::copy(record, &file.path, directory.path());
                }
                written.files.push(directory.path().join(&file.path));
            }
            (Err(error), Some(rank)) if !is_of_the_disk(&error) => {
                *record = None;
                job.leave_out(rank, verbatim(error.to_string()));
            }
            (Err(error), _) => return Err(error.into()),
        }
    }
    Record::identify(record, directory.path());
    Ok(written)
}

/// Notes what goes of an earlier answer, whether it is there or not.
fn note_removed(mode: &Mode, job: &Job<'_>, answer: &Answer, record: &mut Option<Record>) {
    let empty = || answer.tables.iter().filter(|table| table.is_empty());
    match job.export() {
        Export::Db if answer.tables.len() == empty().count() => Record::no_tables(record, empty()),
        // The database is written without them.
        Export::Db => {}
        _ => empty().for_each(|table| Record::remove(record, &format!("{}/{}.csv", mode.folder, table.file))),
    }
    answer.gone.iter().for_each(|file| Record::remove(record, file));
}

/// Whether the next file would fare no better.
fn is_of_the_disk(error: &OutputError) -> bool {
    use std::io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let OutputError::Io { source, .. } = error else { return false };
    matches!(source.kind(), StorageFull | QuotaExceeded | PermissionDenied | ReadOnlyFilesystem)
}

fn write_tables_to_database(
    tables: &[ResultTable],
    directory: &Output,
    written: &mut Written,
    record: &mut Option<Record>,
) -> Result<(), Failure> {
    let path = directory.path().join(DATABASE);
    let has_rows = tables.iter().any(|table| !table.is_empty());
    if !has_rows && (tables.is_empty() || !path.exists()) {
        return Ok(());
    }
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    directory.path_for(DATABASE, |part| {
        write_database(part, tables)?;
        let has_old = path.exists();
        if has_rows {
            Record::database(record, &names, part, has_old)?;
        }
        if has_old { keep_tables(part, &path, &names) } else { Ok(()) }
    })?;
    if has_rows {
        written.note_tables(tables);
        written.database = Some(path.clone());
        written.files.push(path);
    }
    Ok(())
}

fn write_tables_as_text(
    mode: &Mode,
    job: &Job<'_>,
    tables: &[ResultTable],
    export: Export,
    directory: &Output,
    (written, record): (&mut Written, &mut Option<Record>),
) -> Result<(), Failure> {
    let has_rows = tables.iter().any(|table| !table.is_empty());
    if !has_rows && (tables.is_empty() || !directory.path().join(mode.folder).exists()) {
        return Ok(());
    }
    let folder = directory.directory(mode.folder)?;
    for table in tables {
        job.check_stop()?;
        let name = format!("{}.csv", table.file);
        if table.is_empty() {
            folder.remove(&name)?;
            continue;
        }
        write_file(mode, &folder, &name, record, |out| write_csv(table, out))?;
        written.files.push(folder.path().join(name));
    }
    written.note_tables(tables);
    if export == Export::Notebook && !written.tables.is_empty() {
        let tables: Vec<&ResultTable> = tables.iter().filter(|table| !table.is_empty()).collect();
        write_file(mode, &folder, notebook::FILE, record, |out| notebook::write(mode, &tables, out))?;
        written.files.push(folder.path().join(notebook::FILE));
    }
    Ok(())
}

/// Writes a file in the folder of a mode.
fn write_file(
    mode: &Mode,
    folder: &Output,
    name: &str,
    record: &mut Option<Record>,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), OutputError> {
    folder.path_for(name, |part| {
        let mut out = BufWriter::with_capacity(1 << 18, File::create(part)?);
        write(&mut out)?;
        out.flush()?;
        Record::file(record, &format!("{}/{name}", mode.folder), part)
    })
}

impl Written {
    fn note_tables(&mut self, tables: &[ResultTable]) {
        let tables = tables.iter().filter(|table| !table.is_empty());
        self.tables = tables.map(|table| (table.name.clone(), table.len())).collect();
    }
}
