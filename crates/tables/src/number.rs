//! Numbers as the peers print them.

use std::io::Write;

use crate::{Ns, Span};

/// Appends a whole number.
pub fn push_int(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    push_digits(out, value.unsigned_abs());
}

/// Appends a point in time: microseconds with three decimals.
pub fn push_time(out: &mut Vec<u8>, time: Ns) {
    if time.0 < 0 {
        out.push(b'-');
    }
    let ns = time.0.unsigned_abs();
    push_digits(out, ns / 1000);
    // The point and three digits, four bytes at once.
    let decimals = eight_digits(ns % 1000) >> 32;
    out.extend_from_slice(&((decimals | 0x3030_3030) as u32 & !0xff | u32::from(b'.')).to_le_bytes());
}

/// Appends a duration in microseconds, as few decimals as it takes. One too long for a double to hold its
/// nanoseconds, such as a time that was taken for a duration, is printed by its digits.
pub fn push_span(out: &mut Vec<u8>, span: Span) {
    match span.exact_us() {
        None if span.ns().unsigned_abs() < MOST_DIGITS => push_thousandths(out, span.ns()),
        _ if span.ns().unsigned_abs() < 1 << 52 => push_float(out, span.us()),
        _ => push_time(out, Ns(span.ns())),
    }
}

/// Appends nanoseconds that need not be whole, in microseconds.
pub fn push_ns_as_us(out: &mut Vec<u8>, ns: f64) {
    match whole(ns) {
        Some(ns) if ns.unsigned_abs() < MOST_DIGITS => push_thousandths(out, ns),
        _ => push_float(out, scaled(ns, -3)),
    }
}

/// The integer that a float is, if it is one.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "checked to be whole and below 2^53")]
pub fn whole(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() < (1u64 << 53) as f64).then_some(value as i64)
}

/// Of decimals of fifteen digits, no two read as the same double. So one that reads as a double, freed of
/// its last zeros, is the shortest that does.
const MOST_DIGITS: u64 = 1_000_000_000_000_000;

/// Appends `value / 1000` with as few decimals as it takes, one at least.
fn push_thousandths(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    let value = value.unsigned_abs();
    push_digits(out, value / 1000);
    push_decimals(out, value % 1000 * 100_000, 0);
}

/// The shortest text that reads back as `value`, in Python's `repr` form: a decimal point is always
/// there, and exponents are used below 1e-4 and from 1e16 on.
pub fn push_float(out: &mut Vec<u8>, value: f64) {
    if !value.is_finite() {
        out.extend_from_slice(if value.is_nan() {
            b"NaN"
        } else if value > 0.0 {
            b"Infinity"
        } else {
            b"-Infinity"
        });
        return;
    }
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
        // Rust prints 1.5e-5, Python 1.5e-05; both print the fewest digits that determine the value.
        let printed = format!("{value:e}");
        let (digits, exponent) = printed.split_once('e').unwrap_or((&printed, "0"));
        let exponent: i32 = exponent.parse().unwrap_or_default();
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "{digits}e{sign}{:02}", exponent.abs());
        return;
    }
    if push_few_digits(out, value) {
        return;
    }
    // Of two shortest texts that are equally near it takes the even one, as Python does and Rust does not.
    out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
}

/// Appends a number of fifteen digits at most; whether it is one. Most have three decimals or fewer.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "below 10^15, and powers of ten below 10^22 are exact"
)]
fn push_few_digits(out: &mut Vec<u8>, value: f64) -> bool {
    let magnitude = value.abs();
    let whole = magnitude as u64;
    let (first, last) = match few_digits(magnitude, 1e3) {
        Some(digits) => ((digits - whole * 1000) * 100_000, 0),
        None => {
            let wide = FIFTEEN_DIGITS.iter().find(|(below, _, _)| magnitude < *below);
            let Some(&(_, power, rest)) = wide else { return false };
            let Some(digits) = few_digits(magnitude, power as f64) else { return false };
            let sixteen = (digits - whole * power) * rest;
            (sixteen / EIGHT, sixteen % EIGHT)
        }
    };
    if value.is_sign_negative() {
        out.push(b'-');
    }
    push_digits(out, whole);
    push_decimals(out, first, last);
    true
}

