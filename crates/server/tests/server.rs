//! The server as a browser meets it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use npuscope_engine::{Session, SessionOptions};
use npuscope_formats::output::Output;
use npuscope_server::{Run, Server};
use npuscope_synth::{Form, JobConfig, simulate, write_job};
use serde_json::{Value, json};

const TOKEN: &str = "test-token";

/// A server of a simulated job, in a directory of its own.
struct Served {
    address: SocketAddr,
    directory: tempfile::TempDir,
    _stop: tokio::sync::oneshot::Sender<()>,
}

/// An answer: status, headers, body.
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&self.body)))
    }
}

impl Served {
    fn new() -> Served {
        let directory = tempfile::tempdir().unwrap();
        let config = JobConfig { tp: 2, pp: 1, dp: 1, layers: 2, steps: 2, ..JobConfig::default() };
        let output = Output::new(directory.path().join("job")).unwrap();
        write_job(&simulate(&config).unwrap(), Form::Text, &output, |_| {}).unwrap();
        let run =
            Run::open(output.path(), SessionOptions::new(directory.path().join("cache"))).unwrap();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let server = Server::bind(run, "127.0.0.1:0".parse().unwrap(), TOKEN.to_owned()).await.unwrap();
                tell.send(server.address().unwrap()).unwrap();
                server.serve(async { drop(stopped.await) }).await.unwrap();
            });
        });
        Served { address: told.recv().unwrap(), directory, _stop: stop }
    }

    fn session(&self) -> Session {
        Session::open(&self.directory.path().join("job"), SessionOptions::new(self.directory.path().join("cache")))
            .unwrap()
    }

    fn send(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let split = bytes.windows(4).position(|part| part == b"\r\n\r\n").unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..split]).into_owned();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head, body: bytes.get(split + 4..).unwrap_or_default().to_vec() }
    }

    fn get(&self, path: &str) -> Answer {
        let address = self.address;
        self.send(&format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n"
        ))
    }

    fn post(&self, path: &str, body: &Value) -> Answer {
        let (address, body) = (self.address, body.to_string());
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    }
}

/// The bars of a tile by lane: begin, end, row, slice, name, count.
fn bars(tile: &[u8]) -> Vec<(u32, Vec<[u32; 6]>)> {
    let u32_at = |at: usize| u32::from_le_bytes(tile[at..at + 4].try_into().unwrap());
    let u16_at = |at: usize| u32::from(u16::from_le_bytes(tile[at..at + 2].try_into().unwrap()));
    let lanes = u32_at(0) as usize;
    let mut at = 4 + 8 * lanes;
    let lanes = (0..lanes).map(|lane| {
        let (id, count) = (u32_at(4 + 8 * lane), u32_at(8 + 8 * lane));
        let bars = (0..count).map(|_| {
            let bar = [u16_at(at), u16_at(at + 2), u16_at(at + 4), u32_at(at + 8), u32_at(at + 12), u32_at(at + 16)];
            at += 20;
            bar
        });
        (id, bars.collect())
    });
    lanes.collect()
}

#[test]
fn every_slice_is_on_the_timeline_at_every_level() {
    let served = Served::new();
    let timeline = served.get("/api/ranks/0/timeline").json();
    let lanes = timeline["lanes"].as_array().unwrap();
    assert!(!lanes.is_empty());
    let [start, end] = [0, 1].map(|at| timeline["span"][at].as_i64().unwrap());
    let list: Vec<String> = lanes.iter().map(|lane| lane["id"].to_string()).collect();
    for level in [20, 26, 40] {
        let length = 256i64 << level;
        let mut counts = std::collections::HashMap::<u32, u64>::new();
        let mut seen = std::collections::HashSet::new();
        for index in start.div_euclid(length)..=end.div_euclid(length) {
            let path = format!("/api/ranks/0/tiles/{level}/{index}?lanes={}", list.join(","));
            let answer = served.get(&path);
            assert_eq!(answer.status, 200);
            assert!(answer.head.to_lowercase().contains("immutable"), "{}", answer.head);
            for (lane, bars) in bars(&answer.body) {
                // A bar that crosses the edge of a tile is in both.
                let new = bars.iter().filter(|bar| seen.insert((lane, bar[3])));
                *counts.entry(lane).or_default() += new.map(|bar| u64::from(bar[5])).sum::<u64>();
            }
        }
        for lane in lanes {
            let id = lane["id"].as_u64().unwrap() as u32;
            assert_eq!(Some(counts[&id]), lane["slices"].as_u64(), "lane {id} at level {level}");
        }
    }
}

