//! What can go wrong with CANN.

use std::fmt;
use std::path::PathBuf;

/// A code that CANN gave, other than 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AclError(pub i32);

impl AclError {
    /// What a code is known to mean.
    const fn meaning(self) -> Option<&'static str> {
        match self.0 {
            100_000 => Some("a parameter is invalid"),
            100_001 => Some("ACL is not initialised"),
            100_002 => Some("profiling is initialised already"),
            100_042 => Some("the device is being profiled already, by msprof or another profiler"),
            100_043 => Some("profiling is not initialised"),
            148_047 => Some("another way of profiling is in use"),
            200_000 => Some("no memory is left"),
            200_001 => Some("the interface is not supported"),
            200_006 => Some("the feature is not supported"),
            500_000 => Some("an internal error"),
            500_005 => Some("profiling failed"),
            _ => None,
        }
    }
}

impl fmt::Display for AclError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "error {}", self.0)?;
        self.meaning().map_or(Ok(()), |meaning| write!(formatter, " ({meaning})"))
    }
}

#[derive(Debug, thiserror::Error)]
pub enum CannError {
    #[error("cannot load {library}: {problem}", library = library.display())]
    Library { library: PathBuf, problem: String },
    #[error("{library} has no {symbol}: it is too old, or of something else", library = library.display())]
    Symbol { library: PathBuf, symbol: &'static str },
    #[error("{call} failed with {error}")]
    Call { call: &'static str, error: AclError },
    #[error("aclprofCreateConfig refused mask {mask:#x} and metrics {metrics:#x} for device {device}")]
    Config { device: u32, mask: u64, metrics: u32 },
    #[error("the device is being recorded already; there can be one recording at a time in a process")]
    Busy,
    #[error("{0} holds a zero byte, which C cannot take")]
    Text(String),
}

/// `Ok` for 0.
pub fn checked(call: &'static str, code: i32) -> Result<(), CannError> {
    if code == 0 { Ok(()) } else { Err(CannError::Call { call, error: AclError(code) }) }
}
