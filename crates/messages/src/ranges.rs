//! Whole numbers in the fewest ranges.

/// `0-3`, `7`: sorted numbers as options take them, neighbours as one range.
///
/// ```
/// assert_eq!(npuscope_messages::ranges([0, 1, 2, 3, 7, 9, 10]), ["0-3", "7", "9-10"]);
/// assert!(npuscope_messages::ranges([]).is_empty());
/// ```
pub fn ranges(sorted: impl IntoIterator<Item = i64>) -> Vec<String> {
    let mut ranges: Vec<(i64, i64)> = Vec::new();
    for number in sorted {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let one = |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    ranges.into_iter().map(one).collect()
}
