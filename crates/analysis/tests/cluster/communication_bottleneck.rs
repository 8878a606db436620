//! `communication_bottleneck`: finds the rank that others waited for, and the cause of its delay.

use std::path::Path;

use npuscope_analysis::cluster::Options;
use npuscope_tables::Rank;

use crate::hand_made::{RankDb, ask, column};

/// Two ranks that add up a tensor after a kernel, which on rank 1 takes `extra` longer and is launched `late`.
fn profile(root: &Path, extra: i64, late: i64) {
    for (rank, extra, late) in [(0, 0, 0), (1, extra, late)] {
        let mut db = RankDb::create(root, rank);
        db.step(4, (0, 9_000_000));
        let first = db.launch(("aten::add", 10_000, 20_000), (30_000, 40_000));
        db.kernel("Add", (50_000, 60_000), Some(first));
        let second = db.launch(("aten::mm", 70_000 + late, 80_000 + late), (90_000 + late, 95_000 + late));
        let start = 400_000 + late;
        db.kernel("MatMul", (start, start + 100_000 + extra), Some(second));
        db.operation("hcom_allReduce__007_0_1", "g", (start + 100_000 + extra, 5_000_000), &[]);
        // What comes after the operation has no part in it.
        db.kernel("Tail", (6_000_000, 6_100_000), None);
    }
}

fn answer(extra: i64, late: i64) -> [String; 4] {
    let root = tempfile::tempdir().unwrap();
    profile(root.path(), extra, late);
    let (_, rows) = &ask(root.path(), "communication_bottleneck", &Options::default())[0];
    ["slowRankId", "fastRankId", "reason", "step"].map(|name| column(rows, name)[0].clone())
}

#[test]
fn a_slow_kernel_is_found_on_the_device() {
    let [slow, fast, reason, step] = answer(2_000_000, 0);
    assert_eq!([slow, fast, step], ["1", "0", "4"]);
    let expected = "[Device-bound]Device: max duration-diff op MatMul, diff 2000.0 us, max start-time-diff op MatMul, \
                    diff 0.0 us.";
    assert_eq!(reason, expected);
}

#[test]
fn ranks_within_five_percent_are_alike() {
    let [slow, _, reason, _] = answer(100_000, 0);
    assert_eq!(slow, "");
    assert_eq!(reason, "[Completed] No slow NPU detected: execution time difference is less than 5%");
}

#[test]
fn a_late_launch_is_found_on_the_host() {
    let root = tempfile::tempdir().unwrap();
    for (rank, late) in [(0, 0), (1, 3_000_000)] {
        let mut db = RankDb::create(root.path(), rank);
        let first = db.launch(("aten::add", 10_000, 20_000), (30_000, 40_000));
        db.kernel("Add", (50_000, 60_000), Some(first));
        let second = db.launch(("aten::mm", 100_000 + late, 110_000 + late), (120_000 + late, 125_000 + late));
        db.kernel("MatMul", (130_000 + late, 230_000 + late), Some(second));
        db.operation("hcom_allReduce__007_0_1", "g", (240_000 + late, 5_000_000), &[]);
    }
    let (_, rows) = &ask(root.path(), "communication_bottleneck", &Options::default())[0];
    let expected = "[Host-bound] PyTorch: max duration-diff op aten::mm, diff 0.0 us, max start-time-diff op aten::mm, \
                    diff 3000.0 us. | CANN: max duration-diff op node@launch, diff 0.0 us, max start-time-diff op \
                    node@launch, diff 3000.0 us.";
    assert_eq!(column(rows, "reason"), [expected]);
}

#[test]
fn an_operation_of_one_rank_is_not_compared() {
    let root = tempfile::tempdir().unwrap();
    profile(root.path(), 0, 0);
    let mut db = RankDb::create(root.path(), 2);
    db.operation("hcom_allReduce__009_0_1", "h", (100_000, 5_000_000), &[]);
    let reason = |compat| {
        let options = Options { rank_id: Some(Rank(2)), compat, ..Options::default() };
        let (_, rows) = &ask(root.path(), "communication_bottleneck", &options)[0];
        column(rows, "reason").remove(0)
    };
    assert_eq!(reason(false), "[Skipped] Nothing to compare: the operation was seen on one rank only");
    assert!(reason(true).starts_with("[Completed] No slow NPU detected"));
}
