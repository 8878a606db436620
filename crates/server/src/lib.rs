//! The viewer's server: a profile as lanes, tiles, searches and tables, over HTTP, for its user alone.
//!
//! The timeline does not go through SQL: [`timeline`] makes rows and levels of detail from the tables once, and a
//! [tile](timeline::tile) of it costs what is seen of it.

pub mod access;
mod answers;
mod app;
mod assets;
mod failure;
pub mod messages;
mod profile;
mod progress;
mod report;
mod routes;
pub mod timeline;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::TcpListener;

use access::Access;
use app::{App, Asked};

pub use failure::Failure;
pub use profile::ServedProfile;
pub use report::{Contents, report};

/// A server that listens but does not answer yet.
pub struct Server {
    listener: TcpListener,
    app: App,
}

impl Server {
    /// Listens at `address`; port 0 takes a free one.
    pub async fn bind(profile: ServedProfile, address: SocketAddr, token: String) -> io::Result<Server> {
        let listener = TcpListener::bind(address).await?;
        let access = Access::new(token, listener.local_addr()?);
        Ok(Server { listener, app: App { profile, access, pages: None, asked: Mutex::new(Asked::new()) } })
    }

    /// Takes the pages from a directory, for those who work on them.
    #[must_use]
    pub fn with_pages(mut self, directory: Option<PathBuf>) -> Server {
        self.app.pages = directory;
        self
    }

    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The address to open in a browser.
    pub fn url(&self) -> io::Result<String> {
        Ok(format!("http://{}/?token={}", self.address()?, self.app.access.token()))
    }

    /// Answers until `stop` is done, or there was no request for as long as `idle`. Pages that watch progress keep their
    /// connections open, so open connections are not waited for.
    pub async fn serve(self, stop: impl Future<Output = ()>, idle: Option<Duration>) -> io::Result<()> {
        let app = Arc::new(self.app);
        let serving = axum::serve(self.listener, app::router(app.clone()));
        tokio::select! {
            done = async { serving.await } => done,
            () = stop => Ok(()),
            () = unused(&app, idle) => Ok(()),
        }
    }
}

/// Waits until there was no request for as long as `idle`.
async fn unused(app: &App, idle: Option<Duration>) {
    let Some(idle) = idle else { return std::future::pending().await };
    loop {
        let since = app.asked.lock().unwrap_or_else(PoisonError::into_inner).idle();
        if since >= idle {
            return;
        }
        tokio::time::sleep(idle - since).await;
    }
}
