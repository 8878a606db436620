//! Settings of a run: command line first, then environment, then defaults.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use npuscope_messages::{Language, Message};
use npuscope_store::discover::{Choice, Profile};
use npuscope_store::{OpenOptions, Store};

use crate::arguments::GlobalArguments;
use crate::error::CliError;
use crate::progress::Bar;
use crate::terminal::{ColorChoice, Terminal};
use crate::usage::UsageError;

pub struct Settings {
    pub terminal: Terminal,
    /// Of messages: `--lang`, or that of the locale.
    pub language: Language,
    /// Where the cache is; `None` is no cache.
    cache: Option<PathBuf>,
    threads: Option<usize>,
    /// The job and the windows to open.
    choice: Choice,
}

impl Settings {
    pub fn resolve(arguments: &GlobalArguments, choice: Choice) -> Result<Settings, CliError> {
        let threads = match (arguments.threads, variable("NPUSCOPE_THREADS")) {
            (None, Some(text)) => Some(
                text.to_string_lossy().parse().map_err(|_| UsageError::Threads(text.to_string_lossy().into_owned()))?,
            ),
            (given, _) => given,
        };
        let language = arguments.lang.map_or_else(locale_language, Into::into);
        let is_off = arguments.no_cache || variable("NPUSCOPE_NO_CACHE").is_some_and(|value| value != "0");
        Ok(Settings {
            terminal: Terminal::new(color(arguments.color), arguments.quiet, language),
            language,
            cache: (!is_off).then(|| arguments.cache_dir.clone().unwrap_or_else(default_cache)),
            threads: threads.filter(|&n| n > 0),
            choice,
        })
    }

    /// A message in the user's language.
    pub fn text(&self, message: &Message) -> String {
        message.text(self.language)
    }

    /// Options to open a profile with, with a progress bar where somebody can see it.
    pub fn open_options(&self) -> OpenOptions {
        let mut options = match &self.cache {
            Some(directory) => OpenOptions::new(directory),
            None => OpenOptions::without_cache(),
        };
        options.choice.clone_from(&self.choice);
        if let Some(threads) = self.threads {
            options.threads = threads;
        }
        if self.terminal.shows_progress() {
            options.progress = Arc::new(Bar::new(self.language));
        }
        options
    }

    /// The same for work over many ranks that Ctrl-C ends in good order: what is half written is removed.
    pub fn stoppable_options(&self) -> OpenOptions {
        let options = self.open_options();
        let stop = options.stop.clone();
        // Only one handler can be set: a program that runs several commands keeps the first.
        let _ = ctrlc::set_handler(move || {
            if stop.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        options
    }

    pub fn open(&self, path: &Path) -> Result<Store, CliError> {
        let store = Store::open(path, self.open_options())?;
        self.say_jobs(store.profile());
        Ok(store)
    }

    /// The same for work that Ctrl-C ends in good order.
    pub fn open_stoppable(&self, path: &Path) -> Result<Store, CliError> {
        let store = Store::open(path, self.stoppable_options())?;
        self.say_jobs(store.profile());
        Ok(store)
    }

    /// Says which of several jobs is shown, if none was chosen.
    pub fn say_jobs(&self, profile: &Profile) {
        if let Some(message) = profile.other_jobs().filter(|_| self.choice.job.is_none()) {
            self.terminal.warning(&self.text(&message));
        }
    }
}

/// When to use colours: as asked for, or as the environment says.
pub fn color(asked: ColorChoice) -> ColorChoice {
    match asked {
        ColorChoice::Auto if variable("NO_COLOR").is_some() => ColorChoice::Never,
        other => other,
    }
}

/// A variable of the environment that is set and not empty.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The language of a command line that is not parsed yet, for help and errors: `--lang`, or that of the locale.
pub fn language_of(words: &[OsString]) -> Language {
    let word = |at: usize| words.get(at).map(|word| word.to_string_lossy());
    let given = (0..words.len()).find_map(|at| match word(at)? {
        name if name == "--lang" => word(at + 1).map(|code| code.into_owned()),
        name => name.strip_prefix("--lang=").map(str::to_owned),
    });
    given.and_then(|code| code.parse().ok()).unwrap_or_else(locale_language)
}

/// The language of messages, by the variables that POSIX has for it: the first that is set decides.
fn locale_language() -> Language {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(variable);
    locale.map_or(Language::English, |locale| Language::of_locale(&locale.to_string_lossy()))
}

/// `NPUSCOPE_CACHE_DIR`, or `npuscope/profiles` in the user's cache directory.
fn default_cache() -> PathBuf {
    let directory = |name: &str| variable(name).map(PathBuf::from);
    if let Some(cache) = directory("NPUSCOPE_CACHE_DIR") {
        return cache;
    }
    let base = directory("XDG_CACHE_HOME")
        .or_else(|| directory("LOCALAPPDATA"))
        .or_else(|| directory("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(std::env::temp_dir);
    base.join("npuscope").join("profiles")
}
