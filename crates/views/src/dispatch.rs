//! The way of kernels from the host to the device.

use npuscope_analysis::dispatch::{self, Dispatch};
use npuscope_analysis::messages::collection as data;
use npuscope_collect::Setting;

use crate::columns;
use crate::missing::missing;
use crate::{Made, NotMade, Question, Source};

const KERNELS: usize = 1000;
const MOST_KERNELS: usize = 100_000;

/// Kernels that took longest from the beginning of their operator to their own.
pub fn dispatch(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let limit = question.count("limit", KERNELS, MOST_KERNELS)?;
    let all = dispatch::ask(source.store, &question.sources(source), &question.scope, limit)?;
    let lacking = || missing(source, data::data_launches(), &[Setting::Level1, Setting::Cpu]);
    let all = all.ok_or_else(lacking)?;
    let ints = |of: fn(&Dispatch) -> Option<i64>| columns::ints(all.iter().map(of));
    columns::made(vec![
        ("rank", columns::ranks(all.iter().map(|dispatch| dispatch.rank))),
        ("name", columns::texts(all.iter().map(|dispatch| Some(&dispatch.name)))),
        ("op", columns::texts(all.iter().map(|dispatch| dispatch.op.as_ref()))),
        ("start", columns::ints(all.iter().map(|dispatch| dispatch.start - source.origin))),
        ("prepare", ints(|dispatch| dispatch.prepare)),
        ("enqueue", ints(|dispatch| dispatch.enqueue)),
        ("queue", ints(|dispatch| dispatch.queue)),
        ("launch", ints(|dispatch| Some(dispatch.launch))),
        ("kernel_wait", ints(|dispatch| Some(dispatch.kernel_wait))),
        ("end_to_end", ints(|dispatch| Some(dispatch.end_to_end()))),
        ("kernel_start", columns::ints(all.iter().map(|dispatch| dispatch.kernel_start - source.origin))),
    ])
}
