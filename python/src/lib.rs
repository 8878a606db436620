//! The compiled part of the Python package: the recorder's fast path and what the package asks of `collect`.

use pyo3::prelude::*;

#[pymodule]
fn _npuscope(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
