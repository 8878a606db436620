//! `cluster` against what msprof-analyze printed, text against databases, and against faults that were put in.

mod compat;
mod forms;
mod modules;
mod sums;
mod support;
