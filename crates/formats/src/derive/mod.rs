//! The summaries of a profile, computed from its facts.
//!
//! Each file here holds one deliverable's definition. The arithmetic is the peers': sums of floats in
//! the order of the file, because users compare these figures with files they have. Where a summary
//! cannot be derived it is not made up: what the source reported is carried in `reported_*`, and this
//! module only adds what the source did not report.

mod api_statistic;
mod communication;
mod communication_matrix;
mod kernels;
mod op_statistic;
mod op_tree;
mod operator_details;
mod step_trace;

pub use api_statistic::api_statistic;
pub use communication::{Communication, communication, ratio};
pub use communication_matrix::communication_matrix;
pub use op_statistic::{is_communication, op_statistic};
pub use operator_details::operator_details;
pub use step_trace::{step_trace_db, step_trace_text};

use npuscope_tables::{RankBuilder, RankTables, Str, TableId};

use crate::flavour::Flavour;

/// Which deliverable set the summaries are for: their definitions differ in places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Text(Flavour),
    Db,
}

/// The tables of a rank and, where the source lacks them, the summaries that `target` has.
pub fn complete(tables: RankTables, target: Target) -> RankTables {
    let mut more = RankBuilder::default();
    let lacks = |table| tables.is_empty(table);
    if lacks(TableId::ReportedStep) {
        let steps = match target {
            Target::Text(flavour) => step_trace_text(&tables, flavour, &mut more.strings),
            Target::Db => step_trace_db(&tables, &mut more.strings),
        };
        steps.into_iter().for_each(|row| more.reported_step.push(row));
    }
    if lacks(TableId::ReportedOpType) && matches!(target, Target::Text(_)) {
        op_statistic(&tables, &mut more.strings).into_iter().for_each(|row| more.reported_op_type.push(row));
    }
    if lacks(TableId::ReportedApi) && matches!(target, Target::Text(_)) {
        api_statistic(&tables, &mut more.strings).into_iter().for_each(|row| more.reported_api.push(row));
    }
    if lacks(TableId::ReportedOperator) && matches!(target, Target::Text(_)) {
        operator_details(&tables, &mut more.strings).into_iter().for_each(|row| more.reported_operator.push(row));
    }
    if lacks(TableId::ReportedComm) {
        let Communication { times, bandwidths } = communication(&tables, &mut more.strings);
        times.into_iter().for_each(|row| more.reported_comm.push(row));
        bandwidths.into_iter().for_each(|row| more.reported_bandwidth.push(row));
    }
    if lacks(TableId::ReportedLink) {
        communication_matrix(&tables, &mut more.strings).into_iter().for_each(|row| more.reported_link.push(row));
    }
    tables.with(more)
}

/// Carries a string of one set of tables over to another.
fn copy(id: Str, tables: &RankTables, strings: &mut npuscope_tables::Interner) -> Str {
    strings.intern(tables.text(id))
}

/// As [`copy`], for a string that may be missing.
fn copy_opt(id: Option<Str>, tables: &RankTables, strings: &mut npuscope_tables::Interner) -> Option<Str> {
    id.map(|id| copy(id, tables, strings))
}
