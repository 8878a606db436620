//! What holds in every simulated job, whatever its layout and whatever goes wrong in it.

mod faults;
mod formats;
mod jobs;
mod memory;
mod times;
mod traffic;
