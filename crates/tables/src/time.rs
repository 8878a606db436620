//! Time in the tables: whole nanoseconds, and durations that remember when a source was finer than that.

use std::fmt;

/// A point in time: nanoseconds since the Unix epoch.
///
/// Sources print microseconds with three decimals. Going through `f64` would round to a 0.25 µs grid
/// (1.7e15 µs needs 51 bits before the point), so conversion is done on the digits.
///
/// ```
/// use npuscope_tables::Ns;
/// let start = Ns::parse_us(b"1736408883688177.930").unwrap();
/// assert_eq!(start, Ns(1_736_408_883_688_177_930));
/// assert_eq!(start.to_string(), "1736408883688177.930");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Ns(pub i64);

impl Ns {
    /// Reads decimal microseconds. Digits beyond the nanosecond round half away from zero.
    pub fn parse_us(text: &[u8]) -> Option<Ns> {
        match plain_ns(text) {
            Some(ns) => Some(Ns(ns)),
            None => Decimal::parse(text)?.scaled(3).map(Ns),
        }
    }

    /// This time moved later by `ns` nanoseconds, saturating at the ends of the range.
    #[must_use]
    #[inline]
    pub fn plus(self, ns: i64) -> Ns {
        Ns(self.0.saturating_add(ns))
    }

    /// Nanoseconds from `earlier` to `self`, saturating.
    pub fn since(self, earlier: Ns) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The time as a float of microseconds: the peers' arithmetic, good to a 0.25 µs grid.
    #[expect(clippy::cast_precision_loss, reason = "the peers' own rounding is what this reproduces")]
    pub fn us(self) -> f64 {
        // The parsed decimal is correctly rounded, and so is this quotient of two exact numbers
        // below 2^53; above it the integer part must not be rounded first.
        let whole = self.0 / 1000;
        let rest = self.0 % 1000;
        if self.0.unsigned_abs() < 1 << 53 {
            self.0 as f64 / 1000.0
        } else {
            // `whole` is below 2^53 for any time before the year 2255 and so exact; the sum then rounds once.
            whole as f64 + rest as f64 / 1000.0
        }
    }
}

/// Decimal microseconds with exactly three decimals, the form of every text deliverable.
impl fmt::Display for Ns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let ns = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:03}", ns / 1000, ns % 1000)
    }
}

/// A duration: whole nanoseconds, plus the source's own figure where that is finer than a nanosecond.
///
/// Fifteen per cent of the durations in a real `trace_view.json` have more than three decimals of a
/// microsecond: true sub-nanosecond means (`53.7410625`) or float noise (`18.419999999999998`).
/// Arithmetic inside npuscope uses [`Span::ns`]; writing the file back unchanged, and repeating the
/// sums the peers print, needs [`Span::us`].
///
/// ```
/// use npuscope_tables::Span;
/// let span = Span::parse_us(b"53.7410625").unwrap();
/// assert_eq!((span.ns(), span.us()), (53_741, 53.7410625));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Span {
    ns: i64,
    exact_us: Option<f64>,
}

impl Span {
    pub const fn from_ns(ns: i64) -> Span {
        Span { ns, exact_us: None }
    }

    /// The span of `ns` whose source printed `us`; `us` is kept only if it says more than `ns` does.
    #[inline]
    pub fn new(ns: i64, us: Option<f64>) -> Span {
        let exact_us = us.filter(|&us| us != Span::from_ns(ns).us() && us.is_finite());
        Span { ns, exact_us }
    }

    /// Reads decimal microseconds.
    pub fn parse_us(text: &[u8]) -> Option<Span> {
        if let Some(ns) = plain_ns(text) {
            return Some(Span::from_ns(ns));
        }
        let decimal = Decimal::parse(text)?;
        let ns = decimal.scaled(3)?;
        if decimal.exponent >= -3 {
            return Some(Span::from_ns(ns));
        }
        let us = std::str::from_utf8(text.trim_ascii()).ok()?.parse().ok()?;
        Some(Span::new(ns, Some(us)))
    }

