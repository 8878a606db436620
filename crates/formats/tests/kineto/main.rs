//! Traces of PyTorch's profiler: real ones, and ones that the tests make.

mod made;
mod real;
