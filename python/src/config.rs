//! Configurations of the trainers, as JSON.

use npuscope_collect::dialect::{self, Dialect, Reader, Reading, Run};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::language;

/// Read a trainer's configuration: JSON of `config`, `diagnostics` and `dialect`.
#[pyfunction]
#[pyo3(signature = (text, dialect=None, iteration=0, total_steps=None, world_size=None))]
pub fn read_config(
    text: &str,
    dialect: Option<&str>,
    iteration: u64,
    total_steps: Option<u64>,
    world_size: Option<u32>,
) -> PyResult<String> {
    let dialect = dialect.map(|id| Dialect::parse(id).ok_or_else(|| language::no_dialect(id))).transpose()?;
    json(&dialect::read(text, dialect, &run(iteration, total_steps, world_size)))
}

/// Read the profiler's flags among those of a trainer.
#[pyfunction]
#[pyo3(signature = (argv, iteration=0, total_steps=None, world_size=None))]
pub fn read_flags(
    argv: Vec<String>,
    iteration: u64,
    total_steps: Option<u64>,
    world_size: Option<u32>,
) -> PyResult<String> {
    json(&dialect::read_flags(&argv, &run(iteration, total_steps, world_size)))
}

/// A run in which npuscope reads the settings, in the place of the trainer.
fn run(iteration: u64, total_steps: Option<u64>, world_size: Option<u32>) -> Run {
    Run { iteration, total_steps, world_size, reader: Reader::Npuscope, ..Run::default() }
}

fn json(reading: &Reading) -> PyResult<String> {
    let mut json = serde_json::to_value(reading).map_err(|error| PyValueError::new_err(error.to_string()))?;
    if let Some(object) = json.as_object_mut() {
        object.insert("diagnostics".to_owned(), language::diagnostics(&reading.diagnostics));
    }
    Ok(json.to_string())
}