    /// Whole nanoseconds, rounded half away from zero.
    pub const fn ns(self) -> i64 {
        self.ns
    }

    /// The source's own figure, only where it is not a whole number of nanoseconds.
    pub const fn exact_us(self) -> Option<f64> {
        self.exact_us
    }

    /// Nanoseconds with the fraction that the source knew, freed of the noise of printing it in
    /// microseconds: CANN's clock gives means in steps of 1/32 ns, which five decimals hold.
    #[expect(clippy::cast_precision_loss, reason = "durations are far below 2^53 ns")]
    pub fn fractional_ns(self) -> f64 {
        match self.exact_us {
            Some(us) => (us * 1e8).round() / 1e5,
            None => self.ns as f64,
        }
    }

    /// Microseconds exactly as the source's decimal text reads as a double.
    #[expect(clippy::cast_precision_loss, reason = "durations are far below 2^53 ns")]
    #[inline]
    pub fn us(self) -> f64 {
        self.exact_us.unwrap_or(self.ns as f64 / 1000.0)
    }
}

/// Nanoseconds of plain decimal microseconds: digits, and at most three after a point. What nearly every
/// number of a trace looks like, and read several times faster than [`Decimal`] does.
#[inline]
fn plain_ns(text: &[u8]) -> Option<i64> {
    // 18 digits cannot overflow.
    if text.is_empty() || text.len() > 19 + 1 {
        return None;
    }
    let point = text.iter().rev().take(4).position(|&b| b == b'.');
    let (whole, fraction) = match point {
        Some(decimals) => {
            let (whole, rest) = text.split_at_checked(text.len() - decimals - 1)?;
            (whole, rest.get(1..)?)
        }
        None => (text, [].as_slice()),
    };
    if whole.is_empty() || whole.len() > 16 {
        return None;
    }
    let mut ns = digits(whole)? * 1000;
    let scale = [1000, 100, 10, 1].get(fraction.len())?;
    ns += digits(fraction)? * scale;
    i64::try_from(ns).ok()
}

