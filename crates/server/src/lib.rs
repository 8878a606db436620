//! The viewer's server: a run as lanes, tiles, searches and tables, over HTTP, for its user alone.
//!
//! The timeline does not go through SQL: [`timeline`] makes rows and levels of detail from the tables once, and a
//! [tile](timeline::tile) of it costs what is seen of it.

pub mod access;
mod app;
mod assets;
mod run;
pub mod timeline;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;

use access::Access;
use app::App;

pub use run::Run;

/// A server that listens but does not answer yet.
pub struct Server {
    listener: TcpListener,
    app: Arc<App>,
}

impl Server {
    /// Listens at `address`; port 0 takes a free one.
    pub async fn bind(run: Run, address: SocketAddr, token: String) -> io::Result<Server> {
        let listener = TcpListener::bind(address).await?;
        let access = Access::new(token, listener.local_addr()?, &[]);
        Ok(Server { listener, app: Arc::new(App { run, access }) })
    }

    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The address to open in a browser.
    pub fn url(&self) -> io::Result<String> {
        Ok(format!("http://{}/?token={}", self.address()?, self.app.access.token()))
    }

    /// Answers until `stop` is done.
    pub async fn serve(self, stop: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
        axum::serve(self.listener, app::router(self.app)).with_graceful_shutdown(stop).await
    }
}
