//! Events in few bytes: they follow each other closely, so starts are kept as distances from the one before.

use npuscope_measures::intervals::Interval;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::events::{Event, LaunchedWork};

/// When it was, and a number.
pub trait Packed: Copy {
    type Rest: Serialize + for<'de> Deserialize<'de>;
    fn unpack(interval: Interval, rest: Self::Rest) -> Self;
    fn pack(self) -> (Interval, Self::Rest);
}

impl Packed for Event {
    type Rest = u32;

    fn unpack(interval: Interval, kind: u32) -> Event {
        Event { interval, kind }
    }

    fn pack(self) -> (Interval, u32) {
        (self.interval, self.kind)
    }
}

impl Packed for LaunchedWork {
    type Rest = i64;

    fn unpack(interval: Interval, wait: i64) -> LaunchedWork {
        LaunchedWork { interval, wait }
    }

    fn pack(self) -> (Interval, i64) {
        (self.interval, self.wait)
    }
}

pub fn serialize<S: Serializer, P: Packed>(events: &[P], serializer: S) -> Result<S::Ok, S::Error> {
    let mut last = 0i64;
    serializer.collect_seq(events.iter().map(|event| {
        let (Interval { start, end }, rest) = event.pack();
        let distance = start.wrapping_sub(std::mem::replace(&mut last, start));
        (distance, end.wrapping_sub(start), rest)
    }))
}

pub fn deserialize<'de, D: Deserializer<'de>, P: Packed>(deserializer: D) -> Result<Vec<P>, D::Error> {
    let packed = Vec::<(i64, i64, P::Rest)>::deserialize(deserializer)?;
    let mut start = 0i64;
    let unpack = |(distance, length, rest)| {
        start = start.wrapping_add(distance);
        P::unpack(Interval { start, end: start.wrapping_add(length) }, rest)
    };
    Ok(packed.into_iter().map(unpack).collect())
}
