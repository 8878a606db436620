//! What has to be read of a database to give what is wanted of it.

use std::ops::ControlFlow;

use npuscope_sqlite::Database;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::{Selection, TableId};

/// The kinds of rows in `PYTORCH_API`, beside ranges of the user.
const FRAMEWORK: &[Kind] = &[Kind::Op, Kind::Enqueue, Kind::Dequeue, Kind::Python];

/// The type of rows in `PYTORCH_API` that enter or leave the queue of tasks.
pub const QUEUE: i64 = 50002;

/// The type of rows in `PYTORCH_API` that are Python calls.
pub const PYTHON: i64 = 50003;

/// The type of rows in `PYTORCH_API` that are ranges of the user.
pub const MSTX: i64 = 50004;

/// Tables that rows of several of ours are made of, and whether they have to be read.
#[derive(Clone, Copy, Debug)]
pub struct Needed {
    /// `PYTORCH_API`.
    pub operators: bool,
    /// Its rows.
    pub framework: FrameworkRows,
    pub connections: bool,
    pub calls: bool,
    pub marks: bool,
    pub collections: bool,
    pub os_calls: bool,
    pub operations: bool,
    pub pieces: bool,
    pub tasks: bool,
    /// Tasks that are neither kernels nor pieces, too.
    pub all_tasks: bool,
    /// `COMPUTE_TASK_INFO`, which tasks have their names from.
    pub kernels: bool,
    pub metrics: bool,
    pub overlap: bool,
    pub counters: bool,
}

/// Rows of `PYTORCH_API`. How they nest, and which of them are steps, follows from all of them.
#[derive(Clone, Copy, Debug)]
pub struct FrameworkRows {
    operators: bool,
    queue: bool,
    python: bool,
    marks: bool,
}

impl FrameworkRows {
    pub fn has_all(self) -> bool {
        self.operators && self.queue && self.python && self.marks
    }

    /// Whether rows of a type are needed.
    pub fn has(self, api_type: Option<i64>) -> bool {
        match api_type {
            Some(QUEUE) => self.queue,
            Some(PYTHON) => self.python,
            Some(MSTX) => self.marks,
            _ => self.operators,
        }
    }
}

impl Needed {
    pub fn of(selection: Selection, database: &Database<'_>) -> Needed {
        let wants = |tables: &[TableId]| selection.has_any(tables);
        // Rows of `lane` are those that other rows stand on.
        let (lanes, flows) = (wants(&[TableId::Lane]), wants(&[TableId::Flow]));
        let host_ops = |kinds| lanes || selection.has_any_host_op(kinds);
        let overlap = lanes || wants(&[TableId::Overlap]);
        let computes_overlap = overlap && database.table("OVERLAP_ANALYSIS").is_none();
        let marks_steps = wants(&[TableId::Step]) && !database.has_rows("STEP_TIME");
        let marks = flows || host_ops(&[Kind::Mstx]);
        let kernels = computes_overlap || wants(&[TableId::Kernel, TableId::Task]);
        let pieces = lanes || wants(&[TableId::CommTask]);
        let all = lanes || marks_steps || selection.has_nesting();
        let framework = FrameworkRows {
            operators: all || flows || host_ops(&[Kind::Op]),
            queue: all || flows || host_ops(&[Kind::Enqueue, Kind::Dequeue]),
            python: all || host_ops(&[Kind::Python]),
            marks: all || marks,
        };
        Needed {
            operators: flows || marks_steps || host_ops(FRAMEWORK) || marks && has_marks(database),
            framework,
            connections: flows || host_ops(&[Kind::Enqueue, Kind::Dequeue]),
            calls: flows || host_ops(&[Kind::Cann]),
            marks,
            collections: host_ops(&[Kind::Gc]),
            os_calls: host_ops(&[Kind::Other]),
            operations: pieces || flows || computes_overlap || wants(&[TableId::CommOp, TableId::Kernel]),
            pieces,
            tasks: lanes || flows || kernels || pieces,
            all_tasks: lanes || flows || wants(&[TableId::Task]),
            kernels,
            metrics: wants(&[TableId::Kernel]) && selection.has_metrics(),
            overlap,
            counters: lanes || wants(&[TableId::Counter]),
        }
    }
}

/// Whether there are ranges of the user in `PYTORCH_API`, which mostly has none.
fn has_marks(database: &Database<'_>) -> bool {
    let Some(table) = database.table("PYTORCH_API") else { return false };
    let Some(column) = table.columns.iter().position(|name| name == "type") else { return false };
    let mut found = false;
    database.scan(table, |row| {
        found = row.integer(column) == Some(MSTX);
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}
