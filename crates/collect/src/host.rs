//! The machine.

/// What it is called; `localhost` if it does not say.
pub fn name() -> String {
    let mut name = [0u8; 256];
    // SAFETY: the buffer is ours and its length is given; its last byte stays zero.
    let result = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(0);
    match name.get(..end) {
        Some(name) if result == 0 && !name.is_empty() => String::from_utf8_lossy(name).into_owned(),
        _ => "localhost".to_owned(),
    }
}
