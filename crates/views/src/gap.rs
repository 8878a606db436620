//! Why a device was idle.

use npuscope_analysis::gap::{Cause, PlainTimeline, Timeline, gap_of_device};
use npuscope_analysis::meetings::members;
use npuscope_measures::busy::Busy;
use npuscope_tables::{Rank, Selection};

use crate::collective::operations;
use crate::columns;
use crate::{BadQuestion, Made, NotMade, Question, Source};

/// Something that shows the cause of a gap.
struct Place {
    what: &'static str,
    rank: Rank,
    name: String,
    lane: String,
    start: i64,
    duration: i64,
}

/// The gap of the chosen rank's device at `at`, its cause, and what shows it: `cause` rows first, then what ran `next`.
/// Where the device waited for another rank, `last` is the operation of the rank that came last.
pub fn gap(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let at = question.moment(source)?;
    let rank = question.one_rank(source)?;
    // What explains a gap at any moment is as large as the columns: nothing is kept.
    let found = source.store.each(&[rank], Selection::ALL, |rank, tables| {
        let timeline = PlainTimeline::of(&tables);
        let gap = gap_of_device(&timeline, &Busy::of(&tables), at)?;
        let place = |what: &'static str, slice: u32| {
            let extent = timeline.extent(slice);
            let (name, lane) = (timeline.name(slice).into_owned(), timeline.lane_name(slice).to_owned());
            Place { what, rank: rank.rank, name, lane, start: extent.start, duration: extent.end - extent.start }
        };
        let mut places: Vec<Place> = gap.places.iter().map(|slice| place("cause", *slice)).collect();
        places.extend(gap.next.map(|next| place("next", next)));
        Some((gap, places))
    })?;
    let Some((gap, mut places)) = found.into_iter().flatten().next() else {
        return Err(BadQuestion::NoGap(rank.rank).into());
    };
    if gap.cause == Cause::WaitingForRank {
        let all = operations(source)?;
        let of = all.iter().find(|operations| operations.rank == rank.rank);
        let met = of.and_then(|of| Some(members(of, of.open_at(gap.end)?, &all.iter().collect::<Vec<_>>())));
        let last = met.iter().flat_map(|members| members.last()).find(|member| member.rank != rank.rank);
        places.extend(last.map(|member| Place {
            what: "last",
            rank: member.rank,
            name: member.operation.name().to_owned(),
            lane: member.operation.group().to_owned(),
            start: member.operation.start,
            duration: member.operation.end - member.operation.start,
        }));
    }
    // A gap that nothing shows the cause of is a row, too.
    let places: Vec<Option<Place>> =
        if places.is_empty() { vec![None] } else { places.into_iter().map(Some).collect() };
    let ints = |of: &dyn Fn(&Place) -> i64| columns::ints(places.iter().map(|place| place.as_ref().map(of)));
    let texts = |of: &dyn Fn(&Place) -> String| columns::texts(places.iter().map(|place| place.as_ref().map(of)));
    columns::made(vec![
        ("rank", columns::ranks(places.iter().map(|_| rank.rank))),
        ("begin", columns::ints(places.iter().map(|_| gap.begin - source.origin))),
        ("end", columns::ints(places.iter().map(|_| gap.end - source.origin))),
        ("cause", columns::texts(places.iter().map(|_| Some(gap.cause.name())))),
        ("what", texts(&|place| place.what.to_owned())),
        ("place_rank", columns::ranks(places.iter().map(|place| place.as_ref().map(|place| place.rank)))),
        ("name", texts(&|place| place.name.clone())),
        ("lane", texts(&|place| place.lane.clone())),
        ("start", ints(&|place| place.start - source.origin)),
        ("duration", ints(&|place| place.duration)),
    ])
}
