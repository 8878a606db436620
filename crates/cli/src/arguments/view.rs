//! Arguments of `npuscope view`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};

use super::choice::ChoiceArguments;
use crate::arguments::sql::{parse_size, parse_time};
use crate::commands::view::ViewOptions;

/// Show a profile in the browser: findings, timeline, operators, memory …
///
/// Starts a local server and prints its address. The address contains a token; requests without the token are refused.
/// Ranks are read when a page shows them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope view DIR
  # On a remote server, after `ssh -L 8080:127.0.0.1:8080 SERVER`
  npuscope view DIR --no-open --port 8080")]
pub struct ViewCommand {
    /// Profile: a directory, or a single deliverable such as trace_view.json
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    #[command(flatten)]
    pub choice: ChoiceArguments,
    /// Port to listen on; 0 for any free port
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// Address to listen on; --token is required if other machines can reach it
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub listen: std::net::IpAddr,
    /// Token that requests must contain, at least 16 letters and digits [default: random]
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
    /// Do not open a browser
    #[arg(long)]
    pub no_open: bool,
    /// Exit after N seconds without a request [default: never]
    #[arg(long, value_name = "N")]
    pub idle_timeout: Option<u64>,
    /// Memory that all queries of the viewer may use before they spill to disk, for example 4GiB; 0 for no limit [default:
    /// half of the machine's memory, at most 4GiB]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub query_memory_limit: Option<usize>,
    /// Stop a query of the viewer after this time, for example 30s or 5m
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "5m")]
    pub query_timeout: Duration,
    /// Serve the pages in DIR instead of those in the program
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
