//! What the cells of the deliverables look like: one codec per encoding, both ways.
//!
//! A codec's `read` gives `None` for text it cannot take; an empty cell and `N/A` are nulls.
//! `write` gives `false` for null, and the column decides how that is spelled.

use npuscope_tables::number::{parse_scaled, push_float, push_int, push_ns_as_us, push_span, push_time, whole};
use npuscope_tables::{Interner, Ns, Span, Str};

use super::Texts;
use super::record::push_text;

/// One encoding of a value of type `T`.
pub trait Codec<T> {
    fn read(cell: &str, strings: &mut Interner) -> Option<T>;
    fn write(value: T, strings: &dyn Texts, out: &mut Vec<u8>) -> bool;
}

fn is_null(cell: &str) -> bool {
    matches!(cell, "" | "N/A")
}

/// Text, as it is.
pub struct Text;

impl Codec<Str> for Text {
    fn read(cell: &str, strings: &mut Interner) -> Option<Str> {
        Some(strings.intern(cell))
    }

    fn write(value: Str, strings: &dyn Texts, out: &mut Vec<u8>) -> bool {
        push_text(out, strings.text(value));
        true
    }
}

impl Codec<Option<Str>> for Text {
    fn read(cell: &str, strings: &mut Interner) -> Option<Option<Str>> {
        Some(if is_null(cell) { None } else { Some(strings.intern(cell)) })
    }

    fn write(value: Option<Str>, strings: &dyn Texts, out: &mut Vec<u8>) -> bool {
        value.is_some_and(|v| Text::write(v, strings, out))
    }
}

/// Text of several lines. Writers of csv files turn line ends into their own kind; inside it is CR LF.
pub struct Lines;

impl Codec<Option<Str>> for Lines {
    fn read(cell: &str, strings: &mut Interner) -> Option<Option<Str>> {
        if cell.contains('\n') && !cell.contains('\r') {
            return Some(Some(strings.intern(&cell.replace('\n', "\r\n"))));
        }
        Some(if cell.is_empty() { None } else { Some(strings.intern(cell)) })
    }

    fn write(value: Option<Str>, strings: &dyn Texts, out: &mut Vec<u8>) -> bool {
        Text::write(value, strings, out)
    }
}

/// A whole number.
pub struct Int;

impl Codec<i64> for Int {
    fn read(cell: &str, _: &mut Interner) -> Option<i64> {
        let cell = cell.trim();
        // Spreadsheets turn 94509039890976 into 9.4509E+13 when they save a file.
        cell.parse().ok().or_else(|| whole(cell.parse().ok()?))
    }

    fn write(value: i64, _: &dyn Texts, out: &mut Vec<u8>) -> bool {
        push_int(out, value);
        true
    }
}

/// A number.
pub struct Real;

impl Codec<f64> for Real {
    fn read(cell: &str, _: &mut Interner) -> Option<f64> {
        cell.trim().parse().ok().filter(|v: &f64| v.is_finite())
    }

    fn write(value: f64, _: &dyn Texts, out: &mut Vec<u8>) -> bool {
        push_float(out, value);
        true
    }
}

/// A number that Python counts up from the whole number 0: `0` if nothing was added.
pub struct RealOrZero;

impl Codec<f64> for RealOrZero {
    fn read(cell: &str, strings: &mut Interner) -> Option<f64> {
        Real::read(cell, strings)
    }

    fn write(value: f64, strings: &dyn Texts, out: &mut Vec<u8>) -> bool {
        if value == 0.0 {
            out.push(b'0');
            return true;
        }
        Real::write(value, strings, out)
    }
}

/// A count, whole if it is not a mean of several.
pub struct Count;

impl Codec<f64> for Count {
    fn read(cell: &str, strings: &mut Interner) -> Option<f64> {
        Real::read(cell, strings)
    }

    fn write(value: f64, strings: &dyn Texts, out: &mut Vec<u8>) -> bool {
        match whole(value) {
            Some(count) => Int::write(count, strings, out),
            None => Real::write(value, strings, out),
        }
    }
}

/// A point in time: microseconds, three decimals, and a tab that keeps spreadsheets from rounding it.
pub struct UsTime;

impl Codec<Ns> for UsTime {
    fn read(cell: &str, _: &mut Interner) -> Option<Ns> {
        Ns::parse_us(cell.as_bytes())
    }

    fn write(value: Ns, _: &dyn Texts, out: &mut Vec<u8>) -> bool {
        push_time(out, value);
        out.push(b'\t');
        true
    }
}

/// A duration in microseconds, as few decimals as it takes.
pub struct UsSpan;

impl Codec<Span> for UsSpan {
    fn read(cell: &str, _: &mut Interner) -> Option<Span> {
        Span::parse_us(cell.as_bytes())
    }

    fn write(value: Span, _: &dyn Texts, out: &mut Vec<u8>) -> bool {
        push_span(out, value);
        true
    }
}

