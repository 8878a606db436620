//! What users can get wrong: one variant per sentence they read.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use npuscope_analysis::cluster;
use npuscope_collect::dynamic::SetError;
use npuscope_engine::EngineError;
use npuscope_messages::{Decimal, Message, io_error};
use npuscope_store::discover::DiscoverError;
use npuscope_synth::ConfigError;
use npuscope_tables::Rank;
use npuscope_views::BadQuestion;

use crate::messages::errors as messages;
use crate::terminal::ranges;

#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// `NPUSCOPE_THREADS` is not a number.
    Threads(String),
    /// `-o` is not the name of a file.
    OutputName,
    Unreadable {
        name: String,
        source: io::Error,
    },
    Stdin(io::Error),

    NoSuchRanks {
        there: Vec<Rank>,
    },
    NoTimeline,
    NoStepTimes(PathBuf),
    NoStep(cluster::Usage),
    NoDevice(PathBuf),

    NoEvents,
    EmptyRange {
        start: i64,
        end: i64,
    },
    /// `--at` is before the first or after the last event.
    OutsideProfile {
        start: i64,
        end: i64,
    },
    NoSuchSteps {
        first: i64,
        last: i64,
        low: i64,
        high: i64,
    },
    NoNumberedSteps,
    RangeOfWholeRanks,

    NoMode(String),
    /// A command of msprof-analyze that npuscope lacks.
    NotSupportedYet(&'static str),
    /// Results would go into the profile.
    IntoProfile,
    /// What an analysis cannot answer.
    Analysis(cluster::Failure),
    /// What the viewer cannot answer.
    Viewer(npuscope_server::Failure),

    NoView {
        name: String,
        path: PathBuf,
    },
    NotCollected(Box<Message>),
    Parameter {
        what: Box<BadQuestion>,
        view: &'static str,
        known: &'static [&'static str],
    },
    NoTerm {
        name: String,
        near: Option<String>,
    },

    BinaryToTerminal(&'static str),
    NoTable(EngineError),
    NoColumn {
        error: EngineError,
        table: String,
    },
    Memory(EngineError),
    Time(EngineError),
    NoTableToList(String),
    NoCommand(String),

    /// The token is shorter than this, or has other characters than letters and digits.
    WeakToken(usize),
    NoToken,
    NoRandomToken(io::Error),
    PortInUse(u16),
    ForeignAddress(IpAddr),
    Listen {
        address: SocketAddr,
        source: io::Error,
    },

    TooLarge {
        name: String,
        limit: u64,
    },
    NotUtf8(String),
    /// A configuration that cannot be used: its file and line, and what is wrong.
    Configuration {
        place: String,
        why: Box<Message>,
    },
    Control(SetError),
    StopAfterNext,
    TooManyRanks,
    NoControlFile(PathBuf),
    /// None of these interpreters has the Python package.
    NoPackage(Vec<PathBuf>),

    Discover(DiscoverError),
    NoRawData(PathBuf),

    Job(#[from] ConfigError),
    Scenario {
        file: PathBuf,
        source: ConfigError,
    },
    NoScenarios(PathBuf),
}

impl UsageError {
    pub fn message(&self) -> Message {
        match self {
            UsageError::Threads(value) => messages::threads(value),
            UsageError::OutputName => messages::output_name(),
            UsageError::Unreadable { name, source } => messages::unreadable(name, io_error(source)),
            UsageError::Stdin(error) => messages::unreadable_stdin(io_error(error)),
            UsageError::NoSuchRanks { there } => messages::no_such_ranks(ranges(there)),
            UsageError::NoTimeline => messages::no_timeline(),
            UsageError::NoStep(usage) => usage.message(),
            UsageError::NoStepTimes(path) => messages::no_step_times(path),
            UsageError::NoDevice(path) => messages::no_device(path),
            UsageError::NoEvents => messages::no_events(),
            UsageError::EmptyRange { start, end } => messages::empty_range(seconds(*start, *end), *start, *end),
            UsageError::OutsideProfile { start, end } => messages::outside_profile(seconds(*start, *end), *start, *end),
            UsageError::NoSuchSteps { first, last, low, high } if first == last => {
                messages::no_such_step(*first, *low, *high)
            }
            UsageError::NoSuchSteps { first, last, low, high } => messages::no_such_steps(*first, *last, *low, *high),
            UsageError::NoNumberedSteps => messages::no_numbered_steps(),
            UsageError::RangeOfWholeRanks => messages::range_of_whole_ranks(),
            UsageError::NoMode(name) => messages::no_mode(name),
            UsageError::NotSupportedYet(command) => messages::not_supported_yet(command),
            UsageError::IntoProfile => messages::into_profile(),
            UsageError::Analysis(failure) => failure.message(),
            UsageError::Viewer(failure) => failure.message(),
            UsageError::NoView { name, path } => messages::no_view(name, path),
            UsageError::NotCollected(message) => *message.clone(),
            UsageError::Parameter { what, known: [], .. } => what.message(),
            UsageError::Parameter { what, view, known } => messages::parameter(what.message(), view, known.to_vec()),
            UsageError::NoTerm { name, near: None } => messages::no_term(name),
            UsageError::NoTerm { name, near: Some(near) } => messages::no_term_near(name, near),
            UsageError::BinaryToTerminal(format) => messages::binary_to_terminal(format),
            UsageError::NoTable(error) => messages::no_table(error.message()),
            UsageError::NoColumn { error, table } => messages::no_column(error.message(), table),
            UsageError::Memory(error) => messages::memory(error.message()),
            UsageError::Time(error) => messages::time(error.message()),
            UsageError::NoTableToList(name) => messages::no_table_to_list(name),
            UsageError::NoCommand(command) => messages::no_command(command),
            UsageError::WeakToken(length) => messages::weak_token(*length),
            UsageError::NoToken => messages::no_token(),
            UsageError::NoRandomToken(error) => messages::no_random_token(io_error(error)),
            UsageError::PortInUse(port) => messages::port_in_use(u32::from(*port)),
            UsageError::ForeignAddress(address) => messages::foreign_address(address.to_string()),
            UsageError::Listen { address, source } => messages::cannot_listen(address.to_string(), io_error(source)),
            UsageError::TooLarge { name, limit } => messages::too_large(name, limit >> 20),
            UsageError::NotUtf8(name) => messages::not_utf8(name),
            UsageError::Configuration { place, why } => messages::at_place(place.clone(), *why.clone()),
            UsageError::Control(error) => error.message(),
            UsageError::StopAfterNext => messages::stop_after_next(),
            UsageError::TooManyRanks => messages::too_many_ranks(),
            UsageError::NoControlFile(path) => messages::no_control_file(path),
            UsageError::NoPackage(tried) => {
                messages::no_package(tried.iter().map(|python| python.display().to_string()).collect())
            }
            UsageError::Discover(error) => error.message(),
            UsageError::NoRawData(path) => messages::no_raw_data(path),
            UsageError::Job(error) => error.message(),
            UsageError::Scenario { file, source } => messages::in_file(file, source.message()),
            UsageError::NoScenarios(path) => messages::no_scenarios(path),
        }
    }
}

npuscope_messages::display_message!(UsageError);

fn seconds(start: i64, end: i64) -> Decimal<3> {
    #[expect(clippy::cast_precision_loss, reason = "shown with three decimals")]
    let seconds = end.saturating_sub(start) as f64 / 1e9;
    Decimal(seconds)
}
