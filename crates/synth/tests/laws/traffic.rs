//! Laws of communication.

use std::collections::HashMap;

use npuscope_synth::{JobConfig, simulate};
use npuscope_tables::table::{comm_op, comm_task, metadata};
use npuscope_tables::{OpId, RankTables};
use proptest::prelude::*;

use crate::jobs::any_job;

/// Bytes by sender and receiver, in the order in which they were sent, of transfers from stage to stage.
type Links = HashMap<(usize, usize), Vec<i64>>;

/// The ranks of each group, as the profile has them.
fn groups(tables: &RankTables) -> HashMap<String, Vec<usize>> {
    let row = tables.rows::<metadata::Row>().find(|row| tables.text(row.key) == "parallel_group_info").unwrap();
    let reported: serde_json::Value = serde_json::from_str(tables.text(row.value)).unwrap();
    let groups = reported.as_object().unwrap().iter();
    let ranks = |group: &serde_json::Value| serde_json::from_value(group["global_ranks"].clone()).unwrap();
    groups.map(|(name, group)| (name.clone(), ranks(group))).collect()
}

fn point_to_point(config: &JobConfig) -> (Links, Links) {
    let job = simulate(config).unwrap();
    let (mut sent, mut received) = (Links::new(), Links::new());
    for rank in 0..config.ranks() {
        let tables = job.rank(rank);
        let groups = groups(&tables);
        let ops: HashMap<OpId, comm_op::Row> = tables.rows::<comm_op::Row>().map(|op| (op.op, op)).collect();
        for piece in tables.rows::<comm_task::Row>() {
            let name = tables.text(ops[&piece.op.unwrap()].name);
            let is_notify = tables.opt_text(piece.rdma_type) == Some("RDMA_SEND_NOTIFY");
            if piece.bytes.unwrap_or_default() == 0 || is_notify || piece.src_rank == piece.dst_rank {
                continue;
            }
            let members = &groups[tables.opt_text(piece.group_name).unwrap()];
            let global = |local: Option<i64>| members[usize::try_from(local.unwrap()).unwrap()];
            let link = (global(piece.src_rank), global(piece.dst_rank));
            if name.contains("send_") {
                sent.entry(link).or_default().push(piece.bytes.unwrap());
            } else if name.contains("receive_") {
                received.entry(link).or_default().push(piece.bytes.unwrap());
            }
        }
    }
    (sent, received)
}

proptest! {
    #![proptest_config(npuscope_testing::cases(10))]

    /// What goes into a link comes out of it. The rounds of collectives have the same test in `network`.
    #[test]
    fn what_is_sent_is_received(config in any_job()) {
        let (sent, received) = point_to_point(&config);
        prop_assert_eq!(sent.is_empty(), config.pp == 1);
        prop_assert_eq!(sent, received);
    }
}
