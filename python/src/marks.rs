//! Ranges, marks and counters: what is called in the inner loops of training.
//!
//! Written against Python's C interface, without a wrapper: when nothing is recorded a call costs what a call of
//! an empty built-in function costs. Nothing here raises: a wrong argument is no reason to stop training.

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use npuscope_collect::recorder::{self, Name};
use pyo3::ffi;
use pyo3::prelude::*;

use crate::text::Remembered;

/// As Python's `METH_FASTCALL | METH_KEYWORDS`, which the stable interface has from 3.10 on and 3.9 has too.
const FAST_WITH_KEYWORDS: c_int = 0x80 | 0x02;

type Fast = unsafe extern "C" fn(
    *mut ffi::PyObject,
    *const *mut ffi::PyObject,
    ffi::Py_ssize_t,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

/// What is only touched with the GIL held.
struct WithGil<T>(UnsafeCell<T>);

// SAFETY: every use is by a thread that holds the GIL.
unsafe impl<T> Sync for WithGil<T> {}

static MESSAGES: WithGil<Remembered<1024>> = WithGil(UnsafeCell::new(Remembered::new()));
static DOMAINS: WithGil<Remembered<64>> = WithGil(UnsafeCell::new(Remembered::new()));

/// The arguments of a call.
struct Arguments {
    values: *const *mut ffi::PyObject,
    count: usize,
    /// A tuple of the names of the last ones, or null.
    keywords: *mut ffi::PyObject,
}

impl Arguments {
    /// The argument at a place or by its name; null if it is not given.
    ///
    /// # Safety
    /// The GIL is held and the arguments are those of the call.
    #[inline(always)]
    unsafe fn get(&self, at: usize, name: &CStr) -> *mut ffi::PyObject {
        // SAFETY: `values` has `count` values and one for each keyword behind them.
        unsafe {
            if at < self.count {
                return *self.values.add(at);
            }
            if self.keywords.is_null() {
                return ptr::null_mut();
            }
            self.keyword(name)
        }
    }

    /// # Safety
    /// As of `get`.
    #[cold]
    unsafe fn keyword(&self, name: &CStr) -> *mut ffi::PyObject {
        // SAFETY: as of `get`; keywords are a tuple of texts.
        unsafe {
            for at in 0..ffi::PyTuple_Size(self.keywords) {
                let keyword = ffi::PyTuple_GetItem(self.keywords, at);
                if !keyword.is_null() && ffi::PyUnicode_CompareWithASCIIString(keyword, name.as_ptr()) == 0 {
                    return *self.values.add(self.count + at as usize);
                }
            }
            ptr::null_mut()
        }
    }

    /// The message and the domain; `None` if there is nothing to record.
    ///
    /// # Safety
    /// As of `get`.
    #[inline(always)]
    unsafe fn message_and_domain(&self) -> Option<(Name, Name)> {
        // SAFETY: the GIL is held, so nobody else uses what is remembered.
        unsafe {
            let message = self.get(0, c"message");
            if message.is_null() {
                return None;
            }
            let domain = self.get(2, c"domain");
            let domain =
                if domain.is_null() { default_domain()? } else { (*DOMAINS.0.get()).name(domain, recorder::domain)? };
            Some(((*MESSAGES.0.get()).name(message, |text| Some(recorder::name(text)))?, domain))
        }
    }
}

/// The domain of those that name none, unless it is excluded.
#[inline(always)]
fn default_domain() -> Option<Name> {
    // Twice the number of the recording, and one more if the domain is excluded.
    static KNOWN: AtomicU64 = AtomicU64::new(0);
    let (known, recording) = (KNOWN.load(Ordering::Relaxed), recorder::recording());
    if known >> 1 == recording {
        return (known & 1 == 0).then_some(Name::NONE);
    }
    let domain = recorder::domain("default");
    KNOWN.store(recording << 1 | u64::from(domain.is_none()), Ordering::Relaxed);
    domain
}

/// # Safety
/// Python calls it, with the GIL held.
unsafe extern "C" fn range_start(
    _module: *mut ffi::PyObject,
    values: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the GIL is held; the arguments are those of the call.
    unsafe {
        if !recorder::is_on() {
            return zero();
        }
        let arguments = Arguments { values, count: count as usize, keywords };
        match arguments.message_and_domain() {
            Some((message, domain)) => ffi::PyLong_FromUnsignedLongLong(recorder::range_start(message, domain)),
            None => zero(),
        }
    }
}

/// Python's 0, kept at hand: making one is a call more.
static ZERO: AtomicPtr<ffi::PyObject> = AtomicPtr::new(ptr::null_mut());

/// # Safety
/// The GIL is held, and the module is there.
#[inline(always)]
unsafe fn zero() -> *mut ffi::PyObject {
    let zero = ZERO.load(Ordering::Relaxed);
    // SAFETY: `register` has put a reference there that is never given back.
    unsafe { ffi::Py_INCREF(zero) };
    zero
}

/// # Safety
/// Python calls it, with the GIL held.
unsafe extern "C" fn range_end(
    _module: *mut ffi::PyObject,
    values: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the GIL is held; the arguments are those of the call.
    unsafe {
        if recorder::is_on() {
            let id = Arguments { values, count: count as usize, keywords }.get(0, c"range_id");
            if !id.is_null() && ffi::PyLong_Check(id) != 0 {
                let number = ffi::PyLong_AsUnsignedLongLong(id);
                if number == u64::MAX {
                    // Negative or too large: not one of ours.
                    ffi::PyErr_Clear();
                } else {
                    recorder::range_end(number);
                }
            }
        }
        none()
    }
}

/// # Safety
/// Python calls it, with the GIL held.
unsafe extern "C" fn mark(
    _module: *mut ffi::PyObject,
    values: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the GIL is held; the arguments are those of the call.
    unsafe {
        if recorder::is_on()
            && let Some((message, domain)) =
                (Arguments { values, count: count as usize, keywords }).message_and_domain()
        {
            recorder::mark(message, domain);
        }
        none()
    }
}

/// # Safety
/// Python calls it, with the GIL held.
unsafe extern "C" fn counter(
    _module: *mut ffi::PyObject,
    values: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the GIL is held; the arguments are those of the call.
    unsafe {
        if recorder::is_on() {
            let arguments = Arguments { values, count: count as usize, keywords };
            let (name, value) = (arguments.get(0, c"name"), arguments.get(1, c"value"));
            if !name.is_null() && !value.is_null() {
                let number = ffi::PyFloat_AsDouble(value);
                if number == -1.0 && !ffi::PyErr_Occurred().is_null() {
                    ffi::PyErr_Clear();
                } else if let Some(name) = (*MESSAGES.0.get()).name(name, |text| Some(recorder::name(text))) {
                    recorder::counter(name, number);
                }
            }
        }
        none()
    }
}

/// # Safety
/// The GIL is held.
#[inline(always)]
unsafe fn none() -> *mut ffi::PyObject {
    // SAFETY: as the caller promises.
    unsafe {
        let none = ffi::Py_None();
        ffi::Py_INCREF(none);
        none
    }
}

/// The functions, their places and their texts.
const FUNCTIONS: [(&CStr, Fast, &CStr); 4] = [
    (
        c"range_start",
        range_start,
        c"range_start($module, message, stream=None, domain='default')\n--\n\nBegin a range. Returns its id, 0 when nothing is recording.",
    ),
    (
        c"range_end",
        range_end,
        c"range_end($module, range_id, domain='default')\n--\n\nEnd a range, on any thread.",
    ),
    (
        c"mark",
        mark,
        c"mark($module, message, stream=None, domain='default')\n--\n\nMark a moment.",
    ),
    (
        c"counter",
        counter,
        c"counter($module, name, value)\n--\n\nRecord that a counter has this value from now on.",
    ),
];

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    ZERO.store(0i32.into_pyobject(module.py())?.into_ptr(), Ordering::Relaxed);
    let module_name = module.name()?;
    for (name, function, doc) in FUNCTIONS {
        // Python keeps the definition as long as the function, which is as long as the process.
        let definition = Box::leak(Box::new(ffi::PyMethodDef {
            ml_name: name.as_ptr().cast::<c_char>(),
            // SAFETY: the flags say which kind of function it is.
            ml_meth: ffi::PyMethodDefPointer {
                PyCFunctionWithKeywords: unsafe { std::mem::transmute::<Fast, ffi::PyCFunctionWithKeywords>(function) },
            },
            ml_flags: FAST_WITH_KEYWORDS,
            ml_doc: doc.as_ptr().cast::<c_char>(),
        }));
        // SAFETY: the definition lives on; a new reference is given.
        let function: Bound<'_, PyAny> = unsafe {
            Bound::from_owned_ptr_or_err(
                module.py(),
                ffi::PyCFunction_NewEx(definition, module.as_ptr(), module_name.as_ptr()),
            )?
        };
        module.add(name.to_str().unwrap_or_default(), function)?;
    }
    Ok(())
}
