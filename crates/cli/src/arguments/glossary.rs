//! Arguments of `npuscope glossary`.

use clap::Args;

use crate::commands::ReportFormat;
use crate::commands::glossary::GlossaryOptions;

/// Explain a term that npuscope uses, or list all terms
///
/// Shows the definition, unit, formula and other names of a term, and the function that computes it. Any name of the
/// term is accepted, such as a column name of msprof-analyze or torch_npu; case and punctuation are ignored.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope glossary
  npuscope glossary free
  npuscope glossary 'Communication(Not Overlapped)' --lang zh")]
pub struct GlossaryCommand {
    /// Term to explain [default: list all terms]
    #[arg(value_name = "TERM")]
    pub term: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: ReportFormat,
}

impl From<GlossaryCommand> for GlossaryOptions {
    fn from(command: GlossaryCommand) -> GlossaryOptions {
        GlossaryOptions { term: (!command.term.is_empty()).then(|| command.term.join(" ")), format: command.format }
    }
}
