//! One recording of one device.

use std::ffi::{CString, c_char};
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use npuscope_messages::Message;

use super::api::{Cann, Functions, RawConfig};
use super::error::{CannError, checked};
use super::options::{ConfigType, DeviceOptions, configs, mask, metrics_number};
use crate::messages;

/// CANN keeps its state of a recording for the whole process.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// What is recorded ends, and its files are complete, with [`finish`](Profile::finish) or when this is dropped. Before
/// that the device must be synchronised, or the end of what it still does is missing.
pub struct Profile {
    cann: Arc<Cann>,
    config: Option<NonNull<RawConfig>>,
    is_running: bool,
    is_initialised: bool,
    diagnostics: Vec<Message>,
    _taken: Taken,
}

// SAFETY: the pointer is used by one thread at a time, since every use needs `&mut self`; CANN does not tie a
// configuration to the thread that made it.
unsafe impl Send for Profile {}

impl Profile {
    /// Prepares a recording: directory, rates, configuration. Nothing runs yet.
    ///
    /// A rate that cannot be set costs its data only, and is reported by [`diagnostics`](Profile::diagnostics).
    pub fn prepare(cann: &Arc<Cann>, options: &DeviceOptions) -> Result<Profile, CannError> {
        let taken = Taken::take().ok_or(CannError::Busy)?;
        let directory = c_text(&options.directory)?;
        let functions = cann.functions;
        // SAFETY: a string that ends with zero, and its length without that.
        checked("aclprofInit", unsafe { (functions.init)(directory.as_ptr(), directory.as_bytes().len()) })?;
        // From here on, dropping the profile undoes what was done.
        let mut profile = Profile {
            cann: Arc::clone(cann),
            config: None,
            is_running: false,
            is_initialised: true,
            diagnostics: Vec::new(),
            _taken: taken,
        };
        for (config, value) in configs(options) {
            profile.diagnostics.extend(set_config(&functions, config, &value)?);
        }
        let (mask, metrics, mut device) = (mask(options), metrics_number(options.recorded_metrics()), options.device);
        // SAFETY: one device; events must be null, as the interface says.
        let config = unsafe { (functions.create_config)(&raw mut device, 1, metrics, ptr::null(), mask) };
        let refused = CannError::Config { device: options.device, mask, metrics };
        profile.config = Some(NonNull::new(config).ok_or(refused)?);
        Ok(profile)
    }

    /// Prepares a recording and starts it, or has it warm up until [`start`](Profile::start).
    pub fn begin(cann: &Arc<Cann>, options: &DeviceOptions, warmup: bool) -> Result<Profile, CannError> {
        let mut profile = Profile::prepare(cann, options)?;
        if warmup {
            profile.warm_up()?
        } else {
            profile.start()?
        }
        Ok(profile)
    }

    /// Has the device run as if it were recorded. Does nothing where CANN cannot do that.
    pub fn warm_up(&mut self) -> Result<(), CannError> {
        match (self.config, self.cann.functions.warmup) {
            // SAFETY: the configuration is alive.
            (Some(config), Some(warmup)) if !self.is_running => {
                checked("aclprofWarmup", unsafe { warmup(config.as_ptr()) })
            }
            _ => Ok(()),
        }
    }

    /// Starts recording; does nothing where it runs or is over.
    pub fn start(&mut self) -> Result<(), CannError> {
        let Some(config) = self.config.filter(|_| !self.is_running) else { return Ok(()) };
        // SAFETY: the configuration is alive.
        checked("aclprofStart", unsafe { (self.cann.functions.start)(config.as_ptr()) })?;
        self.is_running = true;
        if let Some(register) = self.cann.functions.register_device_callback {
            // SAFETY: it has no arguments.
            if let Err(error) = checked("aclprofRegisterDeviceCallback", unsafe { register() }) {
                self.diagnostics.push(messages::cann_later_devices(error.message()));
            }
        }
        Ok(())
    }

    pub fn is_running(&self) -> bool {
        self.is_running
    }

    /// Settings that could not be made; the recording goes on without them.
    pub fn diagnostics(&self) -> &[Message] {
        &self.diagnostics
    }

    /// Ends the recording and completes its files. Everything is tried; the first failure is returned.
    pub fn finish(mut self) -> Result<(), CannError> {
        self.close()
    }

    fn close(&mut self) -> Result<(), CannError> {
        let functions = self.cann.functions;
        let mut result = Ok(());
        if let Some(config) = self.config.take() {
            if self.is_running {
                self.is_running = false;
                // SAFETY: the configuration is alive until the next line.
                result = result.and(checked("aclprofStop", unsafe { (functions.stop)(config.as_ptr()) }));
            }
            // SAFETY: it came from aclprofCreateConfig and is not used again.
            let destroyed = checked("aclprofDestroyConfig", unsafe { (functions.destroy_config)(config.as_ptr()) });
            result = result.and(destroyed);
        }
        if self.is_initialised {
            self.is_initialised = false;
            // SAFETY: aclprofInit succeeded, and this is called once.
            result = result.and(checked("aclprofFinalize", unsafe { (functions.finalize)() }));
        }
        result
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        let _ = self.close();
    }
}

/// Sets one rate or limit; a diagnostic if that failed.
fn set_config(functions: &Functions, config: ConfigType, value: &str) -> Result<Option<Message>, CannError> {
    let Some(set) = functions.set_config else {
        return Ok(Some(messages::cann_no_set_config(format!("{config:?}"), value)));
    };
    let text = c_text(value)?;
    // SAFETY: a string that ends with zero, and its length without that.
    let code = unsafe { set(config.number(), text.as_ptr().cast::<c_char>(), text.as_bytes().len()) };
    let failed = |error: CannError| messages::cann_set_config(format!("{config:?}"), value, error.message());
    Ok(checked("aclprofSetConfig", code).err().map(failed))
}

fn c_text(text: &str) -> Result<CString, CannError> {
    CString::new(text).map_err(|_| CannError::Text(text.escape_default().to_string()))
}

/// The right to record, given back when dropped.
struct Taken;

impl Taken {
    fn take() -> Option<Taken> {
        (!IS_TAKEN.swap(true, Ordering::AcqRel)).then_some(Taken)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        IS_TAKEN.store(false, Ordering::Release);
    }
}
