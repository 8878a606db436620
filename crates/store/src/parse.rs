//! Parsing a raw directory: `ASCEND_PROFILER_OUTPUT` beside `FRAMEWORK`, with the deliverables that were asked for when
//! the job was recorded.

use std::fs;
use std::path::{Path, PathBuf};

use npuscope_formats::info::Settings;
use npuscope_formats::output::{Output, OutputError};
use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_formats::{db, text};
use npuscope_measures::deliverable::without_summaries;
use npuscope_messages::Message;
use npuscope_tables::table::diagnostic::{self, Code};
use npuscope_tables::{Rank, RankTables, TableId};
use serde_json::Value;

use crate::discover::RawRank;
use crate::error_messages;
use crate::messages;
use crate::read::{ReadOptions, read_window};

/// The empty file that says that deliverables are complete.
pub const DONE: &str = "analyse.done";

/// Where settings say which deliverables are wanted, in torch_npu's and in MindSpore's.
const EXPORT: &[&str] = &["config/experimental_config/_export_type", "profiler_parameters/export_type"];

#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    Nothing(PathBuf, Option<Message>),
    DeviceUnread(PathBuf),
    Output(#[from] OutputError),
}

impl ParseError {
    pub fn message(&self) -> Message {
        match self {
            ParseError::Nothing(path, None) => error_messages::no_records(path),
            ParseError::Nothing(path, Some(why)) => error_messages::no_readable_records(path, why.clone()),
            ParseError::DeviceUnread(path) => error_messages::device_data_unsupported(path),
            ParseError::Output(error) => error.message(),
        }
    }
}

npuscope_messages::display_message!(ParseError);

/// Which deliverables are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Export {
    pub text: bool,
    pub db: bool,
}

impl Export {
    pub const TEXT: Export = Export { text: true, db: false };
    pub const DB: Export = Export { text: false, db: true };
    pub const BOTH: Export = Export { text: true, db: true };

    /// What the settings of a rank ask for: text, if they do not say.
    ///
    /// Versions write a word or a list of words, plain (`text`) or as the enumeration shows itself (`ExportType.Db`).
    pub fn asked_for(tables: &RankTables) -> Export {
        let settings = Settings::of(tables);
        let asked = EXPORT.iter().find_map(|path| settings.get(path)).map(Value::to_string).unwrap_or_default();
        let asked = asked.to_ascii_lowercase();
        let export = Export { text: asked.contains("text"), db: asked.contains("db") };
        if export.text || export.db { export } else { Export::TEXT }
    }
}

/// What became of a raw directory.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    pub export: Export,
    /// What could not be read, of severity warning or error.
    pub diagnostics: Vec<Message>,
    /// What has no place in the deliverables, and where it stays.
    pub notes: Vec<Message>,
}

/// Writes the deliverables of a raw directory: those of `export`, else those that its settings ask for. Deliverables
/// that are there already are replaced.
///
/// A directory whose device data is not read is refused: deliverables without it would pass for complete, and those
/// that are there may be the profiler's own.
///
/// They are made in a directory beside their place and moved there when they are complete, so that whoever comes in
/// between finds the old ones, or none.
pub fn parse(raw: &RawRank, export: Option<Export>, options: ReadOptions<'_>) -> Result<Parsed, ParseError> {
    let directory = &raw.source.directory;
    if raw.is_device_unread {
        return Err(ParseError::DeviceUnread(directory.clone()));
    }
    let tables = read_window(&raw.source, options);
    let rank = raw.rank.unwrap_or_default();
    let said = |is_said: &dyn Fn(&diagnostic::Row) -> bool| -> Vec<Message> {
        let rows = tables.rows::<diagnostic::Row>().filter(is_said);
        rows.map(|row| match tables.opt_text(row.file) {
            Some(file) => messages::in_file(file, row.message(&tables)),
            None => row.message(&tables),
        })
        .collect()
    };
    let diagnostics = said(&|row| row.is_loss(&tables));
    let notes = said(&|row| row.is(Code::LeftInTrace, &tables));
    let facts = [TableId::HostOp, TableId::Task, TableId::Counter, TableId::MemSample];
    if facts.iter().all(|&table| tables.is_empty(table)) {
        return Err(ParseError::Nothing(directory.clone(), diagnostics.into_iter().next()));
    }
    let export = export.unwrap_or_else(|| Export::asked_for(&tables));
    let tables = without_summaries(tables);
    let workshop = Workshop::open(directory)?;
    match export {
        Export { text: true, db: true } => {
            text::write_rank(tables.clone(), rank, &workshop.output)?;
            db::write_rank(tables, rank, &workshop.output)?;
        }
        Export { db: true, .. } => db::write_rank(tables, rank, &workshop.output)?,
        Export { .. } => text::write_rank(tables, rank, &workshop.output)?,
    }
    if raw.rank.is_none() {
        workshop.forget_rank(rank)?;
    }
    workshop.deliver(directory)?;
    Ok(Parsed { export, diagnostics, notes })
}

/// A directory beside the place of the deliverables; it goes away when it is dropped.
struct Workshop {
    output: Output,
}

impl Workshop {
    fn open(directory: &Path) -> Result<Workshop, OutputError> {
        let path = directory.join(format!(".{OUTPUT_DIRECTORY}.{}.part", std::process::id()));
        Ok(Workshop { output: Output::new(path)? })
    }

    fn made(&self) -> PathBuf {
        self.output.path().join(OUTPUT_DIRECTORY)
    }

    /// Takes the number out of the names of databases: the rank is not known, and peers would believe the name.
    fn forget_rank(&self, rank: Rank) -> Result<(), OutputError> {
        for name in ["ascend_pytorch_profiler", "ascend_mindspore_profiler"] {
            let numbered = self.made().join(format!("{name}_{rank}.db"));
            if numbered.exists() {
                fs::rename(&numbered, self.made().join(format!("{name}.db"))).map_err(OutputError::io(&numbered))?;
            }
        }
        Ok(())
    }

    /// Moves what was made to its place, and what was there before out of the way.
    fn deliver(self, directory: &Path) -> Result<(), OutputError> {
        let place = directory.join(OUTPUT_DIRECTORY);
        let done = self.made().join(DONE);
        fs::write(&done, []).map_err(OutputError::io(&done))?;
        if place.exists() {
            fs::rename(&place, self.output.path().join("replaced")).map_err(OutputError::io(&place))?;
        }
        fs::rename(self.made(), &place).map_err(OutputError::io(&place))
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.output.path());
    }
}
