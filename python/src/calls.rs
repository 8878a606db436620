//! Calls of functions, seen through the interpreter's profile hook.

use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::hash::{BuildHasherDefault, Hasher};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use npuscope_collect::recorder::{self, Name, Tag};
use pyo3::ffi;
use pyo3::prelude::*;

type Hook = unsafe extern "C" fn(*mut ffi::PyObject, *mut c_void, c_int, *mut ffi::PyObject) -> c_int;

unsafe extern "C" {
    /// Not in the stable interface, and the same in every Python from 3.9 on.
    fn PyEval_SetProfile(hook: Option<Hook>, argument: *mut ffi::PyObject);
    fn PyFrame_GetCode(frame: *mut c_void) -> *mut ffi::PyObject;
}

// What the hook is told of, as Python numbers it.
const CALL: c_int = 0;
const RETURN: c_int = 3;
const C_CALL: c_int = 4;
const C_EXCEPTION: c_int = 5;
const C_RETURN: c_int = 6;

/// Frames that were there before are told up to so many.
const MAX_DEPTH: usize = 128;

/// Functions that are told apart: more are seldom, and each keeps its code alive.
const MAX_FUNCTIONS: usize = 1 << 18;

/// The recording whose calls are hooked; hooks of others take themselves away.
static HOOKED: AtomicU64 = AtomicU64::new(0);

/// Numbers of functions by their address.
#[derive(Default)]
struct Functions {
    recording: u64,
    names: HashMap<usize, Name, BuildHasherDefault<AddressHasher>>,
    /// Keeps what the addresses are of alive.
    kept: Vec<Py<PyAny>>,
}

