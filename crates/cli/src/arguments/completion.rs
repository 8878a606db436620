//! Arguments of `npuscope completion` and `npuscope man`: what the command line says of itself.

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
    /// Shell to print it for
    pub shell: Shell,
}

/// Write the manual pages, one per command
#[derive(Debug, Args)]
#[command(hide = true)]
pub struct ManCommand {
    /// Directory to write into; created if need be
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
}
