//! `npuscope run`: the Python package does the work, since the training is Python. It takes this process's place, so
//! that signals and the exit code are its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use serde::Serialize;

use crate::error::CliError;
use crate::settings::Settings;
use crate::usage::UsageError;

#[derive(Clone, Debug)]
pub struct RunOptions {
    pub recorded: Recorded,
    pub command: Vec<OsString>,
}

/// What the package gets as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Recorded {
    pub config: Option<PathBuf>,
    pub output: Option<PathBuf>,
    pub steps: Option<String>,
    pub ranks: Option<String>,
    pub iteration: Option<u64>,
    pub count: Option<String>,
    pub step_function: Option<String>,
    pub level: Option<String>,
    pub activities: Option<String>,
    pub export: Option<String>,
    pub with_stack: Option<bool>,
    pub modules: Option<bool>,
    pub memory: Option<bool>,
    pub shapes: Option<bool>,
    pub flops: Option<bool>,
    pub analyse: Option<bool>,
    pub backend: Option<String>,
}

#[derive(Serialize)]
struct Words<'a> {
    #[serde(flatten)]
    recorded: &'a Recorded,
    lang: &'static str,
    quiet: bool,
}

pub fn run(options: &RunOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let candidates = candidates(options);
    let Some(python) = candidates.iter().find(|python| has_package(python)) else {
        return Err(UsageError::NoPackage(candidates).into());
    };
    let mut command = Command::new(python);
    let words =
        Words { recorded: &options.recorded, lang: settings.language.code(), quiet: settings.terminal.is_quiet() };
    command.args(["-m", "npuscope.run"]).arg(serde_json::to_string(&words)?).args(&options.command);
    replace(&mut command)
}

/// Interpreters that may have the package: the one that is named, the one beside the program, where the wheel installs
/// it, the one of the command, and those of PATH.
fn candidates(options: &RunOptions) -> Vec<PathBuf> {
    let named = std::env::var_os("NPUSCOPE_PYTHON").filter(|name| !name.is_empty()).map(PathBuf::from);
    let beside = std::env::current_exe().ok().and_then(|program| program.parent().map(|bin| bin.join("python3")));
    let of_command = options
        .command
        .first()
        .map(PathBuf::from)
        .filter(|first| first.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python")));
    let mut candidates: Vec<PathBuf> = named.into_iter().chain(beside.filter(|python| python.is_file())).collect();
    candidates.extend(of_command);
    candidates.extend(["python3", "python"].map(PathBuf::from));
    candidates
}

/// Whether an interpreter finds the package. It looks, and does not import it.
fn has_package(python: &Path) -> bool {
    const QUESTION: &str = "import importlib.util, sys; sys.exit(importlib.util.find_spec('npuscope') is None)";
    let answered = Command::new(python).args(["-c", QUESTION]).stdin(Stdio::null()).stderr(Stdio::null()).status();
    answered.is_ok_and(|status| status.success())
}

#[cfg(unix)]
fn replace(command: &mut Command) -> Result<ExitCode, CliError> {
    use std::os::unix::process::CommandExt;
    Err(CliError::Io(command.exec()))
}

#[cfg(not(unix))]
fn replace(command: &mut Command) -> Result<ExitCode, CliError> {
    let code = command.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}