/// Addresses are spread already.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_usize(*byte as usize));
    }

    fn write_usize(&mut self, address: usize) {
        self.0 = (self.0 ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}

struct WithGil<T>(UnsafeCell<Option<T>>);

// SAFETY: every use is by a thread that holds the GIL.
unsafe impl<T> Sync for WithGil<T> {}

static FUNCTIONS: WithGil<Functions> = WithGil(UnsafeCell::new(None));

/// Begins to record the calls of this thread and of threads that start from now on.
pub fn install(py: Python<'_>) -> PyResult<()> {
    HOOKED.store(recorder::recording(), Ordering::Relaxed);
    let sys = py.import("sys")?;
    if !sys.call_method0("getprofile")?.is_none() {
        let message = "another profiler has the interpreter's hook: calls of Python functions are not recorded";
        return Err(pyo3::exceptions::PyRuntimeError::new_err(message));
    }
    let threads = py.import("threading")?;
    threads.call_method1("setprofile", (wrap_pyfunction!(profile_hook, &threads)?,))?;
    tell_frames(&sys)?;
    // SAFETY: the GIL is held; the hook is a plain function.
    unsafe { PyEval_SetProfile(Some(hook), ptr::null_mut()) };
    Ok(())
}

/// Ends what `install` began. Other threads' hooks take themselves away when they are next called.
pub fn remove(py: Python<'_>) -> PyResult<()> {
    if HOOKED.swap(0, Ordering::Relaxed) == 0 {
        return Ok(());
    }
    // SAFETY: the GIL is held.
    unsafe {
        PyEval_SetProfile(None, ptr::null_mut());
        *FUNCTIONS.0.get() = None;
    }
    py.import("threading")?.call_method1("setprofile", (py.None(),)).map(drop)
}

/// What a new thread calls first: it puts the hook in its own place.
#[pyfunction]
#[pyo3(signature = (*_arguments))]
pub fn profile_hook(_arguments: &Bound<'_, pyo3::types::PyTuple>) {
    let hook: Option<Hook> = if is_wanted() { Some(hook) } else { None };
    // SAFETY: Python calls this function, so the GIL is held.
    unsafe { PyEval_SetProfile(hook, ptr::null_mut()) };
}

fn is_wanted() -> bool {
    let hooked = HOOKED.load(Ordering::Relaxed);
    hooked != 0 && hooked == recorder::recording()
}

/// The functions that were entered before the recording began, the outermost first.
fn tell_frames(sys: &Bound<'_, PyModule>) -> PyResult<()> {
    let mut frames = Vec::new();
    let mut frame = sys.call_method1("_getframe", (0,))?;
    while !frame.is_none() && frames.len() < MAX_DEPTH {
        frames.push(frame.getattr("f_code")?);
        frame = frame.getattr("f_back")?;
    }
    for code in frames.iter().rev() {
        // SAFETY: the GIL is held.
        if let Some(function) = unsafe { function(code.as_ptr() as usize, code.as_ptr(), code_text) } {
            recorder::call(function, Tag::PythonCall);
        }
    }
    Ok(())
}

/// # Safety
/// Python calls it, with the GIL held.
unsafe extern "C" fn hook(
    _argument: *mut ffi::PyObject,
    frame: *mut c_void,
    what: c_int,
    callee: *mut ffi::PyObject,
) -> c_int {
    if !is_wanted() {
        // SAFETY: the GIL is held.
        unsafe { PyEval_SetProfile(None, ptr::null_mut()) };
        return 0;
    }
    // SAFETY: the GIL is held; the frame is that of the call.
    unsafe {
        match what {
            CALL => {
                let code = PyFrame_GetCode(frame);
                if let Some(name) = function(code as usize, code, code_text) {
                    recorder::call(name, Tag::PythonCall);
                }
                ffi::Py_XDECREF(code);
            }
            RETURN => recorder::call(Name::NONE, Tag::PythonReturn),
            C_CALL if !callee.is_null() => {
                // Methods of different objects are one function.
                let address = match ffi::PyCFunction_Check(callee) {
                    0 => callee as usize,
                    _ => ffi::PyCFunction_GetFunction(callee).map_or(callee as usize, |function| function as usize),
                };
                if let Some(name) = function(address, callee, native_text) {
                    recorder::call(name, Tag::NativeCall);
                }
            }
            C_RETURN | C_EXCEPTION => recorder::call(Name::NONE, Tag::NativeReturn),
            _ => {}
        }
    }
    0
}

/// The number of a function.
///
/// # Safety
/// The GIL is held and `object` is alive.
#[inline(always)]
unsafe fn function(
    address: usize,
    object: *mut ffi::PyObject,
    text: fn(&Bound<'_, PyAny>) -> PyResult<String>,
) -> Option<Name> {
    // SAFETY: the GIL is held, so nobody else uses the functions.
    let functions = unsafe { (*FUNCTIONS.0.get()).get_or_insert_default() };
    if functions.recording == recorder::recording()
        && let Some(name) = functions.names.get(&address)
    {
        return Some(*name);
    }
    // SAFETY: as the caller promises.
    unsafe { new_function(address, object, text) }
}

/// # Safety
/// As of `function`.
#[cold]
unsafe fn new_function(
    address: usize,
    object: *mut ffi::PyObject,
    text: fn(&Bound<'_, PyAny>) -> PyResult<String>,
) -> Option<Name> {
    // SAFETY: the GIL is held. Making the text may call Python, which may call the hook: nothing is borrowed then.
    unsafe {
        let py = Python::assume_attached();
        let object = Bound::from_borrowed_ptr_or_opt(py, object)?;
        let name = recorder::name(&text(&object).unwrap_or_else(|_| "N/A".to_owned()));
        let functions = (*FUNCTIONS.0.get()).get_or_insert_default();
        if functions.recording != recorder::recording() {
            *functions = Functions { recording: recorder::recording(), ..Functions::default() };
        }
        if functions.names.len() < MAX_FUNCTIONS {
            functions.names.insert(address, name);
            functions.kept.push(object.unbind());
        }
        Some(name)
    }
}

/// `file(line): function`.
fn code_text(code: &Bound<'_, PyAny>) -> PyResult<String> {
    let name = code.getattr("co_qualname").or_else(|_| code.getattr("co_name"))?;
    Ok(format!("{}({}): {name}", code.getattr("co_filename")?, code.getattr("co_firstlineno")?))
}

/// As Python shows built-in functions, without the address of an object.
fn native_text(callee: &Bound<'_, PyAny>) -> PyResult<String> {
    let name = callee.getattr("__qualname__").or_else(|_| callee.getattr("__name__"))?;
    let module = callee.getattr("__module__").ok().filter(|module| !module.is_none());
    Ok(match module {
        Some(module) if module.to_string() != "builtins" => format!("<built-in function {module}.{name}>"),
        _ => format!("<built-in function {name}>"),
    })
}
