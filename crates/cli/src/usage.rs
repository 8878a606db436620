//! What users can get wrong: one variant per sentence they read.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use npuscope_analysis::cluster;
use npuscope_collect::dynamic::SetError;
use npuscope_engine::EngineError;
use npuscope_messages::Message;
use npuscope_store::discover::DiscoverError;
use npuscope_synth::ConfigError;
use npuscope_tables::Rank;
use npuscope_views::BadQuestion;

use crate::terminal::ranges;

#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    #[error("NPUSCOPE_THREADS is {0}, not a number")]
    Threads(String),
    #[error("-o is the name of a file")]
    OutputName,
    #[error("cannot read {name}: {source}")]
    Unreadable { name: String, source: io::Error },
    #[error("cannot read the query from stdin: {0}")]
    Stdin(io::Error),

    #[error("the profile has none of these ranks")]
    NoneOfRanks,
    #[error("none of these ranks is there; there are {}", ranges(.there))]
    NoSuchRanks { there: Vec<Rank> },
    #[error("the profile has no ranks, and so no timeline")]
    NoTimeline,
    #[error("no rank has step times; npuscope doctor {path} says what is missing", path = .0.display())]
    NoStepTimes(PathBuf),
    #[error("no rank shows what its device did; npuscope doctor {path} says what is missing", path = .0.display())]
    NoDevice(PathBuf),

    #[error("the profile has no events to choose from")]
    NoEvents,
    #[error(
        "nothing is in that --range: the profile lasts {seconds:.3} s, from {start} to {end} ns since the epoch",
        seconds = end.saturating_sub(*start) as f64 / 1e9
    )]
    EmptyRange { start: i64, end: i64 },
    #[error("the profile has no {}; it has steps {low} to {high}", steps(*.first, *.last))]
    NoSuchSteps { first: i64, last: i64, low: i64, high: i64 },
    #[error("the profile has no numbered steps; give --range as times, such as 1.5s..2.25s")]
    NoNumberedSteps,
    #[error("--range is for --to perfetto; the other forms have whole ranks")]
    RangeOfWholeRanks,

    #[error("no mode {0}")]
    NoMode(String),
    #[error("results would go into the profile; name another place with -o, or say -o . if that is meant")]
    IntoProfile,
    /// What an analysis cannot answer.
    #[error(transparent)]
    Analysis(cluster::Failure),
    /// What the viewer cannot answer.
    #[error("{0}")]
    Viewer(npuscope_server::Failure),

    #[error("there is no view {name}; npuscope show {path} lists them", path = path.display())]
    NoView { name: String, path: PathBuf },
    #[error("{0}")]
    NotCollected(Box<Message>),
    #[error("{what}{}", parameters(.view, .known))]
    Parameter { what: BadQuestion, view: &'static str, known: &'static [&'static str] },
    #[error("there is no term {name}{}; npuscope glossary lists all terms", did_you_mean(.near.as_deref()))]
    NoTerm { name: String, near: Option<String> },

    #[error("this form is binary: give a file with -o, or send the output to one")]
    BinaryToTerminal,
    #[error("{0}; the query '\\tables' lists the tables")]
    NoTable(EngineError),
    #[error("{error}; the query '\\d {table}' lists its columns")]
    NoColumn { error: EngineError, table: String },
    #[error("{0}; --memory-limit SIZE raises the limit")]
    Memory(EngineError),
    #[error("{0} with --timeout TIME")]
    Time(EngineError),
    #[error("there is no table {0}; \\tables lists them")]
    NoTableToList(String),
    #[error("unknown command {0}; there are \\tables, \\d TABLE and \\functions")]
    NoCommand(String),

    #[error("a token is {0} letters and digits or more")]
    WeakToken(usize),
    #[error("others could reach this address: choose a --token they must know")]
    NoToken,
    #[error("{0}")]
    NoRandomToken(io::Error),
    #[error("port {0} is in use: choose another --port, or leave it out")]
    PortInUse(u16),
    #[error("{0} is no address of this machine")]
    ForeignAddress(IpAddr),
    #[error("cannot listen at {address}: {source}")]
    Listen { address: SocketAddr, source: io::Error },

    #[error("{0} is too large for a configuration")]
    TooLarge(String),
    #[error("{0} is not UTF-8 text")]
    NotUtf8(String),
    /// A configuration that cannot be used: file, line, key and what is wrong.
    #[error("{0}")]
    Configuration(String),
    #[error(transparent)]
    Control(SetError),
    #[error("--start next has no step to --stop at; give --steps")]
    StopAfterNext,
    #[error("--ranks must name ranks from 0, no more than 65,536")]
    TooManyRanks,
    #[error("there is no {path}; npuscope dynamic set {path} --start N makes it", path = .0.display())]
    NoControlFile(PathBuf),

    #[error(transparent)]
    Discover(DiscoverError),
    #[error(
        "no raw data in {path}: expected directories with FRAMEWORK in them, such as npuscope's recorder writes",
        path = .0.display()
    )]
    NoRawData(PathBuf),

    #[error(transparent)]
    Job(#[from] ConfigError),
    #[error("{file}: {source}", file = file.display())]
    Scenario { file: PathBuf, source: ConfigError },
    #[error("there is no .toml file in {path}", path = .0.display())]
    NoScenarios(PathBuf),
}

fn parameters(view: &str, known: &[&str]) -> String {
    if known.is_empty() { String::new() } else { format!("; parameters of {view}: {}", known.join(", ")) }
}

fn did_you_mean(near: Option<&str>) -> String {
    near.map(|near| format!(", did you mean {near}?")).unwrap_or_default()
}

fn steps(first: i64, last: i64) -> String {
    if first == last { format!("step {first}") } else { format!("steps {first} to {last}") }
}
