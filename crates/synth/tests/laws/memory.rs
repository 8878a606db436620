//! Laws of memory.

use npuscope_synth::{Fault, FaultKind, JobConfig, simulate};
use npuscope_tables::table::{mem_event, mem_sample};
use proptest::prelude::*;

use crate::jobs::any_job;

proptest! {
    #![proptest_config(npuscope_testing::cases(10))]

    /// Memory is never more than is reserved (and being unsigned, never negative), and what is left at the end of the profile is
    /// what was there before it and what was not released.
    #[test]
    fn memory_adds_up(config in any_job()) {
        let job = simulate(&config).unwrap();
        for rank in 0..config.ranks() {
            let tables = job.rank(rank);
            let curve: Vec<mem_sample::Row> =
                tables.rows::<mem_sample::Row>().filter(|s| tables.text(s.component) == "PTA").collect();
            prop_assert!(!curve.is_empty());
            for sample in &curve {
                prop_assert!(sample.allocated <= sample.reserved);
            }
            let mut kept = 0;
            for event in tables.rows::<mem_event::Row>() {
                prop_assert!(event.bytes.unwrap() > 0 && event.duration.is_none_or(|d| d >= 0));
                kept += if event.release.is_none() { event.bytes.unwrap() } else { 0 };
            }
            let first = tables.rows::<mem_event::Row>().next().unwrap();
            let before = first.start_allocated.unwrap() - first.bytes.unwrap();
            let after = curve.last().unwrap().allocated.unwrap();
            prop_assert_eq!(after, before + kept);
        }
    }
}

fn last_allocated(config: &JobConfig, rank: usize) -> (i64, i64) {
    let tables = simulate(config).unwrap().rank(rank);
    let curve = tables.rows::<mem_sample::Row>().filter(|s| tables.text(s.component) == "PTA");
    let curve: Vec<mem_sample::Row> = curve.collect();
    let peak = curve.iter().filter_map(|s| s.reserved).max().unwrap();
    (curve.last().unwrap().allocated.unwrap(), peak)
}

#[test]
fn a_leak_stays_and_holes_are_reserved() {
    let healthy = JobConfig { layers: 4, ..JobConfig::default() };
    let with = |fault: Fault| JobConfig { faults: vec![fault], ..healthy.clone() };
    let (allocated, reserved) = last_allocated(&healthy, 1);
    let leak = Fault::new(FaultKind::Leak, 1).strength(100.0);
    assert_eq!(last_allocated(&with(leak), 1).0, allocated + 3 * (100 << 20));
    assert_eq!(last_allocated(&with(leak), 0).0, last_allocated(&healthy, 0).0);
    let pieces = Fault::new(FaultKind::Fragmentation, 1);
    assert!(last_allocated(&with(pieces), 1).1 > reserved + reserved / 50);
}
