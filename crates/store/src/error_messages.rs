//! The sentences of errors: what is no profile, what could not be parsed, and what is wrong with a cache.

use std::path::Path;

use npuscope_messages::{Message, messages};

messages! {
    "store-stopped" => stopped(),

    // Finding a profile.
    "profile-missing" => no_such_path(path: &Path),
    "profile-unreadable" => unreadable(path: &Path, error: Message),
    "profile-not-a-directory" => not_a_directory(path: &Path),
    "profile-not-a-file" => not_a_file(path: &Path),
    "profile-nothing" => no_profile(path: &Path),
    "profile-nothing-readable" => no_readable_profile(path: &Path, why: Message),
    "profile-no-job" => no_such_job(name: &str, jobs: Vec<&str>),
    "profile-no-window" => no_such_window(name: &str, windows: Vec<&str>),

    // Parsing raw data.
    "parse-nothing" => no_records(path: &Path),
    "parse-nothing-readable" => no_readable_records(path: &Path, why: Message),
    "parse-device-raw" => device_data_unsupported(path: &Path),

    // The cache.
    "cache-io" => cache_unusable(path: &Path, error: Message),
    "cache-contended" => cache_contended(path: &Path),
    "cache-damaged" => cache_damaged(path: &Path, what: Message),
    "cache-off" => cache_off(),
    "cache-checksum" => wrong_checksum(),
    "cache-version" => other_version(),
    "cache-length" => wrong_length(),
    "cache-no-strings" => no_strings(),
    "cache-cut-segment" => cut_segment(),
    "cache-no-segment" => no_such_segment(),
    "cache-segment-outside" => segment_outside(),
    "cache-not-decoded" => not_decoded(),
}
