//! What a kernel is bound by: the unit of its cores that was busiest.

/// A unit of the cores that run a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Multiplies matrices.
    Cube,
    /// Brings data in (MTE2).
    Memory,
    Vector,
    Scalar,
}

impl Unit {
    pub const ALL: [Unit; 4] = [Unit::Cube, Unit::Memory, Unit::Vector, Unit::Scalar];

    /// The name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Cube => "cube",
            Unit::Memory => "memory",
            Unit::Vector => "vector",
            Unit::Scalar => "scalar",
        }
    }
}

/// What a kernel, or a group of kernels, is bound by: the unit with the greatest share of busy time, of equal ones the
/// last. `busy` has the share of each of [`Unit::ALL`]. `None` if no unit is known to have been busy.
pub fn bound_by(busy: [Option<f64>; 4]) -> Option<Unit> {
    let known = Unit::ALL.into_iter().zip(busy).filter_map(|(unit, share)| Some((unit, share?)));
    known.filter(|(_, share)| *share > 0.0).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(unit, _)| unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_unit_bounds_a_kernel() {
        assert_eq!(bound_by([Some(0.2), Some(0.7), None, Some(0.1)]), Some(Unit::Memory));
        assert_eq!(bound_by([Some(0.0), None, None, Some(f64::NAN)]), None);
        assert_eq!(bound_by([None; 4]), None);
    }
}
