//! Ranges and marks of users, on the timeline of the device.

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_void};
use std::ptr::{self, NonNull};
use std::sync::{PoisonError, RwLock};

use super::api::Loaded;

/// The domain that needs no handle, and must not be given one.
const DEFAULT: &str = "default";

/// The functions for all, or those of domains.
type Mark = unsafe extern "C" fn(*const c_char, *mut c_void);
type RangeStart = unsafe extern "C" fn(*const c_char, *mut c_void) -> u64;
type RangeEnd = unsafe extern "C" fn(u64);

#[derive(Clone, Copy)]
struct DomainFunctions {
    create: unsafe extern "C" fn(*const c_char) -> *mut c_void,
    mark: unsafe extern "C" fn(*mut c_void, *const c_char, *mut c_void),
    range_start: unsafe extern "C" fn(*mut c_void, *const c_char, *mut c_void) -> u64,
    range_end: unsafe extern "C" fn(*mut c_void, u64),
}

/// A stream of the device, on which a range is timed, too.
#[derive(Clone, Copy, Debug)]
pub struct Stream(NonNull<c_void>);

impl Stream {
    /// `None` for null, which means the host alone.
    ///
    /// # Safety
    ///
    /// The address must be that of a stream (`aclrtStream`) that lives as long as this is used.
    pub unsafe fn from_address(address: usize) -> Option<Stream> {
        NonNull::new(address as *mut c_void).map(Stream)
    }
}

/// A handle that CANN gave.
#[derive(Clone, Copy)]
struct Domain(NonNull<c_void>);

// SAFETY: a handle is a name of something in CANN, which takes calls from all threads.
unsafe impl Send for Domain {}
// SAFETY: as above.
unsafe impl Sync for Domain {}

pub struct Mstx {
    mark: Mark,
    range_start: RangeStart,
    range_end: RangeEnd,
    domain_functions: Option<DomainFunctions>,
    /// `None` for domains that CANN did not make: what is in them goes to the default one, at its start and at its end.
    domains: RwLock<HashMap<String, Option<Domain>>>,
}

impl Mstx {
    pub(super) fn from_library(library: &Loaded) -> Option<Mstx> {
        // SAFETY: the types are those that ms_tools_ext.h declares for these names.
        unsafe {
            let domain_functions = || {
                Some(DomainFunctions {
                    create: library.symbol("mstxDomainCreateA")?,
                    mark: library.symbol("mstxDomainMarkA")?,
                    range_start: library.symbol("mstxDomainRangeStartA")?,
                    range_end: library.symbol("mstxDomainRangeEnd")?,
                })
            };
            Some(Mstx {
                mark: library.symbol("mstxMarkA")?,
                range_start: library.symbol("mstxRangeStartA")?,
                range_end: library.symbol("mstxRangeEnd")?,
                domain_functions: domain_functions(),
                domains: RwLock::default(),
            })
        }
    }

    pub fn mark(&self, message: &str, stream: Option<Stream>, domain: &str) {
        let (message, stream) = (c_text(message), address(stream));
        // SAFETY: a string that ends with zero; a stream or null; a handle of this library.
        unsafe {
            match self.domain(domain) {
                Some((functions, Domain(handle))) => (functions.mark)(handle.as_ptr(), message.as_ptr(), stream),
                None => (self.mark)(message.as_ptr(), stream),
            }
        }
    }

    /// Starts a range and gives its number; 0 where it was not started.
    pub fn range_start(&self, message: &str, stream: Option<Stream>, domain: &str) -> u64 {
        let (message, stream) = (c_text(message), address(stream));
        // SAFETY: a string that ends with zero; a stream or null; a handle of this library.
        unsafe {
            match self.domain(domain) {
                Some((functions, Domain(handle))) => (functions.range_start)(handle.as_ptr(), message.as_ptr(), stream),
                None => (self.range_start)(message.as_ptr(), stream),
            }
        }
    }

    /// Ends a range, by its number and the domain it was started in. Nothing for 0.
    pub fn range_end(&self, range: u64, domain: &str) {
        if range == 0 {
            return;
        }
        // SAFETY: a number, and a handle of this library.
        unsafe {
            match self.domain(domain) {
                Some((functions, Domain(handle))) => (functions.range_end)(handle.as_ptr(), range),
                None => (self.range_end)(range),
            }
        }
    }

    /// The handle of a domain, made when it is first used.
    fn domain(&self, name: &str) -> Option<(DomainFunctions, Domain)> {
        let functions = self.domain_functions.filter(|_| name != DEFAULT)?;
        let known = self.domains.read().unwrap_or_else(PoisonError::into_inner).get(name).copied();
        let domain = known.unwrap_or_else(|| {
            let mut domains = self.domains.write().unwrap_or_else(PoisonError::into_inner);
            *domains.entry(name.to_owned()).or_insert_with(|| {
                // SAFETY: a string that ends with zero.
                NonNull::new(unsafe { (functions.create)(c_text(name).as_ptr()) }).map(Domain)
            })
        });
        domain.map(|domain| (functions, domain))
    }
}

fn address(stream: Option<Stream>) -> *mut c_void {
    stream.map_or(ptr::null_mut(), |Stream(stream)| stream.as_ptr())
}

/// The text up to its first zero byte, where C would end it anyway.
fn c_text(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text.as_bytes()[..end]).unwrap_or_default()
}
