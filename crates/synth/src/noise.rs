//! Noise that is the same every time: a number for every place, not a sequence.

/// A number in 0..1 that depends on the key alone.
pub fn uniform(key: [u64; 4]) -> f64 {
    let mixed = key.iter().fold(0x9e37_79b9_7f4a_7c15, |state, &part| mix(state ^ part));
    #[expect(clippy::cast_precision_loss, reason = "53 bits are kept")]
    let number = (mixed >> 11) as f64;
    number / (1u64 << 53) as f64
}

/// SplitMix64's finisher.
const fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_even_and_repeats() {
        let numbers: Vec<f64> = (0..10_000).map(|i| uniform([1, 2, 3, i])).collect();
        let mean = numbers.iter().sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02 && numbers.iter().all(|n| (0.0..1.0).contains(n)));
        assert_eq!(uniform([1, 2, 3, 4]), uniform([1, 2, 3, 4]));
    }
}
