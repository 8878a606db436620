//! Schedules and what is done between steps.

use npuscope_collect::schedule::{self, Action, Asked};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::language;

/// Selects the steps to record. Invalid values are corrected; `warnings` has the corrections.
#[pyclass(module = "npuscope._npuscope", frozen)]
pub struct Schedule {
    schedule: schedule::Schedule,
    #[pyo3(get)]
    warnings: Vec<String>,
}

#[pymethods]
impl Schedule {
    #[new]
    #[pyo3(signature = (wait=0, warmup=0, active=1, repeat=0, skip_first=0, skip_first_wait=0))]
    fn new(wait: i64, warmup: i64, active: i64, repeat: i64, skip_first: i64, skip_first_wait: i64) -> Self {
        let asked = Asked { wait, warmup, active, repeat, skip_first, skip_first_wait };
        let (schedule, warnings) = schedule::Schedule::repaired(asked);
        Self { schedule, warnings: warnings.iter().map(language::text).collect() }
    }

    /// The action of a step, counted from 0.
    fn __call__(&self, step: i64) -> PyResult<u8> {
        let step = u64::try_from(step)
            .map_err(|_| PyValueError::new_err(language::localized("a step cannot be negative", "step 不能为负数")))?;
        Ok(self.schedule.action(step).number())
    }

    /// The six values, after correction.
    fn values(&self) -> (u64, u64, u64, u64, u64, bool) {
        let schedule = &self.schedule;
        (
            schedule.wait,
            schedule.warmup,
            schedule.active,
            schedule.repeat,
            schedule.skip_first,
            schedule.skip_first_wait,
        )
    }

    /// A warning if training has fewer steps than the schedule needs.
    fn too_few_steps(&self, total: u64) -> Option<String> {
        self.schedule.too_few_steps(total).as_ref().map(language::text)
    }
}

/// The calls between one action and the next (`None`: the end), and a warning or `None`.
#[pyfunction]
#[pyo3(signature = (previous, current))]
pub fn transition(previous: u8, current: Option<u8>) -> PyResult<(Vec<&'static str>, Option<String>)> {
    let action = |number| {
        Action::from_number(number)
            .ok_or_else(|| PyValueError::new_err(language::localized("actions are 0 to 3", "action 应为 0 到 3")))
    };
    let transition = match current {
        Some(current) => schedule::transition(action(previous)?, action(current)?),
        None => schedule::ending(action(previous)?),
    };
    Ok((
        transition.calls.iter().map(|call| call.name()).collect(),
        transition.warning.map(|warning| language::text(&warning.message())),
    ))
}