/// For numbers below the first, the decimals of that power of ten make fifteen digits at most; with the
/// last as a factor there are sixteen decimals.
const FIFTEEN_DIGITS: [(f64, u64, u64); 7] = [
    (1e1, 100_000_000_000_000, 100),
    (1e2, 10_000_000_000_000, 1000),
    (1e3, 1_000_000_000_000, 10_000),
    (1e4, 100_000_000_000, 100_000),
    (1e6, 1_000_000_000, 10_000_000),
    (1e8, 10_000_000, 1_000_000_000),
    (1e15, 1, SIXTEEN),
];

const EIGHT: u64 = 100_000_000;
const SIXTEEN: u64 = EIGHT * EIGHT;

/// The digits of `magnitude * scale`, if they are few and `magnitude` is what they read as.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "below 10^15, and the test is whether the quotient is the same double"
)]
fn few_digits(magnitude: f64, scale: f64) -> Option<u64> {
    let digits = magnitude * scale + 0.5;
    if digits >= MOST_DIGITS as f64 {
        return None;
    }
    let digits = digits as u64;
    (digits as f64 / scale == magnitude).then_some(digits)
}

/// Appends a point and decimals, given eight and eight, without zeros at the end; one is always there.
fn push_decimals(out: &mut Vec<u8>, first: u64, last: u64) {
    out.push(b'.');
    let first = eight_digits(first);
    if last == 0 {
        push_first(out, first, (8 - first.leading_zeros() / 8).max(1));
    } else {
        let last = eight_digits(last);
        push_first(out, first, 8);
        push_first(out, last, 8 - last.leading_zeros() / 8);
    }
}

/// Appends the digits of a number.
#[inline]
fn push_digits(out: &mut Vec<u8>, number: u64) {
    if number < 10 {
        out.push(b'0' + number as u8);
    } else if number < EIGHT {
        let digits = eight_digits(number);
        let zeros = (digits.trailing_zeros() / 8).min(7);
        push_first(out, digits >> (8 * zeros), 8 - zeros);
    } else {
        push_many_digits(out, number);
    }
}

fn push_many_digits(out: &mut Vec<u8>, number: u64) {
    push_digits(out, number / EIGHT);
    push_first(out, eight_digits(number % EIGHT), 8);
}

/// Appends the first `count` of eight digits: all are written, and those that are not wanted taken back.
#[inline]
fn push_first(out: &mut Vec<u8>, digits: u64, count: u32) {
    let length = out.len() + count as usize;
    out.extend_from_slice(&(digits | 0x3030_3030_3030_3030).to_le_bytes());
    out.truncate(length);
}

/// The digits of a number below 10^8, a byte each, the first in the lowest: halves are divided by 100 and
/// by 10, all at once.
#[inline]
fn eight_digits(number: u64) -> u64 {
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    let high = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = high | ((fours - 100 * high) << 16);
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((pairs - 10 * tens) << 8)
}

/// [`push_float`] as a string.
pub fn float(value: f64) -> String {
    let mut out = Vec::new();
    push_float(&mut out, value);
    String::from_utf8(out).unwrap_or_default()
}

/// `value` rounded to `digits` decimals as Python's `round` does: the decimal nearest to the exact
/// value of the double, halves to even.
pub fn round(value: f64, digits: usize) -> f64 {
    // Far enough from a half, the product decides for certain which decimal is nearest.
    let scale = 10f64.powi(i32::try_from(digits).unwrap_or(i32::MAX));
    let product = value * scale;
    if product.abs() < 1e12 && digits <= 22 && (product.fract().abs() - 0.5).abs() > 1e-3 {
        return product.round() / scale;
    }
    // Formatting rounds the exact binary value, ties to even, which is what Python does.
    format!("{value:.digits$}").parse().unwrap_or(value)
}

/// The number that decimal `text` times `10^power` is nearest to.
///
/// Moving the decimal point in the text rounds once; multiplying the parsed number would round twice.
pub fn parse_scaled(text: &str, power: i32) -> Option<f64> {
    let text = text.trim();
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let plausible = mantissa.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'-' | b'+'));
    let value = format!("{mantissa}e{}", exponent.checked_add(power)?).parse::<f64>().ok()?;
    (plausible && value.is_finite()).then_some(value)
}

