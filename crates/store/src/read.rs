//! Reading a rank: all its files into one set of tables.

use memmap2::Mmap;
use npuscope_formats::diagnostic::{Code, Diagnostic, Severity};
use npuscope_formats::file_kind::FileKind;
use npuscope_formats::framework::Allocations;
use npuscope_formats::info::RankInfo;
use npuscope_formats::map::map;
use npuscope_formats::messages::unreadable;
use npuscope_formats::regular_file;
use npuscope_formats::source::{JOB, RankSource, SourceFile, WindowSource};
use npuscope_formats::trace_json::Release;
use npuscope_formats::{comm_json, csv, db, framework, info_json, kineto, trace_json};
use npuscope_measures::deliverable::{self, Carried, Target};
use npuscope_measures::{link, step};
use npuscope_tables::Framework;
use npuscope_tables::table::{diagnostic, rank, source};
use npuscope_tables::{RankBuilder, RankPieces, RankTables, Selection, TableId};

use crate::messages;
use crate::windows;

/// Raised whenever a reader makes other rows of the same bytes. Part of the cache key.
pub const READER_VERSION: u32 = 14;

/// How a rank is read.
#[derive(Clone, Copy)]
pub struct ReadOptions<'a> {
    pub threads: usize,
    /// What is wanted: files and tables that have nothing of it are not read.
    pub selection: Selection,
    /// Called with the bytes of each file when it has been read.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

impl Default for ReadOptions<'_> {
    fn default() -> Self {
        ReadOptions { threads: 1, selection: Selection::ALL, progress: &|_| {} }
    }
}

/// Reads everything that the files of a rank have, of all its windows.
///
/// Never fails: what cannot be read is a row of `diagnostic`, and what can be is in the tables.
pub fn read_rank(rank: &RankSource, options: ReadOptions<'_>) -> RankTables {
    if rank.rank == JOB {
        return read_files(&rank.first, options).0;
    }
    let read = |window| match (read_window(window, options), rank.later.is_empty()) {
        // A window without markers is a step as long as the work in it.
        (tables, false) if options.selection.has(TableId::Step) && tables.is_empty(TableId::Step) => {
            let selection = options.selection.and(step::NEEDS);
            if selection == options.selection {
                tables
            } else {
                read_window(window, ReadOptions { selection, ..options })
            }
        }
        (tables, _) => tables,
    };
    let windows = rank.windows().map(|window| (window, read(window))).collect();
    windows::joined(windows, |window| whole_if_summed_up(options.selection, window))
}

/// Reads everything that the files of one window of a rank have.
pub fn read_window(window: &WindowSource, options: ReadOptions<'_>) -> RankTables {
    let wanted = whole_if_summed_up(options.selection, window);
    let (tables, read) = read_files(window, options);
    finish(window, tables, read, wanted)
}

/// What reading the files of a window gave beside rows.
struct FilesRead {
    allocations: Allocations,
    formats: Vec<&'static str>,
    has_db: bool,
}

fn read_files(window: &WindowSource, options: ReadOptions<'_>) -> (RankTables, FilesRead) {
    let selection = whole_if_summed_up(options.selection, window);
    let options = ReadOptions { selection, ..options };
    let mut reader = WindowReader {
        window,
        options,
        pieces: RankPieces::default(),
        databases: db::Content::default(),
        framework: framework::Reader::default(),
        traces: Vec::new(),
    };
    let mut rest = RankBuilder::default();
    for diagnostic in &window.diagnostics {
        diagnostic.record(&mut rest);
    }
    reader.pieces.append(rest);
    let mut formats = Vec::new();
    let mut has_db = false;
    for file in window.files.iter().filter(|file| is_db(file)) {
        if reader.db_file(file) {
            has_db |= file.kind == FileKind::ProfilerDb;
            formats.push("db");
        }
    }
    let is_repeated = |file: &&SourceFile| reader.is_needed(file) && reader.is_in_databases(file);
    let in_databases: Vec<&SourceFile> = window.files.iter().filter(is_repeated).collect();
    // Raw files need the clock that is in the settings.
    let (raw, others): (Vec<_>, Vec<_>) =
        window.files.iter().filter(|file| !is_db(file)).partition(|file| is_raw(file));
    for file in others.into_iter().chain(raw) {
        if in_databases.contains(&file) {
            (options.progress)(file.bytes);
        } else if reader.text_file(file) {
            formats.push("text");
        }
    }
    if !in_databases.is_empty() {
        let names: Vec<&str> = in_databases.iter().map(|file| file.name.as_str()).collect();
        let message = messages::same_in_database(names);
        reader.record(&Diagnostic::new(Severity::Info, Code::SameInDatabase, "", message));
    }
    let allocations = if window.is_raw() { reader.finish_raw() } else { Allocations::default() };
    (reader.pieces.finish(), FilesRead { allocations, formats, has_db })
}

