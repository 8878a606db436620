//! The profile as Arrow tables.
//!
//! Whatever a training job did becomes rows in the tables of this crate: one file of [`table`] each,
//! every column with its unit and a doc line. Names are one spelling, time is [`Ns`], a duration is a
//! [`Span`], sizes are bytes, text is interned. The tables of one rank live together as
//! [`RankTables`].
//!
//! ```
//! use npuscope_tables::{Ns, RankBuilder, Span, table::step, table::host_op};
//!
//! let mut rank = RankBuilder::default();
//! rank.step.push(step::Row { id: Some(50), start: Ns(1_000), end: Ns(9_000) });
//! let name = rank.strings.intern("aten::mm");
//! rank.host_op.push(host_op::Row { start: Ns(2_000), duration: Span::from_ns(700), name, ..Default::default() });
//!
//! let tables = rank.finish();
//! let op = tables.rows::<host_op::Row>().next().unwrap();
//! assert_eq!(tables.text(op.name), "aten::mm");
//! assert_eq!(tables.rows::<step::Row>().count(), 1);
//! ```
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic))]

#[macro_use]
mod macros;

pub mod column;
pub mod date;
mod framework;
mod ids;
mod memo;
pub mod number;
mod rank_tables;
pub mod scan;
pub mod schema;
mod selection;
pub mod similar;
mod strings;
pub mod table;
mod time;
pub mod window;

use arrow::array::RecordBatch;

pub use framework::Framework;
pub use ids::{ConnectionId, LaneId, OpId, Rank, TaskId, Window};
pub use memo::Memo;
pub use rank_tables::{RankPieces, RankTables};
pub use selection::Selection;
pub use strings::{Interner, Str, Strings};
pub use table::{RankBuilder, TableId};
pub use time::{Ns, Span};

/// Rows per batch: the unit of flushing, of cache segments and of pruning by time.
pub const BATCH_ROWS: usize = 64 * 1024;

/// A row type, and so a table.
pub trait Table: Sized + 'static {
    const ID: TableId;
    type View: TableView<Row = Self>;
    fn spec() -> schema::TableSpec;
}

/// Reads the rows of one batch.
pub trait TableView: Sized + 'static {
    type Row;
    fn new(batch: &RecordBatch) -> Self;
    /// Row number `row`; one beyond the batch reads as nulls.
    fn row(&self, row: usize) -> Self::Row;
}
