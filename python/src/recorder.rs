//! The recorder as a class.

use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use npuscope_collect::host;
use npuscope_collect::recorder::{self, Memory, MemoryUsage, Name, Op, Options, Spool, Summary};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::{Map, Value};

use crate::{calls, language};

/// Collections that are shorter are not recorded, in counts of the clock; -1 if none is.
static GC_THRESHOLD: AtomicI64 = AtomicI64::new(-1);
static GC_START: AtomicI64 = AtomicI64::new(0);

/// Records the host into one directory, from `start` to `stop`.
#[pyclass(module = "npuscope._npuscope", frozen)]
pub struct Recorder {
    options: Options,
    python_calls: bool,
    gc_threshold_ms: Option<f64>,
    /// Never held while the GIL is given away: who waits for one has the other.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: Option<recorder::Recorder>,
    summary: Summary,
    error: Option<String>,
}

#[pymethods]
impl Recorder {
    #[new]
    #[pyo3(signature = (directory, *, info_json="{}", rank=None, python_calls=false, resident_memory=true, gc_threshold_ms=None,
        budget_bytes=recorder::DEFAULT_BUDGET, memory_bytes=recorder::DEFAULT_MEMORY, spool=None, remote_spool=None,
        domain_include=Vec::new(), domain_exclude=Vec::new()))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        directory: PathBuf,
        info_json: &str,
        rank: Option<u32>,
        python_calls: bool,
        resident_memory: bool,
        gc_threshold_ms: Option<f64>,
        budget_bytes: u64,
        memory_bytes: usize,
        spool: Option<PathBuf>,
        remote_spool: Option<PathBuf>,
        domain_include: Vec<String>,
        domain_exclude: Vec<String>,
    ) -> PyResult<Self> {
        let spool = match (spool, remote_spool) {
            (Some(spool), _) => Spool::Always(spool),
            (None, Some(spool)) => Spool::IfRemote(spool),
            (None, None) => Spool::Never,
        };
        let options = Options {
            rank,
            info: object(info_json)?,
            budget: budget_bytes,
            memory: memory_bytes,
            spool,
            resident_memory,
            domain_include,
            domain_exclude,
            ..Options::new(directory)
        };
        Ok(Self { options, python_calls, gc_threshold_ms, state: Mutex::default() })
    }

    /// Start recording. Raises if the directory cannot be created or another recorder is recording.
    fn start(&self, py: Python<'_>) -> PyResult<()> {
        let options = self.options.clone();
        let running = py
            .detach(|| recorder::Recorder::start(options))
            .map_err(|error| raised(language::text(&error.message())))?;
        {
            let mut state = self.state();
            state.running = Some(running);
            state.error = None;
        }
        let threshold = self.gc_threshold_ms.map_or(-1, counts);
        GC_THRESHOLD.store(threshold, Ordering::Relaxed);
        if self.python_calls
            && let Err(error) = calls::install(py)
        {
            self.state().error = Some(error.value(py).to_string());
        }
        Ok(())
    }

    /// Stop recording and write the last records. Returns the summary as JSON.
    fn stop(&self, py: Python<'_>) -> PyResult<String> {
        let unhooked = calls::remove(py);
        GC_THRESHOLD.store(-1, Ordering::Relaxed);
        let running = self.state().running.take();
        if let Some(running) = running {
            let (summary, error) = py.detach(|| running.finish());
            let mut state = self.state();
            state.summary = summary;
            state.error = state.error.take().or_else(|| error.as_ref().map(language::text));
        }
        if let Err(error) = unhooked {
            self.state().error.get_or_insert(error.value(py).to_string());
        }
        let summary = self.state().summary.clone();
        serde_json::to_string(&summary).map_err(raised)
    }

    /// Whether this is recording.
    #[getter]
    fn is_recording(&self) -> bool {
        self.state().running.is_some() && recorder::is_on()
    }

    /// The failure that stopped the recording, or the data that is missing; `None` if there is neither.
    #[getter]
    fn error(&self) -> Option<String> {
        let state = self.state();
        let error = state.running.as_ref().and_then(recorder::Recorder::error);
        error.as_ref().map(language::text).or_else(|| state.error.clone())
    }

    #[getter]
    fn directory(&self) -> PathBuf {
        self.options.directory.clone()
    }

    /// Record an operator, with times of `now()`.
    #[pyo3(signature = (name, start, end, *, scope=0, sequence=-1, input_shapes=None, input_dtypes=None, stack=None))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn op(
        &self,
        name: &str,
        start: i64,
        end: i64,
        scope: u8,
        sequence: i64,
        input_shapes: Option<&str>,
        input_dtypes: Option<&str>,
        stack: Option<&str>,
    ) {
        let given = |text: Option<&str>| text.map_or(Name::NONE, recorder::name);
        recorder::op(&Op {
            start,
            end,
            name: recorder::name(name),
            scope,
            sequence,
            forward_tid: 0,
            shapes: given(input_shapes),
            dtypes: given(input_dtypes),
            stack: given(stack),
        });
    }

    /// Record an allocation, or a release if the size is negative, on the host or on a device.
    #[pyo3(signature = (address, size, total_allocated, total_reserved, *, device=None, time=None))]
    fn memory(
        &self,
        address: i64,
        size: i64,
        total_allocated: i64,
        total_reserved: i64,
        device: Option<i8>,
        time: Option<i64>,
    ) {
        recorder::memory(&Memory {
            time: time.unwrap_or_else(recorder::now),
            address,
            size,
            total_allocated,
            total_reserved,
            total_active: total_allocated,
            stream: -1,
            device_type: device.map_or(MemoryUsage::CPU, |_| MemoryUsage::NPU),
            device_index: device.unwrap_or(-1),
        });
    }

    /// Write `profiler_metadata.json`: the given metadata and the results of the recording.
    #[pyo3(signature = (metadata_json, backend="native"))]
    fn write_metadata(&self, metadata_json: &str, backend: &str) -> PyResult<()> {
        let summary = self.state().summary.clone();
        let written = recorder::write_metadata(&self.options.directory, object(metadata_json)?, backend, &summary);
        if let Err(error) = written {
            let why = language::text(&npuscope_messages::io_error(&error));
            self.state().error.get_or_insert(format!("profiler_metadata.json: {why}"));
        }
        Ok(())
    }
}

