//! Sizes as people read them.

/// 3.4 MiB, in powers of 1024 as the pages show sizes.
///
/// ```
/// assert_eq!([1023, 1_536, 3_565_158].map(npuscope_messages::size), ["1023 B", "1.5 KiB", "3.4 MiB"]);
/// ```
pub fn size(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    let unit_name = units.get(unit).copied().unwrap_or_default();
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {unit_name}") }
}
