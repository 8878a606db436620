//! `cluster` against what msprof-analyze printed, and text against databases.

mod compat;
mod forms;
mod rank_files;
mod support;
