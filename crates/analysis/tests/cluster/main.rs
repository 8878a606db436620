//! `cluster` against what msprof-analyze printed, and text against databases.

mod communication;
mod compat;
mod forms;
mod support;
