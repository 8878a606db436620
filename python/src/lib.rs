//! The compiled part of the Python package: the recorder's fast path, and what the package asks of `collect`.
//!
//! It is small and has no engine in it: it lives in training processes. Everything that reads profiles is the
//! program `npuscope`, which comes with the package and runs as a process of its own.
//!
//! `recorder`, `marks` and `calls` record; `schedule`, `dynamic` and `config` say what and when; `cann` drives the
//! device's own profiler; `text` numbers Python's strings, `language` renders messages. The package around it is what users call:
//!
//! ```python
//! import npuscope
//!
//! with npuscope.from_config("train.yaml") as prof:
//!     for batch in loader:
//!         train(batch)
//!         prof.step()
//! ```

mod calls;
mod cann;
mod config;
mod dynamic;
mod language;
mod marks;
mod recorder;
mod schedule;
mod text;

use pyo3::prelude::*;

#[pymodule]
fn _npuscope(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("USER_SCOPE", npuscope_collect::recorder::scope::USER_SCOPE)?;
    marks::register(module)?;
    module.add_class::<recorder::Recorder>()?;
    module.add_class::<schedule::Schedule>()?;
    module.add_class::<dynamic::Dynamic>()?;
    module.add_class::<cann::Cann>()?;
    module.add_function(wrap_pyfunction!(recorder::now, module)?)?;
    module.add_function(wrap_pyfunction!(recorder::directory_name, module)?)?;
    module.add_function(wrap_pyfunction!(recorder::gc_callback, module)?)?;
    module.add_function(wrap_pyfunction!(schedule::transition, module)?)?;
    module.add_function(wrap_pyfunction!(config::read_config, module)?)?;
    module.add_function(wrap_pyfunction!(config::read_flags, module)?)?;
    module.add_function(wrap_pyfunction!(dynamic::write_default, module)?)?;
    module.add_function(wrap_pyfunction!(language::is_chinese, module)?)?;
    module.add_function(wrap_pyfunction!(calls::profile_hook, module)?)
}
