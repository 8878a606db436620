//! The tables of analyses: those of `analysis.db`.

use npuscope_measures::communication::{synchronization_ratio, wait_ratio};
use npuscope_measures::deliverable::rounded;
use npuscope_tables::table::reported_comm;
use npuscope_tables::{RankBuilder, TableId};

use super::DbReader;
use crate::db::idle_transports::IdleTransports;
use crate::db::layouts;

impl DbReader<'_> {
    /// The tables of `analysis.db`.
    pub(super) fn summaries(&mut self, rank: &mut RankBuilder) {
        let RankBuilder {
            strings,
            reported_step,
            reported_comm: times,
            reported_bandwidth: transports,
            reported_link,
            ..
        } = rank;
        let selection = self.selection;
        self.table(selection.has(TableId::ReportedStep), &layouts::STEP_TRACE_TIME, strings, |row, _| {
            reported_step.push(*row)
        });
        let wants_times = selection.has(TableId::ReportedComm);
        self.table(wants_times, &layouts::COMM_ANALYZER_TIME, strings, |row: &mut reported_comm::Row, _| {
            let transit = row.transit;
            row.wait_ratio = row.wait.zip(transit).map(|(wait, transit)| rounded(wait_ratio(wait, transit)));
            let synchronization = row.synchronization.zip(transit);
            row.synchronization_ratio = synchronization.map(|(part, transit)| rounded(synchronization_ratio(part, transit)));
            times.push(*row);
        });
        let wants_bandwidths = selection.has(TableId::ReportedBandwidth);
        let mut idle = IdleTransports::new(selection.has_idle_transports(), strings);
        self.table(wants_bandwidths, &layouts::COMM_ANALYZER_BANDWIDTH, strings, |row, _| {
            idle.take(*row, |row| transports.push(row));
        });
        idle.finish(|row| transports.push(row));
        let wants_links = selection.has(TableId::ReportedLink);
        self.table(wants_links, &layouts::COMM_ANALYZER_MATRIX, strings, |row, _| reported_link.push(*row));
    }
}
