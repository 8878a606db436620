//! Possible causes of slowness: one file per kind of cause.
//!
//! Each file compares comparable ranks and returns [`Suspect`]s: what stands out, and the [`Change`] that would make it
//! match the others. The replay computes the cost of a suspect.

mod clock;
mod computing;
mod host;
mod host_time;
mod link;
mod memory;
mod stage;

use npuscope_measures::statistics::median;
use npuscope_messages::Message;
use npuscope_tables::Rank;

use super::clocks::HostClock;
use super::graph::{Change, Graph};
use super::meetings::Meetings;
use super::trace::RankTrace;
use crate::finding::{Evidence, Label, Number};
use crate::layout::Layout;
use crate::messages;

/// Everything that is known of a job.
pub struct Case<'a> {
    pub traces: &'a [RankTrace],
    pub meetings: &'a Meetings,
    pub graph: &'a Graph,
    pub clocks: &'a [HostClock],
    pub layout: &'a Layout,
    /// Whether something divides the time into steps; else all that was recorded counts as one.
    pub has_steps: bool,
}

impl Case<'_> {
    /// What times and counts are of, in a sentence.
    pub fn per(&self) -> Message {
        if self.has_steps { messages::per_step() } else { messages::in_total() }
    }

    /// The unit of times of a step.
    pub fn unit(&self) -> Label {
        if self.has_steps { "ms/step" } else { "ms" }
    }
}

/// A class of causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    Compute,
    Frequency,
    ExpertImbalance,
    AiCpu,
    StageImbalance,
    Host,
    Gc,
    DataLoader,
    Synchronisation,
    Memory,
    MemoryLeak,
    Link,
    Retransmission,
    Clock,
}

impl Cause {
    pub const ALL: [Cause; 14] = [
        Cause::Compute,
        Cause::Frequency,
        Cause::ExpertImbalance,
        Cause::AiCpu,
        Cause::StageImbalance,
        Cause::Host,
        Cause::Gc,
        Cause::DataLoader,
        Cause::Synchronisation,
        Cause::Memory,
        Cause::MemoryLeak,
        Cause::Link,
        Cause::Retransmission,
        Cause::Clock,
    ];

    /// For programs.
    pub const fn id(self) -> &'static str {
        match self {
            Cause::Compute => "compute",
            Cause::Frequency => "frequency",
            Cause::ExpertImbalance => "expert-imbalance",
            Cause::AiCpu => "aicpu",
            Cause::StageImbalance => "stage-imbalance",
            Cause::Host => "host",
            Cause::Gc => "gc",
            Cause::DataLoader => "dataloader",
            Cause::Synchronisation => "synchronisation",
            Cause::Memory => "memory",
            Cause::MemoryLeak => "memory-leak",
            Cause::Link => "link",
            Cause::Retransmission => "retransmission",
            Cause::Clock => "clock",
        }
    }
}

/// Something that stands out, at one place.
#[derive(Clone, Debug)]
pub struct Suspect {
    pub cause: Cause,
    /// How far it stands out, to be compared with suspects of the same cause only: what it has above the usual, as
    /// time, waits or bytes, or how many times as long it takes.
    pub weight: f64,
    /// Ranks, hosts, stages, links or transfers that it was compared with.
    pub compared: usize,
    /// Numbers of the ranks: one, both ends of a link, all of a host or of a stage.
    pub ranks: Vec<Rank>,
    /// What stands out, for the claim: "its kernels run 1.50x slower than on comparable ranks".
    pub what: Message,
    pub numbers: Vec<Number>,
    pub evidence: Vec<Evidence>,
    pub change: Change,
}

/// Rows of evidence that are kept of a suspect: enough to find the place in a timeline.
const MAX_EVIDENCE: usize = 5;

/// All suspects of a job.
pub fn suspects(case: &Case<'_>) -> Vec<Suspect> {
    let mut suspects = computing::suspects(case);
    suspects.extend(stage::suspects(case));
    suspects.extend(host::suspects(case));
    suspects.extend(memory::suspects(case));
    suspects.extend(link::suspects(case));
    suspects.extend(clock::suspects(case));
    suspects
}

/// The median of what the others have; the one value of the others where there is one other.
fn median_of_others(values: &[f64], own: usize) -> Option<f64> {
    let others: Vec<f64> = values.iter().enumerate().filter(|(i, _)| *i != own).map(|(_, v)| *v).collect();
    (!others.is_empty()).then(|| median(&others))
}
