//! Steps: how long they took and how their device time divides.

use npuscope_analysis::messages::collection as data;
use npuscope_analysis::steps::{self, span_of};
use npuscope_collect::Setting;
use npuscope_measures::step::{DeviceTime, Step};

use crate::columns;
use crate::missing::missing;
use crate::{Made, NotMade, Question, Source};

/// Step time, and how the device time of each step divides: [`npuscope_measures::step`]. Whole steps that reach into
/// the scope are listed.
pub fn steps(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let kept = steps::ask(source.store, &question.sources(source), &question.scope)?;
    let kept = kept.ok_or_else(|| missing(source, data::data_step_times(), &[Setting::Npu]))?;
    let ints = |of: fn(&Step) -> Option<i64>| columns::ints(kept.iter().map(|(_, step)| of(step)));
    let device = |of: fn(&DeviceTime) -> i64| columns::ints(kept.iter().map(|(_, step)| step.device.as_ref().map(of)));
    columns::made(vec![
        ("rank", columns::ranks(kept.iter().map(|(rank, _)| *rank))),
        ("step", ints(|step| step.id)),
        ("start", columns::ints(kept.iter().map(|(_, step)| Some(span_of(step)?.start - source.origin)))),
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
