//! The text deliverables of a rank, all together.

use npuscope_measures::deliverable::{self, ApiStatistic, Carried, OpStatistic, Target};
use npuscope_tables::Framework;
use npuscope_tables::{Rank, RankBuilder, RankTables, TableId};

use crate::comm_json::CommWriter;
use crate::csv::CsvFiles;
use crate::info_json::Settings;
use crate::output::{Output, OutputError, PartFile};
use crate::source::OUTPUT_DIRECTORY;
use crate::trace_json::TraceWriter;

/// Writes the deliverables of rank number `rank` into `directory`, a rank directory of its own.
pub fn write_rank(tables: RankTables, rank: Rank, directory: &Output) -> Result<(), OutputError> {
    if !Framework::of(&tables).fits_npu_files() {
        return Err(OutputError::NoPlace { path: directory.path().to_owned() });
    }
    let mut writer = RankWriter::create(directory, rank)?;
    writer.append(tables)?;
    writer.finish()
}

/// Writes the deliverables of a rank that comes in chunks.
///
/// A chunk has all rows of one step or several; chunks come in the order of time. Each has its own strings.
/// A lane has the same number in all of them, and its row comes no later than its first event; rows of
/// lanes that came before say nothing new. What a profile has once comes once: the row of `rank` in the
/// first chunk, because it has the framework; `metadata` in any.
///
/// Files have their names when [`RankWriter::finish`] is done; a writer that is dropped leaves none. The
/// headers of a csv file are decided by the first chunk that has rows for it: an optional column is there
/// if that chunk has a value for it. Events of the trace come chunk by chunk. Whether work goes through a queue
/// and whether operations name the transport of their data is known from the chunk at hand and those before it.
///
/// It holds no more than the chunk at hand and what is known of lanes, kernel types and APIs.
pub struct RankWriter {
    rank: Rank,
    directory: Output,
    out: Output,
    settings: Settings,
    statistics: Statistics,
    carried: Carried,
    /// What depends on the framework, from the first chunk on.
    files: Option<Files>,
}

/// The files whose content comes with the chunks.
struct Files {
    framework: Framework,
    csv: CsvFiles,
    trace: Option<(PartFile, TraceWriter)>,
    communication: Option<(PartFile, CommWriter)>,
    matrix: Option<(PartFile, CommWriter)>,
}

/// Sums over all chunks, and whether the source reported them itself.
#[derive(Default)]
struct Statistics {
    ops: OpStatistic,
    apis: ApiStatistic,
    has_ops: bool,
    has_apis: bool,
}

impl RankWriter {
    pub fn create(directory: &Output, rank: Rank) -> Result<RankWriter, OutputError> {
        Ok(RankWriter {
            rank,
            directory: directory.clone(),
            out: directory.directory(OUTPUT_DIRECTORY)?,
            settings: Settings::default(),
            statistics: Statistics::default(),
            carried: Carried::default(),
            files: None,
        })
    }

    pub fn append(&mut self, tables: RankTables) -> Result<(), OutputError> {
        let files = self.files.get_or_insert_with(|| Files::new(Framework::of(&tables), self.out.clone()));
        self.statistics.add(&tables);
        self.settings.append(&tables);
        let tables = deliverable::complete(tables, Target::Text(files.framework), &mut self.carried);
        files.append(&tables, &self.out)
    }

    pub fn finish(mut self) -> Result<(), OutputError> {
        if let Some(mut files) = self.files.take() {
            files.csv.append(&self.statistics.tables())?;
            files.finish()?;
        }
        self.write_settings()
    }

    /// Settings beside the deliverables, pipeline summaries among them.
    fn write_settings(&self) -> Result<(), OutputError> {
        self.settings.write_beside(self.rank, &self.directory)?;
        let summaries = self.settings.files().into_iter().filter(|file| file.starts_with("minddata_pipeline_summary"));
        for name in summaries {
            self.out.file(name, |out| self.settings.write(out, name))?;
        }
        Ok(())
    }
}

impl Files {
    fn new(framework: Framework, out: Output) -> Files {
        Files { framework, csv: CsvFiles::new(framework, out), trace: None, communication: None, matrix: None }
    }

    fn append(&mut self, tables: &RankTables, out: &Output) -> Result<(), OutputError> {
        if self.trace.is_none() && !tables.is_empty(TableId::Lane) {
            self.trace = Some((out.begin("trace_view.json")?, TraceWriter::new(self.framework)));
        }
        if let Some((file, trace)) = &mut self.trace {
            file.write(|file| trace.append(file, tables))?;
        }
        self.csv.append(tables)?;
        if !tables.is_empty(TableId::ReportedComm) {
            let (file, json) = begun(&mut self.communication, out, "communication.json")?;
            file.write(|file| json.communication(file, tables))?;
        }
        if !tables.is_empty(TableId::ReportedLink) {
            let (file, json) = begun(&mut self.matrix, out, "communication_matrix.json")?;
            file.write(|file| json.matrix(file, tables, self.framework))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<(), OutputError> {
        if let Some((mut file, trace)) = self.trace {
            file.write(|file| trace.finish(file))?;
            file.finish()?;
        }
        for (mut file, json) in [self.communication, self.matrix].into_iter().flatten() {
            file.write(|file| json.finish(file))?;
            file.finish()?;
        }
        self.csv.finish()
    }
}

/// A file, begun if it is not yet.
fn begun<'a>(
    place: &'a mut Option<(PartFile, CommWriter)>,
    out: &Output,
    name: &str,
) -> Result<&'a mut (PartFile, CommWriter), OutputError> {
    let begun = match place.take() {
        Some(begun) => begun,
        None => (out.begin(name)?, CommWriter::default()),
    };
    Ok(place.insert(begun))
}

impl Statistics {
    fn add(&mut self, tables: &RankTables) {
        self.has_ops |= !tables.is_empty(TableId::ReportedOpType);
        self.has_apis |= !tables.is_empty(TableId::ReportedApi);
        if !self.has_ops {
            self.ops.add(tables);
        }
        if !self.has_apis {
            self.apis.add(tables);
        }
    }

    /// What the source did not report.
    fn tables(&self) -> RankTables {
        let mut rank = RankBuilder::default();
        if !self.has_ops {
            self.ops.rows(&mut rank.strings).into_iter().for_each(|row| rank.reported_op_type.push(row));
        }
        if !self.has_apis {
            self.apis.rows(&mut rank.strings).into_iter().for_each(|row| rank.reported_api.push(row));
        }
        rank.finish()
    }
}
