//! Arguments of `npuscope glossary`.

use clap::Args;

use crate::commands::ReportFormat;
use crate::commands::glossary::GlossaryOptions;

/// Define a number that npuscope shows, or list all of them
///
/// Shows the definition, unit, formula and other names of a number, and the function that computes it. A term is found
/// by any of its names, such as the columns of msprof-analyze and torch_npu; case and punctuation are ignored.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope glossary
  npuscope glossary free
  npuscope glossary 'Communication(Not Overlapped)' --lang zh")]
pub struct GlossaryCommand {
    /// Name of the number; without it, all are listed
    #[arg(value_name = "TERM")]
    pub term: Vec<String>,
    /// How to print the definitions
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: ReportFormat,
}

impl From<GlossaryCommand> for GlossaryOptions {
    fn from(command: GlossaryCommand) -> GlossaryOptions {
        GlossaryOptions { term: (!command.term.is_empty()).then(|| command.term.join(" ")), format: command.format }
    }
}
