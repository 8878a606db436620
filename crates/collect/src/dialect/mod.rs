//! The styles of the trainers, read into a [`CollectConfig`](crate::CollectConfig) and written from it.

mod spelling;

pub use spelling::{Dialect, Setting};
