//! How tables on the terminal show numbers of a unit; files and programs get them as they are.

use npuscope_measures::glossary::{Term, numbers};

use crate::terminal;

/// Units that are shown in another, larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Ns,
    Bytes,
    /// Shown in percent.
    Ratio,
    /// A number without a unit, or whose name says it: shown with four digits that count.
    Real,
}

/// Columns of a view that have another unit than elsewhere.
const COLUMNS_OF_VIEWS: &[(&str, &str, Unit)] = &[
    ("heat", "communication", Unit::Ratio),
    ("heat", "computing", Unit::Ratio),
    ("heat", "exposed_communication", Unit::Ratio),
    ("memory_peak", "total", Unit::Bytes),
    ("bandwidth", "time", Unit::Ns),
    ("comm_matrix", "time", Unit::Ns),
    ("packets", "time", Unit::Ns),
    ("slow_links", "time", Unit::Ns),
];

/// Columns of views that are no terms of the glossary.
const COLUMNS: &[(&str, Unit)] =
    &[("bytes", Unit::Bytes), ("duration", Unit::Ns), ("max", Unit::Ns), ("mean", Unit::Ns), ("min", Unit::Ns)];

/// The unit of a column of a view by its name, if it is shown in another.
pub fn unit_of(view: &str, column: &str) -> Option<Unit> {
    let own = COLUMNS_OF_VIEWS.iter().find(|(of, name, _)| (*of, *name) == (view, column)).map(|(.., unit)| *unit);
    let listed = || COLUMNS.iter().find(|(name, _)| *name == column).map(|(_, unit)| *unit);
    own.or_else(listed).or_else(|| {
        let Term { unit, .. } = numbers().find(|term| term.key == column)?;
        match *unit {
            "ns" => Some(Unit::Ns),
            "B" => Some(Unit::Bytes),
            "ratio" if column.contains("share") || column.ends_with("_ratio") => Some(Unit::Ratio),
            _ => None,
        }
    })
}

impl Unit {
    /// A number as people read it: `1.234 ms`, `3.4 MiB`, `12.3 %`.
    pub fn shown(self, value: f64) -> String {
        match self {
            Unit::Ns => duration(value),
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "shown with one decimal")]
            Unit::Bytes if value >= 0.0 => terminal::bytes(value as u64),
            Unit::Bytes => format!("{value} B"),
            Unit::Ratio => format!("{:.1} %", value * 100.0),
            Unit::Real => short(value),
        }
    }
}

/// A duration in the largest unit of which it has one: `1.234 ms`.
fn duration(ns: f64) -> String {
    let units = [("s", 1e9), ("ms", 1e6), ("us", 1e3)];
    match units.iter().find(|(_, size)| ns.abs() >= *size) {
        Some((unit, size)) => format!("{:.3} {unit}", ns / size),
        None => format!("{ns:.0} ns"),
    }
}

/// A number with four digits that count, as the pages show it.
fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 9")]
    let digits = (3.0 - value.abs().log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_in_the_unit_that_suits_them() {
        let shown = |ns: f64| Unit::Ns.shown(ns);
        assert_eq!(
            [0.0, 999.0, 1500.0, 2.5e6, -1.234e9].map(shown),
            ["0 ns", "999 ns", "1.500 us", "2.500 ms", "-1.234 s"]
        );
        assert_eq!(Unit::Bytes.shown(1536.0), "1.5 KiB");
        assert_eq!(Unit::Ratio.shown(0.1234), "12.3 %");
        assert_eq!(
            [0.0, 1.158_341, 12_345.6, 0.000_123_46].map(|n| Unit::Real.shown(n)),
            ["0", "1.158", "12346", "0.0001235"]
        );
    }

    #[test]
    fn columns_have_the_units_of_their_terms_and_times_have_none() {
        assert_eq!(unit_of("steps", "step_time"), Some(Unit::Ns));
        assert_eq!(unit_of("memory_curve", "reserved"), Some(Unit::Bytes));
        assert_eq!(unit_of("memory_peak", "share_of_memory"), Some(Unit::Ratio));
        for column in ["start", "begin", "rank", "late_ms", "bandwidth", "name"] {
            assert_eq!(unit_of("steps", column), None, "{column}");
        }
        // A name that means another number there.
        assert_eq!(unit_of("heat", "computing"), Some(Unit::Ratio));
        assert_eq!((unit_of("memory_peak", "time"), unit_of("packets", "time")), (None, Some(Unit::Ns)));
    }
}