/// A duration in the encoding of a point in time.
pub struct UsLife;

impl Codec<i64> for UsLife {
    fn read(cell: &str, strings: &mut Interner) -> Option<i64> {
        UsTime::read(cell, strings).map(|ns: Ns| ns.0)
    }

    fn write(value: i64, strings: &dyn Texts, out: &mut Vec<u8>) -> bool {
        UsTime::write(Ns(value), strings, out)
    }
}

/// Nanoseconds that need not be whole, printed in microseconds.
pub struct UsReal;

impl Codec<f64> for UsReal {
    fn read(cell: &str, _: &mut Interner) -> Option<f64> {
        parse_scaled(cell, 3)
    }

    fn write(value: f64, _: &dyn Texts, out: &mut Vec<u8>) -> bool {
        push_ns_as_us(out, value);
        true
    }
}

/// Bytes printed in units of `UNIT` bytes. What does not come out whole, because a spreadsheet cut the
/// digits, is rounded to the nearest byte.
pub struct Size<const UNIT: i64>;

pub type Kib = Size<1024>;
pub type Mib = Size<{ 1024 * 1024 }>;
/// MindSpore divides KiB by 1000 and calls the result MB.
pub type KiloKib = Size<{ 1000 * 1024 }>;

impl<const UNIT: i64> Codec<i64> for Size<UNIT> {
    #[expect(clippy::cast_precision_loss, reason = "units are small")]
    fn read(cell: &str, _: &mut Interner) -> Option<i64> {
        whole((cell.trim().parse::<f64>().ok()? * UNIT as f64).round())
    }

    #[expect(clippy::cast_precision_loss, reason = "sizes are below 2^53")]
    fn write(value: i64, _: &dyn Texts, out: &mut Vec<u8>) -> bool {
        push_float(out, value as f64 / UNIT as f64);
        true
    }
}

/// `NPU:0`, or the bare number.
pub struct Device;

impl Codec<i64> for Device {
    fn read(cell: &str, strings: &mut Interner) -> Option<i64> {
        Int::read(cell.strip_prefix("NPU:").unwrap_or(cell), strings)
    }

    fn write(value: i64, _: &dyn Texts, out: &mut Vec<u8>) -> bool {
        out.extend_from_slice(b"NPU:");
        push_int(out, value);
        true
    }
}

macro_rules! nullable {
    ($($codec:ty => $type:ty,)+) => {
        $(impl Codec<Option<$type>> for $codec {
            fn read(cell: &str, strings: &mut Interner) -> Option<Option<$type>> {
                if is_null(cell.trim()) { Some(None) } else { <$codec as Codec<$type>>::read(cell, strings).map(Some) }
            }

            fn write(value: Option<$type>, strings: &dyn Texts, out: &mut Vec<u8>) -> bool {
                value.is_some_and(|value| <$codec as Codec<$type>>::write(value, strings, out))
            }
        })+
    };
}

nullable! {
    Int => i64,
    Real => f64,
    RealOrZero => f64,
    Count => f64,
    UsTime => Ns,
    UsSpan => Span,
    UsLife => i64,
    UsReal => f64,
    Kib => i64,
    Mib => i64,
    KiloKib => i64,
    Device => i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<C: Codec<T>, T>(cell: &str) -> Option<String> {
        let mut strings = Interner::default();
        let value = C::read(cell, &mut strings)?;
        let mut out = Vec::new();
        C::write(value, &strings.finish(), &mut out).then(|| String::from_utf8(out).unwrap())
    }

    #[test]
    fn cells_read_and_written_are_the_same() {
        assert_eq!(round_trip::<UsTime, Ns>("1736408883704643.212\t").unwrap(), "1736408883704643.212\t");
        assert_eq!(round_trip::<UsSpan, Span>("53.741").unwrap(), "53.741");
        assert_eq!(round_trip::<UsSpan, Span>("496.8508").unwrap(), "496.8508");
        assert_eq!(round_trip::<Mib, i64>("954.3701171875").unwrap(), "954.3701171875");
        assert_eq!(round_trip::<Kib, i64>("18816.5").unwrap(), "18816.5");
        assert_eq!(round_trip::<KiloKib, i64>("1234.567").unwrap(), "1234.567");
        assert_eq!(round_trip::<UsReal, f64>("162.056").unwrap(), "162.056");
        assert_eq!(round_trip::<Device, i64>("NPU:3").unwrap(), "NPU:3");
        assert_eq!(round_trip::<Int, Option<i64>>("N/A"), None);
    }

    #[test]
    fn cells_that_are_not_in_the_encoding_are_refused() {
        let mut strings = Interner::default();
        assert_eq!(<Int as Codec<Option<i64>>>::read("12x", &mut strings), None);
        assert_eq!(<Int as Codec<i64>>::read("0.5", &mut strings), None);
        assert_eq!(<Real as Codec<f64>>::read("inf", &mut strings), None);
    }
}
