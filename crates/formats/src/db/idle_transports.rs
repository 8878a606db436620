//! Bandwidths as text has them.

use npuscope_tables::table::reported_bandwidth::Row;
use npuscope_tables::{Interner, Str};

/// Gives a transport without packets no packet columns, and, if they are wanted, an operation the transports that
/// moved nothing, which databases leave out, with zeros and in the order of text.
pub struct IdleTransports {
    wanted: bool,
    transports: [Str; 5],
    /// The rows of the operation that is being read.
    op: Vec<Row>,
}

impl IdleTransports {
    pub fn new(wanted: bool, strings: &mut Interner) -> IdleTransports {
        let transports = ["RDMA", "HCCS", "PCIE", "SDMA", "SIO"].map(|name| strings.intern(name));
        IdleTransports { wanted, transports, op: Vec::new() }
    }

    /// Takes a row; rows of an operation follow each other.
    pub fn take(&mut self, row: Row, mut give: impl FnMut(Row)) {
        let row = match row.count {
            Some(0.0) => Row { count: None, total_duration: None, ..row },
            _ => row,
        };
        if !self.wanted {
            return give(row);
        }
        let key = |row: &Row| (row.step, row.kind, row.name, row.group_hash);
        if self.op.first().is_some_and(|first| key(first) != key(&row)) {
            self.finish(give);
        }
        self.op.push(row);
    }

    /// Gives the rows of the last operation.
    pub fn finish(&mut self, mut give: impl FnMut(Row)) {
        let Some(&first) = self.op.first() else { return };
        for transport in self.transports {
            let mut is_used = false;
            for row in self.op.iter().filter(|row| row.transport == transport) {
                is_used = true;
                give(*row);
            }
            if !is_used {
                give(idle(transport, first));
            }
        }
        self.op.iter().filter(|row| !self.transports.contains(&row.transport)).for_each(|row| give(*row));
        self.op.clear();
    }
}

fn idle(transport: Str, of: Row) -> Row {
    let zero = Some(0.0);
    Row {
        transport,
        transit_size: zero,
        transit_time: zero,
        bandwidth: zero,
        large_packet_ratio: zero,
        package_size: None,
        count: None,
        total_duration: None,
        ..of
    }
}
