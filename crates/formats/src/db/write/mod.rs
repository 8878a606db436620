//! Writing databases: our tables into the peers'.
//!
//! A table whose source was a database gets the columns it had there; otherwise those of the current
//! schema. So an older file stays an older file, and a new one is a new one.

mod analysis;
pub(super) mod names;
mod profiler;
mod tables;

use std::io;
use std::path::Path;

use npuscope_measures::deliverable::{self, Carried, Target};
use npuscope_sqlite::SqliteFile;
use npuscope_tables::Framework;
use npuscope_tables::{Rank, RankTables, TableId};

use crate::db::sheet;
use crate::info_json::Settings;
use crate::output::{Output, OutputError, Part};
use crate::source::OUTPUT_DIRECTORY;
use analysis::Analysis;
use profiler::Profiler;

/// Writes the databases of rank number `rank` into `directory`, a rank directory of its own.
pub fn write_rank(tables: RankTables, rank: Rank, directory: &Output) -> Result<(), OutputError> {
    if !Framework::of(&tables).fits_npu_files() {
        return Err(OutputError::NoPlace { path: directory.path().to_owned() });
    }
    let mut writer = RankWriter::create(directory, rank)?;
    writer.append(tables)?;
    writer.finish()
}

/// Writes of rank number `rank` just the database of its profiler, at `path`, and no summaries.
pub fn write_profiler_db(tables: &RankTables, rank: Rank, path: &Path) -> io::Result<()> {
    let mut settings = Settings::default();
    settings.append(tables);
    let mut profiler = Profiler::create(path, tables, rank, Framework::of(tables))?;
    profiler.append(tables)?;
    profiler.finish(&settings)
}

/// Writes the databases of a rank that comes in chunks, which are those of
/// [`text::RankWriter`](crate::text::RankWriter).
///
/// Beside the framework, the first chunk says what the source was: its rows of `source` and the `ENUM_*`
/// tables it had. A kernel without a task gets one that is numbered on from those before it, so such
/// kernels belong into the last chunk. `metadata` that names communication groups comes no later than
/// operations of them that do not name their group.
///
/// What the source has is known as far as it came: whether calls that launch are distinguished from others, whether
/// operations name the transport of their data, whether counters have the memory of the process. A chunk is
/// written by what it and those before it have; those before the first that has it are not written anew. In
/// a rank whose steps are alike this makes no difference.
///
/// If a chunk cannot be written, the writer takes no more and cannot be finished.
///
/// It holds the chunk at hand, the distinct strings and call stacks, and of every row of an index 8 bytes
/// for each of its columns and for the row, of `CONNECTION_IDS` 12.
pub struct RankWriter {
    rank: Rank,
    directory: Output,
    out: Output,
    settings: Settings,
    carried: Carried,
    /// A chunk is not, or not wholly, written.
    is_broken: bool,
    /// From the first chunk on.
    databases: Option<Databases>,
}

struct Databases {
    framework: Framework,
    profiler: (Part, Profiler),
    analysis: Option<(Part, Analysis)>,
}

impl RankWriter {
    pub fn create(directory: &Output, rank: Rank) -> Result<RankWriter, OutputError> {
        Ok(RankWriter {
            rank,
            directory: directory.clone(),
            out: directory.directory(OUTPUT_DIRECTORY)?,
            settings: Settings::default(),
            carried: Carried::default(),
            is_broken: false,
            databases: None,
        })
    }

    pub fn append(&mut self, tables: RankTables) -> Result<(), OutputError> {
        self.check()?;
        self.is_broken = true;
        self.settings.append(&tables);
        let databases = match &mut self.databases {
            Some(databases) => databases,
            none => none.insert(Databases::create(&tables, self.rank, &self.out)?),
        };
        let tables = deliverable::complete(tables, Target::Db(databases.framework), &mut self.carried);
        databases.append(&tables, &self.out)?;
        self.is_broken = false;
        Ok(())
    }

    /// Refuses to go on where rows would be missing.
    fn check(&self) -> Result<(), OutputError> {
        if self.is_broken {
            return Err(OutputError::Incomplete { path: self.out.path().to_owned() });
        }
        Ok(())
    }

    pub fn finish(self) -> Result<(), OutputError> {
        self.check()?;
        if let Some(Databases { profiler: (part, profiler), analysis, .. }) = self.databases {
            part.write(|_| profiler.finish(&self.settings))?;
            part.finish()?;
            if let Some((part, analysis)) = analysis {
                part.write(|_| analysis.finish())?;
                part.finish()?;
            }
        }
        self.settings.write_beside(self.rank, &self.directory)
    }
}

impl Databases {
    fn create(first: &RankTables, rank: Rank, out: &Output) -> Result<Databases, OutputError> {
        let framework = Framework::of(first);
        let part = out.begin_path(&match framework {
            Framework::MindSpore => format!("ascend_mindspore_profiler_{rank}.db"),
            _ => format!("ascend_pytorch_profiler_{rank}.db"),
        });
        let profiler = part.write(|path| Profiler::create(path, first, rank, framework))?;
        Ok(Databases { framework, profiler: (part, profiler), analysis: None })
    }

    fn append(&mut self, tables: &RankTables, out: &Output) -> Result<(), OutputError> {
        let (part, profiler) = &mut self.profiler;
        part.write(|_| profiler.append(tables))?;
        let device = profiler.device();
        let summaries = [TableId::ReportedStep, TableId::ReportedComm, TableId::ReportedLink];
        if summaries.iter().all(|&table| tables.is_empty(table)) {
            return Ok(());
        }
        let (part, mut analysis) = match self.analysis.take() {
            Some(begun) => begun,
            None => {
                let part = out.begin_path(match self.framework {
                    Framework::MindSpore => "communication_analyzer.db",
                    _ => "analysis.db",
                });
                let analysis = part.write(|path| Analysis::create(path, tables, self.framework))?;
                (part, analysis)
            }
        };
        part.write(|_| analysis.append(tables, device))?;
        self.analysis = Some((part, analysis));
        Ok(())
    }
}

/// Writes the results of cluster analyses back into `cluster_analysis_output/cluster_analysis.db`.
pub fn write_cluster(tables: &RankTables, directory: &Output) -> Result<(), OutputError> {
    let is_cluster_db = |file: &str| file.ends_with("cluster_analysis.db");
    let kept = sheet::kept(tables, is_cluster_db, |_| 0);
    if kept.is_empty() {
        return Ok(());
    }
    directory.directory("cluster_analysis_output")?.path_for("cluster_analysis.db", |path| {
        let mut file = SqliteFile::create(path)?;
        for table in kept {
            let columns: Vec<(String, &'static str)> = table.columns.iter().map(|name| (name.clone(), "")).collect();
            file.cells(&table.name, &columns, table.rows)?;
        }
        file.finish()
    })
}
