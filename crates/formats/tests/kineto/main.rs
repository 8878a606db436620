//! Traces of PyTorch's profiler: real ones, and ones that the tests make.

mod arguments;
mod damaged;
mod events;
mod made;
mod ranks;
mod real;
