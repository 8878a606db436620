//! What an NPU and its libraries record.
//!
//! CANN has a C interface for it, `aclprof*` for the device and `mstx*` for ranges of users. It is loaded when it is
//! there ([`Cann::open`]), so that the same program runs where it is not. A [`Profile`] is one recording of one device;
//! [`Mstx`] puts ranges and marks on its timeline.
//!
//! `aclprofGetSupportedFeatures` gives C++ objects whose layout is no part of the interface, so it is not called:
//! whoever knows what their CANN can do says so in [`Features`].

mod api;
mod error;
mod mstx;
mod options;
mod profile;

pub use api::{Cann, Libraries};
pub use error::{AclError, CannError};
pub use mstx::{Mstx, Stream};
pub use options::{ConfigType, DeviceOptions, Features, configs, mask, masks, metrics_number};
pub use profile::Profile;