impl Recorder {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The time on the clock of the recorder.
#[pyfunction]
pub fn now() -> i64 {
    recorder::now()
}

/// For `gc.callbacks`: records collections that take long enough.
#[pyfunction]
#[pyo3(signature = (phase, _info=None))]
pub fn gc_callback(phase: &str, _info: Option<&Bound<'_, PyAny>>) {
    let threshold = GC_THRESHOLD.load(Ordering::Relaxed);
    if threshold < 0 || !recorder::is_on() {
        return;
    }
    if phase == "start" {
        GC_START.store(recorder::now(), Ordering::Relaxed);
        return;
    }
    let (start, end) = (GC_START.swap(0, Ordering::Relaxed), recorder::now());
    if start != 0 && end - start >= threshold {
        recorder::collection(start, end);
    }
}

/// Milliseconds in counts of the clock.
fn counts(ms: f64) -> i64 {
    static PER_MS: AtomicU64 = AtomicU64::new(0);
    if PER_MS.load(Ordering::Relaxed) == 0 {
        PER_MS.store(recorder::counts_per_ms().to_bits(), Ordering::Relaxed);
    }
    (ms * f64::from_bits(PER_MS.load(Ordering::Relaxed))) as i64
}

/// `{worker}_{pid}_{time}_ascend_{suffix}`, with suffix `pt` or `ms`.
#[pyfunction]
#[pyo3(signature = (worker=None, suffix="pt"))]
pub fn directory_name(worker: Option<&str>, suffix: &str) -> String {
    let worker = worker.map_or_else(host::name, str::to_owned);
    recorder::directory_name(&worker, suffix)
}

fn object(json: &str) -> PyResult<Map<String, Value>> {
    serde_json::from_str(json).map_err(raised)
}

fn raised(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
