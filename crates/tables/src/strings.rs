//! Strings are stored once per rank. Columns hold [`Str`] ids; a scan turns ids back into `Utf8View`.

use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, OnceLock};

use arrow::array::{Array, ArrayRef, StringArray, StringViewArray, UInt32Array, make_view};
use arrow::buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// A handle of an interned string, valid for the rank it was interned for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Str(pub u32);

/// Arrow string offsets are 32 bit, so one rank holds at most 2 GiB of distinct text.
const MAX_BYTES: usize = i32::MAX as usize;

/// Collects distinct strings while a rank is read.
pub struct Interner {
    bytes: Vec<u8>,
    ends: Vec<i32>,
    index: HashTable<u32>,
    hasher: FixedState,
    overflowed: bool,
}

impl Default for Interner {
    fn default() -> Self {
        let mut interner = Interner {
            bytes: Vec::new(),
            ends: vec![0],
            index: HashTable::new(),
            hasher: FixedState::default(),
            overflowed: false,
        };
        interner.intern("");
        interner
    }
}

impl Interner {
    /// The empty string is always the first.
    pub const EMPTY: Str = Str(0);

    pub fn intern(&mut self, text: &str) -> Str {
        let hash = self.hash(text.as_bytes());
        match self.find(hash, text.as_bytes()) {
            Some(id) => id,
            None => self.insert(hash, text),
        }
    }

    /// Interns bytes that ought to be UTF-8; what is not becomes U+FFFD.
    ///
    /// Bytes equal to a known string are valid already, so the check is paid once per distinct string.
    pub fn intern_bytes(&mut self, bytes: &[u8]) -> Str {
        let hash = self.hash(bytes);
        if let Some(id) = self.find(hash, bytes) {
            return id;
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => self.insert(hash, text),
            Err(_) => self.intern(&String::from_utf8_lossy(bytes)),
        }
    }

    /// Whether these are the bytes of a string.
    #[inline]
    pub fn is(&self, id: Str, bytes: &[u8]) -> bool {
        self.bytes_of(id.0) == bytes
    }

    /// Whether [`MAX_BYTES`] was reached, after which new strings read as empty.
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    pub fn get(&self, id: Str) -> &str {
        // Only whole strings were appended, so the bytes between two ends are UTF-8.
        std::str::from_utf8(self.bytes_of(id.0)).unwrap_or_default()
    }

    /// Takes in all strings of `other`; the result maps its ids to ours, indexed by id.
    ///
    /// Strings new to us keep the order in which `other` first saw them, so interning a file in pieces
    /// and absorbing the pieces in order gives the ids of interning it in one go.
    pub fn absorb(&mut self, other: &Interner) -> Vec<Str> {
        (0..other.len()).map(|id| self.intern_bytes(other.bytes_of(id))).collect()
    }

