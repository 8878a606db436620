//! Clocks that are off: nothing is slow because of them, but times of hosts cannot be compared as they stand.

use npuscope_measures::statistics::median;
use npuscope_messages::Decimal;

use super::{Case, Cause, Suspect};
use crate::diagnose::graph::Change;
use crate::finding::Number;
use crate::messages;

/// Clocks that NTP keeps over a local network differ by less, in ns.
const OFF_NS: f64 = 1e6;

pub fn suspects(case: &Case<'_>) -> Vec<Suspect> {
    let offsets: Vec<f64> = case.clocks.iter().filter_map(|clock| clock.offset_ns).collect();
    // With two clocks it is unknown which is right: the first is assumed to be.
    let right = if offsets.len() > 2 { median(&offsets) } else { 0.0 };
    let off = case.clocks.iter().filter_map(|clock| Some((clock, clock.offset_ns? - right)));
    let suspects = off.filter(|(_, off)| off.abs() >= OFF_NS).map(|(clock, off)| {
        let what = if off > 0.0 { messages::what_clock_ahead } else { messages::what_clock_behind };
        Suspect {
            cause: Cause::Clock,
            weight: off.abs(),
            compared: offsets.len() - 1,
            ranks: clock.ranks.clone(),
            what: what(&clock.host, Decimal(off.abs() / 1e6)),
            numbers: vec![
                Number::new(messages::number_offset(), off / 1e6, "ms"),
                Number::new(messages::number_drift(), clock.drift_ppm, "ppm"),
            ],
            evidence: Vec::new(),
            change: Change::default(),
        }
    });
    suspects.collect()
}
