//! `communication_bottleneck`: Find the rank that the longest collectives waited for, and the cause of its delay.
//!
//! Analyzes the `--top_num` (10) longest collectives of rank `--rank_id` (0) in the selected step. The rank with the
//! longest duration of a collective arrived first and is the `fast` rank. The rank with the shortest duration is the
//! `slow` rank that the others waited for. All ranks end a collective at the same time, so the ends give the offset
//! between their clocks. If the durations differ by less than 5 %, no rank is slow. If only one rank has the
//! operation, it cannot be compared. The reason says so in both cases. Otherwise the reason in
//! `CommunicationBottleneck` contains:
//!
//! - `Device-bound` or `Host-bound`. The work that is considered is the collective itself and the kernels and
//!   communication operations that ran on the slow rank while the fast rank waited. The operation is `Device-bound`
//!   if more than half of this work waited more than 100 us longer on the device than on the host. The wait on the
//!   device is the time from the end of the launching call to the start of the work. The wait on the host is the time
//!   from the end of the framework operator to the start of the call.
//! - The differences between both ranks before the collective: the event that took the most additional time on the
//!   slow rank, and the event that started latest compared with the fast rank. Events are compared backwards from the
//!   collective to the first pair that started within 1 ms of each other. They are kernels, communication operations
//!   and copies on the device, or framework operators and CANN calls on the host.
//!
//! Operations are matched across ranks by group, step, kind, bytes and launch order. Reads `comm_op` and the CANN
//! calls of all ranks. For slow and fast ranks it also reads `task`, `kernel`, framework operators, CANN calls and
//! `flow`.
//!
//! With `--compat`: sends and receives are included; operations must start and end within the marker of the step and
//! are matched by name only; all tasks that start and end while the fast rank waits are considered for
//! `Device-bound`; device events are compared from the end of the profile instead of from the operation; the reason
//! says 0.05 % instead of 5 %; an operation of a single rank is reported as one without a slow rank; there is no
//! column `step`.

mod events;
mod operations;
mod packed;
mod reason;
mod table;

use std::collections::BTreeMap;

use npuscope_measures::intervals::Interval;
use npuscope_tables::Rank;

use crate::cluster::{Answer, Export, Failure, Job, Mode};
use crate::extract::Text;
use crate::messages::collection;
use events::{AllEvents, Events};
use operations::{Compared, Operation, longest, slow_and_fast};
use reason::reason;

pub use reason::{Difference, HostDifference, Reason};

pub const MODE: Mode = Mode {
    name: "communication_bottleneck",
    folder: "CommunicatonBottleneckAnalysis",
    about: "Find the rank that the longest collectives waited for, and the cause",
    run,
};

/// A long communication operation, and which rank the others waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bottleneck {
    pub name: Text,
    /// On the analysed rank.
    pub interval: Interval,
    pub step: Option<i64>,
    pub finding: BottleneckFinding,
}

/// The result of comparing the ranks of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BottleneckFinding {
    /// It was seen on one rank only.
    OneRank,
    /// Times differ by too little.
    Alike,
    /// The `slow` rank came last, the `fast` one waited longest for it.
    Slow { slow: Rank, fast: Rank, reason: Reason },
}

/// The ranks that the longest communication operations waited for, and why they were late.
pub fn rows(job: &Job<'_>) -> Result<Vec<Bottleneck>, Failure> {
    let operations = longest(job)?;
    if operations.is_empty() {
        let (what, hint) = (collection::data_operations(), collection::collect_level1_or_mstx());
        return Err(Failure::missing(MODE.name, what, hint));
    }
    let compared = slow_and_fast(job, &operations)?;
    let pairs = || compared.iter().filter_map(Compared::pair);
    let involved = |rank: Rank| pairs().any(|(slow, fast)| [slow.rank, fast.rank].contains(&rank));
    let sources: Vec<_> = job.sources().iter().copied().filter(|source| involved(source.rank)).collect();
    let events = job.extracts_of(&sources, &AllEvents { compat: job.options.compat })?;
    let events: BTreeMap<Rank, Events> = events.into_iter().collect();
    let row = |(operation, compared): (Operation, Compared)| {
        let finding = match compared {
            Compared::OneRank => BottleneckFinding::OneRank,
            Compared::Alike => BottleneckFinding::Alike,
            Compared::Differ(slow, fast) => {
                let reason = reason((slow, fast), &events, job.options.compat);
                BottleneckFinding::Slow { slow: slow.rank, fast: fast.rank, reason }
            }
        };
        Bottleneck { name: operation.name, interval: operation.interval, step: operation.step, finding }
    };
    Ok(operations.into_iter().zip(compared).map(row).collect())
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    job.require_export(&MODE, &[Export::Db, Export::Text])?;
    let is_text = job.export() == Export::Text;
    Ok(Answer::of_tables([table::table(rows(job)?, is_text, job.options.compat)]))
}