/// The shortest decimal text of `value`, its point moved by `power`. Undoes [`parse_scaled`] for
/// numbers of up to 15 digits.
pub fn scaled(value: f64, power: i32) -> f64 {
    parse_scaled(&format!("{value:e}"), power).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    #[expect(clippy::excessive_precision, reason = "ties between two shortest texts")]
    fn floats_look_like_pythons() {
        for (value, text) in [
            (0.0, "0.0"),
            (8873.756000000001, "8873.756000000001"),
            (136581.0, "136581.0"),
            (6.000000000000001e-05, "6.000000000000001e-05"),
            (2e-05, "2e-05"),
            (0.0001, "0.0001"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (1736408883732241.5, "1736408883732241.5"),
            (1736408883813620.25, "1736408883813620.2"),
            (1736408883813620.75, "1736408883813620.8"),
            (-868204441906810.375, "-868204441906810.4"),
            (73729696412714.125, "73729696412714.12"),
            (-2.5, "-2.5"),
        ] {
            assert_eq!(float(value), text);
        }
    }

    #[test]
    fn rounding_is_pythons() {
        for (value, digits, rounded) in
            [(0.5, 0, 0.0), (1.5, 0, 2.0), (2.675, 2, 2.67), (15.76765, 4, 15.7676), (1e-9, 4, 0.0)]
        {
            assert_eq!(round(value, digits), rounded);
        }
    }

    proptest! {
        #![proptest_config(npuscope_testing::cases(256))]

        #[test]
        fn a_printed_float_reads_back(value: f64) {
            prop_assume!(value.is_finite());
            prop_assert_eq!(float(value).parse::<f64>().unwrap(), value);
        }

        #[test]
        fn a_printed_float_is_the_shortest(digits in 0u64..100_000_000_000_000_000, decimals in 0i32..17) {
            let value: f64 = format!("{digits}e-{decimals}").parse().unwrap();
            prop_assume!(value == 0.0 || (1e-4..1e14).contains(&value));
            let printed = float(value);
            // Of two that are as short and as near, Rust and Python may take different ones.
            prop_assert_eq!(printed.len(), format!("{value:?}").len(), "{}", &printed);
            prop_assert_eq!(printed.parse::<f64>().unwrap(), value);
            prop_assert_eq!(float(-value), if value == 0.0 { "-0.0".to_owned() } else { format!("-{printed}") });
        }

        #[test]
        fn rounding_is_that_of_formatting(value in prop_oneof![-1e13..1e13, -10.0..10.0, any::<f64>()], digits in 0usize..6) {
            let expected: f64 = format!("{value:.digits$}").parse().unwrap();
            prop_assert!(round(value, digits) == expected || expected.is_nan(), "{} {}", value, digits);
        }

        #[test]
        fn whole_numbers_and_times_are_printed_by_their_digits(value: i64, shift in 0u32..64) {
            let value = value >> shift;
            let (mut int, mut time) = (Vec::new(), Vec::new());
            push_int(&mut int, value);
            push_time(&mut time, Ns(value));
            prop_assert_eq!(String::from_utf8(int).unwrap(), value.to_string());
            prop_assert_eq!(String::from_utf8(time).unwrap(), Ns(value).to_string());
        }

        #[test]
        fn a_duration_is_printed_as_its_microseconds_are(ns: i64, shift in 0u32..64) {
            let span = Span::from_ns(ns >> shift);
            prop_assume!(span.ns().unsigned_abs() < 1 << 52);
            let (mut by_digits, mut whole) = (Vec::new(), Vec::new());
            push_span(&mut by_digits, span);
            #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
            push_ns_as_us(&mut whole, span.ns() as f64);
            prop_assert_eq!(String::from_utf8(by_digits).unwrap(), float(span.us()));
            prop_assert_eq!(String::from_utf8(whole).unwrap(), float(span.us()));
        }

        #[test]
        fn moving_the_point_there_and_back_keeps_fifteen_digits(digits in 0u64..1_000_000_000_000_000, decimals in 0i32..12) {
            let text = format!("{digits}e-{decimals}");
            let value: f64 = text.parse().unwrap();
            prop_assert_eq!(scaled(parse_scaled(&text, 3).unwrap(), -3), value);
        }
    }
}
