//! The kernels of a rank.

use npuscope_tables::column::CellView;
use npuscope_tables::table::{kernel, rank};
use npuscope_tables::{Ns, RankTables, TableId};

use crate::cluster::RankData;

/// The kernels of a rank, to be written when their turn comes.
pub struct Kernels {
    /// Of all tables, `kernel` alone.
    pub tables: RankTables,
    /// Rows of the table, by start.
    rows: Vec<u32>,
    /// The device of the rank.
    pub device: Option<i64>,
    compat: bool,
}

/// A kernel, and how long the device waited for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelDetail<'a> {
    pub kernel: &'a kernel::Row,
    /// In ns: from the latest end of all kernels before to its start, 0 where they overlap. With `--compat` from the
    /// start of the one before to its end.
    pub wait: f64,
}

impl Kernels {
    pub fn of(data: &RankData<'_>, compat: bool) -> Kernels {
        let mut starts: Vec<(Ns, u32)> = Vec::with_capacity(data.tables.len(TableId::Kernel));
        let mut numbers = 0u32..;
        for (view, rows) in data.tables.views::<kernel::Row>() {
            let chosen = (0..rows).zip(numbers.by_ref()).filter(|(row, _)| compat || data.has_kernel(&view, *row));
            starts.extend(chosen.map(|(row, number)| (view.start.get(row), number)));
        }
        starts.sort_unstable();
        let device = data.tables.rows::<rank::Row>().next().and_then(|rank| rank.device);
        let mut tables = data.tables.clone();
        for table in [TableId::HostOp, TableId::Task, TableId::CommOp, TableId::Flow] {
            tables.clear(table);
        }
        Kernels { tables, rows: starts.into_iter().map(|(_, row)| row).collect(), device, compat }
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The chosen ones of `kernels`, all rows of the table, by start.
    pub fn details<'k>(&self, kernels: &'k [kernel::Row]) -> impl Iterator<Item = KernelDetail<'k>> {
        let mut before: Option<&kernel::Row> = None;
        let mut latest_end = None;
        let compat = self.compat;
        self.rows.iter().filter_map(|&row| kernels.get(row as usize)).map(move |kernel| {
            let end = kernel.start.plus(kernel.duration.ns());
            let wait = match (compat, before, latest_end) {
                (true, Some(before), _) => end.0 as f64 - before.start.0 as f64,
                (false, _, Some(latest)) => kernel.start.since(latest).max(0) as f64,
                _ => 0.0,
            };
            before = Some(kernel);
            latest_end = latest_end.max(Some(end));
            KernelDetail { kernel, wait }
        })
    }
}
