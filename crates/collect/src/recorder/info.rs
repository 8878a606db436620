//! `profiler_info_{rank}.json` and `profiler_metadata.json` of a recording.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::budget::Degraded;
use super::clock::{Moment, counts_ticks};
use super::files::{FILE_MODE, Place};
use crate::atomic::{self, Durability};
use crate::host;

/// How long the frequency of the counter is measured before the first record.
const CALIBRATION: Duration = Duration::from_millis(2);

/// Keeps `profiler_info` true while records are written, so that they can be read whenever the process ends.
pub struct InfoFile {
    path: PathBuf,
    /// Where it is written while records are, if they are elsewhere.
    meanwhile: Option<PathBuf>,
    base: Map<String, Value>,
    rank: Option<u32>,
    start: Moment,
}

impl InfoFile {
    /// `base` is what does not change: the configuration, versions.
    pub fn new(place: &Place, rank: Option<u32>, mut base: Map<String, Value>) -> Self {
        let name = match rank {
            Some(rank) => format!("profiler_info_{rank}.json"),
            None => "profiler_info.json".to_owned(),
        };
        if let Some(spool) = &place.spool {
            // To find the records of a process that was killed.
            base.insert("spool".to_owned(), json!({ "host": host::name(), "path": spool }));
        }
        let meanwhile = place.spool.as_ref().map(|spool| spool.join(&name));
        let info = Self { path: place.directory.join(name), meanwhile, base, rank, start: Moment::now() };
        // Until the next look, times are only as good as what is known of the clock now.
        std::thread::sleep(CALIBRATION);
        info
    }

    /// Writes the clocks as they are now, where it is cheap.
    pub fn write_meanwhile(&self) -> io::Result<()> {
        self.write_to(self.meanwhile.as_deref().unwrap_or(&self.path))
    }

    /// Writes the clocks as they are now.
    pub fn write(&self) -> io::Result<()> {
        self.write_to(&self.path)
    }

    /// The recording is complete, and where it belongs.
    pub fn write_last(&mut self) -> io::Result<()> {
        self.base.remove("spool");
        self.write()
    }

    fn write_to(&self, path: &Path) -> io::Result<()> {
        let now = Moment::now();
        let mut info = self.base.clone();
        info.insert(
            "start_info".to_owned(),
            json!({
                "syscnt_enable": counts_ticks(),
                "freq": self.start.megahertz(&now),
                "start_cnt": self.start.count,
                "start_monotonic": self.start.monotonic_ns,
            }),
        );
        // Wall time belongs to the start: were it set meanwhile, the recording would otherwise be moved.
        let moved = now.monotonic_ns - self.start.monotonic_ns;
        info.insert(
            "end_info".to_owned(),
            json!({ "collectionTimeEnd": self.start.unix_ns + moved, "MonotonicTimeEnd": now.monotonic_ns }),
        );
        info.insert("rank_id".to_owned(), self.rank.map_or(json!(-1), |rank| json!(rank)));
        info.insert("npuscope_version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
        atomic::write(path, &serde_json::to_vec_pretty(&info)?, Some(FILE_MODE), Durability::Unsynced)
    }

    /// Nanoseconds since the epoch of something counted by the recorder's clock.
    pub fn unix_ns(&self, count: i64) -> i64 {
        let frequency = self.start.megahertz(&Moment::now());
        self.start.unix_ns + ((count - self.start.count) as f64 * (1000.0 / frequency)) as i64
    }
}

/// What came of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Records that are in the files; names of functions are none.
    pub records: u64,
    /// Records that found no place in memory.
    pub dropped: u64,
    /// Records that were not written to stay within the budget.
    pub given_up: u64,
    /// Names that were not kept because there were too many.
    pub lost_names: u64,
    /// Bytes of records that were written.
    pub bytes: u64,
    /// Bytes that may be written.
    pub budget: u64,
    /// What was given up to stay within the budget, in order.
    pub degraded: Vec<Degraded>,
    /// Ranges without an end; they end with the recording.
    pub open_ranges: u64,
}

/// Writes the metadata of the user and of the recorder beside the records.
pub fn write_metadata(
    directory: &Path,
    mut metadata: Map<String, Value>,
    backend: &str,
    summary: &Summary,
) -> io::Result<()> {
    let mut ours = match serde_json::to_value(summary)? {
        Value::Object(ours) => ours,
        _ => Map::new(),
    };
    ours.insert("backend".to_owned(), json!(backend));
    metadata.insert("npuscope".to_owned(), Value::Object(ours));
    let path = directory.join("profiler_metadata.json");
    atomic::write(&path, &serde_json::to_vec_pretty(&metadata)?, Some(FILE_MODE), Durability::Unsynced)
}
