//! Traces of PyTorch's profiler: real ones, and ones that the tests make.

mod arguments;
mod damaged;
mod events;
mod made;
mod on_host;
mod ranks;
mod real;
