//! A part of a profile's time, as users write it.

use std::str::FromStr;

use npuscope_formats::source::RankSource;
use npuscope_formats::timeline::time_span;
use npuscope_measures::intervals::Interval;
use npuscope_messages::Message;
use npuscope_store::Store;
use npuscope_tables::table::step;

use crate::error::CliError;
use crate::messages::errors as messages;
use crate::usage::UsageError;

/// `A..B`, either side of which may be missing, or `step:N`, `step:N..M`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeRange {
    Between(Option<Moment>, Option<Moment>),
    /// From the begin of the first step to the end of the last.
    Steps(i64, i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Nanoseconds from the start of the profile.
    Offset(i64),
    /// Nanoseconds since the epoch.
    Absolute(i64),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeRangeError {
    Format,
    NoUnit(String),
    Unit(String),
    Turned,
    StepsTurned,
}

impl TimeRangeError {
    pub fn message(&self) -> Message {
        match self {
            TimeRangeError::Format => messages::value_range(),
            TimeRangeError::NoUnit(text) => messages::value_range_no_unit(text),
            TimeRangeError::Unit(unit) => messages::value_range_unit(unit),
            TimeRangeError::Turned => messages::value_range_reversed(),
            TimeRangeError::StepsTurned => messages::value_steps_reversed(),
        }
    }
}

npuscope_messages::display_message!(TimeRangeError);

impl FromStr for TimeRange {
    type Err = TimeRangeError;

    fn from_str(text: &str) -> Result<TimeRange, TimeRangeError> {
        let text = text.trim();
        if let Some(steps) = text.strip_prefix("step:") {
            let (first, last) = steps.split_once("..").unwrap_or((steps, steps));
            return match (first.trim().parse(), last.trim().parse()) {
                (Ok(first), Ok(last)) if first <= last => Ok(TimeRange::Steps(first, last)),
                (Ok(_), Ok(_)) => Err(TimeRangeError::StepsTurned),
                _ => Err(TimeRangeError::Format),
            };
        }
        let (from, to) = text.split_once("..").ok_or(TimeRangeError::Format)?;
        let side = |side: &str| Some(side.trim()).filter(|side| !side.is_empty()).map(moment).transpose();
        match (side(from)?, side(to)?) {
            (None, None) => Err(TimeRangeError::Format),
            (Some(Moment::Offset(from)), Some(Moment::Offset(to))) if from >= to => Err(TimeRangeError::Turned),
            (Some(Moment::Absolute(from)), Some(Moment::Absolute(to))) if from >= to => Err(TimeRangeError::Turned),
            (from, to) => Ok(TimeRange::Between(from, to)),
        }
    }
}

fn moment(text: &str) -> Result<Moment, TimeRangeError> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match text.get(number.len()..).unwrap_or_default() {
        "" => {
            let absolute = text.parse().map(Moment::Absolute);
            return absolute.map_err(|_| TimeRangeError::NoUnit(text.to_owned()));
        }
        "s" => 1e9,
        "ms" => 1e6,
        "us" => 1e3,
        "ns" => 1.0,
        other => return Err(TimeRangeError::Unit(other.to_owned())),
    };
    match number.trim().parse::<f64>() {
        Ok(number) if number >= 0.0 && number * scale < 9e18 => Ok(Moment::Offset((number * scale).round() as i64)),
        _ => Err(TimeRangeError::Format),
    }
}

impl TimeRange {
    /// The window in nanoseconds since the epoch. Steps are those of the ranks given, taken together; the
    /// profile starts with the first event of any of its ranks, which is where a viewer has its zero.
    pub fn resolve(self, store: &Store, ranks: &[&RankSource]) -> Result<Interval, CliError> {
        match self {
            TimeRange::Steps(first, last) => steps(store, ranks, first, last),
            TimeRange::Between(from, to) => between(store, from, to),
        }
    }
}

impl Moment {
    /// `1.25s`, `100ms` from the start of the profile, or nanoseconds since the epoch.
    pub fn parse(text: &str) -> Result<Moment, TimeRangeError> {
        moment(text.trim())
    }

