//! Unpacking gzip so that damage costs only what lies behind it.

use std::borrow::Cow;

use flate2::{Crc, Decompress, FlushDecompress, Status};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::messages;

const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// No trace is unpacked beyond this: it would not fit into memory beside its tables.
const MOST_BYTES: usize = 8 << 30;

/// Traces shrink to a tenth, at best to a fiftieth. What claims to be this many times its size is a trap, unless
/// it is small anyway.
const MOST_RATIO: usize = 256;
const SMALL: usize = 64 << 20;

/// Room that is asked for at a time, well above the window of the format: a stream that turns out to be damaged
/// still gives all bytes before the damage.
const STEP: usize = 1 << 20;

/// The text of a file, and what was wrong with its packing.
#[derive(Debug)]
pub struct Unpacked<'a> {
    pub bytes: Cow<'a, [u8]>,
    pub diagnostic: Option<Diagnostic>,
}

/// The text of a file, unpacked if it is packed, whatever its name says.
pub fn unpack<'a>(bytes: &'a [u8], file: &str) -> Unpacked<'a> {
    unpack_to(bytes, file, most_of(bytes.len()))
}

/// How much text a packed file of that size may hold.
fn most_of(packed: usize) -> usize {
    MOST_BYTES.min(packed.saturating_mul(MOST_RATIO).max(SMALL))
}

/// The first bytes of the text of a file, about `most` of them, as far as they can be had.
pub fn unpack_start(bytes: &[u8], most: usize) -> Cow<'_, [u8]> {
    unpack_to(bytes, "", most).bytes
}

fn unpack_to<'a>(bytes: &'a [u8], file: &str, most: usize) -> Unpacked<'a> {
    if !bytes.starts_with(&MAGIC) {
        return Unpacked { bytes: Cow::Borrowed(bytes), diagnostic: None };
    }
    let mut out = Vec::new();
    let mut at = 0;
    let diagnostic = loop {
        match member(bytes, &mut at, &mut out, most) {
            Err(damage) => break Some(damage.diagnostic(file, at, out.len(), most)),
            Ok(()) => {
                let rest = bytes.get(at..).unwrap_or_default();
                // Tape and block devices fill up with zeros.
                if rest.iter().all(|&b| b == 0) {
                    break None;
                }
                if !rest.starts_with(&MAGIC) {
                    break Some(Damage::Foreign.diagnostic(file, at, out.len(), most));
                }
            }
        }
    };
    Unpacked { bytes: Cow::Owned(out), diagnostic }
}

/// What keeps a packed file from being read to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Damage {
    Cut,
    Damaged,
    Checksum,
    Foreign,
    TooLong,
    NoMemory,
}

impl Damage {
    fn diagnostic(self, file: &str, at: usize, unpacked: usize, most: usize) -> Diagnostic {
        let (code, message) = match self {
            Damage::Cut => (Code::CutFile, messages::gzip_cut(unpacked)),
            Damage::Damaged => (Code::DamagedGzip, messages::gzip_damaged(unpacked)),
            Damage::Checksum => (Code::DamagedGzip, messages::gzip_checksum(unpacked)),
            Damage::Foreign => (Code::Garbage, messages::gzip_garbage(unpacked)),
            Damage::TooLong => (Code::TooLong, messages::gzip_too_long(most, unpacked)),
            Damage::NoMemory => (Code::TooLong, messages::gzip_no_memory(unpacked)),
        };
        Diagnostic::new(Severity::Warning, code, file, message).at(at as u64)
    }
}

/// Unpacks the member that starts at `at` and steps over it; on damage, `at` is where it shows.
fn member(bytes: &[u8], at: &mut usize, out: &mut Vec<u8>, most: usize) -> Result<(), Damage> {
    skip_header(bytes, at)?;
    let start = *at;
    let first = out.len();
    let mut stream = Decompress::new(false);
    loop {
        if out.len() >= most {
            return Err(Damage::TooLong);
        }
        out.try_reserve_exact(STEP.max(out.len() / 2).min(most - out.len()).max(64 << 10))
            .map_err(|_| Damage::NoMemory)?;
        let (consumed, length) = (stream.total_in(), out.len());
        let result = stream.decompress_vec(bytes.get(*at..).unwrap_or_default(), out, FlushDecompress::None);
        *at = start + usize::try_from(stream.total_in()).unwrap_or(usize::MAX);
        match result {
            Ok(Status::StreamEnd) => break,
            Ok(_) if stream.total_in() == consumed && out.len() == length => return Err(Damage::Cut),
            Ok(_) => {}
            Err(_) => return Err(Damage::Damaged),
        }
    }
    let trailer = *at;
    let Some([a, b, c, d, _, _, _, _]) = bytes.get(trailer..).and_then(|rest| rest.first_chunk::<8>()) else {
        *at = bytes.len();
        return Err(Damage::Cut);
    };
    *at = trailer + 8;
    let mut crc = Crc::new();
    crc.update(out.get(first..).unwrap_or_default());
    if crc.sum() == u32::from_le_bytes([*a, *b, *c, *d]) {
        Ok(())
    } else {
        *at = trailer;
        Err(Damage::Checksum)
    }
}

