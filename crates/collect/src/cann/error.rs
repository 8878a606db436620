//! What can go wrong with CANN.

use std::fmt;
use std::path::PathBuf;

use npuscope_messages::Message;

use crate::messages;

/// A code that CANN gave, other than 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AclError(pub i32);

impl AclError {
    /// The known meaning of a code.
    fn meaning(self) -> Option<Message> {
        match self.0 {
            100_000 => Some(messages::acl_invalid_parameter()),
            100_001 => Some(messages::acl_uninitialised()),
            100_002 => Some(messages::acl_profiling_repeated()),
            100_042 => Some(messages::acl_device_busy()),
            100_043 => Some(messages::acl_profiling_uninitialised()),
            148_047 => Some(messages::acl_profiling_conflict()),
            200_000 => Some(messages::acl_no_memory()),
            200_001 => Some(messages::acl_interface_unsupported()),
            200_006 => Some(messages::acl_feature_unsupported()),
            500_000 => Some(messages::acl_internal_error()),
            500_005 => Some(messages::acl_profiling_failed()),
            _ => None,
        }
    }

    pub fn message(self) -> Message {
        match self.meaning() {
            Some(meaning) => messages::acl_error_known(self.0, meaning),
            None => messages::acl_error(self.0),
        }
    }
}

impl fmt::Display for AclError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(formatter)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum CannError {
    Library { library: PathBuf, error: String },
    Symbol { library: PathBuf, symbol: &'static str },
    Call { call: &'static str, error: AclError },
    Config { device: u32, mask: u64, metrics: u32 },
    Busy,
    Text(String),
}

impl CannError {
    pub fn message(&self) -> Message {
        match self {
            CannError::Library { library, error } => messages::cann_library(library, error),
            CannError::Symbol { library, symbol } => messages::cann_symbol(library, symbol),
            CannError::Call { call, error } => messages::cann_call(call, error.message()),
            CannError::Config { device, mask, metrics } => {
                messages::cann_config(*device, format!("{mask:#x}"), format!("{metrics:#x}"))
            }
            CannError::Busy => messages::cann_busy(),
            CannError::Text(text) => messages::cann_text(text),
        }
    }
}

impl fmt::Display for CannError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(formatter)
    }
}

/// `Ok` for 0.
pub fn checked(call: &'static str, code: i32) -> Result<(), CannError> {
    if code == 0 { Ok(()) } else { Err(CannError::Call { call, error: AclError(code) }) }
}
