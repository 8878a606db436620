//! Arguments of `npuscope view`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};

use crate::arguments::sql::{parse_size, parse_time};
use crate::commands::view::ViewOptions;

/// Show a profile in the browser: findings, timeline, operators, memory, communication, cluster
///
/// Serves the profile to the browser of the user who started it. The printed address contains a token; requests without
/// the token are refused. Ranks are read when a page shows them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope view DIR
  npuscope view DIR --no-open --port 8080      on a server, with ssh -L 8080:127.0.0.1:8080")]
pub struct ViewCommand {
    /// Profile: a directory, or a single deliverable
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// Port to listen at; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// Address to listen at; any but this machine's own needs --token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub listen: std::net::IpAddr,
    /// Token to ask for [default: a new one each time]
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
    /// Do not open a browser
    #[arg(long)]
    pub no_open: bool,
    /// Exit after N seconds without a request
    #[arg(long, value_name = "SECONDS")]
    pub idle_timeout: Option<u64>,
    /// Memory that queries on the page may use together before they spill to disk; 0 is no limit [default: half of the memory, at most 4GB]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub query_memory_limit: Option<usize>,
    /// Time that a query on the page may take
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "5m")]
    pub query_timeout: Duration,
    /// Directory with pages to show instead of those in the program
    #[arg(long, value_name = "DIR", hide = true)]
    pub pages: Option<PathBuf>,
}

impl From<ViewCommand> for ViewOptions {
    fn from(command: ViewCommand) -> ViewOptions {
        ViewOptions {
            path: command.path,
            port: command.port,
            listen: command.listen,
            token: command.token,
            opens_browser: !command.no_open,
            idle_timeout: command.idle_timeout.map(Duration::from_secs),
            query_memory_limit: command.query_memory_limit,
            query_timeout: command.query_timeout,
            pages: command.pages,
        }
    }
}
