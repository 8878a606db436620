//! Loading the libraries.

use std::ffi::{c_char, c_void};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use libloading::Library;

use super::error::CannError;
use super::mstx::Mstx;

/// Where the libraries are. Those that are not named are looked for by their usual names, first in the directories,
/// then where the system looks.
#[derive(Clone, Debug, Default)]
pub struct Libraries {
    pub directories: Vec<PathBuf>,
    /// `libascendcl.so`
    pub ascendcl: Option<PathBuf>,
    /// `libmsprofiler.so`
    pub msprofiler: Option<PathBuf>,
    /// `libms_tools_ext.so`
    pub tools_ext: Option<PathBuf>,
}

/// `aclprofConfig`, known to CANN alone.
#[repr(C)]
pub struct RawConfig {
    private: [u8; 0],
}

/// The functions of `acl_prof.h` that a recording needs.
#[derive(Clone, Copy)]
pub(super) struct Functions {
    pub init: unsafe extern "C" fn(*const c_char, usize) -> i32,
    pub finalize: unsafe extern "C" fn() -> i32,
    pub create_config: unsafe extern "C" fn(*mut u32, u32, u32, *const c_void, u64) -> *mut RawConfig,
    pub destroy_config: unsafe extern "C" fn(*const RawConfig) -> i32,
    pub start: unsafe extern "C" fn(*const RawConfig) -> i32,
    pub stop: unsafe extern "C" fn(*const RawConfig) -> i32,
    // Not every CANN has these.
    pub warmup: Option<unsafe extern "C" fn(*const RawConfig) -> i32>,
    pub set_config: Option<unsafe extern "C" fn(u32, *const c_char, usize) -> i32>,
    pub register_device_callback: Option<unsafe extern "C" fn() -> i32>,
}

/// CANN's libraries, loaded. They stay loaded until the process ends: they have threads of their own, which would run
/// on in memory that is gone.
pub struct Cann {
    pub(super) functions: Functions,
    mstx: Option<Mstx>,
}

impl Cann {
    /// Loads the libraries. Only `libascendcl.so` must be there; without the others there is no warmup, no setting of
    /// rates and no range of users.
    pub fn open(libraries: &Libraries) -> Result<Cann, CannError> {
        let ascendcl = load("libascendcl.so", libraries.ascendcl.as_deref(), &libraries.directories)?;
        let msprofiler = optional("libmsprofiler.so", libraries.msprofiler.as_deref(), &libraries.directories)?;
        let tools_ext = optional("libms_tools_ext.so", libraries.tools_ext.as_deref(), &libraries.directories)?;
        let all: Vec<&Loaded> = [Some(&ascendcl), msprofiler.as_ref()].into_iter().flatten().collect();
        // SAFETY: the types are those that acl_prof.h declares for these names.
        let functions = unsafe {
            Functions {
                init: required(&all, "aclprofInit")?,
                finalize: required(&all, "aclprofFinalize")?,
                create_config: required(&all, "aclprofCreateConfig")?,
                destroy_config: required(&all, "aclprofDestroyConfig")?,
                start: required(&all, "aclprofStart")?,
                stop: required(&all, "aclprofStop")?,
                warmup: symbol(&all, "aclprofWarmup"),
                set_config: symbol(&all, "aclprofSetConfig"),
                register_device_callback: symbol(&all, "aclprofRegisterDeviceCallback"),
            }
        };
        let mstx = tools_ext.as_ref().and_then(Mstx::from_library);
        Ok(Cann { functions, mstx })
    }

    /// Ranges and marks of users, where the library for them is.
    pub fn mstx(&self) -> Option<&Mstx> {
        self.mstx.as_ref()
    }

    pub fn has_warmup(&self) -> bool {
        self.functions.warmup.is_some()
    }
}

pub(super) struct Loaded {
    path: PathBuf,
    library: ManuallyDrop<Library>,
}

fn load(name: &str, given: Option<&Path>, directories: &[PathBuf]) -> Result<Loaded, CannError> {
    let found = directories.iter().map(|directory| directory.join(name)).find(|path| path.is_file());
    let path = given.map(Path::to_owned).or(found).unwrap_or_else(|| PathBuf::from(name));
    // SAFETY: loading runs the library's initialisers; the caller chose CANN's own libraries.
    match unsafe { Library::new(&path) } {
        Ok(library) => Ok(Loaded { path, library: ManuallyDrop::new(library) }),
        Err(error) => Err(CannError::Library { library: path, error: error.to_string() }),
    }
}

/// A library that may be missing, unless it was named.
fn optional(name: &str, given: Option<&Path>, directories: &[PathBuf]) -> Result<Option<Loaded>, CannError> {
    match load(name, given, directories) {
        Ok(loaded) => Ok(Some(loaded)),
        Err(error) if given.is_some() => Err(error),
        Err(_) => Ok(None),
    }
}

impl Loaded {
    /// # Safety
    ///
    /// `T` must be the type of the function, as a pointer.
    pub(super) unsafe fn symbol<T: Copy>(&self, name: &'static str) -> Option<T> {
        // SAFETY: the caller vouches for the type, and the library is never unloaded.
        unsafe { self.library.get::<T>(name.as_bytes()).ok().map(|symbol| *symbol) }
    }
}

/// # Safety
///
/// As [`Loaded::symbol`].
unsafe fn symbol<T: Copy>(libraries: &[&Loaded], name: &'static str) -> Option<T> {
    // SAFETY: the caller vouches for the type.
    libraries.iter().find_map(|library| unsafe { library.symbol(name) })
}

/// # Safety
///
/// As [`Loaded::symbol`].
unsafe fn required<T: Copy>(libraries: &[&Loaded], name: &'static str) -> Result<T, CannError> {
    let library = libraries.first().map(|library| library.path.clone()).unwrap_or_default();
    // SAFETY: the caller vouches for the type.
    unsafe { symbol(libraries, name) }.ok_or(CannError::Symbol { library, symbol: name })
}
