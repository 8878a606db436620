//! What the system says when reading or writing fails.

use std::io::{Error, ErrorKind};

use crate::{Message, messages};

messages! {
    /// Text that is the same in every language: code, a name, what another program or library says.
    "verbatim" => verbatim(text: String),
    "io-not-found" => not_found(),
    "io-permission-denied" => permission_denied(),
    "io-already-exists" => already_exists(),
    "io-is-a-directory" => is_a_directory(),
    "io-not-a-directory" => not_a_directory(),
    "io-directory-not-empty" => directory_not_empty(),
    "io-read-only" => read_only(),
    "io-disk-full" => disk_full(),
    "io-quota-exceeded" => quota_exceeded(),
    "io-file-too-large" => file_too_large(),
    "io-file-name" => invalid_file_name(),
    "io-file-busy" => file_busy(),
    "io-invalid-data" => invalid_data(),
    "io-end-of-file" => end_of_file(),
    "io-timed-out" => timed_out(),
    "io-interrupted" => interrupted(),
    "io-out-of-memory" => out_of_memory(),
    "io-broken-pipe" => broken_pipe(),
    "io-connection-refused" => connection_refused(),
    "io-connection-lost" => connection_lost(),
    "io-address-in-use" => address_in_use(),
    "io-address-not-available" => address_not_available(),
    "io-too-many-open-files" => too_many_open_files(),
}

/// `EMFILE` and `ENFILE`, which have no [`ErrorKind`].
#[cfg(unix)]
const TOO_MANY_OPEN_FILES: [i32; 2] = [24, 23];
#[cfg(not(unix))]
const TOO_MANY_OPEN_FILES: [i32; 2] = [4, 4];

/// An error of the system in the user's language; the text of the system where it is a rare one, and that of a library
/// where a library made the error, since it says more than the kind does.
pub fn io_error(error: &Error) -> Message {
    if error.get_ref().is_some() {
        return verbatim(error.to_string());
    }
    match error.kind() {
        ErrorKind::NotFound => not_found(),
        ErrorKind::PermissionDenied => permission_denied(),
        ErrorKind::AlreadyExists => already_exists(),
        ErrorKind::IsADirectory => is_a_directory(),
        ErrorKind::NotADirectory => not_a_directory(),
        ErrorKind::DirectoryNotEmpty => directory_not_empty(),
        ErrorKind::ReadOnlyFilesystem => read_only(),
        ErrorKind::StorageFull => disk_full(),
        ErrorKind::QuotaExceeded => quota_exceeded(),
        ErrorKind::FileTooLarge => file_too_large(),
        ErrorKind::InvalidFilename => invalid_file_name(),
        ErrorKind::ResourceBusy | ErrorKind::ExecutableFileBusy => file_busy(),
        // The only such error without a text of its own is that of text that is not UTF-8.
        ErrorKind::InvalidData => invalid_data(),
        ErrorKind::UnexpectedEof => end_of_file(),
        ErrorKind::TimedOut => timed_out(),
        ErrorKind::Interrupted => interrupted(),
        ErrorKind::OutOfMemory => out_of_memory(),
        ErrorKind::BrokenPipe => broken_pipe(),
        ErrorKind::ConnectionRefused => connection_refused(),
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => connection_lost(),
        ErrorKind::AddrInUse => address_in_use(),
        ErrorKind::AddrNotAvailable => address_not_available(),
        _ if error.raw_os_error().is_some_and(|code| TOO_MANY_OPEN_FILES.contains(&code)) => too_many_open_files(),
        _ => verbatim(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn common_errors_of_the_system_are_messages_in_both_languages() {
        let error = std::fs::read("/no/such/file").unwrap_err();
        assert_eq!(io_error(&error).text(Language::English), "no such file or directory");
        assert_eq!(io_error(&error).text(Language::Chinese), "文件或目录不存在");
        let error = std::fs::read_dir("Cargo.toml").unwrap_err();
        assert_eq!(io_error(&error).text(Language::Chinese), "不是目录");
    }

    #[test]
    fn text_that_is_not_utf_8_is_invalid_data() {
        let error = std::io::read_to_string(&b"\xff"[..]).unwrap_err();
        assert_eq!(io_error(&error).to_string(), "not UTF-8 text");
    }

    #[test]
    fn what_a_library_says_is_kept() {
        let error = Error::new(ErrorKind::InvalidData, "bad magic number");
        assert_eq!(io_error(&error).text(Language::Chinese), "bad magic number");
    }

    #[test]
    fn a_rare_error_is_shown_as_the_system_says_it() {
        let error = Error::from_raw_os_error(5);
        assert_eq!(io_error(&error).text(Language::Chinese), error.to_string());
    }
}
