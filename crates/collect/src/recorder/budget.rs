//! Bytes that a rank may write, and what is given up first when they run short.

use serde::Serialize;

/// What is still recorded, from everything to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kept {
    All,
    /// No call stacks and no calls of Python functions.
    NoStacks,
    /// Nor shapes and types of inputs.
    NoShapes,
    /// Nor operators and allocations: steps, ranges, marks and counters are left.
    NoHostOps,
    /// Steps and other user scopes of the framework alone.
    StepsOnly,
    Nothing,
}

/// From which share of the budget on, in percent, how little is kept.
const STAGES: [(u64, Kept); 5] =
    [(50, Kept::NoStacks), (70, Kept::NoShapes), (85, Kept::NoHostOps), (97, Kept::StepsOnly), (100, Kept::Nothing)];

impl Kept {
    pub fn from_number(number: u8) -> Self {
        [Kept::All, Kept::NoStacks, Kept::NoShapes, Kept::NoHostOps, Kept::StepsOnly]
            .into_iter()
            .find(|kept| *kept as u8 == number)
            .unwrap_or(Kept::Nothing)
    }

    /// What is no longer recorded from this stage on.
    pub const fn given_up(self) -> &'static str {
        match self {
            Kept::All => "nothing",
            Kept::NoStacks => "stacks",
            Kept::NoShapes => "shapes",
            Kept::NoHostOps => "host_ops",
            Kept::StepsOnly => "ranges",
            Kept::Nothing => "everything",
        }
    }
}

/// Something that was given up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Degraded {
    pub what: &'static str,
    /// When, in nanoseconds since the epoch.
    pub at_ns: i64,
}

/// The bytes written so far against those that may be.
#[derive(Debug)]
pub struct Budget {
    total: u64,
    used: u64,
    kept: Kept,
    pub degraded: Vec<Degraded>,
}

impl Budget {
    pub fn new(total: u64) -> Self {
        Self { total, used: 0, kept: Kept::All, degraded: Vec::new() }
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn used(&self) -> u64 {
        self.used
    }

    pub fn kept(&self) -> Kept {
        self.kept
    }

    /// Bytes that may still be written.
    pub fn left(&self) -> u64 {
        self.total.saturating_sub(self.used)
    }

    /// Counts written bytes and returns what is kept from now on.
    pub fn spend(&mut self, bytes: u64, now_unix_ns: impl Fn() -> i64) -> Kept {
        self.used += bytes;
        for (percent, kept) in STAGES {
            if kept > self.kept && self.used.saturating_mul(100) >= self.total.saturating_mul(percent) {
                self.kept = kept;
                self.degraded.push(Degraded { what: kept.given_up(), at_ns: now_unix_ns() });
            }
        }
        self.kept
    }

    /// Nothing fits any more.
    pub fn exhaust(&mut self, now_unix_ns: impl Fn() -> i64) {
        let used = self.used;
        self.spend(self.left(), now_unix_ns);
        self.used = used;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_go_first_then_shapes_then_operators() {
        let mut budget = Budget::new(1000);
        assert_eq!(budget.spend(499, || 1), Kept::All);
        assert_eq!(budget.spend(1, || 2), Kept::NoStacks);
        assert_eq!(budget.spend(400, || 3), Kept::NoHostOps);
        assert_eq!(budget.spend(99, || 4), Kept::StepsOnly);
        assert_eq!(budget.spend(1, || 5), Kept::Nothing);
        let degraded: Vec<_> = budget.degraded.iter().map(|given_up| (given_up.what, given_up.at_ns)).collect();
        assert_eq!(degraded, [("stacks", 2), ("shapes", 3), ("host_ops", 3), ("ranges", 4), ("everything", 5)]);
    }

    #[test]
    fn numbers_of_what_is_kept_go_both_ways() {
        for kept in [Kept::All, Kept::NoStacks, Kept::NoShapes, Kept::NoHostOps, Kept::StepsOnly, Kept::Nothing] {
            assert_eq!(Kept::from_number(kept as u8), kept);
        }
    }
}