/// What is wanted and what that follows from, which is everything if a table is that sums up everything. The one file of
/// a Kineto rank and raw
/// files are read whole.
fn whole_if_summed_up(selection: Selection, window: &WindowSource) -> Selection {
    let selection = if selection.has(TableId::StepTime) { selection.and(step::NEEDS) } else { selection };
    let is_whole = selection.has_any(&[TableId::Rank, TableId::Window, TableId::Source, TableId::Diagnostic]);
    if is_whole || window.framework == Framework::Kineto || window.is_raw() { Selection::ALL } else { selection }
}

/// What has to be read of text files to give what is wanted.
fn needed_of_text(wanted: Selection) -> Selection {
    let mut needed = wanted;
    if wanted.has(TableId::CommOp) {
        // Only `communication.json` has the hashes of groups.
        needed = needed.and(Selection::of(&[TableId::ReportedComm]));
    }
    if wanted.has(TableId::CommTask) {
        needed = needed.and(Selection::of(&[TableId::CommOp, TableId::Task]));
    }
    needed
}

/// The tables that a text file has rows of; nothing for files that are read whatever is wanted.
fn tables_of(kind: &FileKind) -> Option<&'static [TableId]> {
    Some(match kind {
        FileKind::Trace => &[
            TableId::Step,
            TableId::Lane,
            TableId::HostOp,
            TableId::Task,
            TableId::CommOp,
            TableId::CommTask,
            TableId::Overlap,
            TableId::Counter,
            TableId::Flow,
        ],
        FileKind::Csv(kind) => csv::tables_of(kind),
        FileKind::Sheet => &[TableId::Sheet],
        FileKind::Communication => &[TableId::ReportedComm, TableId::ReportedBandwidth],
        FileKind::CommunicationMatrix => &[TableId::ReportedLink],
        _ => return None,
    })
}

struct WindowReader<'a> {
    window: &'a WindowSource,
    options: ReadOptions<'a>,
    pieces: RankPieces,
    /// What the databases hold that were read.
    databases: db::Content,
    /// What raw files have.
    framework: framework::Reader,
    /// The traces of PyTorch's profiler among raw files.
    traces: Vec<RankTables>,
}

