//! The tables behind the pages and `npuscope show`: each is one answer to a question about a part of a job.
//!
//! One file per view. A view is SQL over the tables of the profile, or an analysis; it computes nothing itself. Times
//! are ns from the origin of the [`Source`], durations ns, sizes bytes. A view of what the sources sum up themselves
//! (communication, links, packets) can be filtered by ranks and steps but not by time.
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::Arc;
//!
//! use npuscope_engine::{QueryOptions, Session};
//! use npuscope_formats::output::Output;
//! use npuscope_store::{OpenOptions, Store};
//! use npuscope_synth::{Format, JobConfig, simulate, write_job};
//! use npuscope_tables::Rank;
//! use npuscope_views::{Question, Scope, Source, View};
//!
//! let config = JobConfig { tp: 2, pp: 1, dp: 1, layers: 1, steps: 2, ..JobConfig::default() };
//! let directory = tempfile::tempdir()?;
//! let profile = directory.path().join("profile");
//! write_job(&simulate(&config)?, Format::Text, &Output::new(&profile)?, |_| {})?;
//!
//! let store = Arc::new(Store::open(&profile, OpenOptions::new(directory.path().join("cache")))?);
//! let session = Session::new(store.clone(), &QueryOptions::default())?;
//! let source = Source { session: &session, store: &store, origin: 0 };
//! let scope = Scope { ranks: Some(vec![Rank(0)]), ..Scope::default() };
//! let steps = View::find("steps").map(|view| view.make(&source, &Question { scope, own: &BTreeMap::new() }));
//! assert_eq!(steps.and_then(Result::ok).map(|steps| steps.rows()), Some(2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod collective;
mod columns;
mod communication;
mod copies;
mod dispatch;
mod experts;
mod gap;
mod groups;
mod heat;
mod memory;
pub mod messages;
mod missing;
mod operators;
mod overall;
mod pipeline;
mod question;
mod ranks;
mod rl;
mod slow;
mod sql;
mod statistics;
mod steps;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use npuscope_analysis::cluster::Failure;
use npuscope_analysis::messages::collection::no_rank_has;
use npuscope_engine::{EngineError, Session};
use npuscope_messages::Message;
use npuscope_store::{Store, StoreError};

pub use npuscope_analysis::scope::Scope;
pub use question::{BadQuestion, Question};
pub use sql::plain_table;

/// A table behind a page.
pub struct View {
    pub name: &'static str,
    pub about: &'static str,
    /// Names of its own parameters.
    pub own: &'static [&'static str],
    ask: fn(&Source<'_>, &Question<'_>) -> Result<Made, NotMade>,
}

/// What views read from.
pub struct Source<'a> {
    pub session: &'a Session,
    pub store: &'a Store,
    /// Times are relative to this time, in ns since the epoch.
    pub origin: i64,
}

/// A table that was made.
#[derive(Debug)]
pub struct Made {
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
}

impl Made {
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// Why a table was not made.
#[derive(Debug)]
pub enum NotMade {
    /// The profile lacks what it is about: what, and the setting that collects it.
    Missing {
        /// The whole sentence.
        what: Box<Message>,
        switch: Box<Message>,
    },
    Bad(BadQuestion),
    Failed(EngineError),
}

impl NotMade {
    /// No rank has `what`, which `switch` collects.
    pub(crate) fn missing(what: Message, switch: Message) -> NotMade {
        NotMade::Missing { what: Box::new(no_rank_has(what)), switch: Box::new(switch) }
    }
}

impl From<BadQuestion> for NotMade {
    fn from(why: BadQuestion) -> NotMade {
        NotMade::Bad(why)
    }
}

impl From<StoreError> for NotMade {
    fn from(error: StoreError) -> NotMade {
        NotMade::Failed(error.into())
    }
}

impl From<EngineError> for NotMade {
    fn from(error: EngineError) -> NotMade {
        NotMade::Failed(error)
    }
}

impl From<Failure> for NotMade {
    fn from(failure: Failure) -> NotMade {
        match failure {
            Failure::Missing { what, hint, .. } => NotMade::missing(*what, *hint),
            Failure::Usage(why) => NotMade::Bad(why.into()),
            Failure::Store(error) => NotMade::Failed(error.into()),
            Failure::Output(error) => NotMade::Failed(EngineError::Internal(error.message())),
        }
    }
}

impl View {
    const fn new(
        name: &'static str,
        about: &'static str,
        own: &'static [&'static str],
        ask: fn(&Source<'_>, &Question<'_>) -> Result<Made, NotMade>,
    ) -> View {
        View { name, about, own, ask }
    }