#[test]
fn statistics_of_an_area_equal_those_of_sql() {
    let served = Served::new();
    let timeline = served.get("/api/ranks/0/timeline").json();
    let processes = timeline["processes"].as_array().unwrap();
    let is_hardware = |lane: &&Value| {
        let process = &processes[lane["process"].as_u64().unwrap() as usize];
        process["name"].as_str().unwrap().contains("Ascend Hardware")
    };
    let lanes: Vec<u64> =
        timeline["lanes"].as_array().unwrap().iter().filter(is_hardware).map(|l| l["id"].as_u64().unwrap()).collect();
    assert!(!lanes.is_empty());
    let [start, end] = [0, 1].map(|at| timeline["span"][at].as_i64().unwrap());
    let (begin, end) = (start + (end - start) / 4, start + (end - start) / 2);
    let body = json!({"ranks": [{"rank": 0, "lanes": lanes}], "begin": begin, "end": end});
    let found = served.post("/api/statistics", &body).json();
    let origin: i64 = served.get("/api/run").json()["origin"].as_str().unwrap().parse().unwrap();
    let (begin, end) = (begin + origin, end + origin);
    let sql = format!(
        "SELECT name, count(*) AS n, sum(duration) AS total, min(duration) AS least, max(duration) AS most \
         FROM task WHERE rank = 0 AND start >= {begin} AND start < {end} GROUP BY name"
    );
    let (_, batches) = served.session().sql(&sql).unwrap();
    let rows: usize = batches.iter().map(|batch| batch.num_rows()).sum();
    let found = found.as_array().unwrap();
    assert_eq!(found.len(), rows);
    let total: i64 = found.iter().map(|row| row["total_ns"].as_i64().unwrap()).sum();
    let (_, sums) = served
        .session()
        .sql(&format!("SELECT sum(duration) AS total FROM task WHERE rank = 0 AND start >= {begin} AND start < {end}"))
        .unwrap();
    let expected = sums[0].column(0).as_primitive::<Int64Type>().value(0);
    assert_eq!(total, expected);
}

#[test]
fn a_slice_tells_what_it_is_and_leads_on() {
    let served = Served::new();
    let hits = served.get("/api/search?text=matmul&ranks=1").json();
    assert!(hits["count"].as_u64().unwrap() > 0);
    let hit = &hits["hits"][0];
    assert_eq!(hit["rank"], 1);
    let slice = served.get(&format!("/api/ranks/1/slices/{}", hit["slice"])).json();
    assert_eq!((&slice["name"], &slice["begin"]), (&hit["name"], &hit["begin"]));
    assert!(slice["args"].as_object().is_some_and(|args| !args.is_empty()));
    let device = hits["hits"].as_array().unwrap().iter().find_map(|hit| {
        let slice = served.get(&format!("/api/ranks/1/slices/{}", hit["slice"])).json();
        slice["flows"].as_array().unwrap().first().cloned().map(|flow| (hit["slice"].clone(), flow))
    });
    let (from, flow) = device.expect("some matmul is launched by something");
    let other = served.get(&format!("/api/ranks/1/slices/{}", flow["slice"])).json();
    assert!(other["flows"].as_array().unwrap().iter().any(|back| back["slice"] == from));
}

#[test]
fn nobody_else_is_answered() {
    let served = Served::new();
    let address = served.address;
    let ask = |head: &str| served.send(&format!("GET /api/run HTTP/1.1\r\n{head}\r\nConnection: close\r\n\r\n")).status;
    let token = format!("Authorization: Bearer {TOKEN}");
    assert_eq!(ask(&format!("Host: {address}\r\n{token}")), 200);
    assert_eq!(ask(&format!("Host: {address}")), 403);
    assert_eq!(ask(&format!("Host: {address}\r\nAuthorization: Bearer wrong")), 403);
    assert_eq!(ask(&format!("Host: evil.example\r\n{token}")), 403);
    assert_eq!(ask(&format!("Host: {address}\r\n{token}\r\nOrigin: http://evil.example")), 403);
}

#[test]
fn odd_requests_are_refused() {
    let served = Served::new();
    for (path, status) in [
        ("/api/ranks/99/timeline", 404),
        ("/api/ranks/x/timeline", 400),
        ("/api/ranks/0/slices/999999999", 404),
        ("/api/ranks/0/tiles/99/0?lanes=1", 400),
        ("/api/ranks/0/tiles/5/0?lanes=a", 400),
        ("/api/ranks/0/tiles/54/9223372036854775807?lanes=999", 200),
        ("/../../etc/passwd", 404),
        ("/%2e%2e/%2e%2e/etc/passwd", 404),
    ] {
        assert_eq!(served.get(path).status, status, "{path}");
    }
    assert_eq!(served.post("/api/statistics", &json!({"ranks": "x"})).status, 422);
    let huge = json!({"ranks": [], "begin": 0, "end": 0, "more": "x".repeat(2 << 20)});
    assert_eq!(served.post("/api/statistics", &huge).status, 413);
}
