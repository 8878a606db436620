//! Calls of functions, seen through the interpreter's profile hook.

use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::hash::{BuildHasherDefault, Hasher};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use npuscope_collect::recorder::{self, Name, Tag};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::language;

type Hook = unsafe extern "C" fn(*mut ffi::PyObject, *mut c_void, c_int, *mut ffi::PyObject) -> c_int;

unsafe extern "C" {
    /// Not in the stable interface, and the same in every Python from 3.9 on.
    fn PyEval_SetProfile(hook: Option<Hook>, argument: *mut ffi::PyObject);
    fn PyFrame_GetCode(frame: *mut c_void) -> *mut ffi::PyObject;
}

// The events of the hook, as Python numbers them.
const CALL: c_int = 0;
const RETURN: c_int = 3;
const C_CALL: c_int = 4;
const C_EXCEPTION: c_int = 5;
const C_RETURN: c_int = 6;

/// The number of earlier frames that are recorded.
const MAX_DEPTH: usize = 128;

/// Functions that are distinguished: more are rare, and each keeps its code alive.
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

/// What `threading` had for new threads before us.
static BEFORE: Mutex<Option<Py<PyAny>>> = Mutex::new(None);

/// What `sys.getprofile` gives while the hook is ours.
static OURS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

fn ours<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyAny>> {
    let ours = OURS.get_or_try_init(py, || Ok::<_, PyErr>("npuscope".into_pyobject(py)?.into_any().unbind()))?;
    Ok(ours.bind(py))
}

/// Begins to record the calls of this thread and of threads that start from now on.
pub fn install(py: Python<'_>) -> PyResult<()> {
    let (sys, threading, ours) = (py.import("sys")?, py.import("threading")?, ours(py)?);
    let of_threads = threading.getattr("_profile_hook")?;
    if !sys.call_method0("getprofile")?.is_none() || !of_threads.is_none() {
        let message = language::localized(
            "another profiler has the interpreter's hook: calls of Python functions are not recorded",
            "解释器的 profile 钩子已被其他 profiler 占用：不采集 Python 函数调用",
        );
        return Err(pyo3::exceptions::PyRuntimeError::new_err(message));
    }
    report_frames(&sys.call_method1("_getframe", (0,))?)?;
    threading.call_method1("setprofile", (wrap_pyfunction!(profile_hook, &threading)?,))?;
    *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(of_threads.unbind());
    HOOKED.store(recorder::recording(), Ordering::Relaxed);
    // SAFETY: the GIL is held; the hook is a plain function, its argument an object that is never given back.
    unsafe { PyEval_SetProfile(Some(hook), ours.as_ptr()) };
    Ok(())
}

/// Ends what `install` began. Other threads' hooks take themselves away when they are next called.
pub fn remove(py: Python<'_>) -> PyResult<()> {
    if HOOKED.swap(0, Ordering::Relaxed) == 0 {
        return Ok(());
    }
    // Somebody else may have taken the hook meanwhile.
    if py.import("sys")?.call_method0("getprofile")?.is(ours(py)?) {
        // SAFETY: the GIL is held.
        unsafe { PyEval_SetProfile(None, ptr::null_mut()) };
    }
    // SAFETY: the GIL is held, so nobody else uses the functions.
    drop(unsafe { (*FUNCTIONS.0.get()).take() });
    let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
    match before {
        Some(before) => py.import("threading")?.call_method1("setprofile", (before,)).map(drop),
        None => Ok(()),
    }
}

/// What a new thread calls first: it puts the hook in its own place.
#[pyfunction]
#[pyo3(signature = (frame, event, _argument=None))]
pub fn profile_hook(frame: &Bound<'_, PyAny>, event: &str, _argument: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    if !is_wanted() {
        // SAFETY: Python calls this function, so the GIL is held.
        unsafe { PyEval_SetProfile(None, ptr::null_mut()) };
        return Ok(());
    }
    // A function that is being left is over.
    let entered = if event == "return" { frame.getattr("f_back")? } else { frame.clone() };
    report_frames(&entered)?;
    // SAFETY: as above; the argument is never given back.
    unsafe { PyEval_SetProfile(Some(hook), ours(frame.py())?.as_ptr()) };
    Ok(())
}

fn is_wanted() -> bool {
    let hooked = HOOKED.load(Ordering::Relaxed);
    hooked != 0 && hooked == recorder::recording()
}

/// The functions that were entered before the recording began, the outermost first.
fn report_frames(innermost: &Bound<'_, PyAny>) -> PyResult<()> {
    let mut frames = Vec::new();
    let mut frame = innermost.clone();
    while !frame.is_none() && frames.len() < MAX_DEPTH {
        frames.push(frame.getattr("f_code")?);
        frame = frame.getattr("f_back")?;
    }
    for code in frames.iter().rev() {
        // SAFETY: the GIL is held.
        if let Some(function) = unsafe { function(code.as_ptr() as usize, code.as_ptr(), Keep::Object, code_text) } {
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
                if let Some(name) = function(code as usize, code, Keep::Object, code_text) {
                    recorder::call(name, Tag::PythonCall);
                }
                ffi::Py_XDECREF(code);
            }
            RETURN => recorder::call(Name::NONE, Tag::PythonReturn),
            C_CALL if !callee.is_null() => {
                let (address, keep) = match ffi::PyCFunction_Check(callee) {
                    0 => (callee as usize, Keep::Object),
                    _ => (definition(callee), Keep::Nothing),
                };
                if let Some(name) = function(address, callee, keep, native_text) {
                    recorder::call(name, Tag::NativeCall);
                }
            }
            C_RETURN | C_EXCEPTION => recorder::call(Name::NONE, Tag::NativeReturn),
            _ => {}
        }
    }
    0
}

/// Where the definition of a built-in function is. Methods of different objects have one, and it outlives them.
///
/// # Safety
/// `callee` is a `PyCFunctionObject`.
unsafe fn definition(callee: *mut ffi::PyObject) -> usize {
    // SAFETY: the pointer to the definition follows the head of the object, in every Python from 3.9 on.
    unsafe { *callee.cast::<u8>().add(size_of::<ffi::PyObject>()).cast::<usize>() }
}

/// What is kept alive so that an address means the same function all the time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// The object that the address is of.
    Object,
    /// The address is of something that stays by itself.
    Nothing,
}

/// The number of a function.
///
/// # Safety
/// The GIL is held and `object` is alive.
#[inline(always)]
unsafe fn function(
    address: usize,
    object: *mut ffi::PyObject,
    keep: Keep,
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
    unsafe { new_function(address, object, keep, text) }
}

/// # Safety
/// As of `function`.
#[cold]
unsafe fn new_function(
    address: usize,
    object: *mut ffi::PyObject,
    keep: Keep,
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
            if keep == Keep::Object {
                functions.kept.push(object.unbind());
            }
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
