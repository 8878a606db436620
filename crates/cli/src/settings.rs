//! Settings of a run: command line first, then environment, then defaults.

use std::path::PathBuf;
use std::sync::Arc;

use npuscope_engine::{Session, SessionOptions};

use crate::arguments::{ColorChoice, GlobalArguments};
use crate::error::CliError;
use crate::progress::Bar;
use crate::terminal::Terminal;

pub struct Settings {
    pub terminal: Terminal,
    cache: PathBuf,
    threads: Option<usize>,
}

impl Settings {
    pub fn resolve(arguments: &GlobalArguments) -> Settings {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let choice = match arguments.color {
            ColorChoice::Auto if no_color => ColorChoice::Never,
            other => other,
        };
        Settings {
            terminal: Terminal::new(choice, arguments.quiet),
            cache: arguments.cache_dir.clone().unwrap_or_else(default_cache),
            threads: arguments.threads.filter(|&n| n > 0),
        }
    }

    /// Options to open a profile with, with a progress bar where somebody can see it.
    pub fn session_options(&self) -> SessionOptions {
        let mut options = SessionOptions::new(&self.cache);
        if let Some(threads) = self.threads {
            options.threads = threads;
        }
        if self.terminal.shows_progress() {
            options.progress = Arc::new(Bar::new());
        }
        options
    }

    pub fn open(&self, path: &std::path::Path, options: SessionOptions) -> Result<Session, CliError> {
        Ok(Session::open(path, options)?)
    }
}

/// `npuscope/profiles` in the user's cache directory.
fn default_cache() -> PathBuf {
    let directory = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let base = directory("XDG_CACHE_HOME")
        .or_else(|| directory("LOCALAPPDATA"))
        .or_else(|| directory("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(std::env::temp_dir);
    base.join("npuscope").join("profiles")
}