impl WindowReader<'_> {
    /// Reads a database; whether it has any rows.
    ///
    /// Where there is a trace too, the database is left alone if it holds less: MindSpore's have no
    /// framework operators, and a damaged one may lack anything.
    fn db_file(&mut self, file: &SourceFile) -> bool {
        (self.options.progress)(file.bytes);
        let has_twin = file.kind == FileKind::ProfilerDb && self.window.has(&FileKind::Trace);
        if has_twin && self.window.framework == Framework::MindSpore {
            let message = messages::more_in_trace();
            self.record(&Diagnostic::new(Severity::Info, Code::SameInTrace, &file.name, message));
            return false;
        }
        let mut piece = RankBuilder::default();
        let content = db::read_file(&self.window.path(file), file, self.options.selection, &mut piece);
        if !has_twin {
            self.join(piece);
            return self.note_content(content);
        }
        let tables = piece.finish();
        let is_damage = |row: &diagnostic::Row| tables.text(row.code).starts_with("damaged");
        if !tables.rows::<diagnostic::Row>().any(|row| is_damage(&row)) {
            self.pieces.join(RankPieces::from(tables));
            return self.note_content(content);
        }
        for row in tables.rows::<diagnostic::Row>().filter(is_damage) {
            self.record(&Diagnostic::damage(&row, &tables));
        }
        let message = messages::text_instead();
        self.record(&Diagnostic::new(Severity::Info, Code::SameInTrace, &file.name, message));
        false
    }

    fn note_content(&mut self, content: db::Content) -> bool {
        self.databases.timeline |= content.timeline;
        self.databases.communication |= content.communication;
        content.rows
    }

    fn join(&mut self, piece: RankBuilder) {
        let mut pieces = RankPieces::default();
        pieces.append(piece);
        self.pieces.join(pieces);
    }

    /// Whether a text file has anything of what is wanted.
    fn is_needed(&self, file: &SourceFile) -> bool {
        tables_of(&file.kind).is_none_or(|tables| needed_of_text(self.options.selection).has_any(tables))
    }

    /// Whether the databases that were read have what a text file has.
    fn is_in_databases(&self, file: &SourceFile) -> bool {
        let has = |table| !self.pieces.is_empty(table);
        match &file.kind {
            FileKind::Trace => self.databases.timeline,
            FileKind::Csv("kernel_details" | "op_summary") => has(TableId::Kernel),
            FileKind::Csv("operator_memory") => has(TableId::MemEvent),
            FileKind::Csv("memory_record" | "npu_module_mem") => has(TableId::MemSample),
            FileKind::Csv("step_trace_time") => has(TableId::ReportedStep),
            FileKind::Communication => self.databases.communication,
            FileKind::CommunicationMatrix => has(TableId::ReportedLink),
            _ => false,
        }
    }

    /// Reads a text file if it is needed; whether it is a deliverable.
    fn text_file(&mut self, file: &SourceFile) -> bool {
        match &file.kind {
            FileKind::Known => return false,
            FileKind::Unknown => {
                let message = messages::unknown_file();
                self.record(&Diagnostic::new(Severity::Info, Code::UnknownFile, &file.name, message));
                return false;
            }
            _ if !self.is_needed(file) => {
                (self.options.progress)(file.bytes);
                return true;
            }
            _ => {}
        }
        let bytes = match map(&self.window.path(file)) {
            Ok(bytes) => bytes,
            Err(error) => {
                let message = unreadable(regular_file::why(&error));
                self.record(&Diagnostic::new(Severity::Error, Code::Unreadable, &file.name, message));
                return false;
            }
        };
        let release = || bytes.iter().for_each(release);
        let outcome = self.bytes(file, bytes.as_deref().unwrap_or_default(), &release);
        self.record_source(file, outcome);
        (self.options.progress)(file.bytes);
        !matches!(file.kind, FileKind::ProfilerInfo | FileKind::ProfilerMetadata)
    }

    fn bytes(&mut self, file: &SourceFile, bytes: &[u8], release: Release<'_>) -> FileOutcome {
        let mut piece = RankBuilder::default();
        let name = file.name.as_str();
        let outcome = match &file.kind {
            FileKind::Trace => {
                let mut pieces = RankPieces::default();
                let needed = needed_of_text(self.options.selection);
                let summary = trace_json::read_some(bytes, name, needed, self.options.threads, release, &mut pieces);
                self.pieces.join(pieces);
                FileOutcome {
                    rows: summary.events,
                    unread: summary.unread_keys,
                    diagnostics: summary.diagnostics,
                    ..FileOutcome::default()
                }
            }
            FileKind::Framework(kind) => {
                let framework::Outcome { rows, diagnostics } = self.framework.read(kind, bytes, name);
                FileOutcome { rows, diagnostics, ..FileOutcome::default() }
            }
            FileKind::Kineto => {
                let mut pieces = RankPieces::default();
                let summary = kineto::read(bytes, name, self.options.threads, &mut pieces);
                if self.window.framework == Framework::Kineto {
                    self.pieces.join(pieces);
                } else {
                    self.traces.push(kineto::finished(pieces));
                }
                FileOutcome {
                    rows: summary.events,
                    unread: summary.unread_keys,
                    diagnostics: summary.diagnostics,
                    ..FileOutcome::default()
                }
            }
            FileKind::Csv(kind) => {
                FileOutcome::from(csv::read_file(kind, self.window.framework, bytes, name, &mut piece))
            }
            FileKind::Sheet => FileOutcome::from(csv::read_file("", self.window.framework, bytes, name, &mut piece)),
            FileKind::Communication => FileOutcome::from(comm_json::read_communication(bytes, name, &mut piece)),
            FileKind::CommunicationMatrix => FileOutcome::from(comm_json::read_matrix(bytes, name, &mut piece)),
            FileKind::ProfilerInfo | FileKind::ProfilerMetadata | FileKind::PipelineSummary => {
                let kept_as = metadata_file(file);
                if file.kind == FileKind::ProfilerInfo {
                    self.framework.settings(bytes);
                }
                match info_json::read(bytes, kept_as, &mut piece) {
                    Ok(rows) => FileOutcome { rows, ..FileOutcome::default() },
                    Err(diagnostic) => FileOutcome {
                        diagnostics: vec![Diagnostic { file: name.to_owned(), ..diagnostic }],
                        ..FileOutcome::default()
                    },
                }
            }
            _ => FileOutcome::default(),
        };
        self.pieces.append(piece);
        outcome
    }

    /// Puts together the raw files; what is to be said of memory comes later.
    fn finish_raw(&mut self) -> Allocations {
        let framework::Finished { rank, allocations, diagnostics } =
            std::mem::take(&mut self.framework).finish(&std::mem::take(&mut self.traces));
        self.pieces.append(rank);
        diagnostics.iter().for_each(|diagnostic| self.record(diagnostic));
        allocations
    }

    fn record(&mut self, diagnostic: &Diagnostic) {
        let mut piece = RankBuilder::default();
        diagnostic.record(&mut piece);
        self.pieces.append(piece);
    }

    fn record_source(&mut self, file: &SourceFile, outcome: FileOutcome) {
        let mut piece = RankBuilder::default();
        let json = |list: &[String]| serde_json::to_string(list).unwrap_or_default();
        let columns = outcome.columns.as_deref().map(json);
        let unread = Some(&outcome.unread).filter(|u| !u.is_empty()).map(|u| json(u));
        let row = source::Row {
            file: piece.strings.intern(&file.name),
            kind: piece.strings.intern(file.kind.name()),
            bytes: i64::try_from(file.bytes).ok(),
            rows: i64::try_from(outcome.rows).ok(),
            columns: columns.map(|c| piece.strings.intern(&c)),
            unread: unread.map(|u| piece.strings.intern(&u)),
            spelling: outcome.spelling.map(|s| piece.strings.intern(&s)),
        };
        piece.source.push(row);
        for diagnostic in &outcome.diagnostics {
            diagnostic.record(&mut piece);
        }
        self.pieces.append(piece);
    }
}

