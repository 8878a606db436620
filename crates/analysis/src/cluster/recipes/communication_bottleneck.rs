//! `communication_bottleneck`: which rank the longest communication operations waited for, and why it was late.
//!
//! Looks at the `--top_num` (10) longest collectives of rank `--rank_id` (0) in the chosen step. The
//! rank where such an operation took longest was first, the `fast` one; where it was shortest, the `slow`
//! one, the others waited for it. All ranks end an operation together, which gives the shift between their
//! clocks. If the times differ by less than 5 %, nobody was slow; of an operation that one rank alone has there is
//! nothing to compare, which the reason says. Otherwise `CommunicationBottleneck` says:
//! - `Device-bound` if, of the kernels and operations that ran on the slow rank while the fast one waited, and the
//!   operation itself, more than half waited 100 us longer on the device than their calls came after their
//!   operators, else `Host-bound`;
//! - what came before the operation on both ranks, back to the first that began within 1 ms of each other: where
//!   the slow rank took the longest more, and where it was the farthest behind. On the device these are kernels,
//!   communication and copies, on the host operators of the framework and CANN calls.
//!
//! Collectives of different ranks are matched by group, step, kind, bytes and launch order. Reads `comm_op` and the
//! calls of CANN of all ranks; of the slow and the fast ones also `task`, `kernel`, operators, calls and arrows.
//!
//! With `--compat` sends and receives count too, operations must start and end in the marker of the step and are matched
//! by name alone, all tasks that begin and end while the fast rank waits decide what binds, work on the device is looked
//! at from the end of the profile rather than from the operation, 5 % is called 0.05 %, an operation of one rank counts
//! as one that nobody was slow in, and there is no column `step`.

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
    about: "Which rank the longest communication operations waited for, and why",
    run,
};

/// A long communication operation, and which rank the others waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bottleneck {
    pub name: Text,
    /// On the rank that is looked at.
    pub interval: Interval,
    pub step: Option<i64>,
    pub finding: BottleneckFinding,
}

/// What came of comparing the ranks of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BottleneckFinding {
    /// It was seen on one rank only.
    OneRank,
    /// Times differ by too little.
    Alike,
    /// The `slow` rank came last, the `fast` one waited longest for it.
    Slow { slow: Rank, fast: Rank, reason: Reason },
}

/// Which rank the longest communication operations waited for, and why it was late.
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
