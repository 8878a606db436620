//! How much memory queries may use on this machine.

use std::fs;

/// What queries may use at most unless a user says otherwise.
const MOST: usize = 4 << 30;

/// The limit for queries: what the user says, where 0 is none, or half of the memory of this machine or container, at
/// most 4 GB.
pub fn query_limit(given: Option<usize>) -> Option<usize> {
    match given {
        Some(0) => None,
        Some(bytes) => Some(bytes),
        None => Some(memory().map_or(MOST, |bytes| (bytes / 2).min(MOST))),
    }
}

/// The memory of the machine, or what a container may use of it.
fn memory() -> Option<usize> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    let group = |path| fs::read_to_string(path).ok().and_then(|text| text.trim().parse().ok());
    let groups =
        ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"].into_iter().filter_map(group);
    machine.into_iter().chain(groups).min()
}

/// The bytes that `/proc/meminfo` says the machine has.
fn total(text: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_what_the_user_says_or_a_share_of_the_memory() {
        assert_eq!(query_limit(Some(0)), None);
        assert_eq!(query_limit(Some(7)), Some(7));
        assert!(query_limit(None).is_some_and(|bytes| bytes > 0 && bytes <= MOST));
        assert_eq!(total("MemTotal:       24576000 kB\nMemFree: 1 kB\n"), Some(24_576_000 << 10));
        assert_eq!(total("MemFree: 1 kB\n"), None);
    }
}
