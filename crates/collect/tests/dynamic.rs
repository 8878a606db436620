//! Recording that a file switches: the file, the watch, the control of a rank and what it reports.

#[path = "dynamic/agreement.rs"]
mod agreement;
#[path = "dynamic/control.rs"]
mod control;
#[path = "dynamic/set.rs"]
mod set;
#[path = "dynamic/status.rs"]
mod status;
#[path = "dynamic/watch.rs"]
mod watch;

use npuscope_collect::dynamic::Request;

/// The file of torch_npu, with these keys.
fn torch_npu(start: i64, warmup: i64, active: i64) -> String {
    format!(r#"{{"start_step": {start}, "warmup": {warmup}, "active": {active}, "is_rank": false}}"#)
}

/// The file of MindSpore, with these keys.
fn mindspore(start: i64, stop: i64) -> String {
    format!(r#"{{"start_step": {start}, "stop_step": {stop}}}"#)
}

fn request(text: &str) -> Request {
    Request::read(text).unwrap()
}
