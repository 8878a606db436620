//! The summaries of a profile, computed from its facts.
//!
//! Each file here holds one deliverable's definition. The arithmetic is the peers': sums of floats in
//! the order of the file, because users compare these figures with files they have. Where a summary
//! cannot be derived it is not made up: what the source reported is carried in `reported_*`, and this
//! module only adds what the source did not report.

mod api_statistic;
mod communication;
mod communication_matrix;
mod host_only;
mod host_work;
mod kernels;
mod op_statistic;
mod op_tree;
mod operator_details;
mod step_trace;

pub use api_statistic::{ApiStatistic, api_statistic};
pub use communication::{Communication, communication, rounded};
pub use communication_matrix::{communication_matrix, links_by_class};
pub use host_only::{has_device, host_operations, is_device_unread};
pub use op_statistic::{OpStatistic, op_statistic};
pub use operator_details::operator_details;
pub use step_trace::{step_trace_db, step_trace_text};

use npuscope_tables::table::{overlap, reported_comm, reported_link, reported_step};
use npuscope_tables::{Interner, RankBuilder, RankTables, Str, TableId};

use communication::{Op, of_operations, operations};
use communication_matrix::{is_place, links_of_operations, matrix_of_operations};
use host_only::host_only_steps;
use host_work::HostWork;
use operator_details::of_operators;
use step_trace::{step_trace_mindspore, step_trace_of};

use npuscope_tables::Framework;

/// Which deliverable set the summaries are for: their definitions differ in places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Text(Framework),
    Db(Framework),
}

/// What the summaries of a chunk need of the chunks before.
#[derive(Default)]
pub struct Carried {
    /// Free time that reaches into the next step. Its strings are not looked at.
    free: Vec<overlap::Row>,
    /// Some operation named the transport of its data: then all have a place in `communication.json`.
    has_transport: bool,
    /// Work goes through a queue.
    has_queue: bool,
    /// There is a device.
    has_device: bool,
    /// What a device did is there, but cannot be read.
    is_device_unread: bool,
}

/// The tables of a rank, or of some steps of it, and, where the source lacks them, the summaries that
/// `target` has; [`OpStatistic`] and [`ApiStatistic`] apart, which are of all steps together. `carried` goes
/// from one chunk to the next.
pub fn complete(mut tables: RankTables, target: Target, carried: &mut Carried) -> RankTables {
    let mut more = RankBuilder::default();
    let lacks = |table| tables.is_empty(table);
    let is_text = matches!(target, Target::Text(_));
    let is_wanted = is_text && (lacks(TableId::ReportedStep) || lacks(TableId::ReportedOperator));
    let work = is_wanted.then(|| HostWork::of(&tables, &mut carried.has_queue));
    carried.has_device |= has_device(&tables);
    carried.is_device_unread |= is_device_unread(&tables);
    if lacks(TableId::ReportedStep) {
        let steps = match (target, &work) {
            _ if !carried.has_device && carried.is_device_unread => Vec::new(),
            _ if !carried.has_device => host_only_steps(&tables, &mut more.strings),
            (Target::Text(Framework::TorchNpu | Framework::Msprof), Some(work)) => {
                step_trace_of(&tables, work, &mut more.strings)
            }
            (Target::Text(Framework::MindSpore), _) => {
                step_trace_mindspore(&tables, &mut carried.free, &mut more.strings)
            }
            _ => step_trace(&tables, target, &mut more.strings),
        };
        steps.into_iter().for_each(|row| more.reported_step.push(row));
    }
    if let Some(work) = work.filter(|_| lacks(TableId::ReportedOperator)) {
        of_operators(&tables, &work, &mut more.strings).into_iter().for_each(|row| more.reported_operator.push(row));
    }
    let operations = operations(&tables);
    let has_transport = &mut carried.has_transport;
    if lacks(TableId::ReportedComm) {
        let Communication { times, bandwidths } = of_operations(&operations, has_transport, &mut more.strings);
        times.into_iter().for_each(|row| more.reported_comm.push(row));
        bandwidths.into_iter().for_each(|row| more.reported_bandwidth.push(row));
        let (times, sizes) = host_operations(&tables, &mut more.strings);
        times.into_iter().for_each(|row| more.reported_comm.push(row));
        sizes.into_iter().for_each(|row| more.reported_bandwidth.push(row));
    }
    let has_totals = tables.rows::<reported_comm::Row>().any(|row| tables.text(row.name) == communication::TOTAL);
    if !lacks(TableId::ReportedComm) && !has_totals && is_text {
        // Databases list operations alone.
        let Communication { times, bandwidths } = of_operations(&operations, has_transport, &mut more.strings);
        let total = more.strings.intern(communication::TOTAL);
        times.into_iter().filter(|row| row.name == total).for_each(|row| more.reported_comm.push(row));
        bandwidths.into_iter().filter(|row| row.name == total).for_each(|row| more.reported_bandwidth.push(row));
    }
    let links = links(&tables, operations, target, &mut more.strings);
    if !links.is_empty() {
        tables.clear(TableId::ReportedLink);
        links.into_iter().for_each(|row| more.reported_link.push(row));
    }
    tables.with(more)
}

/// The tables without the summaries that [`complete`] adds, which other targets define otherwise.
pub fn without_summaries(mut tables: RankTables) -> RankTables {
    for table in [
        TableId::ReportedStep,
        TableId::ReportedOperator,
        TableId::ReportedComm,
        TableId::ReportedBandwidth,
        TableId::ReportedLink,
    ] {
        tables.clear(table);
    }
    tables
}

/// The times of each step, as `target` defines them.
pub fn step_trace(tables: &RankTables, target: Target, strings: &mut Interner) -> Vec<reported_step::Row> {
    match target {
        Target::Text(framework) => step_trace_text(tables, framework, strings),
        Target::Db(_) => step_trace_db(tables, strings),
    }
}

/// The rows of the communication matrix, if the source has none or has them in another form than `target`.
fn links(tables: &RankTables, operations: Vec<Op>, target: Target, strings: &mut Interner) -> Vec<reported_link::Row> {
    let has = |place: bool| tables.rows::<reported_link::Row>().any(|row| is_place(tables.text(row.name)) == place);
    match target {
        Target::Text(Framework::Msprof) | Target::Db(Framework::Msprof) if !tables.is_empty(TableId::ReportedLink) => {
            Vec::new()
        }
        Target::Db(Framework::MindSpore) if !has(false) => links_of_operations(tables, operations, strings),
        Target::Text(_) | Target::Db(Framework::TorchNpu | Framework::Msprof | Framework::Kineto) if !has(true) => {
            matrix_of_operations(tables, operations, strings)
        }
        _ => Vec::new(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "durations are far below 2^53 ns")]
fn us(ns: i64) -> f64 {
    ns as f64 / 1000.0
}

/// Carries a string of one set of tables over to another.
fn copy(id: Str, tables: &RankTables, strings: &mut Interner) -> Str {
    strings.intern(tables.text(id))
}
