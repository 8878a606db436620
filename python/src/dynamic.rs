//! Recording that a file switches while the job runs.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use npuscope_collect::dialect::{self, Reader, Run};
use npuscope_collect::dynamic::{Command, Control, DynamicDialect, Reporter, Watch};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::language;

/// Watches the control file for one rank, and decides between steps what to do.
#[pyclass(module = "npuscope._npuscope", frozen)]
pub struct Dynamic {
    inner: Mutex<Inner>,
}

struct Inner {
    watch: Watch,
    control: Control,
    reporter: Reporter,
}

#[pymethods]
impl Dynamic {
    /// Watches `path`, a `profiler_config.json` or its directory, after `finished` steps.
    #[new]
    #[pyo3(signature = (path, rank, poll_seconds=2.0, finished=0))]
    fn new(path: PathBuf, rank: u32, poll_seconds: f64, finished: u64) -> Self {
        let interval = Duration::try_from_secs_f64(poll_seconds).unwrap_or(Duration::from_secs(2));
        let watch = Watch::start(&path, interval);
        Self {
            inner: Mutex::new(Inner { watch, control: Control::after(rank, finished), reporter: Reporter::new(&path) }),
        }
    }

    /// Before the first step: what to do, as JSON of `stop`, `start`, `warnings` and `error`.
    fn begin(&self, py: Python<'_>) -> String {
        self.with(py, |inner| {
            let newest = inner.watch.newest();
            let command = inner.control.begin(newest);
            inner.json(&command)
        })
    }

    /// After each step: what to do before the next.
    fn step(&self, py: Python<'_>) -> String {
        self.with(py, |inner| {
            let newest = inner.watch.newest();
            let command = inner.control.step(newest);
            inner.json(&command)
        })
    }

    /// When training is over.
    fn end(&self, py: Python<'_>) -> String {
        self.with(py, |inner| {
            let command = inner.control.end();
            inner.json(&command)
        })
    }

    /// Record that the last request failed.
    fn failed(&self, py: Python<'_>, error: String) {
        self.with(py, |inner| inner.control.failed(error));
    }

    /// Write the state of this rank for `npuscope dynamic status`. Returns the error if this fails.
    #[pyo3(signature = (output=None))]
    fn report(&self, py: Python<'_>, output: Option<String>) -> Option<String> {
        self.with(py, |inner| {
            let status = inner.control.status(output.as_deref());
            inner.reporter.report(&status).err().map(|error| error.to_string())
        })
    }
}

impl Dynamic {
    fn with<R: Send>(&self, py: Python<'_>, use_it: impl FnOnce(&mut Inner) -> R + Send) -> R {
        py.detach(|| use_it(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Inner {
    fn json(&mut self, command: &Command) -> String {
        let start = command.start.as_ref().map(|start| {
            let reading = dialect::read_dynamic(&start.text, &Run { reader: Reader::Npuscope, ..Run::default() });
            json!({
                "start": start.window.start,
                "stop": start.window.stop,
                "warmup": start.warmup,
                "directory": start.directory_name,
                "dialect": start.dialect.name(),
                "config": reading.config,
                "diagnostics": language::diagnostics(&reading.diagnostics),
            })
        });
        let warnings: Vec<String> = command.warnings.iter().map(language::text).collect();
        let json: Value = json!({
            "stop": command.stop,
            "start": start,
            "warnings": warnings,
            "error": self.watch.error().as_ref().map(language::text),
        });
        json.to_string()
    }
}

/// Write a control file. Returns false if the file exists.
#[pyfunction]
#[pyo3(signature = (path, dialect="mindspore"))]
pub fn write_default(path: &str, dialect: &str) -> PyResult<bool> {
    let dialect = [DynamicDialect::TorchNpu, DynamicDialect::MindSpore]
        .into_iter()
        .find(|known| known.name() == dialect)
        .ok_or_else(|| language::no_dialect(dialect))?;
    npuscope_collect::dynamic::write_default(Path::new(path), dialect)
        .map_err(|error| PyOSError::new_err(language::text(&npuscope_messages::io_error(&error))))
}
