//! Files as bytes in memory.

use std::path::Path;

use memmap2::Mmap;

use crate::regular_file;

/// The bytes of a file, mapped; `None` for an empty file, which cannot be.
pub fn map(path: &Path) -> std::io::Result<Option<Mmap>> {
    let file = regular_file::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(None);
    }
    // SAFETY: the mapping is only read. A file that another process cuts while it is being read would
    // end this one with SIGBUS, as it would any tool that maps; deliverables are complete when read.
    unsafe { Mmap::map(&file) }.map(Some)
}
