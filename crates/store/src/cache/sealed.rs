//! Sealed files: any bytes, followed by their length and checksum. A file that was cut, changed, or put in the place of
//! another is not opened.
//!
//! | bytes | content |
//! |---|---|
//! | n | payload |
//! | 8 | `npuscope` |
//! | 8 | n, little endian |
//! | 8 | XXH3 of payload and identity, little endian |
//!
//! The identity names what the payload belongs to, such as a rank's key and the name of an extract; it is not stored.
//! The payload comes first so that a mapped one keeps its alignment.

use std::io::{self, Write};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const MAGIC: &[u8; 8] = b"npuscope";
const WORD: usize = 8;

/// Bytes that a sealed file has in addition to its payload.
pub const SEAL_BYTES: usize = 3 * WORD;

/// The checksum of a cached segment.
pub fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// Passes bytes on and computes their seal.
pub struct Sealing<W> {
    out: W,
    hash: Xxh3,
    bytes: u64,
}

impl<W: Write> Sealing<W> {
    pub fn new(out: W) -> Sealing<W> {
        Sealing { out, hash: Xxh3::new(), bytes: 0 }
    }

    /// Writes the seal.
    pub fn finish(mut self, identity: &str) -> io::Result<W> {
        self.hash.update(identity.as_bytes());
        self.out.write_all(MAGIC)?;
        self.out.write_all(&self.bytes.to_le_bytes())?;
        self.out.write_all(&self.hash.digest().to_le_bytes())?;
        Ok(self.out)
    }
}

impl<W: Write> Write for Sealing<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.out.write(buffer)?;
        self.hash.update(buffer.get(..written).unwrap_or_default());
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A payload with its seal.
pub fn seal(payload: &[u8], identity: &str) -> Vec<u8> {
    let mut sealing = Sealing::new(Vec::with_capacity(payload.len() + SEAL_BYTES));
    // Writing to memory cannot fail.
    let _ = sealing.write_all(payload);
    sealing.finish(identity).unwrap_or_default()
}

/// The payload of a sealed file, without computing its checksum; `None` if it was cut.
pub fn payload(sealed: &[u8]) -> Option<&[u8]> {
    split(sealed).map(|(payload, _)| payload)
}

/// The payload of a sealed file; `None` if any byte of it is not as it was written.
pub fn unseal<'a>(sealed: &'a [u8], identity: &str) -> Option<&'a [u8]> {
    let (payload, expected) = split(sealed)?;
    let mut hash = Xxh3::new();
    hash.update(payload);
    hash.update(identity.as_bytes());
    (hash.digest() == expected).then_some(payload)
}

/// The payload and the checksum that it should have.
fn split(sealed: &[u8]) -> Option<(&[u8], u64)> {
    let (payload, seal) = sealed.split_at_checked(sealed.len().checked_sub(SEAL_BYTES)?)?;
    let (magic, numbers) = seal.split_first_chunk::<WORD>()?;
    let (length, checksum) = numbers.split_first_chunk::<WORD>()?;
    let is_whole = magic == MAGIC && u64::from_le_bytes(*length) == payload.len() as u64;
    is_whole.then_some((payload, u64::from_le_bytes(checksum.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_payload_belongs_to_its_identity() {
        let sealed = seal(b"answer", "rank/name");
        assert_eq!(unseal(&sealed, "rank/name"), Some(&b"answer"[..]));
        assert_eq!(unseal(&sealed, "rank/other"), None);
        assert_eq!(unseal(&seal(b"", ""), ""), Some(&b""[..]));
    }

    proptest! {
        #![proptest_config(npuscope_testing::cases(256))]

        #[test]
        fn any_flipped_bit_and_any_cut_is_noticed(payload: Vec<u8>, at: prop::sample::Index, bit in 0u8..8) {
            let sealed = seal(&payload, "id");
            let at = at.index(sealed.len());
            let mut flipped = sealed.clone();
            flipped[at] ^= 1 << bit;
            prop_assert_eq!(unseal(&flipped, "id"), None);
            prop_assert_eq!(unseal(&sealed[..at], "id"), None);
            prop_assert_eq!(unseal(&sealed, "id"), Some(&payload[..]));
        }
    }
}
