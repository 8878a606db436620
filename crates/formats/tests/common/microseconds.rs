//! Times and durations as files have them.

use npuscope_tables::Ns;
use proptest::prelude::*;

/// Microseconds of a time or duration: three decimals, six, any size and sign.
pub fn microseconds() -> BoxedStrategy<String> {
    let three = |range: std::ops::Range<i64>| range.prop_map(|ns| Ns(ns).to_string());
    prop_oneof![
        three(0..1_000_000),
        three(-1_000_000..0),
        three(1_736_408_883_688_177_000..1_736_408_883_688_178_000),
        three(0..i64::MAX),
        (0i64..1_000_000_000, 0i64..1_000_000).prop_map(|(us, rest)| format!("{us}.{rest:06}")),
    ]
    .boxed()
}
