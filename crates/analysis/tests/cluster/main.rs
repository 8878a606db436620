//! `cluster` against what msprof-analyze printed, and text against databases.

mod compat;
mod forms;
mod modules;
mod support;
