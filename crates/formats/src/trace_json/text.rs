//! Byte-level steps of reading JSON: strings, numbers, skipping a value.

use std::borrow::Cow;

use crate::diagnostic::BOM;

/// A place in JSON text. Every step returns `None` where the text does not go on as it must,
/// leaving the cursor at the offending byte.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

/// A string as it stands between its quotes.
#[derive(Clone, Copy, Default)]
pub struct RawString<'a> {
    pub bytes: &'a [u8],
    /// False only if there is no escape in it.
    has_escape: bool,
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Sets the high bit of each byte of `word` that equals `byte` (and maybe of bytes above one that does,
/// which does not matter to who looks for the lowest).
const fn matches(word: u64, byte: u8) -> u64 {
    let x = word ^ (LOW * byte as u64);
    x.wrapping_sub(LOW) & !x & HIGH
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8], at: usize) -> Cursor<'a> {
        Cursor { bytes, at }
    }

    /// The first byte of a file that counts: neither mark nor space.
    pub fn of_file(bytes: &'a [u8]) -> Cursor<'a> {
        let mut cursor = Cursor::new(bytes, if bytes.starts_with(BOM) { BOM.len() } else { 0 });
        cursor.skip_space();
        cursor
    }

    /// The byte under the cursor; 0 at the end, which is no JSON either.
    #[inline]
    pub fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    /// The eight bytes from the cursor, lowest first; zeros beyond the end.
    #[inline]
    pub fn word(&self) -> u64 {
        match self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(chunk) => u64::from_le_bytes(*chunk),
            None => {
                let mut word = [0; 8];
                for (to, from) in word.iter_mut().zip(self.bytes.get(self.at..).unwrap_or_default()) {
                    *to = *from;
                }
                u64::from_le_bytes(word)
            }
        }
    }

    #[inline]
    pub fn skip_space(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
    }

    #[inline]
    pub fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek() == byte).then(|| self.at += 1)
    }

    /// A string whose opening quote is under the cursor.
    #[inline]
    pub fn string(&mut self) -> Option<RawString<'a>> {
        self.eat(b'"')?;
        let start = self.at;
        // Keys and names are short: a few words inline before the vectorised search is worth its call.
        for _ in 0..4 {
            let word = self.word();
            let quotes = matches(word, b'"');
            let escapes = matches(word, b'\\');
            if escapes != 0 {
                break;
            }
            if quotes != 0 {
                self.at += quotes.trailing_zeros() as usize / 8;
                let bytes = self.bytes.get(start..self.at)?;
                self.at += 1;
                return Some(RawString { bytes, has_escape: false });
            }
            self.at += 8;
        }
        self.long_string(start)
    }

    /// Goes on from the middle of a string that starts at `start`, with no escape before the cursor.
    ///
    /// Call stacks are kilobytes with an escaped line end every hundred bytes, so it pays to look for
    /// quotes alone and to count the backslashes before the one found.
    fn long_string(&mut self, start: usize) -> Option<RawString<'a>> {
        loop {
            let Some(step) = self.bytes.get(self.at..).and_then(|rest| memchr::memchr(b'"', rest)) else {
                self.at = self.bytes.len();
                return None;
            };
            self.at += step;
            let bytes = self.bytes.get(start..self.at)?;
            let escapes = bytes.iter().rev().take_while(|&&b| b == b'\\').count();
            self.at += 1;
            if escapes % 2 == 0 {
                return Some(RawString { bytes, has_escape: true });
            }
        }
    }

    /// The text of a number, or of `true`, `null`, `NaN` and the like.
    #[inline]
    pub fn scalar(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        while matches!(self.peek(), b'0'..=b'9' | b'-' | b'+' | b'.' | b'a'..=b'z' | b'A'..=b'Z') {
            self.at += 1;
        }
        let text = self.bytes.get(start..self.at)?;
        (!text.is_empty()).then_some(text)
    }

    /// Steps over any value. Iterative: depth costs nothing.
    pub fn skip_value(&mut self) -> Option<()> {
        match self.peek() {
            b'"' => self.string().map(drop),
            b'{' | b'[' => self.skip_nested(),
            _ => self.scalar().map(drop),
        }
    }

    /// Steps over an object or array. Kinds of brackets are not matched against each other: that a
    /// value ends where its brackets balance is all that is needed to find the next one.
    fn skip_nested(&mut self) -> Option<()> {
        let mut depth = 0usize;
        loop {
            match self.peek() {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        self.at += 1;
                        return Some(());
                    }
                }
                0 => return None,
                _ => {}
            }
            self.at += 1;
        }
    }

    /// The members of an object whose brace is under the cursor: `each` gets a key and the cursor at
    /// its value, and must step over it.
    pub fn members(&mut self, mut each: impl FnMut(RawString<'a>, &mut Cursor<'a>) -> Option<()>) -> Option<()> {
        self.eat(b'{')?;
        self.skip_space();
        if self.eat(b'}').is_some() {
            return Some(());
        }
        loop {
            self.skip_space();
            let key = self.string()?;
            self.skip_space();
            self.eat(b':')?;
            self.skip_space();
            each(key, self)?;
            self.skip_space();
            match self.peek() {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    /// A decimal of at most 15 digits without an exponent, or nothing and the cursor where it was.
    ///
    /// So many digits and that power of ten are exact as doubles, so one division rounds as parsing would.
    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "below 10^15")]
    pub fn short_number(&mut self) -> Option<f64> {
        const POWERS: [f64; 16] =
            [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
        let start = self.at;
        let is_negative = self.eat(b'-').is_some();
        let (mut value, whole) = self.digits(0);
        let mut decimals = 0;
        if whole > 0 && self.eat(b'.').is_some() {
            (value, decimals) = self.digits(value);
        }
        let is_short = whole > 0 && whole + decimals <= 15;
        let is_over = !matches!(self.peek(), b'.' | b'+' | b'-' | b'a'..=b'z' | b'A'..=b'Z');
        let power = POWERS.get(decimals).filter(|_| is_short && is_over);
        let Some(power) = power else {
            self.at = start;
            return None;
        };
        let value = value as f64 / power;
        Some(if is_negative { -value } else { value })
    }

    /// Steps over digits: `before` with them after it, and how many they are. What is too long wraps around.
    #[inline]
    fn digits(&mut self, before: u64) -> (u64, usize) {
        let start = self.at;
        let mut value = before;
        loop {
            let digit = self.peek().wrapping_sub(b'0');
            if digit > 9 {
                return (value, self.at - start);
            }
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
            self.at += 1;
        }
    }

    /// A plain non-negative integer of at most 18 digits, or nothing and the cursor where it was.
    #[inline]
    pub fn natural(&mut self) -> Option<i64> {
        let start = self.at;
        let mut value = 0i64;
        loop {
            let digit = self.peek().wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
            self.at += 1;
        }
        let digits = self.at - start;
        if digits == 0 || digits > 18 || matches!(self.peek(), b'.' | b'e' | b'E') {
            self.at = start;
            return None;
        }
        Some(value)
    }
}

impl<'a> RawString<'a> {
    /// Text that is no string, and so has no escapes.
    pub fn plain(bytes: &'a [u8]) -> RawString<'a> {
        RawString { bytes, has_escape: false }
    }

    /// The bytes the string stands for.
    #[inline]
    pub fn unescaped(self) -> Cow<'a, [u8]> {
        if self.has_escape && memchr::memchr(b'\\', self.bytes).is_some() {
            Cow::Owned(unescape(self.bytes))
        } else {
            Cow::Borrowed(self.bytes)
        }
    }
}

/// Undoes JSON's escapes. Lone surrogates become U+FFFD, unknown escapes stay as they are.
pub fn unescape(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(step) = memchr::memchr(b'\\', rest) {
        let (plain, escape) = rest.split_at(step);
        out.extend_from_slice(plain);
        let (decoded, used) = match escape {
            [_, b'n', ..] => (Some('\n'), 2),
            [_, b'r', ..] => (Some('\r'), 2),
            [_, b't', ..] => (Some('\t'), 2),
            [_, b'b', ..] => (Some('\u{8}'), 2),
            [_, b'f', ..] => (Some('\u{c}'), 2),
            [_, c @ (b'"' | b'\\' | b'/'), ..] => (Some(*c as char), 2),
            [_, b'u', ..] => unicode_escape(escape),
            _ => (None, 1),
        };
        match decoded {
            Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => out.push(b'\\'),
        }
        rest = escape.get(used..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}

/// The character of `\uXXXX` or of a pair of them, and how many bytes that took.
fn unicode_escape(escape: &[u8]) -> (Option<char>, usize) {
    let unit = |at: usize| -> Option<u32> {
        let [b'\\', b'u', hex @ ..] = escape.get(at..at + 6)? else { return None };
        u32::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()
    };
    let Some(first) = unit(0) else { return (None, 1) };
    if let Some(c) = char::from_u32(first) {
        return (Some(c), 6);
    }
    match unit(6) {
        Some(second) if (0xd800..0xdc00).contains(&first) && (0xdc00..0xe000).contains(&second) => {
            (char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)), 12)
        }
        _ => (Some(char::REPLACEMENT_CHARACTER), 6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn skipping_ends_where_the_value_ends() {
        for value in [
            r#"{"a": [1, {"b": "}"}], "c": "\"}"}"#,
            r#""long \\ string with \" quotes and more than thirty-two bytes of text""#,
            "-1.5e+7",
            "null",
            "[[[[]]]]",
            r#""""#,
            r#""\\""#,
        ] {
            let text = format!("{value}, 1");
            let mut cursor = Cursor::new(text.as_bytes(), 0);
            assert_eq!(cursor.skip_value(), Some(()), "{value}");
            assert_eq!(cursor.at, value.len(), "{value}");
        }
    }

    #[test]
    fn a_value_that_does_not_end_is_no_value() {
        for value in [r#"{"a": "#, r#""open"#, r#""ends in escape \"#, "[1, 2", "", "{\"a\": \"b\\"] {
            assert_eq!(Cursor::new(value.as_bytes(), 0).skip_value(), None, "{value}");
        }
    }

    #[test]
    fn nesting_a_million_deep_is_skipped() {
        let text = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        let mut cursor = Cursor::new(text.as_bytes(), 0);
        assert_eq!(cursor.skip_value(), Some(()));
        assert_eq!(cursor.at, 2_000_000);
    }

    proptest! {
        #![proptest_config(npuscope_testing::cases(256))]

        #[test]
        fn strings_read_as_serde_json_reads_them(text in "\\PC{0,60}|[\"\\\\\r\n\t\u{1}a😀]{0,60}") {
            let json = serde_json::to_string(&text).unwrap();
            let mut cursor = Cursor::new(json.as_bytes(), 0);
            let raw = cursor.string().unwrap();
            prop_assert_eq!(&*raw.unescaped(), text.as_bytes());
            prop_assert_eq!(cursor.at, json.len());
        }

        #[test]
        fn short_numbers_read_as_parsing_reads_them(text in "-?[0-9]{0,16}(\\.[0-9]{0,16})?(e-?[0-9])?") {
            let mut cursor = Cursor::new(text.as_bytes(), 0);
            match cursor.short_number() {
                Some(number) => {
                    prop_assert_eq!(number.to_bits(), text.parse::<f64>().unwrap().to_bits());
                    prop_assert_eq!(cursor.at, text.len());
                }
                None => {
                    prop_assert_eq!(cursor.at, 0);
                    let digits = text.bytes().filter(u8::is_ascii_digit).count();
                    prop_assert!(digits > 15 || text.contains('e') || text.starts_with('.') || digits == 0 || text.starts_with("-."));
                }
            }
        }

        #[test]
        fn no_bytes_make_a_step_panic_or_overrun(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let mut cursor = Cursor::new(&bytes, 0);
            if cursor.skip_value().is_some() {
                prop_assert!(cursor.at <= bytes.len());
            }
        }
    }
}
