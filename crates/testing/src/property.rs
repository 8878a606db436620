//! How property tests choose their cases.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// The seed of `make test`: a failure there is the fault of a change, not of chance.
const FIXED_SEED: u64 = 20_260_101;

/// The configuration of a property test that tries `cases` values. Every `proptest!` block starts with it.
///
/// The values are the same in every run. `make test-random` sets `NPUSCOPE_SEED` to another seed, and
/// `NPUSCOPE_CASES` to try that many times as many values. A case that fails there is fixed and then committed as
/// a test of its own, in its own words: a recorded seed means something else as soon as a generator changes.
pub fn cases(cases: u32) -> ProptestConfig {
    let seed = number("NPUSCOPE_SEED").unwrap_or(FIXED_SEED);
    let factor = number("NPUSCOPE_CASES").and_then(|factor| u32::try_from(factor).ok()).unwrap_or(1);
    ProptestConfig {
        cases: cases.saturating_mul(factor),
        max_global_rejects: 1024u32.saturating_mul(factor),
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is {text}, not a whole number")))
}
