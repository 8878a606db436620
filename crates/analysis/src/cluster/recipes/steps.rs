//! The steps of a rank, and which one a moment is in.

use npuscope_tables::table::step;
use npuscope_tables::{Ns, RankTables};

/// Steps in order of time.
pub(super) struct Steps(Vec<step::Row>);

impl Steps {
    pub(super) fn of(tables: &RankTables) -> Steps {
        let mut steps: Vec<step::Row> = tables.rows().collect();
        steps.sort_by_key(|step| (step.start, step.end));
        Steps(steps)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &step::Row> {
        self.0.iter()
    }

    /// The number of the first step that the moment is in, both ends included.
    pub(super) fn at(&self, time: Ns) -> Option<i64> {
        let next = self.0.partition_point(|step| step.end < time);
        self.0.get(next).filter(|step| step.start <= time)?.id
    }
}
