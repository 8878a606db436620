//! Analyses of profiles.
//!
//! One file per analysis. Each returns plain data and [`Finding`]s; nothing here prints.
//!
//! - [`overview`]: step times, their parts, ranks that stand out; [`health`]: what a profile contains and lacks.
//! - [`diagnose`]: which ranks, hosts, stages and links are slow, why, and what they cost, by replaying the job.
//! - [`diagnostic`]: a diagnostic with its place.
//! - [`cluster`]: msprof-analyze's modes, one file each.
//! - [`steps`]: the steps of ranks; [`time_split`]: the parts of device time; [`occupancy`]: how busy devices were over
//!   time; [`scope`]: the part of a job that is analysed.
//! - [`pipeline`], [`experts`], [`rl_stages`]: pipelines, experts and stages of reinforcement learning.
//! - [`meetings`]: matches operations of different ranks; [`gap`]: causes of idle device time; [`dispatch`]: launch path
//!   of kernels from the host to the device; [`memory`]: which operators hold memory.
//! - [`layout`]: the parallel layout of a job; [`communication`]: what names of operations say, and their groups.
//!
//! ```
//! use npuscope_analysis::diagnose::diagnose;
//! use npuscope_formats::output::Output;
//! use npuscope_store::{OpenOptions, Store};
//! use npuscope_synth::{Format, JobConfig, simulate, write_job};
//! use npuscope_tables::Rank;
//!
//! let slow = "slow-rank@1:2".parse()?;
//! let config = JobConfig { tp: 1, pp: 1, dp: 4, layers: 1, steps: 3, faults: vec![slow], ..JobConfig::default() };
//! let directory = tempfile::tempdir()?;
//! let profile = directory.path().join("profile");
//! write_job(&simulate(&config)?, Format::Text, &Output::new(&profile)?, |_| {})?;
//!
//! let store = Store::open(&profile, OpenOptions::new(directory.path().join("cache")))?;
//! let diagnosis = diagnose(&store, None)?;
//! assert_eq!(diagnosis.findings[0].ranks, [Rank(1)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cluster;
pub mod communication;
pub mod diagnose;
pub mod diagnostic;
pub mod dispatch;
pub mod experts;
pub mod extract;
mod finding;
pub mod gap;
pub mod health;
pub mod job_step;
pub mod layout;
pub mod meetings;
pub mod memory;
pub mod messages;
pub mod occupancy;
pub mod overview;
pub mod pipeline;
pub mod rl_stages;
pub mod scope;
pub mod steps;
pub mod time_split;

pub use finding::{Evidence, Finding, Label, Number, Severity};
