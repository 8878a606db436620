//! Steps: how long they took and how their device time divides.

use npuscope_collect::Setting;
use npuscope_measures::step::{self, Clock, DeviceTime, Step};
use npuscope_tables::Rank;

use crate::columns;
use crate::missing::missing;
use crate::{Made, NotMade, Question, Source};

/// Step time, and how the device time of each step divides: [`npuscope_measures::step`]. Whole steps that reach into
/// the scope are listed.
pub fn steps(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let ranks = question.sources(source);
    let of_ranks = source.store.each(&ranks, step::NEEDS, |rank, tables| (rank.rank, step::steps(&tables)))?;
    let all: Vec<(Rank, Step)> =
        of_ranks.into_iter().flat_map(|(rank, steps)| steps.into_iter().map(move |step| (rank, step))).collect();
    if all.is_empty() {
        return Err(missing(source, "times of steps", &[Setting::Npu]));
    }
    let span = |step: &Step| (step.clock != Clock::File).then_some(step.span);
    let mut kept: Vec<&(Rank, Step)> =
        all.iter().filter(|(_, step)| question.scope.has_step(step.id, span(step))).collect();
    kept.sort_by_key(|(rank, step)| (*rank, step.span.start, step.id));
    let ints = |of: fn(&Step) -> Option<i64>| columns::ints(kept.iter().map(|(_, step)| of(step)));
    let device = |of: fn(&DeviceTime) -> i64| columns::ints(kept.iter().map(|(_, step)| step.device.as_ref().map(of)));
    columns::made(vec![
        ("rank", columns::ranks(kept.iter().map(|(rank, _)| *rank))),
        ("step", ints(|step| step.id)),
        ("start", columns::ints(kept.iter().map(|(_, step)| Some(span(step)?.start - source.origin)))),
        ("duration", ints(|step| Some(step.time()))),
        ("device_time", device(DeviceTime::time)),
        ("computing", device(|device| device.computing)),
        ("exposed_communication", device(|device| device.exposed)),
        ("overlapped_communication", device(DeviceTime::overlapped)),
        ("free", device(|device| device.free)),
        ("preparing", device(|device| device.preparing)),
        ("bubble", device(|device| device.bubble)),
        ("p2p_time", device(|device| device.point_to_point)),
        ("clock", columns::texts(kept.iter().map(|(_, step)| Some(step.clock.name())))),
    ])
}
