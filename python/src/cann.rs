//! CANN's own profiler.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use npuscope_collect::CollectConfig;
use npuscope_collect::cann::{self, CannError, DeviceOptions, Libraries, Profile};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::language;

/// The libraries of CANN. Raises if they are missing.
#[pyclass(module = "npuscope._npuscope", frozen)]
pub struct Cann {
    cann: Arc<cann::Cann>,
    profile: Mutex<Option<Profile>>,
}

#[pymethods]
impl Cann {
    #[new]
    #[pyo3(signature = (directories=Vec::new()))]
    fn new(directories: Vec<PathBuf>) -> PyResult<Self> {
        let cann = cann::Cann::open(&Libraries { directories, ..Libraries::default() }).map_err(raised)?;
        Ok(Self { cann: Arc::new(cann), profile: Mutex::default() })
    }

    /// Record a device into a directory, or warm up. Returns warnings about settings that CANN does not support.
    #[pyo3(signature = (config_json, directory, device=0, warmup=false))]
    fn start(
        &self,
        py: Python<'_>,
        config_json: &str,
        directory: String,
        device: u32,
        warmup: bool,
    ) -> PyResult<Vec<String>> {
        let config: CollectConfig =
            serde_json::from_str(config_json).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let options = DeviceOptions { directory, device, ..DeviceOptions::from(&config) };
        py.detach(|| {
            let mut profile = self.profile.lock().unwrap_or_else(PoisonError::into_inner);
            // Warmed up before, or new; after a failure it is gone, and what it held with it.
            let mut begun = match profile.take() {
                Some(begun) => begun,
                None => Profile::prepare(&self.cann, &options)?,
            };
            if warmup {
                begun.warm_up()?;
            } else {
                begun.start()?;
            }
            let diagnostics = begun.diagnostics().iter().map(language::text).collect();
            *profile = Some(begun);
            Ok(diagnostics)
        })
        .map_err(raised)
    }

    /// Stop recording and complete the files.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| match self.profile.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(profile) => profile.finish(),
            None => Ok(()),
        })
        .map_err(raised)
    }
}

fn raised(error: CannError) -> PyErr {
    PyRuntimeError::new_err(language::text(&error.message()))
}
