//! `free_analysis`: a gap has the cause that was built into it.

use npuscope_analysis::cluster::Options;

use crate::hand_made::{RankDb, ask, column};

/// Kernels of 10 us with gaps of 100 us between them, each for another reason.
fn profile() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let mut db = RankDb::create(root.path(), 0);
    db.step(7, (0, 227_500));
    db.step(8, (227_500, 900_000));
    let us = |from: i64, until: i64| (from * 1000, until * 1000);
    let first = db.launch(("aten::a", 0, 2_000), us(3, 5));
    db.kernel("a", us(10, 20), Some(first));
    // The operator came late.
    let late_operator = db.launch(("aten::b", 100_000, 104_000), us(105, 107));
    db.kernel("b", us(120, 130), Some(late_operator));
    // The operator came early, its call did not.
    let late_call = db.launch(("aten::c", 108_000, 110_000), us(215, 221));
    db.kernel("c", us(230, 240), Some(late_call));
    // A copy ran for most of the gap, and something of no length.
    db.task("MEMCPY_ASYNC", us(250, 330), 2, None);
    db.task("EVENT_RECORD", (331_000, 331_020), 2, None);
    let copied = db.launch(("aten::d", 222_000, 223_000), us(224, 225));
    db.kernel("d", us(340, 350), Some(copied));
    // All was launched before.
    let early = db.launch(("aten::e", 226_000, 227_000), us(228, 229));
    db.kernel("e", us(450, 460), Some(early));
    root
}

#[test]
fn every_gap_has_its_cause() {
    let root = profile();
    let tables = ask(root.path(), "free_analysis", &Options::default());
    let (name, gaps) = &tables[0];
    assert_eq!(name, "FreeAnalysis");
    let mut reasons: Vec<(String, String)> = column(gaps, "step").into_iter().zip(column(gaps, "reason")).collect();
    reasons.sort();
    let expected = [
        ("7", "Abnormal CANN layer: long time between two node@launch 108.0 us"),
        ("7", "Device late: the next task was launched 121.0 us before"),
        ("7", "Device task running: 1 MEMCPY_ASYNC tasks, 1 EVENT_RECORD tasks, max remaining free 10.0 us"),
        ("7", "Idle Pytorch layer: no task dispatched in 102.0 us"),
        // From the last work to the end of the marker.
        ("8", "Not recorded: what launched the work before and after is not known"),
    ];
    assert_eq!(reasons, expected.map(|(step, reason)| (step.to_owned(), reason.to_owned())));
    let (_, summary) = &tables[1];
    assert_eq!(column(summary, "freeNs"), ["100000", "100000", "100000", "100000", "440000"]);
}

#[test]
fn the_longest_gaps_are_listed_and_all_are_counted() {
    let root = profile();
    let tables = ask(root.path(), "free_analysis", &Options { top_num: Some(1), ..Options::default() });
    assert_eq!(tables[0].1.1.len(), 1);
    assert_eq!(tables[1].1.1.len(), 5);
    let in_step = Options { step: Some(8), ..Options::default() };
    assert_eq!(ask(root.path(), "free_analysis", &in_step)[0].1.1.len(), 1);
}
