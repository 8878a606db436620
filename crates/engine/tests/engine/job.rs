//! Profiles to ask.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type};
use npuscope_engine::Session;
use npuscope_formats::output::Output;
use npuscope_store::cache::Cache;
use npuscope_store::discover::discover;
use npuscope_store::fingerprint::fingerprint;
use npuscope_store::{OpenOptions, Progress};
use npuscope_synth::{Format, JobConfig, simulate, write_job};
use npuscope_tables::{Rank, RankTables};
use tempfile::TempDir;

/// A profile with a cache of its own.
pub struct Job {
    directory: TempDir,
}

impl Job {
    /// A job of eight ranks.
    pub fn eight_ranks() -> Job {
        Job::simulated(JobConfig { layers: 2, micro_batches: 1, steps: 1, ..JobConfig::default() })
    }

    pub fn one_rank() -> Job {
        Job::simulated(JobConfig { tp: 1, pp: 1, dp: 1, layers: 2, micro_batches: 1, steps: 1, ..JobConfig::default() })
    }

    fn simulated(config: JobConfig) -> Job {
        let job = Job { directory: tempfile::tempdir().unwrap() };
        let out = Output::new(job.path()).unwrap();
        write_job(&simulate(&config).unwrap(), Format::Text, &out, |_| {}).unwrap();
        job
    }

    /// A rank that has just these tables: its files say nothing, its cache holds them.
    pub fn with_tables(tables: &RankTables) -> Job {
        let job = Job { directory: tempfile::tempdir().unwrap() };
        let output = job.path().join("r_ascend_pt/ASCEND_PROFILER_OUTPUT");
        fs::create_dir_all(&output).unwrap();
        fs::write(output.join("trace_view.json"), "[]").unwrap();
        let profile = discover(&job.path()).unwrap();
        Cache::new(job.cache()).store(&fingerprint(&profile.ranks[0]), tables).unwrap();
        job
    }

    pub fn path(&self) -> PathBuf {
        self.directory.path().join("profile")
    }

    pub fn cache(&self) -> PathBuf {
        self.directory.path().join("cache")
    }

    pub fn options(&self) -> OpenOptions {
        OpenOptions { threads: 2, ..OpenOptions::new(self.cache()) }
    }

    pub fn open(&self) -> Session {
        Session::open(&self.path(), self.options()).unwrap()
    }
}

/// Counts the ranks that are read from their files.
#[derive(Default)]
pub struct Reads {
    pub ranks: Mutex<Vec<Rank>>,
    finished: AtomicUsize,
}

impl Reads {
    /// The ranks read since this was last asked.
    pub fn take(&self) -> Vec<i64> {
        let mut ranks = std::mem::take(&mut *self.ranks.lock().unwrap());
        assert_eq!(self.finished.swap(0, Ordering::SeqCst), ranks.len(), "every rank that is begun is finished");
        ranks.sort_unstable();
        ranks.into_iter().map(|rank| rank.0).collect()
    }
}

impl Progress for Reads {
    fn start(&self, rank: Rank, _: u64) {
        self.ranks.lock().unwrap().push(rank);
    }

    fn advance(&self, _: Rank, _: u64) {}

    fn finish(&self, _: Rank) {
        self.finished.fetch_add(1, Ordering::SeqCst);
    }
}

/// Opens a session that reports what it reads.
pub fn open_counted(job: &Job) -> (Session, Arc<Reads>) {
    let reads = Arc::new(Reads::default());
    let options = OpenOptions { progress: reads.clone(), ..job.options() };
    (Session::open(&job.path(), options).unwrap(), reads)
}

/// The answer to a query: text as it is, numbers as they are written.
pub fn rows(session: &Session, sql: &str) -> Vec<Vec<String>> {
    let (_, batches) = session.sql(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
    batches.iter().flat_map(batch_rows).collect()
}

fn batch_rows(batch: &RecordBatch) -> Vec<Vec<String>> {
    let columns: Vec<_> = batch.columns().iter().map(|c| cast(c, &DataType::Utf8).unwrap()).collect();
    let cell = |column: &dyn arrow::array::Array, row| column.as_string::<i32>().value(row).to_owned();
    (0..batch.num_rows()).map(|row| columns.iter().map(|c| cell(c, row)).collect()).collect()
}

/// The one number a query gives.
pub fn number(session: &Session, sql: &str) -> i64 {
    let rows = rows(session, sql);
    assert_eq!((rows.len(), rows[0].len()), (1, 1), "{sql}");
    rows[0][0].parse().unwrap()
}

/// The one float a query gives.
pub fn float(session: &Session, sql: &str) -> f64 {
    let (_, batches) = session.sql(sql).unwrap();
    let batch = batches.iter().find(|b| b.num_rows() > 0).unwrap();
    cast(batch.column(0), &DataType::Float64).unwrap().as_primitive::<Float64Type>().value(0)
}
