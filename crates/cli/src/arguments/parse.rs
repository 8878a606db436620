//! Arguments of `npuscope parse`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use npuscope_store::parse::Export;

use crate::commands::parse::ParseOptions;

/// Turn raw data into deliverables, beside it
///
/// Finds every directory that a recorder or a profiler left raw, with FRAMEWORK in it, and writes ASCEND_PROFILER_OUTPUT
/// there: text, a database or both, as the recording asked for. The other commands open raw directories too; parse is
/// for tools that want the files, and for opening large ones quickly. A directory that is broken is told, and the others
/// go on.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope parse DIR
  npuscope parse DIR --export both
  npuscope parse DIR --force                   again, with what was there replaced")]
pub struct ParseCommand {
    /// A raw directory, or one with many of them below
    #[arg(value_hint = ValueHint::DirPath)]
    pub path: PathBuf,
    /// What to write [default: what the recording asked for, else text]
    #[arg(long, value_enum, value_name = "FORM")]
    pub export: Option<ParseExport>,
    /// Parse directories that have deliverables already
    #[arg(long)]
    pub force: bool,
    /// Fail if any directory could not be parsed
    #[arg(long)]
    pub strict: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ParseExport {
    /// trace_view.json, csv and json files
    Text,
    /// A database
    Db,
    Both,
}

impl From<ParseExport> for Export {
    fn from(export: ParseExport) -> Export {
        match export {
            ParseExport::Text => Export::TEXT,
            ParseExport::Db => Export::DB,
            ParseExport::Both => Export::BOTH,
        }
    }
}

impl From<ParseCommand> for ParseOptions {
    fn from(command: ParseCommand) -> ParseOptions {
        ParseOptions {
            path: command.path,
            export: command.export.map(Into::into),
            force: command.force,
            strict: command.strict,
        }
    }
}
