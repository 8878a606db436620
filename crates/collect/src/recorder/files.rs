//! The directory of a recording: made, filled, and moved to where it belongs.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use npuscope_formats::framework;
use npuscope_formats::output::Part;
use npuscope_messages::{Message, io_error};

use crate::messages;

/// As torch_npu makes its directories and files.
const DIRECTORY_MODE: u32 = 0o750;
pub const FILE_MODE: u32 = 0o640;

/// Whether records are first written to a local directory and moved at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spool {
    /// Straight to where they belong.
    Never,
    /// To this directory, always.
    Always(PathBuf),
    /// To this directory if where they belong is on another machine.
    IfRemote(PathBuf),
}

/// The directories of a recording.
#[derive(Clone, Debug)]
pub struct Place {
    /// Where records belong.
    pub directory: PathBuf,
    /// Where records are written meanwhile, if elsewhere.
    pub spool: Option<PathBuf>,
}

impl Place {
    pub fn create(directory: &Path, spool: &Spool) -> io::Result<Self> {
        make_directory(&directory.join(framework::DIRECTORY))?;
        let spool = match spool {
            Spool::Never => None,
            Spool::Always(spool) => Some(spool),
            Spool::IfRemote(spool) => is_remote(directory).then_some(spool),
        };
        let spool = match (spool, directory.file_name()) {
            (Some(spool), Some(name)) => {
                let spool = spool.join(name);
                make_directory(&spool)?;
                Some(spool)
            }
            _ => None,
        };
        Ok(Self { directory: directory.to_owned(), spool })
    }
}

/// The raw files of a recording.
pub struct Files {
    place: Place,
    open: BTreeMap<&'static str, File>,
}

impl Files {
    pub fn new(place: Place) -> Self {
        Self { place, open: BTreeMap::new() }
    }

    pub fn append(&mut self, name: &'static str, bytes: &[u8]) -> io::Result<()> {
        if !self.open.contains_key(name) {
            let directory = match &self.place.spool {
                Some(spool) => spool.clone(),
                None => self.place.directory.join(framework::DIRECTORY),
            };
            let path = directory.join(name);
            let file = OpenOptions::new().create(true).append(true).mode(FILE_MODE).open(path)?;
            self.open.insert(name, file);
        }
        match self.open.get_mut(name) {
            Some(file) => file.write_all(bytes),
            None => Ok(()),
        }
    }

    /// Moves spooled files to their directory. Files that cannot be moved stay, and the error names their directory.
    pub fn finish(self) -> Result<(), Message> {
        let Some(spool) = self.place.spool else { return Ok(()) };
        let target = self.place.directory.join(framework::DIRECTORY);
        for name in self.open.keys() {
            move_file(&spool.join(name), &target.join(name))
                .map_err(|error| messages::recorder_spooled(io_error(&error), &spool))?;
        }
        // The other files are the clocks, which were copied before.
        fs::remove_dir_all(&spool).map_err(|error| messages::recorder_failed(io_error(&error)))
    }
}

/// By renaming, or where that cannot be by copying to a name beside and renaming that.
fn move_file(from: &Path, to: &Path) -> io::Result<()> {
    if fs::rename(from, to).is_ok() {
        return Ok(());
    }
    let part = Part::beside(to);
    fs::copy(from, part.path())?;
    part.rename()?;
    fs::remove_file(from)
}

/// What a rank's directory is called: `{worker}_{pid}_{YYYYMMDDHHMMSSmmm}_ascend_{suffix}`, in local time with the suffix
/// of torch_npu (`pt`), in universal time with that of MindSpore (`ms`), as they write it.
pub fn directory_name(worker: &str, suffix: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = now.as_secs() as libc::time_t;
    // SAFETY: all-zero bytes are a valid `tm`: numbers, and a pointer that may be null.
    let mut time: libc::tm = unsafe { std::mem::zeroed() };
    // SAFETY: both are places for what they are.
    unsafe {
        if suffix == "ms" {
            libc::gmtime_r(&seconds, &mut time);
        } else {
            libc::localtime_r(&seconds, &mut time);
        }
    }
    let (year, month) = (time.tm_year + 1900, time.tm_mon + 1);
    let libc::tm { tm_mday: day, tm_hour: hour, tm_min: minute, tm_sec: second, .. } = time;
    let (pid, ms) = (std::process::id(), now.subsec_millis());
    format!("{worker}_{pid}_{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}{ms:03}_ascend_{suffix}")
}

/// Makes a directory and those above it.
pub fn make_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(path)
}

/// Whether a path is on a file system of another machine, judging by the number of its type.
fn is_remote(path: &Path) -> bool {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;
    /// NFS, SMB, CIFS, SMB2, Lustre, GPFS, FUSE, Ceph, 9P, BeeGFS.
    const REMOTE: [u32; 10] = [
        0x6969,
        0x517b,
        0xff53_4d42,
        0xfe53_4d42,
        0x0bd0_0bd0,
        0x4750_4653,
        0x6573_5546,
        0x00c3_6400,
        0x0102_1997,
        0x1983_0326,
    ];
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: all-zero bytes are a valid `statfs`: numbers.
    let mut answer: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path ends with a zero byte and `answer` is a place for the answer.
    let failed = unsafe { libc::statfs(path.as_ptr(), &mut answer) } != 0;
    !failed && REMOTE.contains(&(answer.f_type as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spooled_records_arrive_at_the_end() {
        let place = tempfile::tempdir().unwrap();
        let (target, spool) = (place.path().join("host_ascend_pt"), place.path().join("spool"));
        let mut files = Files::new(Place::create(&target, &Spool::Always(spool.clone())).unwrap());
        files.append(framework::OP_RANGE, b"one").unwrap();
        files.append(framework::OP_RANGE, b"two").unwrap();
        assert_eq!(fs::read(spool.join("host_ascend_pt/torch.op_range")).unwrap(), b"onetwo");
        assert!(!target.join("FRAMEWORK/torch.op_range").exists());
        files.finish().unwrap();
        assert_eq!(fs::read(target.join("FRAMEWORK/torch.op_range")).unwrap(), b"onetwo");
        assert_eq!(fs::read_dir(&spool).unwrap().count(), 0, "the spool is empty again");
    }

    #[test]
    fn directories_are_called_as_torch_npu_and_mindspore_call_them() {
        let name = directory_name("host", "pt");
        let time = name.strip_prefix(&format!("host_{}_", std::process::id())).unwrap();
        let time = time.strip_suffix("_ascend_pt").unwrap();
        assert!(time.len() == 17 && time.starts_with("20") && time.bytes().all(|byte| byte.is_ascii_digit()), "{time}");
        assert!(directory_name("host", "ms").ends_with("_ascend_ms"));
    }

    #[test]
    fn an_error_says_where_records_are_that_cannot_be_moved() {
        let place = tempfile::tempdir().unwrap();
        let (target, spool) = (place.path().join("host_ascend_pt"), place.path().join("spool"));
        let mut files = Files::new(Place::create(&target, &Spool::Always(spool.clone())).unwrap());
        files.append(framework::OP_RANGE, b"one").unwrap();
        fs::remove_dir_all(&target).unwrap();
        let error = files.finish().unwrap_err().to_string();
        assert!(error.contains("the records are in"), "{error}");
        assert_eq!(fs::read(spool.join("host_ascend_pt/torch.op_range")).unwrap(), b"one");
    }
}
