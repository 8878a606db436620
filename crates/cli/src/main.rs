//! The binary `npuscope`.

use std::process::ExitCode;

fn main() -> ExitCode {
    npuscope::run(std::env::args_os())
}
