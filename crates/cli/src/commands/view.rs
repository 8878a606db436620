//! `npuscope view`.

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;

use npuscope_server::{ServedProfile, Server, access};

use crate::error::CliError;
use crate::memory;
use crate::messages::output as messages;
use crate::settings::Settings;
use crate::usage::UsageError;

/// What to serve, where and to whom.
#[derive(Clone, Debug)]
pub struct ViewOptions {
    pub path: PathBuf,
    pub listen: IpAddr,
    /// 0 takes a free one.
    pub port: u16,
    /// Token to ask for; a new one if there is none.
    pub token: Option<String>,
    pub opens_browser: bool,
    /// Time without a request after which the server ends.
    pub idle_timeout: Option<Duration>,
    /// Bytes that queries on the page may use; 0 is no limit, nothing a share of the machine's memory.
    pub query_memory_limit: Option<usize>,
    /// Time that a query on the page may take.
    pub query_timeout: Duration,
    /// Directory with pages to show instead of those in the program.
    pub pages: Option<PathBuf>,
}

pub fn run(options: &ViewOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    let token = token(options)?;
    let reading = settings.open_options();
    let (stop, cache) = (reading.stop.clone(), reading.cache.clone());
    let profile = ServedProfile::open(&options.path, reading)?;
    settings.say_jobs(profile.profile());
    let profile =
        profile.with_query_limits(memory::query_limit(options.query_memory_limit), Some(options.query_timeout))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(async {
        let address = SocketAddr::new(options.listen, options.port);
        let server = Server::bind(profile, address, token).await.map_err(|error| cannot_listen(address, error))?;
        let server = server.with_pages(options.pages.clone());
        let url = server.url()?;
        writeln!(io::stdout(), "{url}")?;
        settings.terminal.note(&settings.text(&messages::view_stop()));
        if options.opens_browser && !open(&url) {
            settings.terminal.note(&settings.text(&messages::view_open()));
        }
        server.serve(async { drop(tokio::signal::ctrl_c().await) }, options.idle_timeout).await?;
        Ok(ExitCode::SUCCESS)
    });
    // What is being made for somebody is not waited for.
    stop.store(true, Ordering::Relaxed);
    runtime.shutdown_background();
    for warning in cache.take_warnings() {
        settings.terminal.warning(&settings.text(&warning));
    }
    done
}

/// The token to ask for: a random one, unless other machines can reach the server: their users need to know it.
fn token(options: &ViewOptions) -> Result<String, CliError> {
    match &options.token {
        Some(token) if token.len() < MIN_TOKEN || !token.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            Err(UsageError::WeakToken(MIN_TOKEN).into())
        }
        Some(token) => Ok(token.clone()),
        None if options.listen.is_loopback() => {
            access::random_token().map_err(|error| UsageError::NoRandomToken(error).into())
        }
        None => Err(UsageError::NoToken.into()),
    }
}

fn cannot_listen(address: SocketAddr, error: io::Error) -> CliError {
    let why = match error.kind() {
        io::ErrorKind::AddrInUse => UsageError::PortInUse(address.port()),
        io::ErrorKind::AddrNotAvailable => UsageError::ForeignAddress(address.ip()),
        _ => UsageError::Listen { address, source: error },
    };
    why.into()
}

/// The shortest token that is taken from users.
const MIN_TOKEN: usize = 16;

/// Opens an address in the user's browser, if there is one.
fn open(url: &str) -> bool {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    Command::new(opener).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().is_ok()
}