    /// The view of that name.
    pub fn find(name: &str) -> Option<&'static View> {
        VIEWS.iter().find(|view| view.name == name)
    }

    /// The table for a question.
    pub fn make(&self, source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
        question.check(source, self.own)?;
        (self.ask)(source, question)
    }
}

/// All views, by page.
pub static VIEWS: &[View] = &[
    View::new("ranks", "Host, device, profiler settings and parallel layout of each rank", &[], ranks::ranks),
    View::new("steps", "Step time and breakdown of device time, per step and rank", &[], steps::steps),
    View::new(
        "heat",
        "Shares of computing and communication over time, per rank, in equal time buckets",
        &["buckets"],
        heat::heat,
    ),
    View::new("slow_ranks", "Ranks that other ranks wait for", &[], slow::slow_ranks),
    View::new("slow_links", "Links that are slower than links that moved comparable data", &[], slow::slow_links),
    View::new(
        "pipeline",
        "Forward and backward passes, transfers, bubbles and idle time of pipeline stages",
        &[],
        pipeline::pipeline,
    ),
    View::new("experts", "Load of the ranks that hold experts", &[], experts::experts),
    View::new("operators", "Kernel statistics by group, longest total first", &["group"], operators::operators),
    View::new(
        "kernels",
        "Single kernels, longest first",
        &["op_type", "name", "core", "stream", "input_shapes", "limit"],
        operators::kernels,
    ),
    View::new("host_ops", "Host calls by kind and name, longest total first", &["kind"], operators::host_ops),
    View::new(
        "dispatch",
        "Time from the framework operator to the start of its kernel, longest first",
        &["limit"],
        dispatch::dispatch,
    ),
    View::new("overall", "Breakdown of device time; the parts add up to the device time", &[], overall::overall),
    View::new("copies", "Copies by direction, with time and bandwidth", &[], copies::copies),
    View::new("memory_curve", "Memory use over time", &[], memory::curve),
    View::new("allocations", "Memory allocations, largest first", &["name", "limit", "at"], memory::allocations),
    View::new("memory_peak", "Memory in use at the peak, or at a given time, by operator", &["at"], memory::peak),
    View::new("static_memory", "Memory planned by graph compilers", &[], memory::planned),
    View::new(
        "communication",
        "Breakdown of communication time: transit, wait, synchronization and idle",
        &["by"],
        communication::communication,
    ),
    View::new("collectives", "Communication operations over time", &["limit"], communication::collectives),
    View::new(
        "collective",
        "One communication operation on all its ranks, in order of start",
        &["at"],
        collective::collective,
    ),
    View::new("gap", "Why the device of a rank was idle at a given time", &["at"], gap::gap),
    View::new("comm_matrix", "Data moved over links between ranks", &["group", "kind"], communication::matrix),
    View::new("packets", "Packets by size", &[], communication::packets),
    View::new("bandwidth", "Bandwidth of links", &[], communication::bandwidth),
    View::new("stages", "Stages of reinforcement learning over time", &[], rl::stages),
    View::new(
        "stage_summary",
        "Duration of reinforcement learning stages, and their slowest ranks",
        &[],
        rl::stage_summary,
    ),
];