/// Steps over the header of a member: ten bytes, and the parts that its flags announce.
fn skip_header(bytes: &[u8], at: &mut usize) -> Result<(), Damage> {
    const CHECKSUM: u8 = 2;
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    const COMMENT: u8 = 16;
    const DEFLATE: u8 = 8;
    let header = bytes.get(*at..).and_then(|rest| rest.first_chunk::<10>());
    let Some([_, _, method, flags, ..]) = header else { return Err(Damage::Cut) };
    if *method != DEFLATE {
        return Err(Damage::Damaged);
    }
    let mut end = *at + 10;
    if flags & EXTRA != 0 {
        let length = bytes.get(end..).and_then(|rest| rest.first_chunk::<2>()).ok_or(Damage::Cut)?;
        end += 2 + usize::from(u16::from_le_bytes(*length));
    }
    for _ in [NAME, COMMENT].iter().filter(|&flag| flags & flag != 0) {
        let rest = bytes.get(end..).ok_or(Damage::Cut)?;
        end += 1 + memchr::memchr(0, rest).ok_or(Damage::Cut)?;
    }
    if flags & CHECKSUM != 0 {
        end += 2;
    }
    if end > bytes.len() {
        return Err(Damage::Cut);
    }
    *at = end;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, GzBuilder};

    use super::*;

    fn packed(text: &[u8]) -> Vec<u8> {
        let header = GzBuilder::new().filename("trace.json").comment("by hand").extra(vec![1, 2, 3]);
        let mut encoder = header.write(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    /// Text that does not shrink to nothing.
    fn text(bytes: usize) -> Vec<u8> {
        let mut state = 1u64;
        let mut digit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            b'0' + (state >> 60) as u8
        };
        (0..bytes).map(|_| digit()).collect()
    }

    #[test]
    fn plain_and_packed_text_are_the_same() {
        let text = text(300_000);
        for bytes in [text.clone(), packed(&text), [packed(&text[..1000]), packed(&text[1000..]), vec![0; 9]].concat()]
        {
            let unpacked = unpack(&bytes, "t");
            assert_eq!(unpacked.diagnostic, None);
            assert!(*unpacked.bytes == *text);
        }
        assert_eq!(*unpack_start(&packed(&text), 1 << 16), text[..1 << 16]);
    }

    #[test]
    fn damage_costs_what_lies_behind_it() {
        let text = text(3_000_000);
        let whole = packed(&text);
        for at in [whole.len() / 3, whole.len() / 2, whole.len() - 4] {
            let cut = unpack(&whole[..at], "t");
            let diagnostic = cut.diagnostic.unwrap();
            assert_eq!((diagnostic.code, diagnostic.offset), (Code::CutFile, Some(at as u64)));
            assert!(text.starts_with(&cut.bytes));
            assert!(cut.bytes.len() + 100_000 > text.len() / whole.len() * at, "{} of {at}", cut.bytes.len());
        }
        let mut damaged = whole.clone();
        let half = whole.len() / 2;
        damaged[half..half + 2000].fill(0xff);
        let damaged = unpack(&damaged, "t");
        let diagnostic = damaged.diagnostic.unwrap();
        assert_eq!(diagnostic.code, Code::DamagedGzip);
        assert!(diagnostic.offset.unwrap() >= half as u64);
        let before = damaged.bytes.iter().zip(&text).take_while(|(a, b)| a == b).count();
        assert!(before + 100_000 > text.len() / 2, "{before}");
    }

    #[test]
    fn a_wrong_checksum_and_foreign_bytes_behind_are_reported() {
        let mut wrong = packed(b"[]");
        let trailer = wrong.len() - 8;
        wrong[trailer] ^= 1;
        let unpacked = unpack(&wrong, "t");
        assert_eq!((&*unpacked.bytes, unpacked.diagnostic.unwrap().offset), (&b"[]"[..], Some(trailer as u64)));
        let followed = [packed(b"[]"), b"more".to_vec()].concat();
        let unpacked = unpack(&followed, "t");
        assert_eq!((&*unpacked.bytes, unpacked.diagnostic.unwrap().code), (&b"[]"[..], Code::Garbage));
    }

    #[test]
    fn a_bomb_does_not_go_off() {
        let bomb = packed(&vec![b' '; 8 << 20]);
        assert!(bomb.len() < 10_000);
        let most = 4 << 20;
        let unpacked = unpack_to(&bomb, "t", most);
        assert_eq!(unpacked.diagnostic.unwrap().code, Code::TooLong);
        assert!(unpacked.bytes.len() <= most + STEP);
        assert_eq!((most_of(100_000), most_of(1 << 20), most_of(1 << 30)), (SMALL, 256 << 20, MOST_BYTES));
    }

    #[test]
    fn no_header_makes_it_panic() {
        let whole = packed(b"{}");
        for end in 0..whole.len() {
            unpack(&whole[..end], "t");
        }
        for byte in 0..=255 {
            let mut bytes = whole.clone();
            bytes[3] = byte;
            unpack(&bytes, "t");
        }
    }
}
