//! The sentences of errors: what could not be written, and what is no export of Nsight Systems.

use std::path::Path;

use npuscope_messages::{Message, messages};

messages! {
    "output-failed" => cannot_write(path: &Path, error: Message),
    "output-not-empty" => not_empty(path: &Path),
    "output-exists" => already_exists(path: &Path),
    "output-no-place" => no_place(path: &Path),
    "output-incomplete" => incomplete(path: &Path),
    "nsight-unreadable" => nsight_unreadable(path: &Path, error: String),
    "nsight-lacks-table" => nsight_lacks_table(path: &Path, table: &str, hint: Message),
    "nsight-export" => nsight_export(),
    "nsight-trace-nvtx" => nsight_trace_nvtx(),
    "nsight-trace-cuda" => nsight_trace_cuda(),
}