/// The outcome of reading a file, beside its rows.
#[derive(Default)]
struct FileOutcome {
    rows: u64,
    columns: Option<Vec<String>>,
    unread: Vec<String>,
    spelling: Option<String>,
    diagnostics: Vec<Diagnostic>,
}

impl From<csv::Outcome> for FileOutcome {
    fn from(outcome: csv::Outcome) -> Self {
        let csv::Outcome { rows, columns, unread, spelling, diagnostics } = outcome;
        FileOutcome { rows, columns: Some(columns), unread, spelling, diagnostics }
    }
}

impl From<comm_json::Outcome> for FileOutcome {
    fn from(outcome: comm_json::Outcome) -> Self {
        let comm_json::Outcome { rows, unread, diagnostics } = outcome;
        FileOutcome { rows, unread, diagnostics, ..FileOutcome::default() }
    }
}

/// The name under which the settings of a file are kept: without the rank, which is a column of its own.
fn metadata_file(file: &SourceFile) -> &str {
    match file.kind {
        FileKind::ProfilerInfo => "profiler_info",
        FileKind::ProfilerMetadata => "profiler_metadata",
        _ => file.name.rsplit('/').next().unwrap_or(&file.name),
    }
}

fn is_db(file: &SourceFile) -> bool {
    matches!(file.kind, FileKind::ProfilerDb | FileKind::AnalysisDb | FileKind::ClusterDb)
}

