//! A simulated training job, written as a profile with its truth.
//!
//! [`simulate`] runs a transformer on a TP x CP x DP x PP layout: hosts launch, devices compute, ranks meet
//! in communications and wait there for the slowest. It keeps no more than when each communication ended;
//! [`Job::recording`] then plays one rank again and records, step by step, what a profiler would have seen
//! of it. So a job of any number of ranks, and a rank of any length, is written in little memory.
//!
//! Where a line belongs: [`JobConfig`] says what to simulate and [`Fault`] what goes wrong; `kernels`,
//! `blocks` and `model` are the model, `pipeline` and `program` the order of a step, `network` and `resend`
//! the links, `play` a rank in time, `simulate` all of them; `record` and `memory` are the profiler; `truth`
//! is what is known. `host_job` is another job, without a device.
//!
//! Everything follows from the [`JobConfig`], its seed included: the same config gives the same bytes.
//!
//! ```
//! use npuscope_synth::{JobConfig, simulate};
//! let config = JobConfig { layers: 2, steps: 1, ..JobConfig::default() };
//! let job = simulate(&config).unwrap();
//! let tables = job.rank(0);
//! assert!(tables.len(npuscope_tables::TableId::Kernel) > 0);
//! ```

mod blocks;
mod chip;
mod config;
mod error;
mod fault;
mod host_job;
mod kernels;
mod kineto;
mod layout;
mod memory;
pub mod messages;
mod model;
mod network;
mod noise;
mod pipeline;
mod play;
mod preset;
mod program;
mod record;
mod resend;
mod settings;
mod simulate;
mod truth;
mod windows;
mod write;

pub use chip::Chip;
pub use config::{JobConfig, Level, Recompute, Workload};
pub use error::{ConfigError, Misplaced, Parts};
pub use fault::{Fault, FaultError, FaultKind, Place, Unread};
pub use host_job::{HostJob, Sleep, SleepsAt};
pub use layout::{Group, GroupKind, Layout};
pub use preset::{NAMES as PRESETS, preset, scenario};
pub use record::{Recording, View};
pub use settings::Clock;
pub use simulate::{Job, simulate};
pub use truth::{FaultTruth, GroundTruth};
pub use windows::{Profiling, STAGES, Stretch, StretchError, Window};
pub use write::{Format, write_job};
