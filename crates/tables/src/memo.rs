//! What a string of a rank means, found once per string.

use crate::Str;

/// A value per string of one set of tables, as far as it was asked for.
pub struct Memo<T> {
    known: Vec<Option<T>>,
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Memo { known: Vec::new() }
    }
}

impl<T: Copy> Memo<T> {
    /// The value of a string, made by `make` the first time.
    #[inline]
    pub fn get(&mut self, id: Str, make: impl FnOnce() -> T) -> T {
        let at = id.0 as usize;
        if let Some(Some(value)) = self.known.get(at) {
            return *value;
        }
        let value = make();
        if at >= self.known.len() {
            self.known.resize(at + 1, None);
        }
        if let Some(place) = self.known.get_mut(at) {
            *place = Some(value);
        }
        value
    }
}
