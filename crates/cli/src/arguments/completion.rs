//! Arguments of `npuscope completion`, `npuscope auto-completion` and `npuscope man`: the command line about itself.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use clap_complete::Shell;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope completion bash > ~/.local/share/bash-completion/completions/npuscope
  npuscope completion zsh > ~/.zfunc/_npuscope
  npuscope completion fish > ~/.config/fish/completions/npuscope.fish")]
pub struct CompletionCommand {
    /// Shell to complete in
    pub shell: Shell,
}

/// Print the command that enables completion in the current shell
///
/// Run the command in the terminal, or add it to the start-up file of the shell to keep it. msprof-analyze has the same
/// command.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope auto-completion
  npuscope auto-completion zsh")]
pub struct AutoCompletionCommand {
    /// Shell to complete in
    #[arg(default_value = "bash", ignore_case = true)]
    pub shell: Shell,
}

/// Write the manual pages, one per command
#[derive(Debug, Args)]
#[command(hide = true)]
pub struct ManCommand {
    /// Write into directory DIR, which is created if missing
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
}
