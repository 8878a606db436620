//! The part of a job that is analysed.

use npuscope_measures::busy::Busy;
use npuscope_measures::intervals::Interval;
use npuscope_measures::step::Step;
use npuscope_tables::Rank;

/// Ranks, a step and a time range. Times are ns since the epoch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// All if none are given.
    pub ranks: Option<Vec<Rank>>,
    pub step: Option<i64>,
    pub begin: Option<i64>,
    pub end: Option<i64>,
}

impl Scope {
    /// Whether `start..end` overlaps the time range; an event without duration is at its start.
    pub fn reaches(&self, start: i64, end: i64) -> bool {
        self.begin.is_none_or(|begin| end > begin || start >= begin) && self.end.is_none_or(|until| start < until)
    }

    /// Whether a step is in scope: by its number, and by its time where that is known.
    pub fn has_step(&self, id: Option<i64>, span: Option<Interval>) -> bool {
        self.step.is_none_or(|wanted| id == Some(wanted))
            && span.is_none_or(|span| self.reaches(span.start, span.end.max(span.start.saturating_add(1))))
    }

    /// Whether there is a time range. The same range is rarely requested twice, so its extracts are not cached.
    pub fn is_stretch(&self) -> bool {
        self.begin.is_some() || self.end.is_some()
    }

    /// The stretches of a device's time that are asked about: the device time of each step in scope, cut at the stretch
    /// of time. Of a stretch of time without a step it is that stretch, from the first work of the device to the last,
    /// whether in a step or not.
    pub fn device_windows(&self, steps: &[Step], busy: &Busy) -> Vec<Interval> {
        let cut = |window: Interval| {
            let start = window.start.max(self.begin.unwrap_or(i64::MIN));
            let end = window.end.min(self.end.unwrap_or(i64::MAX));
            (start < end).then_some(Interval { start, end })
        };
        if self.step.is_none() && self.is_stretch() {
            return busy.extent().and_then(cut).into_iter().collect();
        }
        let chosen = steps.iter().filter(|step| self.step.is_none_or(|wanted| step.id == Some(wanted)));
        chosen.filter_map(|step| cut(step.device?.span)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_reaches_to_what_is_open_in_it() {
        let scope = Scope { begin: Some(10), end: Some(20), ..Scope::default() };
        let reached = [(0, 10), (0, 11), (10, 10), (19, 30), (20, 30)].map(|(start, end)| scope.reaches(start, end));
        assert_eq!(reached, [false, true, true, true, false]);
        assert!(Scope::default().reaches(0, 0));
    }
}
