//! What is wanted of a rank.

use crate::TableId;
use crate::table::host_op::Kind;

/// Tables, and of `host_op` the kinds of rows, that a reader is asked for. It may give more.
///
/// The tables of [`Selection::ALWAYS`] are given in any case, as far as what was read has them; asking for
/// `rank`, `source` or `diagnostic` is asking for all that there is, since they sum it up. A column that names a
/// row of a table that was not asked for may be empty or count other rows.
///
/// ```
/// use npuscope_tables::{Selection, TableId, table::host_op::Kind};
///
/// const CALLS: Selection = Selection::of(&[TableId::Step]).and_host_ops(&[Kind::Cann]);
/// assert!(CALLS.has(TableId::HostOp) && CALLS.has_host_op(Kind::Cann) && !CALLS.has_host_op(Kind::Op));
/// assert!(!CALLS.has(TableId::Task) && Selection::ALL.has(TableId::Task));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// By [`TableId`].
    tables: u64,
    /// By [`Kind`].
    host_ops: u64,
    /// Whether kernels come with what the counters of their cores measured.
    metrics: bool,
    /// Whether rows of `host_op` say how they nest.
    nesting: bool,
    /// Whether operations come with the transports over which nothing went.
    idle_transports: bool,
}

impl Selection {
    pub const ALL: Selection =
        Selection { tables: u64::MAX, host_ops: u64::MAX, metrics: true, nesting: true, idle_transports: true };
    pub const NONE: Selection =
        Selection { tables: 0, host_ops: 0, metrics: false, nesting: false, idle_transports: false };

    /// Tables that are given whatever is asked for.
    pub const ALWAYS: &[TableId] = &[TableId::Rank, TableId::Metadata, TableId::Source, TableId::Diagnostic];

    /// These tables, all of their rows.
    pub const fn of(tables: &[TableId]) -> Selection {
        let mut selection = Selection::NONE;
        let mut rest = tables;
        while let [table, more @ ..] = rest {
            selection.tables |= 1 << *table as u64;
            rest = more;
        }
        if selection.has(TableId::HostOp) {
            selection.host_ops = u64::MAX;
        }
        selection.metrics = selection.has(TableId::Kernel);
        selection.nesting = selection.has(TableId::HostOp);
        selection.idle_transports = selection.has(TableId::ReportedBandwidth);
        selection
    }

    /// And rows of these kinds in `host_op`; how they nest in each other is known if [`Selection::nested`] is asked for.
    pub const fn and_host_ops(mut self, kinds: &[Kind]) -> Selection {
        self.tables |= 1 << TableId::HostOp as u64;
        let mut rest = kinds;
        while let [kind, more @ ..] = rest {
            self.host_ops |= 1 << *kind as u64;
            rest = more;
        }
        self
    }

    /// Rows of `host_op` with `depth` and `parent`, which follow from the rows of all kinds around them.
    pub const fn nested(mut self) -> Selection {
        self.nesting = true;
        self
    }

    /// Kernels without the columns that counters of AI Cores fill: in a database they take longer to read than all
    /// else of a kernel.
    pub const fn without_metrics(mut self) -> Selection {
        self.metrics = false;
        self
    }

    /// Operations without the transports over which nothing went: databases leave them out, and to add them takes
    /// longer than to read the others.
    pub const fn without_idle_transports(mut self) -> Selection {
        self.idle_transports = false;
        self
    }

    /// What either asks for.
    pub const fn and(self, other: Selection) -> Selection {
        Selection {
            tables: self.tables | other.tables,
            host_ops: self.host_ops | other.host_ops,
            metrics: self.metrics || other.metrics,
            nesting: self.nesting || other.nesting,
            idle_transports: self.idle_transports || other.idle_transports,
        }
    }

    pub const fn has(self, table: TableId) -> bool {
        self.tables & (1 << table as u64) != 0
    }

    pub const fn has_host_op(self, kind: Kind) -> bool {
        self.host_ops & (1 << kind as u64) != 0
    }

    /// Whether kernels are asked for with their metrics.
    pub const fn has_metrics(self) -> bool {
        self.metrics
    }

    /// Whether rows of `host_op` are asked for with how they nest.
    pub const fn has_nesting(self) -> bool {
        self.nesting
    }

    /// Whether operations are asked for with idle transports.
    pub const fn has_idle_transports(self) -> bool {
        self.idle_transports
    }

    /// Whether any of these tables is asked for.
    pub fn has_any(self, tables: &[TableId]) -> bool {
        tables.iter().any(|table| self.has(*table))
    }

    /// Whether any of these kinds of rows in `host_op` is asked for.
    pub fn has_any_host_op(self, kinds: &[Kind]) -> bool {
        kinds.iter().any(|kind| self.has_host_op(*kind))
    }
}