/// Whether a file is one of those that were written while the job ran.
fn is_raw(file: &SourceFile) -> bool {
    matches!(file.kind, FileKind::Framework(_) | FileKind::Kineto)
}

/// Lets the bytes of a mapping leave memory. They come back when they are read again.
fn release(mapping: &Mmap) {
    #[cfg(unix)]
    // SAFETY: the mapping is of a file and never written to, so what leaves memory comes back as it was.
    let _ = unsafe { mapping.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
}

/// Adds what follows from the rows of a window alone.
fn finish(window: &WindowSource, mut tables: RankTables, read: FilesRead, wanted: Selection) -> RankTables {
    let is_kineto = window.framework == Framework::Kineto;
    let FilesRead { allocations, formats, has_db } = read;
    if !has_db {
        link::number_rows(&mut tables);
    }
    if !has_db && !is_kineto && !window.is_raw() {
        if wanted.has(TableId::CommTask) {
            link::link_pieces(&mut tables);
            link::link_piece_tasks(&mut tables);
        }
        if wanted.has(TableId::Kernel) {
            link::link_kernels(&mut tables);
        }
        if wanted.has(TableId::CommOp) {
            link::fill_group_hashes(&mut tables);
        }
    }
    if wanted.has(TableId::Kernel) {
        link::fill_waits(&mut tables);
    }
    if wanted.has_nesting() {
        link::nest_host_ops(&mut tables);
    }
    if is_kineto {
        kineto::name_launchers(&mut tables);
        kineto::link_host_collectives(&mut tables);
        tables = kineto::fill_stacks(tables);
    }
    let tables = link::with_more(tables, |tables, more| {
        if wanted.has(TableId::Step) && tables.is_empty(TableId::Step) {
            for step in link::marked_steps(tables) {
                more.step.push(step);
            }
        }
        if is_kineto {
            kineto::allocations(tables, more);
        }
        framework::allocations(tables, allocations, more);
        let row = rank_row(window, tables, &formats, more);
        more.rank.push(row);
    });
    // Raw files have no summaries: those that a parser would have written.
    match window.is_raw() {
        true => deliverable::complete(tables, Target::Text(window.framework), &mut Carried::default()),
        false if is_kineto => link::with_more(tables, |tables, more| {
            let (times, sizes) = deliverable::host_operations(tables, &mut more.strings);
            times.into_iter().for_each(|row| more.reported_comm.push(row));
            sizes.into_iter().for_each(|row| more.reported_bandwidth.push(row));
        }),
        false => tables,
    }
}

fn rank_row(source: &WindowSource, tables: &RankTables, formats: &[&str], more: &mut RankBuilder) -> rank::Row {
    let info = RankInfo::gather(source, tables);
    let format = match (formats.contains(&"text"), formats.contains(&"db")) {
        _ if source.framework == Framework::Kineto => "kineto",
        _ if source.is_raw() => "raw",
        (true, true) => "text+db",
        (false, true) => "db",
        _ => "text",
    };
    let span = link::time_span(tables);
    let mut intern = |text: &Option<String>| text.as_deref().map(|t| more.strings.intern(t));
    let row = rank::Row {
        device: info.device,
        host: intern(&info.host),
        host_uid: intern(&info.host_uid),
        chip: intern(&info.chip),
        process: info.process,
        framework: intern(&Some(source.framework.name().to_owned())),
        framework_version: intern(&info.framework_version),
        cann_version: intern(&info.cann_version),
        schema_version: intern(&info.schema_version),
        level: intern(&info.level),
        aic_metrics: intern(&info.aic_metrics),
        start: span.map(|(start, _)| start),
        end: span.map(|(_, end)| end),
        session_start: info.session.map(|(start, _)| start),
        session_end: info.session.map(|(_, end)| end),
        world_size: info.layout.world,
        tp_size: info.layout.tensor,
        pp_size: info.layout.pipeline,
        dp_size: info.layout.data,
        cp_size: info.layout.context,
        ep_size: info.layout.expert,
        ..rank::Row::default()
    };
    rank::Row { format: more.strings.intern(format), directory: more.strings.intern(&source.directory_name()), ..row }
}
