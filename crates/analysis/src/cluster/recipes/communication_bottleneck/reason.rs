//! Why a rank came late to an operation.

use std::collections::BTreeMap;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_tables::Rank;

use super::events::{Event, Events, before};
use super::operations::Run;

/// What begins within this on two ranks is aligned.
const ALIGNED_NS: i64 = 1_000_000;

/// Why a rank came late to an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// What the ranks did before is not recorded.
    Unknown,
    /// Its work waited for the device. `None` if nothing before is aligned with the fast rank.
    DeviceBound(Option<Difference>),
    /// Its work was launched late. `None` if nothing before is aligned with the fast rank.
    HostBound(Option<HostDifference>),
}

/// Where the operators and the CANN calls of the slow rank differed most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostDifference {
    pub operators: Difference,
    pub calls: Difference,
}

/// Where the slow rank differed most from the fast one: by how much, in ns, and at what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where it took the longest more.
    pub longest: (i64, String),
    /// Where it was the farthest behind.
    pub latest: (i64, String),
}

/// Compares the events of the slow and the fast rank before an operation.
pub fn reason((slow, fast): (Run, Run), events: &BTreeMap<Rank, Events>, compat: bool) -> Reason {
    let (Some(of_slow), Some(of_fast)) = (events.get(&slow.rank), events.get(&fast.rank)) else {
        return Reason::Unknown;
    };
    let shift = fast.interval.end - slow.interval.end;
    let since = fast.interval.start - shift;
    let waits_for_device = match compat {
        true => of_slow.waits_for_device(|work| work.start > since && work.end < slow.interval.end),
        false => of_slow.waits_for_device(|work| work.end > since && work.start <= slow.interval.start),
    };
    let kinds = of_slow.kinds_in(of_fast);
    let compare = |of: fn(&Events) -> &Vec<Event>, is_whole: bool| {
        let until = |start: i64| if is_whole { i64::MAX } else { start };
        let slow_events = before(of(of_slow), until(slow.interval.start));
        let fast_events = before(of(of_fast), until(fast.interval.start));
        let Apart { longest, latest } = compare(slow_events, fast_events, &kinds, shift)?;
        let named = |(ns, event): (i64, &Event)| (ns, of_slow.text(event));
        Some(Difference { longest: named(longest), latest: named(latest) })
    };
    match waits_for_device {
        None => Reason::Unknown,
        Some(true) => Reason::DeviceBound(compare(|events| &events.device, compat)),
        Some(false) => {
            let host = compare(|events| &events.operators, false).zip(compare(|events| &events.calls, false));
            Reason::HostBound(host.map(|(operators, calls)| HostDifference { operators, calls }))
        }
    }
}

/// Where the slow rank differed most from the fast one.
struct Apart<'a> {
    longest: (i64, &'a Event),
    latest: (i64, &'a Event),
}

/// Goes back through the events of both ranks. Pairs each event of the slow rank with the last event of that name on the
/// fast rank that is before those paired already, up to the first pair that is aligned. `None` if none is. `kinds` has the
/// numbers of the slow rank's kinds on the fast one.
fn compare<'a>(slow: &'a [Event], fast: &[Event], kinds: &[Option<u32>], shift: i64) -> Option<Apart<'a>> {
    let mut places: HashMap<u32, Vec<usize>, FixedState> = HashMap::default();
    for (place, event) in fast.iter().enumerate() {
        places.entry(event.kind).or_default().push(place);
    }
    let mut until = fast.len();
    let mut difference: Option<Apart<'a>> = None;
    for event in slow.iter().rev() {
        let kind = kinds.get(event.kind as usize).copied().flatten();
        let Some(of_name) = kind.and_then(|kind| places.get(&kind)) else { continue };
        let Some(last) = of_name.partition_point(|&place| place < until).checked_sub(1) else { continue };
        until = of_name[last];
        let other = &fast[until];
        let longer = (event.length() - other.length(), event);
        let later = (event.interval.start + shift - other.interval.start, event);
        let known = difference.get_or_insert(Apart { longest: longer, latest: later });
        known.longest = if longer.0 > known.longest.0 { longer } else { known.longest };
        known.latest = if later.0 > known.latest.0 { later } else { known.latest };
        if later.0.abs() < ALIGNED_NS {
            return difference;
        }
    }
    None
}
