//! `computational_op_masking`: what is hidden is counted inside the step.

use npuscope_analysis::cluster::Options;

use crate::hand_made::{RankDb, ask, column};

#[test]
fn an_operation_over_the_end_of_a_step_counts_in_both_with_its_parts() {
    let root = tempfile::tempdir().unwrap();
    let mut db = RankDb::create(root.path(), 3);
    db.step(1, (0, 1000));
    db.step(2, (1000, 3000));
    db.metadata("parallel_group_info", r#"{"g0": {"group_name": "dp", "global_ranks": [3, 4]}}"#);
    db.operation("hcom_allReduce__001_0_1", "g0", (600, 1500), &[]);
    db.operation("hcom_allReduce__001_1_1", "g0", (700, 800), &[]);
    db.operation("hcom_allReduce__002_0_1", "other", (0, 500), &[]);
    db.kernel("k", (650, 700), None);
    db.kernel("k", (680, 1100), None);
    let types = |types: &str| Options { parallel_types: Some(types.to_owned()), ..Options::default() };
    let (_, rows) = &ask(root.path(), "computational_op_masking", &types("dp,edp;tp"))[0];
    assert_eq!(column(rows, "parallelType"), ["dp+edp", "dp+edp"]);
    assert_eq!(column(rows, "totalCommunicationOperatorTime"), ["400", "500"]);
    assert_eq!(column(rows, "totalTimeWithoutCommunicationBlackout"), ["50", "400"]);
    assert_eq!(column(rows, "ratioOfUnmaskedCommunication"), ["0.05", "0.2"]);
    assert_eq!(column(rows, "rank"), ["3", "3"]);
    let whole = Options { compat: true, ..types("dp") };
    let (_, rows) = &ask(root.path(), "computational_op_masking", &whole)[0];
    assert_eq!(column(rows, "totalCommunicationOperatorTime"), ["900", "900"]);
}
