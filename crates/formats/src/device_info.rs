//! `device_N/info.json.N`: what the profiler's raw data says of a chip. Gone where raw data was deleted.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::regular_file;

/// How deep below a rank's directory chips are looked for: `PROF_*/device_N`.
const MAX_DEPTH: usize = 3;

/// Figures of a chip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceInfo {
    pub ai_cores: u32,
    pub frequency_mhz: f64,
}

/// Finds the figures of a chip below a rank's directory: of `device`, or of the first that has any.
pub fn find(directory: &Path, device: Option<i64>) -> Option<DeviceInfo> {
    let mut files = Vec::new();
    collect(directory, MAX_DEPTH, &mut files);
    files.sort_by_key(|(number, path)| (Some(*number) != device, path.clone()));
    files.iter().find_map(|(_, path)| read(&regular_file::read(path).ok()?))
}

/// All figures of chips below a rank's directory, by number of the device and place: what [`find`] chooses from.
pub fn find_all(directory: &Path) -> Vec<(i64, DeviceInfo)> {
    let mut files = Vec::new();
    collect(directory, MAX_DEPTH, &mut files);
    files.sort();
    files.iter().filter_map(|(number, path)| Some((*number, read(&fs::read(path).ok()?)?))).collect()
}

/// Reads the figures in a file, if they make sense.
pub fn read(text: &[u8]) -> Option<DeviceInfo> {
    let json: Value = serde_json::from_slice(text).ok()?;
    let device = json.get("DeviceInfo")?.get(0)?;
    let number = |key: &str| match device.get(key)? {
        Value::String(text) => text.trim().parse::<f64>().ok(),
        value => value.as_f64(),
    };
    let cores = number("ai_core_num").filter(|cores| (1.0..=f64::from(u16::MAX)).contains(cores))?;
    let frequency_mhz = number("aic_frequency").filter(|mhz| *mhz > 0.0 && mhz.is_finite())?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    Some(DeviceInfo { ai_cores: cores as u32, frequency_mhz })
}

/// The files in directories called `device_N`, with their numbers.
fn collect(directory: &Path, depth: usize, files: &mut Vec<(i64, PathBuf)>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let number = |prefix: &str| name.strip_prefix(prefix)?.parse::<i64>().ok();
        let is_device = directory.file_name().is_some_and(|name| name.to_string_lossy().starts_with("device_"));
        match number("info.json.") {
            Some(number) if is_device => files.push((number, path)),
            _ if depth > 0 && path.is_dir() => collect(&path, depth - 1, files),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(cores: u32) -> String {
        format!(r#"{{"DeviceInfo":[{{"id":0,"ai_core_num":{cores},"aic_frequency":"1800"}}]}}"#)
    }

    #[test]
    fn the_chip_of_the_rank_is_preferred() {
        let root = tempfile::tempdir().unwrap();
        for (device, cores) in [(0, 20), (3, 24)] {
            let directory = root.path().join(format!("PROF_1/device_{device}"));
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join(format!("info.json.{device}")), info(cores)).unwrap();
        }
        let cores = |device| find(root.path(), device).map(|info| info.ai_cores);
        assert_eq!((cores(Some(3)), cores(Some(7)), cores(None)), (Some(24), Some(20), Some(20)));
        assert_eq!(find(&root.path().join("none"), None), None);
    }

    #[test]
    fn figures_that_make_no_sense_are_none() {
        assert_eq!(read(info(24).as_bytes()), Some(DeviceInfo { ai_cores: 24, frequency_mhz: 1800.0 }));
        for text in ["", "{}", "[]", r#"{"DeviceInfo":[]}"#, r#"{"DeviceInfo":[{"ai_core_num":24}]}"#, &info(0)] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
    }
}