    pub fn finish(self) -> Strings {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(self.ends));
        // SAFETY: `ends` starts at 0, grows with every insert, and cuts `bytes` only between whole
        // `&str`s, so every slice is UTF-8. `strings_survive_the_cache` would catch a breach.
        let array = unsafe { StringArray::new_unchecked(offsets, Buffer::from_vec(self.bytes), None) };
        Strings::new(array)
    }

    #[expect(clippy::cast_possible_truncation, reason = "every id was handed out as u32")]
    fn len(&self) -> u32 {
        (self.ends.len() - 1) as u32
    }

    fn hash(&self, bytes: &[u8]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(bytes);
        hasher.finish()
    }

    fn bytes_of(&self, id: u32) -> &[u8] {
        let id = id as usize;
        match (self.ends.get(id), self.ends.get(id + 1)) {
            (Some(&start), Some(&end)) => self.bytes.get(start as usize..end as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    fn find(&self, hash: u64, bytes: &[u8]) -> Option<Str> {
        self.index.find(hash, |&id| self.bytes_of(id) == bytes).map(|&id| Str(id))
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "bounded by MAX_BYTES")]
    fn insert(&mut self, hash: u64, text: &str) -> Str {
        if self.bytes.len() + text.len() > MAX_BYTES {
            self.overflowed = true;
            return Self::EMPTY;
        }
        let id = self.len();
        self.bytes.extend_from_slice(text.as_bytes());
        self.ends.push(self.bytes.len() as i32);
        let Interner { index, bytes, ends, hasher, .. } = self;
        index.insert_unique(hash, id, |&id| {
            let id = id as usize;
            let start = ends.get(id).copied().unwrap_or_default() as usize;
            let end = ends.get(id + 1).copied().unwrap_or_default() as usize;
            let mut state = hasher.build_hasher();
            state.write(bytes.get(start..end).unwrap_or_default());
            state.finish()
        });
        Str(id)
    }
}

/// An interner that knows these strings by these ids.
impl From<&Strings> for Interner {
    fn from(strings: &Strings) -> Self {
        let mut interner = Interner::default();
        for text in strings.array.iter().flatten() {
            interner.intern(text);
        }
        interner
    }
}

/// The distinct strings of one rank, indexed by [`Str`].
#[derive(Clone)]
pub struct Strings {
    array: StringArray,
    views: Arc<OnceLock<ScalarBuffer<u128>>>,
}

impl Strings {
    pub fn new(array: StringArray) -> Strings {
        Strings { array, views: Arc::default() }
    }

    #[inline]
    pub fn get(&self, id: Str) -> &str {
        let id = id.0 as usize;
        if id < self.array.len() { self.array.value(id) } else { "" }
    }

    pub fn len(&self) -> usize {
        self.array.len()
    }

    pub fn is_empty(&self) -> bool {
        self.array.is_empty()
    }

    pub fn array(&self) -> &StringArray {
        &self.array
    }

    /// A column of ids as the strings they stand for: 16 bytes a row, no text copied.
    pub fn resolve(&self, ids: &UInt32Array) -> ArrayRef {
        let views = self.views.get_or_init(|| self.all_views());
        let column: Vec<u128> =
            ids.values().iter().map(|&id| views.get(id as usize).copied().unwrap_or_default()).collect();
        let text = self.array.values().clone();
        // SAFETY: `all_views` made every view from the bytes of a whole string at its place in `text`,
        // and a zero view is the empty string. `a_resolved_column_reads_like_its_ids` checks it.
        Arc::new(unsafe { StringViewArray::new_unchecked(column.into(), vec![text], ids.nulls().cloned()) })
    }

    #[expect(clippy::cast_sign_loss, reason = "Arrow string offsets are never negative")]
    fn all_views(&self) -> ScalarBuffer<u128> {
        let offsets = self.array.value_offsets();
        let starts = offsets.iter().map(|&o| o as u32);
        self.array.iter().zip(starts).map(|(s, start)| make_view(s.unwrap_or_default().as_bytes(), 0, start)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::AsArray;
    use proptest::prelude::*;

    #[test]
    fn equal_strings_share_one_id() {
        let mut interner = Interner::default();
        let a = interner.intern("aten::mm");
        assert_eq!(interner.intern_bytes(b"aten::mm"), a);
        assert_ne!(interner.intern("aten::add"), a);
        assert_eq!(interner.intern(""), Interner::EMPTY);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced_not_refused() {
        let mut interner = Interner::default();
        let id = interner.intern_bytes(b"kernel \xff");
        assert_eq!(interner.get(id), "kernel \u{fffd}");
    }

    proptest! {
        #![proptest_config(npuscope_testing::cases(256))]

        #[test]
        fn a_resolved_column_reads_like_its_ids(texts in prop::collection::vec(".{0,40}", 1..50)) {
            let mut interner = Interner::default();
            let ids: Vec<u32> = texts.iter().map(|t| interner.intern(t).0).collect();
            let strings = interner.finish();
            let column = strings.resolve(&UInt32Array::from(ids));
            let read: Vec<&str> = column.as_string_view().iter().map(|s| s.unwrap()).collect();
            prop_assert_eq!(read, texts);
        }

        #[test]
        fn absorbing_pieces_in_order_gives_the_ids_of_one_go(
            texts in prop::collection::vec("[a-c]{0,2}", 0..60), cut in 0usize..60,
        ) {
            let cut = cut.min(texts.len());
            let mut whole = Interner::default();
            let expected: Vec<Str> = texts.iter().map(|t| whole.intern(t)).collect();
            let (mut first, mut second) = (Interner::default(), Interner::default());
            let mut got: Vec<Str> = texts[..cut].iter().map(|t| first.intern(t)).collect();
            let local: Vec<Str> = texts[cut..].iter().map(|t| second.intern(t)).collect();
            let map = first.absorb(&second);
            got.extend(local.iter().map(|id| map[id.0 as usize]));
            prop_assert_eq!(got, expected);
        }
    }
}