/// The number that up to 16 ASCII digits stand for.
#[inline]
fn digits(text: &[u8]) -> Option<u64> {
    let mut value = 0u64;
    let (head, eights) = text.as_rchunks::<8>();
    for &byte in head {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    for eight in eights {
        value = value * 100_000_000 + eight_digits(u64::from_le_bytes(*eight))?;
    }
    Some(value)
}

/// Eight ASCII digits at once: neighbours are added with their weights, three times over.
#[inline]
fn eight_digits(word: u64) -> Option<u64> {
    const ASCII: u64 = 0x3030_3030_3030_3030;
    const HIGH: u64 = 0xf0f0_f0f0_f0f0_f0f0;
    // Every byte is 0x30..=0x39: its high half is 3, and still is when 6 is added.
    if word & HIGH != ASCII || word.wrapping_add(0x0606_0606_0606_0606) & HIGH != ASCII {
        return None;
    }
    let pairs = (word & !HIGH).wrapping_mul((10 << 8) + 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul((100 << 16) + 1) >> 16 & 0x0000_ffff_0000_ffff;
    Some(fours.wrapping_mul((10_000 << 32) + 1) >> 32)
}

/// A decimal number as digits and a power of ten.
struct Decimal {
    negative: bool,
    digits: u128,
    exponent: i32,
}

impl Decimal {
    /// Digits beyond this many no longer change a value rounded to nanoseconds.
    const MAX_DIGITS: u32 = 36;

    fn parse(text: &[u8]) -> Option<Decimal> {
        let text = text.trim_ascii();
        let (negative, text) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        let mut digits = 0u128;
        let mut kept = 0u32;
        let mut exponent = 0i32;
        let mut seen_digit = false;
        let mut seen_point = false;
        let mut bytes = text.iter();
        while let Some(&byte) = bytes.next() {
            match byte {
                b'0'..=b'9' => {
                    seen_digit = true;
                    if kept < Self::MAX_DIGITS {
                        digits = digits * 10 + u128::from(byte - b'0');
                        kept += u32::from(digits > 0);
                        exponent -= i32::from(seen_point);
                    } else {
                        exponent += i32::from(!seen_point);
                    }
                }
                b'.' if !seen_point => seen_point = true,
                b'e' | b'E' if seen_digit => {
                    let text = std::str::from_utf8(bytes.as_slice()).ok()?;
                    exponent = exponent.checked_add(text.parse().ok()?)?;
                    break;
                }
                _ => return None,
            }
        }
        seen_digit.then_some(Decimal { negative, digits, exponent })
    }

    /// The number times `10^power` as an integer, rounded half away from zero; `None` if it does not fit.
    fn scaled(&self, power: i32) -> Option<i64> {
        let exponent = self.exponent.checked_add(power)?;
        let magnitude = if self.digits == 0 {
            0
        } else if exponent >= 0 {
            self.digits.checked_mul(10u128.checked_pow(exponent.unsigned_abs())?)?
        } else {
            match 10u128.checked_pow(exponent.unsigned_abs()) {
                Some(divisor) => (self.digits + divisor / 2) / divisor,
                None => 0,
            }
        };
        let magnitude = i64::try_from(magnitude).ok()?;
        Some(if self.negative { -magnitude } else { magnitude })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn microsecond_text_keeps_every_nanosecond() {
        for (text, ns) in [
            ("1736408883688177.930", 1_736_408_883_688_177_930),
            ("1695115378715400.2", 1_695_115_378_715_400_200),
            ("1695115378713661", 1_695_115_378_713_661_000),
            ("1.69512E+15", 1_695_120_000_000_000_000),
            ("0", 0),
            (".5", 500),
            ("-1.2345", -1235),
            ("1e-9", 0),
            (" 7.001\t", 7001),
        ] {
            assert_eq!(Ns::parse_us(text.as_bytes()), Some(Ns(ns)), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_number_is_refused() {
        for text in
            ["", ".", "-", "e5", "1.2.3", "12x", "NaN", "inf", "0x10", "1e", "1e400000000000", "99999999999999999999"]
        {
            assert_eq!(Ns::parse_us(text.as_bytes()), None, "{text}");
            assert_eq!(Span::parse_us(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_span_finer_than_a_nanosecond_keeps_the_figure_of_its_source() {
        for text in ["53.7410625", "18.419999999999998", "0.60003125", "2e-05", "496.8508"] {
            let span = Span::parse_us(text.as_bytes()).unwrap();
            assert_eq!(span.us(), text.parse::<f64>().unwrap());
            assert!(span.exact_us().is_some());
        }
        assert_eq!(Span::parse_us(b"18.4200000").unwrap(), Span::from_ns(18_420));
    }

    proptest! {
        #![proptest_config(npuscope_testing::cases(256))]

        #[test]
        fn text_of_a_time_reads_back(ns: i64) {
            prop_assert_eq!(Ns::parse_us(Ns(ns).to_string().as_bytes()), Some(Ns(ns)));
        }

        #[test]
        fn float_of_a_time_is_the_float_of_its_text(ns in 0i64..4_000_000_000_000_000_000) {
            prop_assert_eq!(Ns(ns).us(), Ns(ns).to_string().parse::<f64>().unwrap());
        }

        #[test]
        fn any_span_text_keeps_its_value(us in 0f64..1e9) {
            let span = Span::parse_us(us.to_string().as_bytes()).unwrap();
            prop_assert_eq!(span.us(), us);
            prop_assert!((span.ns() as f64 - us * 1000.0).abs() <= 0.5 + us * 1e-12);
        }
    }
}
