//! SQLite files without SQLite, where that is measured to be faster.
//!
//! - [`Database`] opens a file that is not trusted and reads its tables page by page ([`pages`]); tables that are
//!   not plain go through SQLite itself, read-only and immutable. A damaged page costs its own rows only.
//! - [`SqliteFile`] writes a new file: rows come in order, so every page is written once.
//!
//! ```
//! use std::ops::ControlFlow;
//! use npuscope_sqlite::{Database, SqlCell, SqliteFile};
//!
//! let directory = tempfile::tempdir()?;
//! let path = directory.path().join("new.db");
//! let mut file = SqliteFile::create(&path)?;
//! file.cells("points", &[("x".to_owned(), "INTEGER")], [vec![SqlCell::Int(3)], vec![SqlCell::Int(4)]])?;
//! file.finish()?;
//!
//! let bytes = std::fs::read(&path)?;
//! let database = Database::open(&bytes, &path)?;
//! let mut rows = 0;
//! database.scan(&database.tables()[0], |_| {
//!     rows += 1;
//!     ControlFlow::Continue(())
//! });
//! assert_eq!(rows, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic))]

mod cell;
mod database;
pub mod pages;
mod schema;
mod write;

pub use cell::SqlCell;
pub use database::{Database, Scan, SqliteError, Table, quoted};
pub use write::{Index, NewTable, SqliteFile, TableWriter};
