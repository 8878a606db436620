//! Python's texts as numbers of the recording.

use std::ffi::c_char;

use npuscope_collect::recorder::{self, Name};
use pyo3::ffi;

/// What stands for a text that cannot be encoded as UTF-8.
const NOT_TEXT: &str = "N/A";

unsafe extern "C" {
    /// Part of the stable interface from Python 3.10 on, and there in 3.9.
    fn PyUnicode_AsUTF8AndSize(text: *mut ffi::PyObject, size: *mut ffi::Py_ssize_t) -> *const c_char;
}

/// The bytes of a `str` while it lives; `None` if it is none.
///
/// # Safety
/// The caller holds the GIL, and `object` is alive as long as the answer is used.
pub unsafe fn utf8<'a>(object: *mut ffi::PyObject) -> Option<&'a str> {
    // SAFETY: the caller holds the GIL and `object` is alive; Python keeps the bytes with the object.
    unsafe {
        if ffi::PyUnicode_Check(object) == 0 {
            return None;
        }
        let mut size = 0;
        let bytes = PyUnicode_AsUTF8AndSize(object, &mut size);
        if bytes.is_null() {
            ffi::PyErr_Clear();
            return Some(NOT_TEXT);
        }
        let bytes = std::slice::from_raw_parts(bytes.cast::<u8>(), size as usize);
        Some(std::str::from_utf8_unchecked(bytes))
    }
}

/// Remembers the numbers of texts by the address of their objects, which it keeps alive meanwhile. A literal in a
/// loop is the same object each time. Only used with the GIL held.
pub struct Remembered<const N: usize> {
    recording: u64,
    entries: [Entry; N],
}

#[derive(Clone, Copy)]
struct Entry {
    object: *mut ffi::PyObject,
    name: Option<Name>,
}

impl<const N: usize> Remembered<N> {
    pub const fn new() -> Self {
        Self { recording: 0, entries: [Entry { object: std::ptr::null_mut(), name: None }; N] }
    }

    /// The number of a text, asked of `look_up` if it is not remembered; `None` if it is to be left out.
    ///
    /// # Safety
    /// The caller holds the GIL and `object` is alive.
    #[inline(always)]
    pub unsafe fn name(
        &mut self,
        object: *mut ffi::PyObject,
        look_up: impl FnOnce(&str) -> Option<Name>,
    ) -> Option<Name> {
        // Objects are 16 bytes apart or more.
        let at = (object as usize >> 4) % N;
        match self.entries.get(at) {
            Some(entry) if entry.object == object && self.recording == recorder::recording() => entry.name,
            // SAFETY: as the caller promises.
            _ => unsafe { self.remember(object, at, look_up) },
        }
    }

    /// # Safety
    /// As of `name`.
    #[cold]
    unsafe fn remember(
        &mut self,
        object: *mut ffi::PyObject,
        at: usize,
        look_up: impl FnOnce(&str) -> Option<Name>,
    ) -> Option<Name> {
        let recording = recorder::recording();
        // SAFETY: the GIL is held; entries hold references of their own.
        unsafe {
            if self.recording != recording {
                for entry in &mut self.entries {
                    ffi::Py_XDECREF(std::mem::replace(&mut entry.object, std::ptr::null_mut()));
                }
                self.recording = recording;
            }
            let name = look_up(utf8(object)?);
            if let Some(entry) = self.entries.get_mut(at) {
                ffi::Py_INCREF(object);
                let before = std::mem::replace(entry, Entry { object, name });
                ffi::Py_XDECREF(before.object);
            }
            name
        }
    }
}
