//! Numbers as the peers print them.

use std::fmt::Write;

/// The shortest text that reads back as `value`, in Python's `repr` form: a decimal point is always
/// there, and exponents are used below 1e-4 and from 1e16 on.
pub fn push_float(out: &mut String, value: f64) {
    if !value.is_finite() {
        out.push_str(if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        });
        return;
    }
    let start = out.len();
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
        // Rust prints 1.5e-5, Python 1.5e-05; both print the fewest digits that tell the value.
        let _ = write!(out, "{value:e}");
        if let Some(at) = out.get(start..).and_then(|t| t.find('e')).map(|at| at + start + 1) {
            let exponent: i32 = out.get(at..).and_then(|t| t.parse().ok()).unwrap_or_default();
            out.truncate(at);
            let _ = write!(out, "{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs());
        }
        return;
    }
    let _ = write!(out, "{value}");
    if magnitude >= TIES_FROM {
        break_tie(out, start, value);
    }
    if out.get(start..).is_some_and(|t| !t.contains('.')) {
        out.push_str(".0");
    }
}

/// Below this, two shortest decimals cannot be equally near to a double.
const TIES_FROM: f64 = (1u64 << 49) as f64;

/// Of two shortest decimals that are equally near to `value`, Python prints the one whose last digit is
/// even, Rust the greater. Times in microseconds are of a size where that happens: 1736408883813620.25
/// is printed with one decimal.
fn break_tie(out: &mut String, start: usize, value: f64) {
    let Some((whole, fraction)) = out.get(start..).and_then(|printed| printed.split_once('.')) else { return };
    let &[last @ (b'1' | b'3' | b'5' | b'7' | b'9')] = fraction.as_bytes() else { return };
    // Doubles of this size are multiples of an eighth, so eightieths tell all distances exactly.
    let whole: i128 = whole.trim_start_matches('-').parse().unwrap_or_default();
    let printed = (whole * 10 + i128::from(last - b'0')) * 8;
    #[expect(clippy::cast_possible_truncation, reason = "below 2^57")]
    let exact = (value.abs() * 8.0) as i128 * 10;
    if printed - exact == exact - (printed - 8) {
        out.pop();
        out.push(char::from(last - 1));
    }
}

/// [`push_float`] as a string.
pub fn float(value: f64) -> String {
    let mut out = String::new();
    push_float(&mut out, value);
    out
}

/// `value` rounded to `digits` decimals as Python's `round` does: the decimal nearest to the exact
/// value of the double, halves to even.
pub fn round(value: f64, digits: usize) -> f64 {
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
        #[test]
        fn a_printed_float_reads_back(value: f64) {
            prop_assume!(value.is_finite());
            prop_assert_eq!(float(value).parse::<f64>().unwrap(), value);
        }

        #[test]
        fn moving_the_point_there_and_back_keeps_fifteen_digits(digits in 0u64..1_000_000_000_000_000, decimals in 0i32..12) {
            let text = format!("{digits}e-{decimals}");
            let value: f64 = text.parse().unwrap();
            prop_assert_eq!(scaled(parse_scaled(&text, 3).unwrap(), -3), value);
        }
    }
}
