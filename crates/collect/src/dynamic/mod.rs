//! Recording that a file switches while the job runs.
//!
//! The file is `profiler_config.json`, as torch_npu or MindSpore read it. A [`Watch`] looks at it from a thread of its
//! own and hands on every change once, as a [`Request`]; a [`Control`] turns requests into what one rank does before
//! its next step; a [`Reporter`] leaves a [`Status`] beside the file, so that [`statuses`] shows which ranks use it.
//! [`set`] changes the file so that no reader ever sees half of it.
//!
//! # Steps
//!
//! Training steps count from 1, and a window has both its ends: a collection of steps 8 to 10 holds training steps 8, 9
//! and 10 and nothing else, in both dialects. [`Control::step`] is called *after* every training step, so it is the call
//! after step 7 that starts it and the call after step 10 that stops it. A window that begins with step 1 is started by
//! [`Control::begin`], which is called once before training. (torch_npu itself, called after a step as well, begins when
//! the step that the file names is over, and so records one step later than its file says.)
//!
//! | | MindSpore | torch_npu |
//! |---|---|---|
//! | first step recorded | `start_step` | `start_step` + `warmup` |
//! | last step recorded | `stop_step` | `start_step` + `warmup` + `active` - 1 |
//! | never | -1 | 0 |
//! | as soon as it is seen | `"next"`, and `stop_step` counts from there | -1 |
//! | has begun when it is seen | its rest is recorded | dropped |
//!
//! # What is there at the start
//!
//! torch_npu takes a file only once it is changed after the job began, MindSpore takes it at once. Here a file is taken
//! at once in both dialects, because people write it before they start the job; but not one that says "the next step",
//! which was meant for whatever ran when it was written. It is reported as an [`error`](Watch::error).
//!
//! `"next"` is npuscope's own word. MindSpore's monitor expects a number there, and records nothing.

mod control;
mod file;
mod poll;
mod request;
mod set;
mod status;
mod watch;

pub use control::{Beginning, Command, Control};
pub use file::{DynamicDialect, config_file, write_default};
pub use poll::MAX_SIZE;
pub use request::{Ranks, Request, RequestError, Start, Window};
pub use set::{Activity, Changes, Edit, SetError, WindowChange, Written, set};
pub use status::{Failure, Reporter, State, Status, statuses, write_status};
pub use watch::Watch;

use std::path::Path;

/// The request in the file, or why there is none.
pub fn read(path: &Path) -> Result<Request, RequestError> {
    let read = poll::read_file(&config_file(path))?;
    Request::read(&read.text)
}
