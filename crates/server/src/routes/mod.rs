//! The answers, topic by topic.

pub mod across;
pub mod profile;
pub mod report;
pub mod search;
pub mod tables;
pub mod timeline;

use crate::failure::{Bad, Failure};

/// Numbers by comma.
fn numbers<T: std::str::FromStr>(list: &str, what: &'static str) -> Result<Vec<T>, Failure> {
    let numbers: Result<_, _> = list.split(',').filter(|number| !number.is_empty()).map(str::parse).collect();
    numbers.map_err(|_| Bad::NotNumbers(what).into())
}