    /// The moment in nanoseconds since the epoch; fails where nothing is recorded before it or after it.
    pub fn resolve(self, store: &Store) -> Result<i64, CliError> {
        let profile = span(store)?;
        let time = match self {
            Moment::Absolute(time) => time,
            Moment::Offset(offset) => profile.start.saturating_add(offset),
        };
        if time < profile.start || time > profile.end {
            return Err(UsageError::OutsideProfile { start: profile.start, end: profile.end }.into());
        }
        Ok(time)
    }
}

/// From the first to the last event of any rank.
fn span(store: &Store) -> Result<Interval, CliError> {
    let mut profile: Option<Interval> = None;
    for loaded in store.load_all()? {
        let Some(rank) = time_span(&loaded.tables()?) else { continue };
        let so_far = profile.unwrap_or(rank);
        profile = Some(Interval::new(so_far.start.min(rank.start), so_far.end.max(rank.end)));
    }
    profile.ok_or(UsageError::NoEvents.into())
}

fn between(store: &Store, from: Option<Moment>, to: Option<Moment>) -> Result<Interval, CliError> {
    let profile = span(store)?;
    let time = |moment: Option<Moment>, default: i64| match moment {
        None => default,
        Some(Moment::Absolute(time)) => time,
        Some(Moment::Offset(offset)) => profile.start.saturating_add(offset),
    };
    let window = Interval { start: time(from, i64::MIN), end: time(to, i64::MAX) };
    if window.start > profile.end || window.end <= profile.start || window.start >= window.end {
        return Err(UsageError::EmptyRange { start: profile.start, end: profile.end }.into());
    }
    Ok(window)
}

fn steps(store: &Store, ranks: &[&RankSource], first: i64, last: i64) -> Result<Interval, CliError> {
    let mut window: Option<Interval> = None;
    let mut known: Option<(i64, i64)> = None;
    for source in ranks {
        for step in store.load(source)?.tables()?.rows::<step::Row>() {
            let Some(id) = step.id else { continue };
            known = Some(known.map_or((id, id), |(low, high)| (low.min(id), high.max(id))));
            if (first..=last).contains(&id) {
                let so_far = window.unwrap_or(Interval::new(step.start.0, step.end.0));
                window = Some(Interval::new(so_far.start.min(step.start.0), so_far.end.max(step.end.0)));
            }
        }
    }
    window.ok_or_else(|| {
        let why = match known {
            Some((low, high)) => UsageError::NoSuchSteps { first, last, low, high },
            None => UsageError::NoNumberedSteps,
        };
        why.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_read_as_they_are_written() {
        let between = |from, to| Ok(TimeRange::Between(from, to));
        let offset = |ns| Some(Moment::Offset(ns));
        assert_eq!("1.5s..2.25s".parse(), between(offset(1_500_000_000), offset(2_250_000_000)));
        assert_eq!("100ms .. 200ms".parse(), between(offset(100_000_000), offset(200_000_000)));
        assert_eq!("..7us".parse(), between(None, offset(7_000)));
        assert_eq!("7ns..".parse(), between(offset(7), None));
        let absolute = |ns| Some(Moment::Absolute(ns));
        assert_eq!(
            "1767225600000000000..1767225600000000009".parse(),
            between(absolute(1_767_225_600_000_000_000), absolute(1_767_225_600_000_000_009))
        );
        assert_eq!("step:12".parse(), Ok(TimeRange::Steps(12, 12)));
        assert_eq!("step:12..14".parse(), Ok(TimeRange::Steps(12, 14)));
    }

    #[test]
    fn what_is_no_window_is_refused_with_a_reason() {
        let refused = |text: &str, words: &str| {
            let error = text.parse::<TimeRange>().unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        };
        refused("", "expected a time range");
        refused("..", "expected a time range");
        refused("5s", "expected a time range");
        refused("step:x", "expected a time range");
        refused("-1s..2s", "expected a time range");
        refused("1e300s..2s", "expected a time range");
        refused("1.5..2", "needs a unit");
        refused("1h..2h", "not a unit of time");
        refused("2s..1s", "ends before it begins");
        refused("9..9", "ends before it begins");
        refused("step:4..3", "after the last");
    }
}
