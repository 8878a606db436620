//! A profile on disk: its ranks found, loaded and cached.
//!
//! - [`discover`]: which ranks and files there are below a path.
//! - [`read`]: the files of a rank to its tables, window by window; [`parse`]: a raw rank to deliverables.
//! - [`cache`]: tables of ranks on disk, ready to be mapped, under a key from [`fingerprint`].
//! - [`loader`]: gets the tables of a rank from the cache or from its files, each rank once.
//! - [`Store`]: an opened profile, which `engine` queries and `analysis` maps over.
//!
//! ```no_run
//! use npuscope_store::{OpenOptions, Store};
//! use npuscope_tables::{Selection, TableId};
//!
//! let store = Store::open("profile_dir".as_ref(), OpenOptions::new("/tmp/cache"))?;
//! let ranks: Vec<_> = store.profile().ranks.iter().collect();
//! let kernels = store.each(&ranks, Selection::of(&[TableId::Kernel]), |_, tables| tables.len(TableId::Kernel))?;
//! println!("{} ranks, {} kernels", ranks.len(), kernels.iter().sum::<usize>());
//! # Ok::<(), npuscope_store::StoreError>(())
//! ```
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic))]

pub mod cache;
pub mod discover;
pub mod error_messages;
pub mod fingerprint;
pub mod loader;
pub mod messages;
pub mod parse;
pub mod read;
mod store;
mod windows;

pub use loader::{LoadedRank, Loader, Progress};
pub use store::{OpenOptions, Store, StoreError};
