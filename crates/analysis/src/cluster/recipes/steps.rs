//! The steps of a rank, as the host marked them.

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

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of the step that the moment is in, both ends included; the later one where two meet, since it is
    /// asked of what begins.
    pub(super) fn at(&self, time: Ns) -> Option<i64> {
        let begun = self.0.partition_point(|step| step.start <= time);
        self.0.get(begun.checked_sub(1)?).filter(|step| time <= step.end)?.id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_in_the_step_around_it() {
        let step = |id, start, end| step::Row { id: Some(id), start: Ns(start), end: Ns(end) };
        let steps = Steps(vec![step(1, 10, 20), step(2, 20, 30), step(3, 40, 50)]);
        let found: Vec<Option<i64>> = [9, 10, 19, 20, 30, 35, 50, 51].map(|time| steps.at(Ns(time))).to_vec();
        assert_eq!(found, [None, Some(1), Some(1), Some(2), Some(2), None, Some(3), None]);
    }
}
