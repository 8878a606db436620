//! `communication_matrix_sum`: Compute the traffic of each link between ranks.
//!
//! Reads `reported_link` and the metadata. Writes `ClusterCommunicationMatrix` as defined by
//! [`communication_matrix`](super::communication_matrix).

use std::sync::Arc;

use npuscope_measures::communication::bandwidth;
use npuscope_tables::Rank;

use super::communication::{Reported, Wanted, matrix_table, notes, read, traffic};
use crate::cluster::{Answer, Failure, Job, Mode};
use crate::communication::GroupKey;
use crate::extract::Text;
use crate::messages::collection;

pub const MODE: Mode = Mode {
    name: "communication_matrix_sum",
    folder: "CommMatrixSum",
    about: "Compute the traffic of links between ranks",
    run,
};

/// Traffic of a link by operations of one class, summed over the selected steps.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkTraffic {
    pub group: GroupKey,
    /// Class of operation, such as `allreduce`; the operation where the profile has links by operation.
    pub kind: Text,
    pub src: Rank,
    pub dst: Rank,
    /// For example `HCCS`.
    pub transport: Text,
    /// Whole bytes, but for what the profile rounded.
    pub bytes: f64,
    /// In ns.
    pub time: f64,
}

impl LinkTraffic {
    /// In GB/s; `None` if it took no time: [`bandwidth`].
    pub fn bandwidth(&self) -> Option<f64> {
        bandwidth(self.bytes, self.time)
    }
}

/// Traffic of links between ranks, by group, class of operation, ends and transport.
pub fn rows(job: &Job<'_>) -> Result<Vec<LinkTraffic>, Failure> {
    let traffic = traffic(&*reported(job)?);
    if traffic.is_empty() { Err(missing()) } else { Ok(traffic) }
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let reported = reported(job)?;
    let table = matrix_table(&reported);
    if table.is_empty() {
        return Err(missing());
    }
    Ok(Answer { tables: vec![table], notes: notes(&reported), ..Answer::default() })
}

fn reported(job: &Job<'_>) -> Result<Arc<Reported>, Failure> {
    Ok(Arc::new(read(job, Wanted { steps: false, operations: false, links: true })?))
}

fn missing() -> Failure {
    Failure::missing(MODE.name, collection::data_links(), collection::collect_level1_of_devices())
}
