//! A value to be written.

use std::borrow::Cow;

/// A value to be written.
#[derive(Clone, Debug, PartialEq)]
pub enum SqlCell<'a> {
    Null,
    Int(i64),
    Real(f64),
    Text(Cow<'a, str>),
    /// A whole number as text.
    Digits(i64),
}
