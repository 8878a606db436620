//! A server to ask.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;

use npuscope_engine::Session;
use npuscope_formats::output::Output;
use npuscope_server::{ServedProfile, Server};
use npuscope_store::OpenOptions;
use npuscope_synth::{Format, JobConfig, simulate, write_job};
use serde_json::Value;

pub const TOKEN: &str = "test-token";

/// How long a query may take.
pub const QUERY_TIME: std::time::Duration = std::time::Duration::from_secs(5);

/// A job with two ranks.
fn small() -> JobConfig {
    JobConfig { tp: 2, pp: 1, dp: 1, layers: 2, steps: 2, ..JobConfig::default() }
}

/// A server of a simulated job, in a directory of its own.
pub struct Served {
    pub address: SocketAddr,
    /// Where queries of users run.
    pub queries: std::sync::Arc<Session>,
    directory: tempfile::TempDir,
    _stop: tokio::sync::oneshot::Sender<()>,
}

/// An answer: status, headers, body.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&self.body)))
    }
}

impl Served {
    /// Of a job with two ranks.
    pub fn new() -> Served {
        Served::of(&small())
    }

    pub fn of(config: &JobConfig) -> Served {
        let directory = tempfile::tempdir().unwrap();
        let output = Output::new(directory.path().join("job")).unwrap();
        write_job(&simulate(config).unwrap(), Format::Text, &output, |_| {}).unwrap();
        Served::open(directory, None)
    }

    /// Of a job with two ranks, with pages from a directory.
    pub fn with_pages(pages: Option<PathBuf>) -> Served {
        let directory = tempfile::tempdir().unwrap();
        let output = Output::new(directory.path().join("job")).unwrap();
        write_job(&simulate(&small()).unwrap(), Format::Text, &output, |_| {}).unwrap();
        Served::open(directory, pages)
    }

    /// Of a job with two ranks, with queries that may take an hour.
    pub fn with_patience() -> Served {
        let directory = tempfile::tempdir().unwrap();
        let output = Output::new(directory.path().join("job")).unwrap();
        write_job(&simulate(&small()).unwrap(), Format::Text, &output, |_| {}).unwrap();
        Served::open_for(directory, None, std::time::Duration::from_secs(3600))
    }

    /// Serves the job in a directory, with the cache beside it.
    pub fn open(directory: tempfile::TempDir, pages: Option<PathBuf>) -> Served {
        Served::open_for(directory, pages, QUERY_TIME)
    }

    fn open_for(directory: tempfile::TempDir, pages: Option<PathBuf>, query_time: std::time::Duration) -> Served {
        let options = OpenOptions::new(directory.path().join("cache"));
        let profile = ServedProfile::open(&directory.path().join("job"), options).unwrap();
        let profile = profile.with_query_limits(Some(256 << 20), Some(query_time)).unwrap();
        let queries = profile.queries().clone();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let server = Server::bind(profile, "127.0.0.1:0".parse().unwrap(), TOKEN.to_owned()).await.unwrap();
                let server = server.with_pages(pages);
                sender.send(server.address().unwrap()).unwrap();
                server.serve(async { drop(stopped.await) }, None).await.unwrap();
            });
        });
        Served { address: receiver.recv().unwrap(), queries, directory, _stop: stop }
    }

    /// The directory of the cache.
    pub fn cache(&self) -> PathBuf {
        self.directory.path().join("cache")
    }

    /// The same job with the same cache, served anew.
    pub fn again(self) -> Served {
        Served::open(self.directory, None)
    }

    pub fn session(&self) -> Session {
        Session::open(&self.directory.path().join("job"), OpenOptions::new(self.directory.path().join("cache")))
            .unwrap()
    }

    pub fn send(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let split = bytes.windows(4).position(|part| part == b"\r\n\r\n").unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..split]).into_owned();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head, body: bytes.get(split + 4..).unwrap_or_default().to_vec() }
    }

    /// Posts without waiting for the answer.
    pub fn begin_post(&self, path: &str, body: &Value) -> TcpStream {
        let (address, body) = (self.address, body.to_string());
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        stream
    }

    /// Sends bytes and does not mind what comes back.
    pub fn send_anything(&self, bytes: &str) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let _ = stream.write_all(bytes.as_bytes());
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }

    pub fn get(&self, path: &str) -> Answer {
        let address = self.address;
        self.send(&format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n"
        ))
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        let (address, body) = (self.address, body.to_string());
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    }
}
