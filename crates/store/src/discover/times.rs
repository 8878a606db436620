//! When a window was recorded.

use std::fs;
use std::time::UNIX_EPOCH;

use npuscope_formats::source::WindowSource;
use npuscope_tables::date::day_of_date;

use super::files::file_name;

/// When a window was recorded, in ns since 1970: the time in its name, else when its files were written.
pub(super) fn recorded_at(window: &WindowSource) -> i64 {
    let place = window.place();
    let modified = || {
        let modified = fs::metadata(&place).and_then(|metadata| metadata.modified()).ok()?;
        i64::try_from(modified.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok()
    };
    time_in_window_name(window).or_else(modified).unwrap_or_default()
}

/// The time in the name of a window.
pub(super) fn time_in_window_name(window: &WindowSource) -> Option<i64> {
    let place = window.place();
    let is_file = place != window.directory;
    let name = if is_file { file_name(&place) } else { window.directory_name() };
    name.split(if is_file { '.' } else { '_' }).find_map(time_in_name)
}

/// The time in nanoseconds that a part of a name is, which PyTorch counts in milliseconds or, in later versions,
/// nanoseconds, and the others write as a date, with milliseconds or without.
fn time_in_name(part: &str) -> Option<i64> {
    let number: i64 = part.parse().ok().filter(|_| part.bytes().all(|byte| byte.is_ascii_digit()))?;
    match part.len() {
        13 => number.checked_mul(1_000_000),
        14 => time_of_date(number)?.checked_mul(1_000_000_000),
        16 => number.checked_mul(1000),
        17 => time_of_date(number / 1000)?.checked_mul(1000)?.checked_add(number % 1000)?.checked_mul(1_000_000),
        19 => Some(number),
        _ => None,
    }
}

/// Seconds since 1970 of a date such as 20261115185652.
fn time_of_date(date: i64) -> Option<i64> {
    let mut rest = date;
    let [second, minute, hour, day, month] = [(); 5].map(|()| {
        let part = rest % 100;
        rest /= 100;
        part
    });
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let days = day_of_date(rest, month, day);
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_names_are_compared_whatever_they_count() {
        for same in ["1700000000000", "1700000000000000", "1700000000000000000", "20231114221320", "20231114221320000"]
        {
            assert_eq!(time_in_name(same), Some(1_700_000_000_000_000_000), "{same}");
        }
        assert_eq!(time_in_name("20240229000000"), Some(1_709_164_800_000_000_000));
        for other in ["4711", "gpu-7", "+700000000000", "20231399221320", "99999999999999999", ""] {
            assert_eq!(time_in_name(other), None, "{other}");
        }
    }
}
